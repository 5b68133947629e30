import ArgumentParser
import Beaconswarm

struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a grid of simulations, and draws freshness against cost.",
        discussion: """
            Every combination of the values of all --vary is played over the same seeds, so many at a time as there are \
            cores. The page shows freshness against cost with loss as colour, marks what no other combination beats \
            (the Pareto front), and lists all of them in a table that sorts; sweep.csv and sweep.json have every figure.

              beaconswarm sweep shop.json --seeds 5 \\
                --vary populations.0.sdk.upload.batch=10,50,200 \\
                --vary populations.0.sdk.upload.flushInterval=5s,15s,60s

            What was played is kept at once: after Ctrl-C or a kill, the same command with --out naming the same folder \
            goes on where it was.
            """)

    @OptionGroup var scenario: ScenarioOptions
    @OptionGroup var watching: WatchOptions

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A path, as that of --set, and the values that it gets. Repeatable.", valueName: "PATH=A,B,C"))
    var vary: [String] = []

    @Option(
        help: ArgumentHelp(
            "Plays several seeds: so many from the scenario's own on, or a range such as 1..20.",
            valueName: "N|A..B"))
    var seeds: String?

    @Option(
        help: ArgumentHelp(
            "What becomes of requests' bytes, as in simulate; default: measure.",
            valueName: Bodies.names.joined(separator: "|")), completion: .list(Bodies.names),
        transform: readBodies)
    var bodies: Bodies?

    @Option(help: ArgumentHelp("The figure that is drawn as cost.", valueName: "METRIC"))
    var cost = SweepOptions.defaultCost

    @Option(help: ArgumentHelp("The figure that is drawn as freshness.", valueName: "METRIC"))
    var freshness = SweepOptions.defaultFreshness

    @Option(help: "Simulations that go on side by side; default: one per core. No result depends on it.")
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "The sweep's folder; it must not exist, or hold the same sweep that was broken off.",
            valueName: "DIR"), completion: .directory)
    var out: String?

    @Flag(help: "Prints sweep.json on standard output, and nothing else there.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "No progress and no summary; warnings, and why it did not pass, are still printed.")
    var quiet = false

    @OptionGroup var color: ColorOption

    mutating func run() async throws {
        var run = RunOptions(source: scenario.source)
        run.seeds = seeds
        run.threads = threads
        run.bodies = bodies
        run.ui = watching.ui
        run.otlp = watching.otlp
        run.out = out
        run.json = json
        run.quiet = quiet
        run.color = color.isAllowed
        var options = SweepOptions(run: run, axes: vary)
        options.cost = cost
        options.freshness = freshness
        let chosen = options
        try await finish { try await Beaconswarm.sweep(chosen) }
    }
}
