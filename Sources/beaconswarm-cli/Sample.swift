import ArgumentParser
import Beaconswarm

struct Sample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints one request of each population: raw, decoded, and as a curl command.")

    @OptionGroup var scenario: ScenarioOptions

    mutating func run() async throws {
        let source = scenario.source
        try await finish { try await Beaconswarm.sample(source) }
    }
}
