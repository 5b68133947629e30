import Timebase

/// When devices appear and leave, as decoded.
struct ArrivalDraft: Hashable, Sendable {
    var over = Interval.zero
    var stages: Located<[StageDraft]>?
    var isRandom = false
    var steadyState: Bool?

    static let format: ObjectDescription<ArrivalDraft> = ObjectDescription(
        "When the devices appear, and leave.", start: ArrivalDraft.init,
        unsupported: [.init(name: "curve", instead: "\"stages\", or \"random\"")],
        [
            Field("over", \.over, .duration(), "They appear evenly over this time; 0 is all at once."),
            Field(
                "stages", \.stages, StageDraft.arrivals.located,
                "Instead of \"over\": how many are there at the end of each stage. Where targets fall, those "
                    + "that came last leave; where they rise again, the same ones come back."),
            Field(
                "random", \.isRandom, .boolean,
                "Each device appears at a time drawn from the whole by chance, instead of in its turn."),
            Field(
                "steadyState", \.steadyState, .boolean,
                "Whether the run finds the users in the midst of their lives: few in a session, the others some time "
                    + "before their next. Without \"arrival\" that is so in runs of a day and longer."),
        ])
}

/// How much a population does, as decoded.
enum RateDraft: Hashable, Sendable {
    /// Events per second.
    case mean(Double)
    case stages([StageDraft])

    static let form: Form<RateDraft> = .either(
        [
            (.string, Form<Double>.rate.map { rate, _, _ in .mean(rate) }),
            (.array, StageDraft.rates.map { stages, _, _ in .stages(stages) }),
        ], allowed: "a rate such as \"20000 events/s\", or an array of stages")
}

/// A stage of anything, as decoded; targets keep their places.
struct StageDraft: Hashable, Sendable {
    var duration: Interval?
    /// Devices, or events per second.
    var target: Located<Double>?

    var stage: StageCurve.Stage? {
        guard let duration, let target else { return nil }
        return StageCurve.Stage(duration: duration, target: target.value)
    }

    /// Numbers of devices over time.
    static let arrivals = list(
        "The number of devices goes in a straight line to a target.",
        Form<Int>.integer(0...10_000_000).map { count, _, _ in Double(count) },
        "The devices that are there at the stage's end.")

    /// Rates over time.
    static let rates = list(
        "The rate goes in a straight line to a target.", .rateOrNothing,
        "The population's rate at the stage's end.")

    private static func list(_ doc: String, _ target: Form<Double>, _ targetDoc: String) -> Form<[StageDraft]>
    {
        let description: ObjectDescription<StageDraft> = ObjectDescription(
            doc, start: StageDraft.init,
            [
                Field(
                    "duration", \.duration, .duration(), required: true,
                    "How long the stage takes; 0 is a jump."),
                Field("target", \.target, target.located, required: true, targetDoc),
            ])
        return .list(of: .object(description), count: 1...DeviceStages.limit)
    }
}
