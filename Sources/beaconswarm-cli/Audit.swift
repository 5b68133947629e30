import ArgumentParser
import Beaconswarm

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fills a run's audit from the contents of another collector's store.",
        discussion: """
            Reads the ids (column or key `id` or `bs_id`) or whole rows of the store as NDJSON, CSV or SQLite, \
            compares them with what the devices believe to be delivered, and updates the run's report. Events \
            that were acknowledged but are missing are listed in missing.ndjson.

            Rows that were received (`received_at`) or captured (`captured_at`, otherwise the time in `payload`) \
            outside of the run's time are left out, because they belong to other runs.

            A run that merge joined from parts is audited like any other. If parts are missing, events of their devices \
            are counted apart (of_missing_parts), and further copies of them too (duplicates_of_missing_parts).
            """)

    @Argument(help: "The run's folder.", completion: .directory)
    var run: String

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "What the collector's store holds. Repeatable, for collectors that share the load: an event that two stores "
                + "hold has a copy.",
            valueName: "FILE"), completion: .file())
    var receipts: [String]

    @Option(
        help: ArgumentHelp(
            "The run's event file, where it is not where the run wrote it: missing.ndjson then says when events were "
                + "captured and acknowledged.",
            valueName: "FILE"), completion: .file())
    var events: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "The description of an SDK whose events are in the store's `payload`, or are its rows. Repeatable.",
            valueName: "FILE"), completion: .file(extensions: ["json"]))
    var sdk: [String] = []

    @Flag(help: "Prints the report's JSON on standard output, and nothing else there.")
    var json = false

    @Flag(name: .shortAndLong, help: "No summary; warnings, and why it did not pass, are still printed.")
    var quiet = false

    @OptionGroup var color: ColorOption

    mutating func run() async throws {
        let (folder, files, events, sdk) = (run, receipts, events, sdk)
        let (json, quiet, color) = (json, quiet, color.isAllowed)
        try await finish {
            try await Beaconswarm.audit(
                folder: folder, receipts: files, events: events, descriptions: sdk, json: json, quiet: quiet,
                color: color)
        }
    }
}
