import ArgumentParser
import Beaconswarm

struct Capacity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds the highest steady load at which the scenario's thresholds hold.",
        discussion: """
            Plays the scenario at steady loads, each four times the one before, until one breaks. Then it narrows \
            the gap and plays both ends again. Each step is a fresh fleet that warms up and is measured in a \
            window. The result says what broke first, and how latency, freshness and loss depend on the rate.

            The search says before it begins how long it may take, and ends by that time (--max-time) with what \
            is known. If the generator cannot keep its own schedule, the search stops (96) and claims nothing.

            For users with sessions, a load is the number of devices that open the app within a step. What users \
            and their SDKs do on their own, such as rows that wait for a trigger, is not an overload: a step that \
            does not hold by itself is compared with the same users and a collector without limits, in virtual \
            time.

            A target that is neither loopback nor private is refused unless it is yours, and guarded, as for run. \
            With --max-rate, loads that are forecast to send more are not tried.

            Without thresholds, http_req_failed rate<0.01 and events_lost rate==0 apply.
            """)

    @OptionGroup var scenario: ScenarioOptions
    @OptionGroup var safety: SafetyOptions
    @OptionGroup var watching: WatchOptions
    @OptionGroup var scraping: ScrapeOptions

    @Option(
        help: ArgumentHelp(
            "The first load: devices, or a factor with --by rate; default: the scenario's own load.",
            valueName: "LOAD"))
    var from: Double?

    @Option(
        help: ArgumentHelp("The highest load to try; that it holds is a result too.", valueName: "LOAD"))
    var max: Double?

    @Option(
        help: ArgumentHelp(
            "Length of a measurement, doubled for confirmations at set rates; default: what the thresholds need.",
            valueName: "D"))
    var step: String?

    @Option(
        help: ArgumentHelp(
            "Ends the search after this time, in real time, with what is known by then; default: 5m.",
            valueName: "D"))
    var maxTime: String?

    @Option(
        help: ArgumentHelp(
            "How close the load that holds and the load that breaks must come; default: 2%.", valueName: "P"))
    var precision: String?

    @Option(
        help: ArgumentHelp(
            "What grows: the number of devices, or the rate of each (for populations with a set rate).",
            valueName: CapacityOptions.Scaling.names.joined(separator: "|")),
        completion: .list(CapacityOptions.Scaling.names), transform: Capacity.scaling)
    var by = CapacityOptions.Scaling.devices

    @Flag(
        name: .customLong("virtual"),
        help: ArgumentHelp(
            "Searches in virtual time, against the collector that the scenario's faults describe; sends nothing, so "
                + "without --target, --insecure and --scrape."))
    var isVirtual = false

    @Option(
        help: "Event loops that play the devices; default: one per core, less one for an embedded collector.")
    var threads: Int?

    @Option(
        help: ArgumentHelp("The folder of the search; it must not exist.", valueName: "DIR"),
        completion: .directory)
    var out: String?

    @Flag(help: "Prints capacity.json on standard output, and nothing else there.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "No progress and no summary; warnings, and why it did not pass, are still printed.")
    var quiet = false

    @OptionGroup var color: ColorOption

    func validate() throws {
        if scenario.play.duration != nil {
            throw ValidationError(
                "--duration has no meaning here: --step sets the length of a step's window.")
        }
    }

    mutating func run() async throws {
        var run = RunOptions(source: scenario.source)
        run.out = out
        run.json = json
        run.quiet = quiet
        run.color = color.isAllowed
        safety.apply(to: &run)
        run.threads = threads
        run.ui = watching.ui
        run.otlp = watching.otlp
        run.scrape = scraping.scrape
        run.scrapeOnly = scraping.scrapeOnly
        var options = CapacityOptions(run: run)
        options.scaling = by
        options.from = from
        options.maximum = max
        options.step = step
        options.precision = precision
        options.maxTime = maxTime
        options.isVirtual = isVirtual
        let chosen = options
        try await finish { try await Beaconswarm.capacity(chosen) }
    }

    @Sendable private static func scaling(_ text: String) throws -> CapacityOptions.Scaling {
        guard let scaling = CapacityOptions.Scaling(rawValue: text) else {
            let allowed = CapacityOptions.Scaling.names.joined(separator: " or ")
            throw ValidationError("found \(text), allowed is \(allowed)")
        }
        return scaling
    }
}
