import ArgumentParser
import Beaconswarm

struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Joins the parts of a run or a dataset that were made with --shard, exactly as one.",
        discussion: """
            Each DIR is a folder in which parts meet (the --out of simulate or run with --shard), or that of a single part. Sums, \
            distributions, time series, beliefs and audits are those of one process that plays all devices, and \
            thresholds and the verdict are judged on the whole: but for when and where it ran, the report is the same, \
            byte for byte.

            A part that is missing makes the run invalid (96): the report is about the devices that are there and says \
            how to play it. Parts of different runs, a part that is there twice, a file that was changed, and a DIR without \
            a part are refused (64), and nothing is written. Attempts that were killed do not count.

            Parts of a live run make the whole invalid (96) if one of them was late, could not keep its own schedule, or \
            had a clock that was more than a second off; it is named. What is missing of a live run cannot be played \
            later: all parts have to be run again.

            Of a dataset (generate with --shard), the files of all parts come together in one folder, by links where the \
            disk is the same, and answers.json is about the whole. A part that is missing is named, with the command that \
            makes it (96), and nothing is written.
            """)

    @Argument(help: ArgumentHelp("Folders of parts.", valueName: "DIR"), completion: .directory)
    var folders: [String]

    @Option(
        help: ArgumentHelp("The folder of the whole run; it must not exist.", valueName: "DIR"),
        completion: .directory)
    var out: String

    @Option(
        help: ArgumentHelp(
            "Writes one line per event (.ndjson or .ndjson.gz), if all parts were played with --events.",
            valueName: "FILE"), completion: .file())
    var events: String?

    @Flag(help: "Prints the report's JSON on standard output, and nothing else there.")
    var json = false

    @Flag(name: .shortAndLong, help: "No summary; warnings, and why it did not pass, are still printed.")
    var quiet = false

    @OptionGroup var color: ColorOption

    mutating func run() async throws {
        var options = MergeOptions(folders: folders, out: out)
        options.events = events
        options.json = json
        options.quiet = quiet
        options.color = color.isAllowed
        let chosen = options
        try await finish { try Beaconswarm.merge(chosen) }
    }
}
