import ArgumentParser
import Beaconswarm

struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a first scenario, with comments on all its parts.",
        discussion: """
            On a terminal, three questions are asked, less those that options answer; elsewhere, what no option says is \
            the default. The JSON Schema by which editors check the file is written beside it, if none is there.

              beaconswarm new
              beaconswarm new load --system posthog-ios --devices 500 --target http://127.0.0.1:8000/batch/
            """)

    @Argument(help: "The scenario's name: its file is NAME.json, and must not exist. - is standard output.")
    var name = NewOptions.defaultName

    @Option(
        help: ArgumentHelp("The devices' SDK: \(NewOptions.systems).", valueName: "NAME"),
        completion: .list(NewOptions.allSystems))
    var system: String?

    @Option(help: "How many devices there are.")
    var devices: Int?

    @Option(help: ArgumentHelp("Where events go; \"\" is the embedded collector.", valueName: "URL"))
    var target: String?

    @Option(help: ArgumentHelp("How long users act, such as 30s, 1m30s or 7d.", valueName: "D"))
    var duration = NewOptions.defaultDuration

    mutating func run() async throws {
        var options = NewOptions()
        options.name = name
        options.system = system
        options.devices = devices
        options.target = target
        options.duration = duration
        let chosen = options
        try await finish { try Beaconswarm.newScenario(chosen) }
    }
}
