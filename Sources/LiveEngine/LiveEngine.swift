package import DeviceSDK
package import NIOCore
import NIOPosix
package import Timebase

/// Devices that are in use at the same time, at most, and the connections that they keep, if each has its own.
package struct ConnectionsInUse: Hashable, Sendable {
    package var devices: Int
    package var connections: Int

    package init(devices: Int, connections: Int) {
        self.devices = devices
        self.connections = connections
    }
}

/// The live engine's entry for questions that come before a run.
package enum LiveEngine {
    /// What of a run cannot fit, said before it begins.
    ///
    /// Devices keep their connections while they are busy, so with more of these than the process may open
    /// the longest-idle ones are closed early and the run shows more connects than the field would.
    ///
    /// - Parameters:
    ///   - plans: The run's populations.
    ///   - inUse: Those of each that are in use at the same time, of this process's; `nil` for all, with as many
    ///     connections as they may have.
    ///   - share: The devices of this process.
    ///   - descriptorBudget: From ``MachineLimits/descriptorBudget(limit:sharedWithCollector:)``.
    ///   - ephemeralPorts: From ``MachineLimits/ephemeralPorts()``.
    /// - Returns: A sentence with the number of the scenario's devices that would fit, or `nil` if all of it fits.
    package static func capacityProblem(
        plans: [PopulationPlan], inUse: [ConnectionsInUse]? = nil, of share: ShardShare = .whole,
        descriptorBudget: Int, ephemeralPorts: Int = MachineLimits.ephemeralPorts()
    ) -> String? {
        let wanted = destinations(of: plans, inUse: inUse, share)
        let devices = wanted.reduce(0) { $0 + $1.devices }
        let connections = wanted.reduce(0) { $0 + $1.connections }
        // Of the whole scenario, of which parts take equal shares: few of them may be in use at the same time.
        let all = plans.reduce(0) { $0 + $1.deviceCount }
        if connections > descriptorBudget {
            return
                "\(devices) devices in use keep up to \(connections) connections, and the process may open "
                + "\(descriptorBudget): \(wouldFit(all * descriptorBudget / connections)). Beyond that the "
                + "longest-idle connection is closed, and counted."
        }
        guard let crowded = wanted.first(where: { $0.connections > ephemeralPorts }) else { return nil }
        return
            "\(crowded.devices) devices in use keep up to \(crowded.connections) connections to "
            + "\(crowded.name), and the system has \(ephemeralPorts) ports for connections to one "
            + "destination: \(wouldFit(all * ephemeralPorts / crowded.connections)), or more addresses in "
            + "target.urls. Beyond that connects fail (no_socket)."
    }

    /// What a rate of new connections would run into: a closed connection keeps its port for a minute
    /// (`TIME_WAIT`), and the system has only so many for each destination.
    ///
    /// - Parameter requestsPerSecond: Of all devices together.
    package static func portProblem(
        plans: [PopulationPlan], requestsPerSecond: Double,
        ephemeralPorts: Int = MachineLimits.ephemeralPorts()
    ) -> String? {
        guard plans.contains(where: { $0.target.connections == .perRequest }) else { return nil }
        let fitting = Double(ephemeralPorts * destinations(of: plans, inUse: nil, .whole).count) / 60
        guard requestsPerSecond > fitting else { return nil }
        return "A new connection for each of \(Int(requestsPerSecond.rounded())) requests/s may use up the "
            + "system's ports: about \(Int(fitting)) a second last for good. More addresses in target.urls help."
    }

    /// Why the devices cannot be divided among so many processes; `nil` if they can.
    package static func divisionProblem(plans: [PopulationPlan], parts: Int) -> String? {
        guard let plan = plans.first(where: { !PoolSplit.fits(parts: parts, in: $0) }) else { return nil }
        return
            "the devices of \(plan.name) share a pool of connections that is too small for \(parts) parts: each part "
            + "needs a connection for each address that devices of its own send to"
    }

    /// A host and port, and who connects to it.
    private struct Destination {
        var name: String
        var devices = 0
        /// What these keep, at most.
        var connections = 0
    }

    /// Where devices of populations keep connections to, with how many.
    private static func destinations(
        of plans: [PopulationPlan], inUse: [ConnectionsInUse]?, _ share: ShardShare
    ) -> [Destination] {
        var result: [Destination] = []
        for (population, plan) in plans.enumerated() {
            let all = share.deviceCount(of: plan.deviceCount)
            let devices = inUse.map { min($0[population].devices, all) } ?? all
            let own = inUse?[population].connections ?? all * plan.connectionsPerDevice
            let connections = plan.connections(own, parts: share.count)
            let count = plan.targets.count
            for (index, target) in plan.targets.enumerated() {
                let name = "\(target.host):\(target.port)"
                let slot = result.firstIndex { $0.name == name } ?? result.count
                if slot == result.count { result.append(Destination(name: name)) }
                // The first of them get what cannot be divided.
                result[slot].devices += (devices + count - 1 - index) / count
                result[slot].connections += (connections + count - 1 - index) / count
            }
        }
        return result
    }

    /// All that is wrong with the files of a target's `tls`: ``LiveEngineError/credentials(key:file:fault:)`` of each.
    /// Reads them.
    package static func credentialProblems(of target: PopulationPlan.Target) -> [LiveEngineError] {
        TLSClient.problems(target)
    }

    /// Reads the files of a target's `tls`, up to the first that cannot be used.
    ///
    /// - Throws: ``LiveEngineError/credentials(key:file:fault:)``.
    package static func checkCredentials(_ target: PopulationPlan.Target) throws(LiveEngineError) {
        _ = try TLSClient(target)
    }

    /// Why a target cannot be connected to now, for people; `nil` if it can. Connects once (and once more
    /// to explain a certificate that is not trusted), with a whole TLS handshake for `https`, and with what begins
    /// HTTP/2 where an `http` target demands that; sends no request.
    ///
    /// - Parameter limit: How long to wait for each step.
    /// - Throws: ``LiveEngineError`` if the target cannot be used at all.
    package static func connectProblem(
        _ target: PopulationPlan.Target, within limit: Interval = .seconds(5), on loop: any EventLoop
    ) async throws -> String? {
        try await TargetCheck(target: target, limit: limit, loop: loop).problem()
    }
}
