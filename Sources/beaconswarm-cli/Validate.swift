import ArgumentParser
import Beaconswarm

struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks scenarios, prints every problem, and forecasts the load of valid ones.",
        discussion: "A JSON Schema among the files is skipped with a note.")

    @Argument(help: "Scenario files; - is standard input.", completion: .scenario)
    var scenarios: [String]

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Changes one value of each scenario. Repeatable.", valueName: "path=value"))
    var overrides: [String] = []

    mutating func run() async throws {
        let sources = scenarios.map { path in
            var source = ScenarioSource(path: path)
            source.overrides = overrides
            return source
        }
        try await finish { try await Beaconswarm.validate(sources) }
    }
}
