import CollectorModel
import DeviceSDK
import Scenario
import Timebase
import World

/// What the scenario does to a population's uploads, as far as it leaves nothing to chance: how one may not end.
struct Surroundings {
    private let network: NetworkRules
    /// Whether uploads leave when they begin, and nothing but the network has its hands in between.
    private let leavesThemAlone: Bool
    /// When the collector refuses every connection.
    private let outages: [Range<Instant>]

    /// - Parameter isModelled: Whether what becomes of an upload is only modelled: on a machine on which something may go
    ///   wrong, an upload ends in other ways as well.
    init(_ plan: PopulationPlan, _ timeline: [TimelineEntry], isModelled: Bool) {
        network = plan.network
        leavesThemAlone = !timeline.contains { if case .client = $0.change { true } else { false } }
        let end = plan.usersEnd
        outages =
            isModelled && plan.network.isIdeal && leavesThemAlone
            ? timeline.compactMap { entry in
                guard case .collector(.outage, 1, nil, nil) = entry.change else { return nil }
                let from = plan.start + entry.at
                return from..<max(from, entry.until.map { plan.start + $0 } ?? end)
            } : []
    }

    /// When the connection of a request breaks, unless it is over: where the device's way leads to another radio, and none
    /// survives that.
    func end(of request: OutgoingRequest) -> Instant {
        guard leavesThemAlone, let radio = request.radio, network.links[request.network] != nil,
            radio.next == .none || network.handover.failure >= 1
        else { return .distantFuture }
        return radio.changesAt
    }

    /// - Returns: What is wrong with how an upload ended.
    func forbid(
        _ outcome: RequestOutcome, of upload: DeviceWatch.Upload, at now: Instant, lateness: Interval
    ) -> String? {
        if case .answered = outcome {
            if upload.network == .none { return "was answered without a network" }
            if now > upload.breaksAt, now - upload.breaksAt > lateness {
                return "was answered \((now - upload.breaksAt).text) after its connection broke"
            }
        }
        if let wrong = forbidden(outcome, on: network.links[upload.network]) { return wrong }
        guard upload.network != .none, outcome != .failed(.refused),
            let outage = outages.first(where: { $0.contains(upload.began) }), outage.contains(now)
        else { return nil }
        return "ended with \(outcome), while the collector was not there"
    }

    /// How no request ends on a link.
    private func forbidden(_ outcome: RequestOutcome, on link: LinkRules?) -> String? {
        guard leavesThemAlone, let link else { return nil }
        switch outcome {
        case .answered where max(link.refused, link.reset, link.lostReply) >= 1:
            return "was answered on a link that lets nothing through"
        // A change of the radio may come before the refusal.
        case .failed(.reset) where link.refused >= 1 && network.chain == nil:
            return "ended with a reset on a link that refuses all connections"
        default: return nil
        }
    }
}

extension ScenarioDocument {
    /// What the rules of each population's devices state.
    var statedBounds: [StatedBounds] {
        populations.map { $0.statedBounds(disksFail: timeline.failsDisks) }
    }
}

extension [TimelineEntry] {
    /// Whether a disk may refuse a device's writes.
    var failsDisks: Bool { contains { if case .disk = $0.change { true } else { false } } }

    /// Whether SDKs may be told to upload nothing, by their makers or by their users.
    var tellsSDKs: Bool {
        contains { entry in
            switch entry.change {
            case .remoteConfig, .push, .consent: true
            case .disk, .collector, .client, .network, .rollOut: false
            }
        }
    }
}
