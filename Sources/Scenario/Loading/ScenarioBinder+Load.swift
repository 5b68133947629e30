import AppModel
import Timebase
import Wire

/// When devices are there, and how much they do.
extension ScenarioBinder {
    // MARK: Arrival

    mutating func bindArrival(_ located: Located<ArrivalDraft>?, devices: Int) -> ArrivalSchedule {
        guard let located else { return ArrivalSchedule() }
        let draft = located.value
        let place = located.place
        if draft.stages != nil, place.node["over"] != nil {
            reading.report(
                .conflict, place, found: "\"over\" and \"stages\"", allowed: "one of them")
        }
        if draft.isRandom, draft.stages == nil, draft.over == .zero {
            reading.report(
                .conflict, place, found: "\"random\" alone",
                allowed: "\"random\" beside \"over\" or \"stages\", over whose time it spreads the devices")
        }
        if draft.steadyState == true, place.node["over"] ?? place.node["stages"] != nil {
            reading.report(
                .conflict, place, found: "\"steadyState\" and times of arrival",
                allowed: "one of them: in the steady state all devices are there from the start")
        }
        if draft.over > self.draft.duration {
            reading.warn(
                place.path.appending("over"),
                "longer than the run: the devices that would appear at or after "
                    + "\(self.draft.duration.text) do not"
            )
        }
        let stages = draft.stages.flatMap { bindStages($0, devices: devices) }
        return ArrivalSchedule(over: draft.over, stages: stages, isRandom: draft.isRandom)
    }

    /// From which length on a run without arrivals is one of people's days, and no load that is put on.
    private static let runOfDays = Interval.hours(24)

    /// Whether a population's users are in the midst of their lives when the run begins: if the scenario says so,
    /// and where it says nothing of arrivals in a run of days, or where users open the app in their own time.
    func startsInSteadyState(_ draft: PopulationDraft, _ persona: PersonaDescription) -> Bool {
        guard persona.steadyRate == nil else { return false }
        if let arrival = draft.arrival { return arrival.value.steadyState == true }
        return !(persona.opensAtArrival ?? (self.draft.duration < ScenarioBinder.runOfDays))
    }

    private mutating func bindStages(_ located: Located<[StageDraft]>, devices: Int) -> DeviceStages? {
        for target in located.value.compactMap(\.target) where target.value > Double(devices) {
            reading.report(
                .outOfRange, target.place,
                allowed: "at most the population's \(devices) devices")
        }
        guard let curve = curve(located) else { return nil }
        let highest = Int(curve.maximum)
        if highest == 0 {
            reading.report(
                .conflict, located.place, found: "targets of 0 only", allowed: "a target above 0")
        } else if highest < devices {
            reading.warn(
                located.place.path,
                "\(devices - highest) of the \(devices) devices never appear: the highest target is \(highest)"
            )
        }
        return DeviceStages(curve: curve, devices: devices)
    }

    // MARK: Rate

    /// A wanted rate: its mean over the run, its peak, and its course.
    struct BoundRate {
        var mean: Double
        var highest: Double
        var curve: StageCurve?
    }

    mutating func bindRate(_ located: Located<RateDraft>?) -> BoundRate? {
        switch located?.value {
        case nil: return nil
        case .mean(let rate): return BoundRate(mean: rate, highest: rate)
        case .stages(let stages):
            guard let place = located?.place,
                let curve = curve(Located(value: stages, place: place))
            else { return nil }
            guard let mean = ActivityClock.mean(of: curve, over: draft.duration) else {
                reading.report(
                    .conflict, place, found: "a rate of 0 during the whole run",
                    allowed: "a rate above 0 before \(draft.duration.text)")
                return nil
            }
            return BoundRate(mean: mean, highest: curve.maximum, curve: curve)
        }
    }

    /// The curve of some stages; `nil` if one of them is not sound.
    private mutating func curve(_ located: Located<[StageDraft]>) -> StageCurve? {
        let stages = located.value.compactMap(\.stage)
        guard stages.count == located.value.count else { return nil }
        let limit = Form<Interval>.longest
        let length = stages.reduce(Interval.zero) { min(limit, $0) + $1.duration }
        guard length <= limit else {
            reading.report(
                .outOfRange, located.place, found: "stages of more than \(limit.text)",
                allowed: "stages of \(limit.text) in all at most")
            return nil
        }
        if length > draft.duration {
            reading.warn(
                located.place.path,
                "\(length.text) of stages in a run of \(draft.duration.text): what would come later does not"
            )
        }
        return StageCurve(stages: stages)
    }
}
