import ArgumentParser
import Beaconswarm

struct Collect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the collector as a stand-alone server that keeps every acknowledged event in SQLite.",
        discussion: """
            GET /healthz answers 200; GET /stats returns the counts as JSON. Ends with exit code 0 on Ctrl-C or \
            SIGTERM. Whatever was acknowledged survives a kill -9: what waits in the log beside the store is in its \
            table once a collector has continued the store.

            An address that other machines can reach wants --allow-remote, because the collector stores whatever \
            strangers send.
            """)

    @Option(help: ArgumentHelp("Address to listen on; port 0 takes a free one.", valueName: "HOST:PORT"))
    var listen = "127.0.0.1:8106"

    @Option(
        help: ArgumentHelp(
            "The store; an existing one is continued. Ids start again with each run, so events of a later run count "
                + "as copies: use one store per run. (default: \(CollectOptions.defaultStore))",
            valueName: "FILE.sqlite"), completion: .file(extensions: ["sqlite"]))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with a `timeline` of faults, counted from the start.", valueName: "FILE"),
        completion: .file(extensions: ["json"]))
    var faults: String?

    @Option(
        help: ArgumentHelp(
            "Systems to decode, separated by commas: \(CollectOptions.systemNames). (default: all)",
            valueName: "a,b"), completion: .list(CollectOptions.allSystems))
    var systems: String?

    @Option(
        help: ArgumentHelp(
            "An additional path for the uploads of a system; repeatable.",
            valueName: "SYSTEM=/PATH"))
    var path: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "The description of an SDK, as a scenario has it in `sdk`: its uploads are read, too. Public products "
                + "(segment, posthog, snowplow, amplitude, mixpanel) need none. Repeatable.",
            valueName: "FILE"), completion: .file(extensions: ["json"]))
    var sdk: [String] = []

    @Option(
        help: ArgumentHelp(
            "Whether acknowledged rows wait in a log beside the store before they are in its table: \"auto\" when the "
                + "table falls behind, \"always\", \"never\". None is lost either way.",
            valueName: CollectOptions.logNames.joined(separator: "|")),
        completion: .list(CollectOptions.logNames))
    var log = "auto"

    @Flag(help: "Listens on an address that other machines can reach, and stores whatever they send.")
    var allowRemote = false

    mutating func run() async throws {
        var options = CollectOptions(
            listen: listen, store: store, faults: faults, systems: systems, paths: path,
            allowsRemote: allowRemote)
        options.descriptions = sdk
        options.log = log
        let chosen = options
        try await finish { try await Beaconswarm.collect(chosen) }
    }
}
