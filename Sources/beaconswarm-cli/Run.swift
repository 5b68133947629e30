import ArgumentParser
import Beaconswarm

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a scenario live: real clock, real sockets.",
        discussion: """
            Events go to --target, else to the scenario's target, else to a collector embedded in the run.
            With "pace" in the scenario, people and device clocks go as many times as fast; sockets stay real.
            A run whose uploads are all without success fails (99), unless the scenario says
            "expect": "nothing delivered".
            The first Ctrl-C (SIGTERM, SIGHUP) ends gracefully: no new events, drain, full report, exit 105. The
            second ends at once, with a report of what was measured so far.
            """)

    @OptionGroup var scenario: ScenarioOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Audits against what a foreign collector's store holds after the run (NDJSON, CSV, SQLite).",
            valueName: "FILE"))
    var receipts: String?

    @Option(
        help: "Event loops that play the devices; default: the cores, less one for an embedded collector.")
    var threads: Int?

    @Option(help: ArgumentHelp("Keeps the embedded collector's store.", valueName: "FILE.sqlite"))
    var store: String?

    mutating func run() async throws {
        var options = output.options(for: scenario.source)
        options.threads = threads
        options.receipts = receipts
        options.store = store
        let chosen = options
        try await finish { try await Beaconswarm.run(chosen) }
    }
}
