import Files
import Generation
import Reporting
import Snapshots

/// What joins a part of a dataset with the others: what it is a part of, and the sums behind its answers. It is written
/// before `_SUCCESS`, beside the scenario as it was played.
///
/// Names that begin with an underscore are not read as data by readers of such folders.
struct DatasetPart {
    /// What makes parts parts of the same dataset.
    struct Identity: Hashable {
        var toolVersion: String
        /// Of the scenario as it is played, seed and options included.
        var scenarioSHA256: String
        /// What that scenario does not tell.
        var sum: ScenarioSum
        var seed: UInt64
        var count: Int
        var formats: [String]
        var partition: String
        var zone: String
        var split: String
        var tagsEvents: Bool
        var hasRaw: Bool
    }

    static let stateName = "_part.state"
    static let scenarioName = "_scenario.json"
    private static let head = "beaconswarm.dataset-part/7\n"

    var identity: Identity
    var number: PartNumber
    var reference: Report.ScenarioReference
    /// With which it was made.
    var command: [String]
    /// Of each table.
    var rows: [Int]
    /// Rows of which nothing tells the event.
    var unknownRows: Int64
    var totals: AnswerTotals
    var patterns: [PatternCounter.Totals]
    /// Of each population.
    var shape: [DatasetShape.Population]
    var sample: RowSample
    /// Of files that are not in the list of parts.
    var sums: FileSums

    func write(to folder: String) throws(FileFailure) {
        try GrowingFile.write(
            StateFile.bytes(of: self, head: DatasetPart.head), to: "\(folder)/\(DatasetPart.stateName)")
    }

    /// Reads the state of a part.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a file that is cut, was changed, or is none.
    init(of folder: String) throws(CommandFailure) {
        self = try StateFile.read(
            "\(folder)/\(DatasetPart.stateName)", head: DatasetPart.head, of: "a dataset's part",
            remedy: "make the part again"
        ).state
    }

    init(
        identity: Identity, number: PartNumber, reference: Report.ScenarioReference, command: [String],
        rows: [Int], unknownRows: Int64, totals: AnswerTotals, patterns: [PatternCounter.Totals],
        shape: [DatasetShape.Population], sample: RowSample, sums: FileSums
    ) {
        (self.identity, self.number, self.reference) = (identity, number, reference)
        (self.command, self.rows, self.unknownRows) = (command, rows, unknownRows)
        (self.totals, self.patterns) = (totals, patterns)
        (self.shape, self.sample, self.sums) = (shape, sample, sums)
    }
}

extension DatasetPart.Identity {
    /// What differs first, in words; `nil` for the same dataset.
    func difference(from other: DatasetPart.Identity) -> String? {
        let told: [PartDifference.Told] = [
            ("version ", toolVersion, other.toolVersion),
            ("seed ", String(seed), String(other.seed)),
            ("it is ", PartNumber.words(one: count), PartNumber.words(one: other.count)),
            ("--format ", formats.joined(separator: ","), other.formats.joined(separator: ",")),
            ("--partition ", partition, other.partition),
            ("--zone ", zone, other.zone),
            ("--split ", split, other.split),
            ("", hasRaw ? "with --raw" : "without --raw", other.hasRaw ? "with --raw" : "without --raw"),
            (
                "", tagsEvents ? "with --tag" : "without --tag",
                other.tagsEvents ? "with --tag" : "without --tag"
            ),
        ]
        return PartDifference.first(of: told)
            ?? sum.difference(from: other.sum, hasSameText: scenarioSHA256 == other.scenarioSHA256)
    }
}

extension DatasetPart.Identity: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(toolVersion)
        writer.write(scenarioSHA256)
        writer.write(sum)
        writer.write(seed)
        writer.write(count)
        writer.write(each: formats)
        for text in [partition, zone, split] { writer.write(text) }
        writer.write(tagsEvents)
        writer.write(hasRaw)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        toolVersion = try reader.text()
        scenarioSHA256 = try reader.text()
        sum = try reader.value()
        seed = try reader.unsigned()
        count = try reader.int()
        formats = try reader.values()
        (partition, zone, split) = (try reader.text(), try reader.text(), try reader.text())
        tagsEvents = try reader.bool()
        hasRaw = try reader.bool()
    }
}

extension DatasetPart: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(identity)
        writer.write(number.index)
        writer.write(reference)
        writer.write(each: command)
        writer.write(WholeNumbers(rows))
        writer.write(unknownRows)
        writer.write(totals)
        writer.write(each: patterns)
        writer.write(each: shape)
        writer.write(sample)
        writer.write(sums)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        identity = try reader.value()
        let index = try reader.int()
        guard 0..<identity.count ~= index else { throw reader.impossible }
        number = PartNumber(index: index, count: identity.count)
        reference = try reader.value()
        command = try reader.values()
        let rows: WholeNumbers = try reader.value()
        self.rows = rows.values
        unknownRows = try reader.signed()
        totals = try reader.value()
        patterns = try reader.values()
        shape = try reader.values()
        sample = try reader.value()
        sums = try reader.value()
    }
}
