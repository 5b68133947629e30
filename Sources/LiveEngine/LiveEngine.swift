package import DeviceSDK
package import NIOCore
import NIOPosix
package import Timebase

/// The live engine's entry for questions that come before a run.
package enum LiveEngine {
    /// What of a run cannot fit, said before it begins.
    ///
    /// Each device keeps one connection while it is busy, so with more devices than connections the
    /// longest-idle ones are closed early and the run shows more connects than the field would.
    ///
    /// - Parameters:
    ///   - devices: Devices that send to one destination.
    ///   - descriptorBudget: From ``MachineLimits/descriptorBudget(limit:sharedWithCollector:)``.
    ///   - ephemeralPorts: From ``MachineLimits/ephemeralPorts()``.
    /// - Returns: A sentence with the number that would fit, or `nil` if all of it fits.
    package static func capacityProblem(
        devices: Int, descriptorBudget: Int, ephemeralPorts: Int = MachineLimits.ephemeralPorts()
    ) -> String? {
        let fitting = min(descriptorBudget, ephemeralPorts)
        guard devices > fitting else { return nil }
        let reason =
            descriptorBudget <= ephemeralPorts
            ? "the process may open \(descriptorBudget) connections"
            : "the system has \(ephemeralPorts) ports for connections to one destination"
        return "\(devices) devices cannot all keep a connection: \(reason); "
            + "\(fitting) devices would fit. Beyond that the longest-idle connection is closed, and counted."
    }

    /// Whether a target takes a TCP connection now: asked once before a run, and closed at once.
    ///
    /// - Parameter limit: How long to wait for the target.
    /// - Throws: ``LiveEngineError`` if the target cannot be used at all.
    package static func isReachable(
        _ target: PopulationPlan.Target, within limit: Interval = .seconds(5), on loop: any EventLoop
    ) async throws -> Bool {
        let endpoint = try await Endpoint.resolve(target)
        let connect = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(limit.nanoseconds))
            .connect(to: endpoint.address)
        guard let channel = try? await connect.get() else { return false }
        try? await channel.close().get()
        return true
    }
}
