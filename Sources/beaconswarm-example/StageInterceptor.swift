import Beaconswarm

/// An interceptor of one's own: notes the stage on every custom event, and keeps a share of the clicks.
struct StageInterceptor: EventInterceptor {
    let stage: String
    /// 0 to 1.
    let keptShare: Double

    // Drawn from the scenario's seed, so that the same scenario drops the same clicks again.
    func eventTriggered(_ event: TriggeredEvent) -> InterceptorVerdict {
        event.type == "VIEW_CLICK" && event.draw >= keptShare ? .drop : .keep
    }

    func eventWillBuild(_ event: inout EventFields) -> InterceptorVerdict {
        if event.event.type == "CUSTOM" { event["attributes.stage"] = .text(stage) }
        return .keep
    }
}
