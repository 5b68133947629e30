import ArgumentParser
import Beaconswarm

struct Examples: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the scenarios that come with the program, or copies one out.",
        discussion: """
            Every verb that takes a scenario takes these names too, where no file has them:

              beaconswarm run smoke
              beaconswarm simulate policies/batch --seeds 5

            A copy is for changing. The JSON Schema by which editors check it is written beside it, if none is there.
            """)

    @Argument(
        help: "The scenario to copy out; without it, all are listed.",
        completion: .list(Beaconswarm.exampleNames))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The copy; it must not exist. - is standard output. Default: the name with .json, here.",
            valueName: "FILE"), completion: .file(extensions: ["json"]))
    var out: String?

    func validate() throws {
        guard name != nil || out == nil else {
            throw ValidationError("--out: found without a scenario; name the one that is to be copied")
        }
    }

    mutating func run() async throws {
        let (name, out) = (name, out)
        try await finish {
            guard let name else { return Beaconswarm.examples() }
            return try Beaconswarm.example(name, out: out)
        }
    }
}
