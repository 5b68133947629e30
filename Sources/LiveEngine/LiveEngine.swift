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
    ///   - plans: The run's populations.
    ///   - share: The devices of this process.
    ///   - descriptorBudget: From ``MachineLimits/descriptorBudget(limit:sharedWithCollector:)``.
    ///   - ephemeralPorts: From ``MachineLimits/ephemeralPorts()``.
    /// - Returns: A sentence with the number that would fit, or `nil` if all of it fits.
    package static func capacityProblem(
        plans: [PopulationPlan], of share: ShardShare = .whole, descriptorBudget: Int,
        ephemeralPorts: Int = MachineLimits.ephemeralPorts()
    ) -> String? {
        let wanted = destinations(of: plans, share)
        let total = wanted.reduce(0) { $0 + $1.connections }
        let consequence = "Beyond that the longest-idle connection is closed, and counted."
        if total > descriptorBudget {
            return "\(total) devices cannot all keep a connection: the process may open "
                + "\(descriptorBudget) connections; \(descriptorBudget) devices would fit. \(consequence)"
        }
        guard let crowded = wanted.first(where: { $0.connections > ephemeralPorts }) else { return nil }
        return
            "\(crowded.connections) devices cannot all keep a connection to \(crowded.name): the system has "
            + "\(ephemeralPorts) ports for connections to one destination; \(ephemeralPorts) devices would fit, "
            + "or more addresses in target.urls. Beyond that connects fail (no_socket)."
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
        let fitting = Double(ephemeralPorts * destinations(of: plans, .whole).count) / 60
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

    /// The connections that devices of populations keep, by host and port.
    private static func destinations(
        of plans: [PopulationPlan], _ share: ShardShare
    ) -> [(name: String, connections: Int)] {
        var result: [(name: String, connections: Int)] = []
        for plan in plans {
            var total = share.deviceCount(of: plan.deviceCount)
            if case .pooled(let count) = plan.target.connections {
                total = min(total, max(1, count / share.count))
            }
            for (index, target) in plan.targets.enumerated() {
                let share = (total - index + plan.targets.count - 1) / plan.targets.count
                let name = "\(target.host):\(target.port)"
                if let known = result.firstIndex(where: { $0.name == name }) {
                    result[known].connections += max(0, share)
                } else {
                    result.append((name, max(0, share)))
                }
            }
        }
        return result
    }

    /// What is wrong with the files of a target's `tls`; reads them.
    ///
    /// - Throws: ``LiveEngineError/credentials(key:file:reason:)``.
    package static func checkCredentials(_ target: PopulationPlan.Target) throws(LiveEngineError) {
        _ = try TLSClient(target)
    }

    /// Why a target cannot be connected to now, for people; `nil` if it can. Connects once (and once more
    /// to explain a certificate that is not trusted), with a whole TLS handshake for `https`, and sends
    /// no request.
    ///
    /// - Parameter limit: How long to wait for each step.
    /// - Throws: ``LiveEngineError`` if the target cannot be used at all.
    package static func connectProblem(
        _ target: PopulationPlan.Target, within limit: Interval = .seconds(5), on loop: any EventLoop
    ) async throws -> String? {
        try await TargetCheck(target: target, limit: limit, loop: loop).problem()
    }
}
