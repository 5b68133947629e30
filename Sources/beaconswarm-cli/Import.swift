import ArgumentParser
import Beaconswarm

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drafts the description of an SDK from captured requests.",
        discussion: """
            Reads a HAR file of a browser or a proxy, or a text of curl commands, takes the path to which most events \
            were posted, and says where the events, their names, times and ids are. What it guessed is told on \
            standard error and in the draft's `notes`. Values of authorizations, cookies and keys become ${NAME}.

            The draft is what a scenario has in `sdk`, and what collect --sdk reads.
            """)

    @Argument(help: "The capture: HAR, or curl commands; - is standard input.", completion: .file())
    var capture: String

    @Option(
        help: ArgumentHelp(
            "Where the draft goes, instead of standard output; it must not exist.", valueName: "FILE"),
        completion: .file(extensions: ["json"]))
    var out: String?

    mutating func run() async throws {
        let (capture, out) = (capture, out)
        try await finish { try Beaconswarm.importing(capture, out: out) }
    }
}
