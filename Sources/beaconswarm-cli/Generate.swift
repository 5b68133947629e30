import ArgumentParser
import Beaconswarm

struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a synthetic dataset with delivery truth.",
        discussion: """
            Plays a scenario in virtual time and writes what a collector would have received from its devices (events, \
            with copies, late and lost ones), and what really happened: truth, users, devices, sessions. answers.json \
            has questions with their answers from the truth, answers.sql the queries that give the same.

              beaconswarm generate demo --out data --days 7 --format parquet,sqlite

            The same scenario, seed and options give the same bytes, with any number of threads. What is unfinished has \
            no _SUCCESS, and the same command with --resume goes on with it.
            """)

    @OptionGroup var scenario: PlayOptions

    @OptionGroup var refused: RefusedTarget
    @OptionGroup var watching: WatchOptions

    @Option(
        help: ArgumentHelp("The dataset's folder; it must not exist.", valueName: "DIR"),
        completion: .directory)
    var out: String

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "In what the tables are written: \(GenerateOptions.formatNames). Repeatable, or separated by commas; "
                + "default: parquet. With .sha256, rows are made but not written: only their digest is.",
            valueName: "FORMAT"), completion: .list(GenerateOptions.allFormats))
    var format: [String] = []

    @Option(
        help: ArgumentHelp(
            "Cuts the table events by the day or hour of its arrivals, into folders such as dt=2026-01-05.",
            valueName: GenerateOptions.partitions.joined(separator: "|")),
        completion: .list(GenerateOptions.partitions))
    var partition = "none"

    @Option(help: ArgumentHelp("Whose days and hours are meant, such as Asia/Shanghai.", valueName: "ZONE"))
    var zone = "UTC"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The size at which a file ends, such as 256MB. It is coarse: rows are written 1,024 at a time, packed text in "
                + "blocks, and pages of Parquet count before they are packed.", valueName: "SIZE"))
    var split: String?

    @Option(help: ArgumentHelp("When it begins, such as 2026-03-02T00:00:00+08:00.", valueName: "INSTANT"))
    var start: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("How many days users act.", valueName: "N"),
        transform: wholeNumber)
    var days: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Stops the world at the N-th capture; what has no fate by then is pending.", valueName: "N"),
        transform: wholeNumber)
    var rows: Int?

    @Option(
        help: ArgumentHelp(
            "Plays part I (from 0) of N of each population's devices, into a folder of its own in --out. All parts together "
                + "are the dataset; an unfinished part is gone on with.", valueName: "I/N"))
    var shard: String?

    @Option(
        parsing: .unconditional,
        help: "Threads that play devices; default: one per core. No result depends on it.",
        transform: wholeNumber)
    var threads: Int?

    @Flag(help: "Events bear bs_id, and rows say what names their event: id, copy, device.")
    var tag = false

    @Flag(
        help: ArgumentHelp(
            "Writes raw.ndjson too: the own JSON of each event, one a line. Copies begin with the member bs_copy, events "
                + "that never arrived with bs_fate."))
    var raw = false

    @Flag(
        help: ArgumentHelp(
            "Sends the rows of events to standard output as they would come, until Ctrl-C, which is a good end; then "
                + "writes the dataset of that time. With --raw, the events' own JSON."))
    var follow = false

    @Option(
        help: ArgumentHelp(
            "How many rows a second --follow sends; default: \(Int(GenerateOptions.defaultRate)).",
            valueName: "R"))
    var rate: Double?

    @Flag(help: "Goes on with a dataset that was broken off.")
    var resume = false

    @Flag(name: .shortAndLong, help: "No progress and no summary; warnings are still printed.")
    var quiet = false

    mutating func run() async throws {
        var options = GenerateOptions(source: scenario.source, out: out)
        if !format.isEmpty { options.formats = format.flatMap { $0.split(separator: ",").map(String.init) } }
        options.partition = partition
        options.zone = zone
        options.split = split
        options.start = start
        options.days = days
        options.rows = rows
        options.threads = threads
        options.shard = shard
        options.tagsEvents = tag
        options.raw = raw
        options.follows = follow
        options.rate = rate
        options.resumes = resume
        options.quiet = quiet
        options.ui = watching.ui
        options.otlp = watching.otlp
        let chosen = options
        try await finish { try await Beaconswarm.generate(chosen) }
    }
}
