import ArgumentParser
import Beaconswarm

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a scenario in virtual time: the same devices in a modelled world.",
        discussion: """
            Nothing leaves the process. The same scenario and seed give the same report, byte for byte.

            A scenario with "variants" plays all of them, base (the scenario itself) among them, and --seeds plays \
            each over several seeds: the same users do the same on the same networks, so that only policies differ. \
            Each simulation is one thread and has a folder of its own, RUN/variants/NAME/seeds/SEED; RUN/report.json \
            holds every metric of each and may be committed as a baseline. The exit code is the highest-ranking of \
            all. See also: beaconswarm compare.
            """)

    @OptionGroup var scenario: ScenarioOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var watching: WatchOptions

    @Option(
        help: ArgumentHelp(
            "Plays several seeds: so many from the scenario's own on, or a range such as 1..20.",
            valueName: "N|A..B"))
    var seeds: String?

    @Option(
        help:
            "Simulations that go on side by side, where there are several; default: one per core. No result depends on it."
    )
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "What becomes of requests' bytes: encode writes and reads them; measure hands events over without "
                + "them, several times as fast, and data_sent is a model's, mostly within 2 %. Default: encode; measure for several "
                + "simulations.",
            valueName: Bodies.names.joined(separator: "|")), completion: .list(Bodies.names),
        transform: readBodies)
    var bodies: Bodies?

    @Option(
        help: ArgumentHelp(
            "Plays part I (from 0) of N of each population's devices, or of several simulations each N-th, to be joined by "
                + "beaconswarm merge. --out names the folder in which all parts meet; --events keeps the part's lines "
                + "there, whatever its name.",
            valueName: "I/N"))
    var shard: String?

    mutating func run() async throws {
        var options = output.options(for: scenario.source)
        options.bodies = bodies
        options.threads = threads
        options.seeds = seeds
        options.shard = shard
        options.ui = watching.ui
        options.otlp = watching.otlp
        let chosen = options
        try await finish { try await Beaconswarm.simulate(chosen) }
    }
}

/// Reads the value of `--bodies`.
func readBodies(_ text: String) throws -> Bodies {
    guard let bodies = Bodies(rawValue: text) else {
        let allowed = Bodies.names.joined(separator: " or ")
        throw ValidationError("found \"\(text)\", allowed is \(allowed)")
    }
    return bodies
}
