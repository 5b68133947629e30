import Timebase

/// A scenario as decoded, before names are looked up.
struct ScenarioDraft: Sendable {
    var schema: String?
    var name: String?
    var description = ""
    var seed: UInt64 = 1
    var start: Instant?
    var duration = Interval.minutes(1)
    var drain = Interval.seconds(30)
    var measureFrom: Located<Interval>?
    var pace = 1
    var expect = ScenarioExpectation.delivery
    var target: TargetDraft?
    var server: Located<ServerDraft>?
    var tagEvents = true
    var populations: [PopulationDraft] = []
    var apps: [Named<AppDraft>] = []
    var personas: [Named<Place>] = []
    var networks: [Named<NetworkDraft>] = []
    var timeline: [Located<TimelineDraft>] = []
    var thresholds: [Named<[ThresholdDraft]>] = []
    var patterns: [Located<PatternFormat.Union.Draft>] = []
    var variants: [Named<VariantDraft>] = []
    /// Of a file of faults only.
    var wrongChecksumStatus: Int?

    static let identifier = Form<String>.identifier(
        what: "a letter (a to z, A to Z), then such letters, digits, \"_\" and \"-\", 64 in all at most",
        pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$", others: "_-")
    /// From the real pace to a day in a second.
    static let paces = 1...86_400

    static let fileIdentifier = Form<String>.identifier(
        what: "a letter or digit, then letters, digits, \".\", \"_\" and \"-\", 100 in all at most",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", others: "._-", limit: 100)

    /// The whole format: decoding, validation, JSON Schema and `--set` all follow from it.
    static let format: ObjectDescription<ScenarioDraft> = ObjectDescription(
        "A Beaconswarm scenario: who uses which app with which SDK, against what, and what goes "
            + "wrong meanwhile.",
        start: ScenarioDraft.init,
        [
            Field("$schema", \.schema, .text(mayBeEmpty: true), "The schema of this file, for editors."),
            Field("name", \.name, fileIdentifier, "Name in reports and run folders; by default the file's."),
            Field(
                "description", \.description, .text(limit: 10_000, mayBeEmpty: true),
                "What the scenario shows, and what to look at."),
            Field("seed", \.seed, .seed, "Seed of every random draw: same seed, same run."),
            Field(
                "start", \.start, .instant,
                "Beginning of the run's clock. Virtual runs begin at 2026-01-05T00:00:00Z by "
                    + "default, live runs now."
            ),
            Field(
                "duration", \.duration, .duration(.milliseconds(1)...Form<Interval>.longest), required: true,
                "How long users act."),
            Field(
                "drain", \.drain, .duration(.zero...(.hours(24 * 30))),
                "The longest time after that, without user actions, in which timers, retries and "
                    + "answers go on."
            ),
            Field(
                "measureFrom", \.measureFrom,
                Form<Interval>.duration(.seconds(1)...Form<Interval>.longest).located,
                "When warming up is over, in whole seconds from the start. Metrics and thresholds are then of what ended "
                    + "from here on; the ledger, the series and what is said of timeline entries are of the whole run."
            ),
            Field(
                "pace", \.pace, .integer(ScenarioDraft.paces),
                "Seconds of people's and devices' clocks in a second of a live run; sockets stay real."),
            Field(
                "expect", \.expect, .cases(what: "an expectation"),
                "What a live run is for. With \"delivery\" it fails if none of its uploads gets an answer that its "
                    + "system takes as success; with \"nothing delivered\" if one does, and with \"guard\" if the guard does not "
                    + "end it because its target answers nothing but 403, 429 or 5xx."),
            Field(
                "target", \.target, .object(TargetDraft.format),
                "The collector; by default the embedded one."),
            Field(
                "server", \.server, Form<ServerDraft>.object(ServerDraft.format).located,
                "How the modelled server of a simulation works; by default it answers each request after 1 ms. Live runs "
                    + "have a real one."),
            Field(
                "tagEvents", \.tagEvents, .boolean,
                "Whether every event carries its id in \"bs_id\", for the audit."),
            Field(
                "populations", \.populations, .list(of: .object(PopulationDraft.format), count: 1...1000),
                required: true, "Groups of like devices, in the order in which devices are numbered."),
            Field("apps", \.apps, .map(of: .object(AppDraft.format)), "Apps of the scenario's own, by name."),
            Field(
                "personas", \.personas, .map(of: .deferred(PersonaFormat.form)),
                "Kinds of users of the scenario's own, by name."),
            Field(
                "networks", \.networks, .map(of: .object(NetworkDraft.format)),
                "Networks of the scenario's own, by name."),
            Field(
                "timeline", \.timeline, .list(of: TimelineDraft.form),
                "What happens to the collector and to the devices' networks during the run."),
            Field(
                "patterns", \.patterns, PatternFormat.form,
                "What is planted in what users do and in what the app tracks of it, so that it is known what there is to "
                    + "find in the data. A dataset's answers state each."),
            Field(
                "thresholds", \.thresholds, ThresholdDraft.form,
                "What must hold, by metric, such as \"events_lost\" or \"http_req_duration{population:ios}\"."
            ),
            Field(
                "variants", \.variants, VariantFormat.form,
                "Other policies for the same users on the same seeds, by name: paths as those of --set, and the values "
                    + "that they get, in order. \"base\" is the scenario itself."),
        ])
}
