import ArgumentParser
import Beaconswarm

struct Collect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The collector as a server of its own; every acknowledged event is in its SQLite store.",
        discussion: """
            GET /healthz answers 200; GET /stats tells the counts as JSON. Ends with exit code 0 on Ctrl-C or
            SIGTERM. Whatever was acknowledged survives a kill -9.
            """)

    @Option(help: ArgumentHelp("Address to listen on; port 0 takes a free one.", valueName: "HOST:PORT"))
    var listen = "127.0.0.1:8106"

    @Option(
        help: ArgumentHelp(
            "The store; an existing one is continued. Ids begin anew with each run, so events of a later run count as "
                + "copies: take a store per run.",
            valueName: "FILE.sqlite"))
    var store = "collected.sqlite"

    @Option(
        help: ArgumentHelp(
            "A JSON file with a `timeline` of faults, counted from the start.", valueName: "FILE"))
    var faults: String?

    @Option(
        help: ArgumentHelp(
            "Systems to decode, separated by commas: sensors, growing, trackingsdk, kit, codeless. (default: all)",
            valueName: "a,b"))
    var systems: String?

    @Option(
        help: ArgumentHelp(
            "A path that takes a system's uploads beside the system's own; repeatable.",
            valueName: "SYSTEM=/PATH"))
    var path: [String] = []

    mutating func run() async throws {
        let options = CollectOptions(
            listen: listen, store: store, faults: faults, systems: systems, paths: path)
        try await finish { try await Beaconswarm.collect(options) }
    }
}
