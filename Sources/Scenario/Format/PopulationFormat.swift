import DeviceSDK
import Timebase

/// A population as decoded.
struct PopulationDraft: Sendable {
    var name: Located<String>?
    var devices: Located<Int>?
    var system: System?
    var version = SensorsRules.Version.v1
    /// Decoded once the version is known.
    var sdk: Place?
    var app: Located<String>?
    var persona: Place?
    var network: Located<String>?
    var arrival = ArrivalDraft()
    var rate: Located<Double>?
    var target: TargetDraft?
    var tagEvents: Bool?
    var utcOffset = Interval.hours(8)

    /// The systems that this build simulates.
    enum System: String, CaseIterable, Sendable {
        case sensors
    }

    static let format: ObjectDescription<PopulationDraft> = ObjectDescription(
        "A group of like devices.", start: PopulationDraft.init,
        [
            Field(
                "name", \.name, ScenarioDraft.identifier.located, required: true,
                "Unique name; random draws depend on it."),
            Field(
                "devices", \.devices, Form<Int>.integer(1...10_000_000).located, required: true,
                "How many devices."),
            Field(
                "system", \.system,
                .cases(what: "a system", unsupported: ["growing", "trackingsdk", "kit", "codeless"]),
                required: true, "The SDK that the devices run."),
            Field(
                "version", \.version, .cases(what: "a version of \"sensors\""),
                "The SDK's version; \"document\" follows the published design text where it differs "
                    + "from 1.10.17."
            ),
            Field(
                "sdk", \.sdk, .deferred(.object(SensorsFormat.description)),
                "The SDK's rules, one knob each; by default the version's own."),
            Field(
                "app", \.app, Form<String>.text().located,
                "A preset app, or one of \"apps\"; \"shop\" by default."),
            Field(
                "persona", \.persona, .deferred(PersonaFormat.reference),
                "A preset persona, one of \"personas\", or one defined here; \"casual\" by default."),
            Field(
                "network", \.network, Form<String>.text().located,
                "A preset network, or one of \"networks\"; \"ideal\" (Wi-Fi without delay or loss) "
                    + "by default."
            ),
            Field("arrival", \.arrival, .object(ArrivalDraft.format), "When the devices appear."),
            Field(
                "rate", \.rate, Form<Double>.rate.located,
                "Wanted mean of the whole population; scales its persona."),
            Field(
                "target", \.target, .object(TargetDraft.populationFormat),
                "Overrides the scenario's target for this population."),
            Field("tagEvents", \.tagEvents, .boolean, "Overrides the scenario's \"tagEvents\"."),
            Field("utcOffset", \.utcOffset, .utcOffset, "How far the devices' local time is ahead of UTC."),
        ])
}

/// When devices appear, as decoded.
struct ArrivalDraft: Sendable {
    var over = Interval.zero

    static let format: ObjectDescription<ArrivalDraft> = ObjectDescription(
        "When the devices appear.", start: ArrivalDraft.init,
        unsupported: ["stages", "curve"].map { .init(name: $0, instead: "\"over\"") },
        [Field("over", \.over, .duration(), "They appear evenly over this time; 0 is all at once.")])
}
