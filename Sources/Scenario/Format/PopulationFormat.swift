import AppModel
import DeviceSDK
import Timebase

/// A population as decoded.
struct PopulationDraft: Sendable {
    var name: Located<String>?
    var devices: Located<Int>?
    var system: SystemFormat?
    var version: Located<String>?
    /// Decoded once system and version are known.
    var sdk: Place?
    var app: Located<String>?
    var persona: Place?
    var network: Located<String>?
    var arrival: Located<ArrivalDraft>?
    var rate: Located<RateDraft>?
    var target: TargetDraft?
    var tagEvents: Bool?
    var utcOffset = Interval.hours(8)

    static let format: ObjectDescription<PopulationDraft> = ObjectDescription(
        "A group of like devices.", start: PopulationDraft.init,
        conditions: SystemFormat.conditions,
        [
            Field(
                "name", \.name, ScenarioDraft.identifier.located, required: true,
                "Unique name; random draws depend on it."),
            Field(
                "devices", \.devices, Form<Int>.integer(1...10_000_000).located, required: true,
                "How many devices."),
            Field(
                "system", \.system, SystemFormat.form, required: true, "The SDK that the devices run."),
            Field(
                "version", \.version, Form<String>.text(limit: 100).located,
                "The SDK's version; \"document\" follows the published design text where it differs "
                    + "from the source."
            ),
            Field(
                "sdk", \.sdk, SystemFormat.sdk,
                "The SDK's rules, one knob each; by default the version's own."),
            Field(
                "app", \.app, Form<String>.name(amongPresets: Presets.appNames).located,
                "A preset app, or one of \"apps\"; \"shop\" by default."),
            Field(
                "persona", \.persona, .deferred(PersonaFormat.reference),
                "A preset persona, one of \"personas\", or one defined here; \"casual\" by default."),
            Field(
                "network", \.network,
                Form<String>.name(amongPresets: NetworkForm.presets.map(\.name)).located,
                "A preset network, or one of \"networks\"; \"ideal\" (Wi-Fi without delay or loss) "
                    + "by default."
            ),
            Field(
                "arrival", \.arrival, Form<ArrivalDraft>.object(ArrivalDraft.format).located,
                "When the devices appear, and leave."),
            Field(
                "rate", \.rate, RateDraft.form.located,
                "Wanted mean of the whole population, or its rate in stages; scales its persona."),
            Field(
                "target", \.target, .object(TargetDraft.format),
                "Overrides the scenario's target for this population."),
            Field("tagEvents", \.tagEvents, .boolean, "Overrides the scenario's \"tagEvents\"."),
            Field("utcOffset", \.utcOffset, .utcOffset, "How far the devices' local time is ahead of UTC."),
        ])
}
