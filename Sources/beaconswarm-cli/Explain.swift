import ArgumentParser
import Beaconswarm

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tells the life of an event, or of a device, in words.",
        discussion: """
            Follows a surprising number to a device: when and where an event was captured, which uploads carried it and how \
            each ended, and what became of it.

            A simulation is played again for it from what its folder keeps, exactly: what is told is compared with the \
            run's own record (70 if they differ). Where devices share nothing, only the one device is played. It has to be \
            played by the same version of this program, and scenario.json must be as the run wrote it (104).

            Of a live run, it tells what the event's line holds, if the run had --events; with run --trace-devices, \
            each upload of the device.
            """)

    @Argument(help: "The run's folder.", completion: .directory)
    var run: String

    @Argument(help: ArgumentHelp("The event: <device>-<sequence>, its bs_id.", valueName: "ID"))
    var event: String?

    @Option(help: ArgumentHelp("A device, by its number in the run.", valueName: "N"))
    var device: Int?

    @Flag(help: "Of a device: every sentence, one for each upload, and each of its events.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The run's file of events, where it is not where the run wrote it.", valueName: "FILE"),
        completion: .file())
    var events: String?

    @Option(help: ArgumentHelp("Which variant, of several simulations.", valueName: "NAME"))
    var variant: String?

    @Option(help: ArgumentHelp("Which seed, of several simulations.", valueName: "N"))
    var seed: String?

    @Flag(help: "Prints JSON on standard output, and nothing else there.")
    var json = false

    mutating func run() async throws {
        var options = ExplainOptions(run: run)
        options.event = event
        options.device = device
        options.all = all
        options.events = events
        options.variant = variant
        options.seed = seed
        options.json = json
        let chosen = options
        try await finish { try await Beaconswarm.explain(chosen) }
    }
}
