import ArgumentParser
import Beaconswarm

/// Reads a number that is judged later, by those who know what is allowed of it.
func wholeNumber(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw ValidationError("allowed is a whole number") }
    return number
}

/// Whether what is printed has colours.
struct ColorOption: ParsableArguments {
    @Flag(name: .customLong("no-color"), help: "No colours (as do NO_COLOR and TERM=dumb).")
    var isForbidden = false

    var isAllowed: Bool { !isForbidden }
}

/// What the verbs that play a scenario have in common, whether anything leaves the process or not.
struct PlayOptions: ParsableArguments {
    @Argument(
        help:
            "The scenario file (JSON), or the name of one that comes with the program; - is standard input.",
        completion: .scenario)
    var scenario: String

    @Option(parsing: .unconditional, help: "Seed of all randomness; the same seed repeats a run.")
    var seed: String?

    @Option(
        parsing: .unconditional, help: "Scales the populations to this many devices in all.",
        transform: wholeNumber)
    var devices: Int?

    @Option(help: ArgumentHelp("How long users act, such as 30s, 1m30s or 7d.", valueName: "D"))
    var duration: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Changes one value of the scenario; PATH is dotted or a JSON pointer. Repeatable.",
            valueName: "path=value"))
    var overrides: [String] = []

    @Option(
        help: ArgumentHelp(
            "Plays this variant of the scenario; base is the scenario itself.", valueName: "NAME"))
    var variant: String?

    var source: ScenarioSource {
        var source = ScenarioSource(path: scenario)
        source.seed = seed
        source.devices = devices
        source.duration = duration
        source.overrides = overrides
        source.variant = variant
        return source
    }
}

/// The same, with where events go.
struct ScenarioOptions: ParsableArguments {
    @OptionGroup var play: PlayOptions

    @Option(help: ArgumentHelp("Where events go, instead of the scenario's target.", valueName: "URL"))
    var target: String?

    @Flag(help: "Accepts any certificate of an https target, with a warning.")
    var insecure = false

    var source: ScenarioSource {
        var source = play.source
        source.target = target
        source.insecure = insecure
        return source
    }
}

/// Ways in which what goes on can be watched.
struct WatchOptions: ParsableArguments {
    @Option(
        defaultAsFlag: RunOptions.defaultWatchAddress, parsing: .next,
        help: ArgumentHelp(
            "Shows what happens while it happens on a page, whose address is printed; on this machine alone unless HOST says "
                + "otherwise.", valueName: "HOST:PORT"))
    var ui: String?

    @Option(
        help: ArgumentHelp(
            "Pushes figures there every 10 s and at the end (OpenTelemetry, OTLP/HTTP with JSON); "
                + "OTEL_EXPORTER_OTLP_HEADERS holds keys, OTEL_EXPORTER_OTLP_CERTIFICATE names a file of authorities.",
            valueName: "URL"))
    var otlp: String?
}

/// What the target is asked beside its load.
struct ScrapeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Asks the target for its own metrics, in Prometheus' text format, while the run goes on, and shows them beside "
                + "the run's in its report. Without a path: /metrics. A target that does not answer is told, and does no harm.",
            valueName: "URL"))
    var scrape: String?

    @Option(
        help: ArgumentHelp(
            "Keeps the metrics of these names alone, each whole or with * at its end; default: all counters and gauges, "
                + "\(RunOptions.scrapedSeriesLimit) series at most.",
            valueName: "NAME,…"))
    var scrapeOnly: String?
}

/// Where events go, for verbs that send none: not in their help, and refused by name instead of as unknown.
struct RefusedTarget: ParsableArguments {
    @Option(help: .hidden) var target: String?
    @Flag(help: .hidden) var insecure = false

    func validate() throws {
        guard target != nil || insecure else { return }
        throw ValidationError(
            "\(target != nil ? "--target" : "--insecure"): found where nothing is sent; a dataset is made in virtual "
                + "time, and `beaconswarm run` sends events to a target")
    }
}

/// What keeps a live run from harming anybody.
struct SafetyOptions: ParsableArguments {
    @Option(
        name: .customLong("i-own"), parsing: .singleValue,
        help: ArgumentHelp(
            "Says that a target which is neither loopback nor a private address is yours to load. Repeatable.",
            valueName: "HOST"))
    var owned: [String] = []

    @Option(
        help: ArgumentHelp(
            "A list of such hosts, one a line; default: \(RunOptions.targetsFileName) in the working directory, if "
                + "it is there.",
            valueName: "FILE"), completion: .file())
    var targets: String?

    @Option(
        help: ArgumentHelp(
            "Requests in a second, retries and fetches of configurations included, that the run may send. A scenario "
                + "that is forecast to send more is refused; a run that does is ended at once (96).",
            valueName: "R"))
    var maxRate: Double?

    /// Puts what was said into a run's options.
    func apply(to options: inout RunOptions) {
        options.ownedHosts = owned
        options.targetsFile = targets
        options.maximumRate = maxRate
    }
}

/// Where results go, for the verbs that make a run's folder.
struct OutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The run's folder; it must not exist.", valueName: "DIR"), completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp("Writes one line per event (.ndjson or .ndjson.gz).", valueName: "FILE"),
        completion: .file())
    var events: String?

    @Option(
        help: ArgumentHelp(
            "Keeps the files of devices that store in SQLite; the folder must not exist.", valueName: "DIR"),
        completion: .directory)
    var keepStores: String?

    @Flag(help: "Prints the report's JSON on standard output, and nothing else there.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "No progress and no summary; warnings, and why a run did not pass, are still printed.")
    var quiet = false

    @OptionGroup var color: ColorOption

    func options(for source: ScenarioSource) -> RunOptions {
        var options = RunOptions(source: source)
        options.out = out
        options.events = events
        options.keepStores = keepStores
        options.json = json
        options.quiet = quiet
        options.color = color.isAllowed
        return options
    }
}

extension WatchOptions {
    /// The words of a command line, in which an `--ui` without an address gets the default one: what follows it may be a
    /// scenario, which the parser would take for its value.
    static func completed(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments.indices.map { index in
            guard arguments[index] == "--ui", index < end else { return arguments[index] }
            let next = arguments.indices.contains(index + 1) ? arguments[index + 1] : ""
            let port = next.split(separator: ":").last.flatMap { Int($0) }
            return port == nil ? "--ui=\(RunOptions.defaultWatchAddress)" : arguments[index]
        }
    }
}
