/// Rows by ranges of their sequences, for stores whose requests carry neighbours.
extension EventLog {
    /// The number of rows whose sequences are in a range. O(chunks in the range).
    package func count(in range: Range<UInt32>) -> Int {
        var count = 0
        forEachSlice(in: range) { _, rows in count += rows.count }
        return count
    }

    /// The oldest row whose sequence is in a range. O(log of the rows).
    package func first(in range: Range<UInt32>) -> EventRecord? {
        guard let index = chunks.index(holding: range.lowerBound) else { return nil }
        // The chunk's last row is not older than the bound, so there is one.
        let rows = chunks.rows(of: index)
        let row = rows[rows.firstIndex(from: range.lowerBound)]
        return range.contains(row.sequence) ? row : nil
    }

    /// Calls `body` with each row whose sequence is in a range, oldest first.
    package func forEach(in range: Range<UInt32>, _ body: (EventRecord) -> Void) {
        forEachSlice(in: range) { chunk, positions in
            let rows = chunks.rows(of: chunk)
            for position in positions { body(rows[position]) }
        }
    }

    /// Calls `body` with each row, oldest first, until it returns `false`.
    package func forEachInOrder(_ body: (EventRecord) -> Bool) {
        for index in 0..<chunks.count {
            for row in chunks.rows(of: index) where !body(row) { return }
        }
    }

    /// Changes every row whose sequence is in a range.
    package mutating func update(in range: Range<UInt32>, _ change: (inout EventRecord) -> Void) {
        var slices: ContiguousArray<(chunk: Int, rows: Range<Int>)> = []
        forEachSlice(in: range) { slices.append(($0, $1)) }
        for slice in slices {
            chunks.withRows(of: slice.chunk) { rows, idle in
                for position in slice.rows { rows[position].change(change, countingIdle: &idle) }
            }
        }
    }

    /// Marks every row whose sequence is in a range as settled.
    ///
    /// - Returns: The rows that were not, oldest first.
    package mutating func settle(in range: Range<UInt32>) -> ContiguousArray<EventRecord> {
        var settled = ContiguousArray<EventRecord>()
        update(in: range) { row in
            guard !row.isSettled else { return }
            row.isSettled = true
            settled.append(row)
        }
        return settled
    }

    /// Deletes every row whose sequence is in a range. O(rows in the range's chunks).
    ///
    /// - Parameter deleted: Called with each row that goes, oldest first.
    package mutating func delete(in range: Range<UInt32>, _ deleted: (EventRecord) -> Void = { _ in }) {
        var from = range.lowerBound
        while from < range.upperBound, let index = chunks.index(holding: from) {
            guard chunks.rows(of: index)[0].sequence < range.upperBound else { return }
            // The chunk may be gone afterwards, or have merged with the next one.
            from = chunks.lastSequence(of: index) &+ 1
            chunks.filter(index) { row in
                guard range.contains(row.sequence) else { return false }
                deleted(row)
                return true
            }
            if from == 0 { return }
        }
    }

    /// Calls `body` with the indices of the rows in a range, chunk by chunk.
    private func forEachSlice(in range: Range<UInt32>, _ body: (Int, Range<Int>) -> Void) {
        guard !range.isEmpty, var index = chunks.index(holding: range.lowerBound) else { return }
        while index < chunks.count {
            let rows = chunks.rows(of: index)
            let first = rows.firstIndex(from: range.lowerBound)
            let end = rows.firstIndex(from: range.upperBound)
            if first < end { body(index, first..<end) }
            if end < rows.count { return }
            index += 1
        }
    }
}
