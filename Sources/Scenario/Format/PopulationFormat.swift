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
    var utcOffset: Located<Interval>?
    var clockSkew: Located<ClockRules>?
    var users: Located<String>?
    var timeZones: Located<[Named<Double>]>?

    static let defaultOffset = Interval.hours(8)

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
                "network", \.network, NetworkForm.name,
                "A preset network, or one of \"networks\"; \"ideal\" (Wi-Fi without delay or loss) "
                    + "by default."
            ),
            Field(
                "arrival", \.arrival, Form<ArrivalDraft>.object(ArrivalDraft.format).located,
                "When the devices appear, and leave."),
            Field(
                "rate", \.rate, RateDraft.form.located,
                "Wanted mean of the whole population, or its rate in stages; scales its persona: all of life passes "
                    + "faster or slower, retention included."),
            Field(
                "target", \.target, .object(TargetDraft.format),
                "Overrides the scenario's target for this population."),
            Field("tagEvents", \.tagEvents, .boolean, "Overrides the scenario's \"tagEvents\"."),
            Field(
                "utcOffset", \.utcOffset, Form<Interval>.utcOffset.located,
                "How far the devices' local time is ahead of UTC; \"+08:00\" by default."),
            Field(
                "clockSkew", \.clockSkew, ClockFormat.form.located,
                "How far the devices' clocks are off: the standard deviation of their errors, or that and what becomes of "
                    + "some clocks; by default what \"sdk\" says, else not at all."),
            Field(
                "timeZones", \.timeZones, zones.located,
                "Where the people live, instead of \"utcOffset\": a time zone of the IANA database such as "
                    + "\"Europe/Berlin\", or several with their weights. Each device is in one."),
            Field(
                "users", \.users, ScenarioDraft.identifier.located,
                "The population whose users these are too, device by device: they do the same at the same times on the "
                    + "same networks, with identifiers of their own, so that the two can be compared."),
        ])

    private static let zones: Form<[Named<Double>]> = .either(
        [
            (
                .string,
                Form<String>.text(limit: 100).map { name, place, _ in
                    [Named(name: name, value: 1, place: place)]
                }
            ),
            (.object, Form<[Named<Double>]>.map(of: .number(0...1e9), count: 1...1000)),
        ], allowed: "a time zone's name, or an object of names and weights")
}
