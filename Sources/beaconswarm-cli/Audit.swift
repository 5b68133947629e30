import ArgumentParser
import Beaconswarm

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fills a run's audit from what a foreign collector's store holds.",
        discussion: """
            Takes the ids (column or key `id` or `bs_id`) or whole rows of the store as NDJSON, CSV or SQLite,
            compares them with what the devices take as delivered, and renews the run's report.
            """)

    @Argument(help: "The run's folder.")
    var run: String

    @Option(help: ArgumentHelp("What the collector's store holds.", valueName: "FILE"))
    var receipts: String

    @Flag(help: "Prints the report's JSON on standard output, and nothing else there.")
    var json = false

    mutating func run() async throws {
        let (folder, file, json) = (run, receipts, json)
        try await finish { try await Beaconswarm.audit(folder: folder, receipts: file, json: json) }
    }
}
