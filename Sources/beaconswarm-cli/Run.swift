import ArgumentParser
import Beaconswarm

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a scenario live: real clock, real sockets.",
        discussion: """
            Events go to --target, otherwise to the scenario's target, otherwise to a collector embedded in the \
            run. With "pace" in the scenario, the clocks of users and devices run that many times as fast; \
            sockets remain in real time.

            Loopback, private addresses and localhost may be loaded by anybody. Any other target is refused (64), \
            before its name is looked up, unless you say that it is yours: with --i-own, or in a list of hosts.

            A target that needs your word is guarded: if it answers nothing but 403, 429 or 5xx for 30 s, the run \
            ends at once, without a drain (99). With --repeat or --ab, no further run begins then, nor after one \
            that passed --max-rate (96).

            A run of whose uploads none succeeds fails (99), unless the scenario says "expect": "nothing delivered".

            The first Ctrl-C (SIGTERM, SIGHUP) ends the run gracefully: no new events, drain, full report, \
            exit code 105. The second ends it at once, with a report of what was measured so far. With --repeat \
            or --ab, no further run begins, and the report is over the runs that came to their end; the one \
            under way is kept as interrupted, and is compared with nothing.
            """)

    @OptionGroup var scenario: ScenarioOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var watching: WatchOptions
    @OptionGroup var safety: SafetyOptions

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Audits against the contents of another collector's store after the run (NDJSON, CSV, SQLite). Repeatable: "
                + "what several stores hold counts together.",
            valueName: "FILE"), completion: .file())
    var receipts: [String] = []

    @Option(
        help: "Event loops that play the devices; default: one per core, less one for an embedded collector.")
    var threads: Int?

    @Option(
        help: ArgumentHelp("Keeps the embedded collector's store.", valueName: "FILE.sqlite"),
        completion: .file(extensions: ["sqlite"]))
    var store: String?

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp(
            "Plays it N times, one after the other, with the seeds from the scenario's own on; report.json holds every "
                + "run, and compare tells two such reports apart.", valueName: "N"))
    var repeats: Int?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Loads two targets by turns, --repeat N times each (\(RunOptions.defaultRepeats)), and compares them.",
            valueName: "URL_A URL_B"))
    var ab: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keeps what happens on these devices, each request of theirs, in trace.ndjson of the run's folder: see "
                + "beaconswarm explain.",
            valueName: "N,…"))
    var traceDevices: String?

    @Option(
        help: ArgumentHelp(
            "Plays part I (from 0) of N of each population's devices, to be joined by beaconswarm merge. All parts begin "
                + "together, --at, against the same --target; --out names the folder in which they meet.",
            valueName: "I/N"))
    var shard: String?

    @Option(
        help: ArgumentHelp(
            "Begins at this instant, such as 2026-12-01T12:00:00Z, and is set up a little before. A run that is not ready "
                + "in time sends nothing (96), nor does one that is interrupted before (105).",
            valueName: "INSTANT"))
    var at: String?

    @OptionGroup var scraping: ScrapeOptions

    mutating func run() async throws {
        var options = output.options(for: scenario.source)
        safety.apply(to: &options)
        options.threads = threads
        options.receipts = receipts
        options.store = store
        options.repeats = repeats
        options.rivals = ab
        options.tracedDevices = traceDevices
        options.shard = shard
        options.at = at
        options.ui = watching.ui
        options.otlp = watching.otlp
        options.scrape = scraping.scrape
        options.scrapeOnly = scraping.scrapeOnly
        let chosen = options
        try await finish { try await Beaconswarm.run(chosen) }
    }
}
