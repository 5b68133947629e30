import ArgumentParser
import Beaconswarm

struct Schema: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the JSON Schema (2020-12) of the scenario format.")

    mutating func run() async throws {
        try await finish { Beaconswarm.schema() }
    }
}
