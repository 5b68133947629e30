import ArgumentParser
import Beaconswarm

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a scenario in virtual time: the same devices in a modelled world.",
        discussion:
            "Nothing leaves the process. The same scenario and seed give the same report, byte for byte.")

    @OptionGroup var scenario: ScenarioOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Accepted for symmetry; one simulation is one thread, and no result depends on it.")
    var threads: Int?

    mutating func run() async throws {
        var options = output.options(for: scenario.source)
        options.threads = threads
        let chosen = options
        try await finish { try await Beaconswarm.simulate(chosen) }
    }
}
