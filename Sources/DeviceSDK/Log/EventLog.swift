/// Rows of 32 bytes in chunks, oldest first: what stores keep of events in memory.
///
/// Rows leave mostly from the front and in batches. A chunk holds ``EventChunks/size`` rows; an empty one is
/// freed at once and thin neighbours are merged, so memory follows the rows: 33 bytes a row in a
/// full store, nothing in an empty one. Cost per row is O(1) amortised in all operations; finding a
/// batch by its sequences is a binary search over the chunks.
package struct EventLog: Sendable {
    var chunks = EventChunks()

    /// Makes an empty log; takes no memory beyond the value itself.
    package init() {}

    package var count: Int { Int(chunks.rowCount) }
    package var idleCount: Int { Int(chunks.idleCount) }
    package var first: EventRecord? { chunks.first }
    /// Bytes of memory that the rows take, for tests of the bound.
    var allocatedBytes: Int { chunks.allocatedBytes }

    /// Asks the processor for the memory of the next row, without waiting for it.
    package mutating func prefetchEnd() { chunks.prefetchEnd() }

    /// Adds a row at the end.
    ///
    /// - Precondition: its sequence is above those of all rows.
    /// - Returns: `true`; memory does not fail.
    package mutating func append(_ record: EventRecord) -> Bool {
        chunks.append(record)
        return true
    }

    /// Appends the oldest rows that are wanted to `batch`, `limit` at most; with `idleOnly`, without marked ones.
    package func copyOldest(
        _ limit: Int, idleOnly: Bool, into batch: inout ContiguousArray<EventRecord>,
        where isWanted: (EventRecord) -> Bool = { _ in true }
    ) {
        var left = limit
        for index in 0..<chunks.count where left > 0 && (!idleOnly || chunks.mayHaveIdle(index)) {
            for row in chunks.rows(of: index) where (!idleOnly || !row.isUploading) && isWanted(row) {
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
        for index in (0..<chunks.count).reversed()
        where newest.count < limit && (!idleOnly || chunks.mayHaveIdle(index)) {
            for row in chunks.rows(of: index).reversed()
            where (!idleOnly || !row.isUploading) && isWanted(row) {
                guard newest.count < limit else { break }
                newest.append(row)
            }
        }
        batch.append(contentsOf: newest.reversed())
    }

    /// Changes the rows that have the sequences of `rows`; those that are not there are passed over.
    ///
    /// - Precondition: `rows` are in the order of their sequences.
    package mutating func update(
        _ rows: ContiguousArray<EventRecord>, _ change: (inout EventRecord) -> Void
    ) {
        var next = 0
        while next < rows.count, let index = chunks.index(holding: rows[next].sequence) {
            var position = chunks.rows(of: index).firstIndex(from: rows[next].sequence)
            chunks.withRows(of: index) { present, idle in
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

    /// Deletes the rows that have the sequences of `rows`, and reports each that was there.
    ///
    /// - Precondition: `rows` are in the order of their sequences.
    /// - Returns: `true`; memory does not fail.
    package mutating func delete(
        _ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        assert(zip(rows, rows.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        var next = 0
        while next < rows.count, let index = chunks.index(holding: rows[next].sequence) {
            let last = chunks.lastSequence(of: index)
            var position = next
            chunks.filter(index) { row in
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
            if idleOnly && !chunks.mayHaveIdle(index) {
                index += 1
                continue
            }
            // What leaves is the front of the chunk.
            if !idleOnly, left < chunks.rows(of: index).count {
                chunks.deleteFirst(left, of: index, deleted)
                return true
            }
            let before = chunks.count
            chunks.filter(index) { row in
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
        for index in 0..<chunks.count {
            chunks.withRows(of: index) { rows, idle in
                for position in rows.indices { rows[position].change(change, countingIdle: &idle) }
            }
        }
    }

    /// Calls `body` with each row, oldest first.
    package func forEach(_ body: (EventRecord) -> Void) {
        for index in 0..<chunks.count { chunks.rows(of: index).forEach(body) }
    }

    /// All rows, oldest first; O(1) where they lie in one chunk.
    package var rows: ContiguousArray<EventRecord> { chunks.all }

    /// The row of a sequence, if there is one. O(log of the rows).
    package func record(of sequence: UInt32) -> EventRecord? {
        guard let chunk = chunks.index(holding: sequence) else { return nil }
        let rows = chunks.rows(of: chunk)
        let row = rows[rows.firstIndex(from: sequence)]
        return row.sequence == sequence ? row : nil
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
