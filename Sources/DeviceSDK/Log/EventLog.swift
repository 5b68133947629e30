/// Rows of 32 bytes in chunks, oldest first: what stores keep of events in memory.
///
/// Rows leave mostly from the front and in batches. A chunk holds ``chunkSize`` rows; an empty one is
/// freed at once and thin neighbours are merged, so memory follows the rows: 33 bytes a row in a
/// full store, nothing in an empty one. Cost per row is O(1) amortised in all operations; finding a
/// batch by its sequences is a binary search over the chunks.
package struct EventLog: Sendable {
    /// Rows in a chunk, at most. 4 kB: small enough to give memory back, large enough that the
    /// chunk table of 10,000 rows has 79 entries.
    static let chunkSize = 128

    /// Rows in order, and how many of them are idle.
    struct Chunk: Sendable {
        var rows: ContiguousArray<EventRecord>
        var idle: Int
    }

    var chunks: ContiguousArray<Chunk> = []
    private var rowCount: UInt32 = 0
    private var idleRowCount: UInt32 = 0

    /// Makes an empty log; takes no memory beyond the value itself.
    package init() {}

    package var count: Int { Int(rowCount) }
    package var idleCount: Int { Int(idleRowCount) }
    package var first: EventRecord? { chunks.first?.rows.first }

    /// Adds a row at the end.
    ///
    /// - Precondition: its sequence is above those of all rows.
    /// - Returns: `true`; memory does not fail.
    package mutating func append(_ record: EventRecord) -> Bool {
        if let last = chunks.indices.last, chunks[last].rows.count < EventLog.chunkSize {
            precondition(chunks[last].rows[chunks[last].rows.count - 1].sequence < record.sequence)
            reserveForAppend(inChunk: last)
            chunks[last].rows.append(record)
            chunks[last].idle += record.isUploading ? 0 : 1
        } else {
            var rows = ContiguousArray<EventRecord>()
            // A store that already filled a chunk will fill this one.
            if !chunks.isEmpty { rows.reserveCapacity(EventLog.chunkSize) }
            rows.append(record)
            chunks.append(Chunk(rows: rows, idle: record.isUploading ? 0 : 1))
        }
        rowCount += 1
        idleRowCount += record.isUploading ? 0 : 1
        return true
    }

    /// Growth by doubling that ends at a chunk's size and not at the next power of two above it.
    private mutating func reserveForAppend(inChunk index: Int) {
        let rows = chunks[index].rows.count
        guard rows == chunks[index].rows.capacity else { return }
        chunks[index].rows.reserveCapacity(min(EventLog.chunkSize, max(4, rows * 2)))
    }

    /// Appends the oldest rows that are wanted to `batch`, `limit` at most; with `idleOnly`, without marked ones.
    package func copyOldest(
        _ limit: Int, idleOnly: Bool, into batch: inout ContiguousArray<EventRecord>,
        where isWanted: (EventRecord) -> Bool = { _ in true }
    ) {
        var left = limit
        for chunk in chunks where left > 0 && (!idleOnly || chunk.idle > 0) {
            for row in chunk.rows where (!idleOnly || !row.isUploading) && isWanted(row) {
                guard left > 0 else { return }
                batch.append(row)
                left -= 1
            }
        }
    }

    /// The same from either end; the rows are appended oldest first.
    package func copy(
        _ limit: Int, from end: StoreEnd, idleOnly: Bool, into batch: inout ContiguousArray<EventRecord>,
        where isWanted: (EventRecord) -> Bool = { _ in true }
    ) {
        guard end == .newest else {
            return copyOldest(limit, idleOnly: idleOnly, into: &batch, where: isWanted)
        }
        var newest = ContiguousArray<EventRecord>()
        for chunk in chunks.reversed() where newest.count < limit && (!idleOnly || chunk.idle > 0) {
            for row in chunk.rows.reversed() where (!idleOnly || !row.isUploading) && isWanted(row) {
                guard newest.count < limit else { break }
                newest.append(row)
            }
        }
        batch.append(contentsOf: newest.reversed())
    }

    /// Changes the rows that have the sequences of `rows`; those that are not there are passed over.
    package mutating func update(
        _ rows: ContiguousArray<EventRecord>, _ change: (inout EventRecord) -> Void
    ) {
        var next = 0
        while next < rows.count, let index = chunkIndex(holding: rows[next].sequence) {
            var position = chunks[index].rows.firstIndex(from: rows[next].sequence)
            withRows(ofChunk: index) { present, idle in
                while next < rows.count && position < present.count {
                    let wanted = rows[next].sequence
                    let found = present[position].sequence
                    if found == wanted { present[position].change(change, countingIdle: &idle) }
                    if found >= wanted { next += 1 }
                    if found <= wanted { position += 1 }
                }
            }
        }
    }

    /// Changes rows of a chunk in place: one look at who else holds the chunk, and not one for each row.
    ///
    /// - Parameter body: Gets the rows, and counts by how much more of them are idle afterwards.
    mutating func withRows(
        ofChunk index: Int, _ body: (UnsafeMutableBufferPointer<EventRecord>, inout Int) -> Void
    ) {
        var idle = 0
        chunks[index].rows.withUnsafeMutableBufferPointer { body($0, &idle) }
        chunks[index].idle += idle
        idleRowCount = UInt32(Int(idleRowCount) + idle)
    }

    /// Deletes the rows that have the sequences of `rows`, and reports each that was there.
    ///
    /// - Returns: `true`; memory does not fail.
    package mutating func delete(
        _ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        var next = 0
        while next < rows.count, let index = chunkIndex(holding: rows[next].sequence) {
            let last = chunks[index].rows[chunks[index].rows.count - 1].sequence
            var position = next
            filter(chunk: index) { row in
                while position < rows.count && rows[position].sequence < row.sequence { position += 1 }
                guard position < rows.count, rows[position].sequence == row.sequence else { return false }
                deleted(row)
                return true
            }
            while next < rows.count && rows[next].sequence <= last { next += 1 }
        }
        return true
    }

    /// Deletes the oldest rows, `limit` at most; with `idleOnly`, only unmarked ones.
    ///
    /// - Returns: `true`; memory does not fail.
    package mutating func deleteOldest(
        _ limit: Int, idleOnly: Bool, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        var left = limit
        var index = 0
        while left > 0 && index < chunks.count {
            if idleOnly && chunks[index].idle == 0 {
                index += 1
                continue
            }
            // What leaves is the front of the chunk.
            if !idleOnly, left < chunks[index].rows.count {
                deleteFirst(left, ofChunk: index, deleted)
                return true
            }
            let before = chunks.count
            filter(chunk: index) { row in
                guard left > 0, !idleOnly || !row.isUploading else { return false }
                left -= 1
                deleted(row)
                return true
            }
            // The chunk after a freed one has its index now.
            if chunks.count == before { index += 1 }
        }
        return true
    }

    /// Changes every row.
    package mutating func updateAll(_ change: (inout EventRecord) -> Void) {
        for index in chunks.indices {
            withRows(ofChunk: index) { rows, idle in
                for position in rows.indices { rows[position].change(change, countingIdle: &idle) }
            }
        }
    }

    /// Calls `body` with each row, oldest first.
    package func forEach(_ body: (EventRecord) -> Void) {
        for chunk in chunks { chunk.rows.forEach(body) }
    }

    /// The row of a sequence, if there is one. O(log of the rows).
    package func record(of sequence: UInt32) -> EventRecord? {
        guard let chunk = chunkIndex(holding: sequence) else { return nil }
        let row = chunks[chunk].rows[chunks[chunk].rows.firstIndex(from: sequence)]
        return row.sequence == sequence ? row : nil
    }

    /// Bytes of memory that the rows' chunks take, for tests of the bound.
    var allocatedBytes: Int {
        let header = 32
        let table = chunks.isEmpty ? 0 : header + chunks.capacity * MemoryLayout<Chunk>.stride
        return chunks.reduce(table) {
            $0 + header + $1.rows.capacity * MemoryLayout<EventRecord>.stride
        }
    }
}

extension EventLog {
    /// The first chunk whose last row is not older than `sequence`; `nil` if all rows are older.
    func chunkIndex(holding sequence: UInt32) -> Int? {
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            let rows = chunks[middle].rows
            if rows[rows.count - 1].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < chunks.count ? low : nil
    }

    /// Removes the rows of a chunk for which `isRemoved` holds; asked once per row, in order.
    mutating func filter(chunk index: Int, _ isRemoved: (EventRecord) -> Bool) {
        var removed = 0
        var removedIdle = 0
        chunks[index].rows.removeAll { row in
            guard isRemoved(row) else { return false }
            removed += 1
            removedIdle += row.isUploading ? 0 : 1
            return true
        }
        chunks[index].idle -= removedIdle
        rowCount -= UInt32(removed)
        idleRowCount -= UInt32(removedIdle)
        if removed > 0 { compact(around: index) }
    }

    /// Removes the first rows of a chunk, and not all of them.
    private mutating func deleteFirst(_ count: Int, ofChunk index: Int, _ deleted: (EventRecord) -> Void) {
        var idle = 0
        for position in 0..<count {
            let row = chunks[index].rows[position]
            idle += row.isUploading ? 0 : 1
            deleted(row)
        }
        chunks[index].rows.removeFirst(count)
        chunks[index].idle -= idle
        rowCount -= UInt32(count)
        idleRowCount -= UInt32(idle)
        compact(around: index)
    }

    /// Frees an empty chunk, merges a thin one with a neighbour, and gives memory back.
    private mutating func compact(around index: Int) {
        if chunks[index].rows.isEmpty {
            chunks.remove(at: index)
            if chunks.isEmpty { chunks = [] }
            return
        }
        if index > 0 && fitTogether(index - 1) {
            mergeNext(into: index - 1)
        } else if index + 1 < chunks.count && fitTogether(index) {
            mergeNext(into: index)
        } else if chunks[index].rows.capacity > 4 * chunks[index].rows.count + 8 {
            // A copy has the capacity that it needs.
            chunks[index].rows = ContiguousArray(chunks[index].rows[...])
        }
    }

    private func fitTogether(_ index: Int) -> Bool {
        chunks[index].rows.count + chunks[index + 1].rows.count <= EventLog.chunkSize
    }

    private mutating func mergeNext(into index: Int) {
        let moved = chunks.remove(at: index + 1)
        chunks[index].rows.reserveCapacity(EventLog.chunkSize)
        chunks[index].rows.append(contentsOf: moved.rows)
        chunks[index].idle += moved.idle
    }
}

extension EventRecord {
    /// Changes the row.
    ///
    /// - Parameter idle: Counts the row in or out if it becomes idle or ceases to be.
    @inline(__always)
    mutating func change(_ change: (inout EventRecord) -> Void, countingIdle idle: inout Int) {
        let wasUploading = isUploading
        change(&self)
        idle += (wasUploading ? 1 : 0) - (isUploading ? 1 : 0)
    }
}

extension ContiguousArray<EventRecord> {
    /// The position of the first row that is not older than `sequence`.
    func firstIndex(from sequence: UInt32) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
