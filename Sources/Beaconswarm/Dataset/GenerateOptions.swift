import Datasets
import Scenario

/// Options of `generate`, besides its scenario.
public struct GenerateOptions: Sendable {
    /// The scenario.
    public var source: ScenarioSource
    /// The dataset's folder; it must not exist, unless ``resumes`` is set.
    public var out: String
    /// Names of formats; see ``formatNames``.
    public var formats = ["parquet"]
    /// `none`, `day` or `hour`: how the table `events` is cut by `received_at`.
    public var partition = "none"
    /// The zone whose days and hours are meant, such as `Asia/Shanghai`.
    public var zone = "UTC"
    /// The size at which a file ends, such as `256MB`; `nil` for one file.
    public var split: String?
    /// When the run begins, such as `2026-03-02T00:00:00+08:00`; `nil` for the scenario's own.
    public var start: String?
    /// How many days users act; `nil` for the scenario's duration.
    public var days: Int?
    /// Captures after which the world stops; `nil` for none.
    public var rows: Int?
    /// Which part of the devices the dataset is of, `I/N` with I from 0; `nil` for all. Its folder then lies in ``out``,
    /// where all parts meet.
    public var shard: String?
    /// Threads that play devices, 1 or more; `nil` for what the environment says (`BEACONSWARM_THREADS`), else one per
    /// core. No result depends on it.
    public var threads: Int?
    /// Whether events bear ids of the harness, and rows say what names their event.
    public var tagsEvents = false
    /// Whether a dataset that was broken off goes on.
    public var resumes = false
    /// Whether the events' own JSON is written too, a line each.
    public var raw = false
    /// Whether rows go to standard output, ``rate`` a second, until Ctrl-C; the dataset is that of the time until then.
    public var follows = false
    /// Rows a second, greater than 0; `nil` for ``defaultRate``.
    public var rate: Double?
    /// Where a page shows how far it is, as ``RunOptions/ui``; `nil` for no page.
    public var ui: String?
    /// Where figures are pushed to, as ``RunOptions/otlp``; `nil` for none.
    public var otlp: String?
    /// No progress and no summary.
    public var quiet = false
    /// Whether SIGINT, SIGTERM and SIGHUP end it, as ``RunOptions/listensToSignals``.
    public var listensToSignals = true
    /// The command line, for the dataset's description.
    public var command: [String] = CommandLine.arguments

    /// Asks for a dataset of a scenario in a folder.
    public init(source: ScenarioSource, out: String) {
        self.source = source
        self.out = out
    }

    /// Rows a second where nothing is said.
    public static let defaultRate = 1000.0

    /// The formats.
    public static let allFormats = DatasetFormat.all.map(\.description)

    /// The same, separated by commas.
    public static let formatNames = allFormats.joined(separator: ", ")

    /// By what the table of events can be cut.
    public static let partitions = Partition.allCases.map(\.rawValue)
}

extension GenerateOptions {
    /// Which devices are played, and the options with the folder of their part. An unfinished one is gone on with: an
    /// engine that runs a killed task again gives it the same options.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for no part, and for what is about all devices.
    func placed() throws(CommandFailure) -> (PartNumber, GenerateOptions) {
        guard let shard else { return (.whole, self) }
        let part = try PartNumber(shard)
        for (option, isGiven) in [("--rows", rows != nil), ("--follow", follows)] where isGiven {
            throw CommandFailure(.usage, "\(option): is about all devices, and not with --shard")
        }
        var placed = self
        placed.out = "\(out)/\(part.folderName)"
        placed.resumes = resumes || OutputFile.exists(placed.out)
        return (part, placed)
    }

    /// As many days as a scenario has at most.
    private var longestDays: Int { 3650 }

    /// The words by which a dataset is made from the beginning, of those that made it or went on with it.
    static func begins(_ command: [String]) -> [String] { command.filter { $0 != "--resume" } }

    /// The zone whose days and hours are meant.
    private func zoneOffsets() throws(CommandFailure) -> ZoneOffsets {
        guard let offsets = KnownZones.offsets(zone) else {
            let near = NameDistance.nearest(
                to: zone, among: ZoneTable.known.names.filter { $0.contains("/") })
            throw CommandFailure(
                .usage,
                "--zone: found \"\(zone)\", allowed are UTC and the zones of regions in the IANA time zone database, such "
                    + "as Asia/Shanghai; abbreviations such as GMT or EST are not"
                    + (near.map { "; did you mean \($0)?" } ?? ""))
        }
        return offsets
    }

    /// How the dataset lies in its folder.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a value that an option does not take.
    func layout() throws(CommandFailure) -> DatasetLayout {
        var chosen: [DatasetFormat] = []
        for name in formats.flatMap({ $0.split(separator: ",").map(String.init) }) {
            guard let format = DatasetFormat(name) else {
                let near = NameDistance.nearest(to: name, among: DatasetFormat.all.map(\.description))
                throw CommandFailure(
                    .usage,
                    "--format: found \"\(name)\", allowed are \(GenerateOptions.formatNames)"
                        + (near.map { "; did you mean \($0)?" } ?? ""))
            }
            if !chosen.contains(format) { chosen.append(format) }
        }
        guard !chosen.isEmpty else {
            throw CommandFailure(.usage, "--format: name at least one of \(GenerateOptions.formatNames)")
        }
        var layout = DatasetLayout(chosen)
        guard let partition = Partition(rawValue: partition) else {
            let allowed = GenerateOptions.partitions.joined(separator: ", ")
            throw CommandFailure(
                .usage, "--partition: found \"\(self.partition)\", allowed are \(allowed)")
        }
        layout.partition = partition
        layout.label = try shard.map { text throws(CommandFailure) in try PartNumber(text).folderName }
        layout.zone = try zoneOffsets()
        layout.split = try split.map { text throws(CommandFailure) in try GenerateOptions.bytes(text) }
        for (option, isGiven) in [("--partition", partition != .none), ("--split", split != nil)]
        where isGiven && chosen == [.sqlite] {
            throw CommandFailure(
                .usage,
                "\(option): sqlite is one file with all rows; files are divided in other formats alone")
        }
        return layout
    }

    /// Reads a size such as `64MB`.
    private static func bytes(_ text: String) throws(CommandFailure) -> Int {
        let units =
            [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("GB", 1_000_000_000)]
            + [("MB", 1_000_000), ("kB", 1000), ("B", 1), ("", 1)]
        for (unit, factor) in units where text.hasSuffix(unit) {
            if let number = Int(text.dropLast(unit.count)), number > 0, number <= Int.max / factor {
                return number * factor
            }
        }
        throw CommandFailure(
            .usage,
            "--split: found \"\(text)\", allowed is a size such as 256MB: a whole number and its unit (B, kB, MB, GB, KiB, "
                + "MiB, GiB)")
    }

    /// The scenario with what the options change in it.
    ///
    /// - Throws: ``CommandFailure`` with code 64.
    func completedSource() throws(CommandFailure) -> ScenarioSource {
        var source = source
        if let days {
            guard source.duration == nil else {
                throw CommandFailure(.usage, "--days and --duration say the same; give one of them")
            }
            guard (1...longestDays).contains(days) else {
                throw CommandFailure(
                    .usage, "--days: found \(days), allowed are whole numbers from 1 to \(longestDays)")
            }
            source.duration = "\(days)d"
        }
        if let rate {
            guard follows else {
                throw CommandFailure(.usage, "--rate: rows come at a rate only with --follow")
            }
            guard rate > 0, rate.isFinite else {
                throw CommandFailure(.usage, "--rate: found \(rate), allowed are numbers above 0")
            }
        }
        if follows, resumes {
            throw CommandFailure(
                .usage, "--follow begins anew: it goes on with nothing, so not with --resume")
        }
        source.start = start
        for (name, number) in [("--rows", rows), ("--threads", threads)] {
            guard let number, number < 1 else { continue }
            throw CommandFailure(.usage, "\(name): found \(number), allowed are whole numbers from 1")
        }
        return source
    }
}
