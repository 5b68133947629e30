import Files

/// One table in one format as a sequence of files: one for each part that ends by its partition or its size.
///
/// Rows are to come in the order of their partitions; a partition that comes back gets another part. One part is open
/// at a time.
final class PartSequence {
    /// How many rows of a part are written before its size is looked at.
    static let step = 1024

    private let table: DatasetTable
    private let format: DatasetFormat
    private let layout: DatasetLayout
    private let journal: PartJournal
    private var clock: PartitionClock?

    private var writer: (any DatasetWriter)?
    /// Where its bytes go.
    private var sink: FileSink?
    private var part: PartJournal.Part
    private var key: PartitionClock.Key?
    /// The parts of each partition so far.
    private var counts: [PartitionClock.Key: Int] = [:]
    /// Parts of an earlier run that are whole, the next last; their rows are not written again.
    private var whole: [PartJournal.Part]
    private var isSkipping = false
    /// The bytes of the parts that are whole.
    private var finished = 0

    init(_ table: DatasetTable, _ format: DatasetFormat, _ layout: DatasetLayout, _ journal: PartJournal) {
        self.table = table
        self.format = format
        self.layout = layout
        self.journal = journal
        whole = journal.parts(of: table.schema.name, format).reversed()
        part = PartJournal.Part(table: table.schema.name, format: format.description)
        if let column = table.partitionColumn, layout.partition != .none {
            clock = PartitionClock(
                layout.partition, zone: layout.zone, type: table.schema.columns[column].type)
        }
    }

    /// The bytes so far, those of whole parts of an earlier run among them.
    var size: Int { finished + (writer?.size ?? 0) }

    func write(_ batch: borrowing TableBatch) throws(FileFailure) {
        batch.complete()
        var row = 0
        while row < batch.count {
            let end = endOfPartition(from: row, in: batch)
            if let clock, clock.key != key { try endPart() }
            key = clock?.key ?? 0
            while row < end { row = try write(batch, rows: row..<end) }
        }
    }

    /// Ends the last part; a table without rows is one without rows.
    func finish() throws(FileFailure) {
        if writer == nil, !isSkipping, counts.isEmpty, clock == nil {
            key = 0
            try beginPart()
        }
        try endPart()
        guard whole.isEmpty else { throw mismatch() }
    }

    /// Removes the file that is not whole yet; no row may come after that.
    func discard() throws(FileFailure) {
        guard writer != nil else { return }
        try Folder.remove("\(journal.folder)/\(part.path)\(GrowingFile.partialSuffix)")
    }

    /// The rows from `row` on that belong to one partition; the clock then has its key.
    private func endOfPartition(from row: Int, in batch: borrowing TableBatch) -> Int {
        guard var clock, let column = table.partitionColumn else { return batch.count }
        defer { self.clock = clock }
        let times = batch.columns[column].words
        let key = clock.key(of: times[row])
        var end = row + 1
        while end < batch.count, clock.key(of: times[end]) == key { end += 1 }
        // The last look may have gone one row too far.
        _ = clock.key(of: times[row])
        return end
    }

    /// Writes rows up to where the part's size is looked at next.
    ///
    /// - Returns: The row to go on with.
    private func write(_ batch: borrowing TableBatch, rows: Range<Int>) throws(FileFailure) -> Int {
        if writer == nil && !isSkipping { try beginPart() }
        if isSkipping { return try skip(rows) }
        let room = PartSequence.step - part.rows % PartSequence.step
        let end = min(rows.upperBound, rows.lowerBound + room)
        try writer?.write(batch, rows: rows.lowerBound..<end)
        part.rows += end - rows.lowerBound
        if let split = layout.split, end - rows.lowerBound == room, let writer, writer.size >= split {
            try endPart()
        }
        return end
    }

    private func skip(_ rows: Range<Int>) throws(FileFailure) -> Int {
        let left = whole[whole.count - 1].rows - part.rows
        guard left > 0 else { throw mismatch() }
        let end = min(rows.upperBound, rows.lowerBound + left)
        part.rows += end - rows.lowerBound
        if end - rows.lowerBound == left, layout.split != nil { try endPart() }
        return end
    }

    // MARK: - Parts

    private func beginPart() throws(FileFailure) {
        let key = key ?? 0
        let number = counts[key, default: 0]
        counts[key] = number + 1
        let file = file(key, number)
        part.rows = 0
        part.path = file.folder + file.name
        if let next = whole.last {
            guard next.path == part.path, next.rows > 0 || clock == nil else { throw mismatch() }
            isSkipping = true
            return
        }
        try Folder.make(journal.folder + "/" + file.folder)
        let sink = try FileSink(journal.folder + "/" + part.path)
        self.sink = sink
        writer = format.makeWriter(of: table.schema, into: sink, named: file.name, layout.parquet)
        precondition(writer != nil, "a database is one file")
    }

    private func endPart() throws(FileFailure) {
        if isSkipping {
            let ended = whole.removeLast()
            guard part.rows == ended.rows else { throw mismatch() }
            finished += ended.bytes
            isSkipping = false
        }
        guard let writer else { return }
        self.writer = nil
        try writer.finish()
        part.bytes = Folder.size(of: journal.folder + "/" + part.path) ?? 0
        part.crc32 = sink?.checksum
        sink = nil
        finished += part.bytes
        try journal.note(part)
    }

    private func file(_ key: PartitionClock.Key, _ number: Int) -> (folder: String, name: String) {
        let name = table.schema.name
        guard clock != nil || layout.split != nil else {
            guard let label = layout.label else { return ("", "\(name).\(format)") }
            return ("\(name)/", "\(label).\(format)")
        }
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        let folder = clock == nil ? "" : PartitionClock.folder(key, of: layout.partition)
        let label = layout.label.map { "\($0)-" } ?? "part-"
        return ("\(name)/\(folder)", "\(label)\(padded).\(format)")
    }

    private func mismatch() -> FileFailure {
        FileFailure(
            DatasetOutput.goingOn, journal.folder,
            reason: "its parts are not those of this dataset (at \(whole.last?.path ?? part.path))")
    }
}
