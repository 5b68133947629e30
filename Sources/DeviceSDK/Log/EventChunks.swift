/// The rows of an ``EventLog`` in chunks, and how many of them are idle.
///
/// The last chunk lies beside the table of the others: an event that is appended looks at one place in memory beyond the
/// value itself. Most of the time of a simulation of many devices is spent on such places.
struct EventChunks: Sendable {
    /// Rows in a chunk, at most. 4 kB: small enough to give memory back, large enough that the
    /// table of 10,000 rows has 78 entries.
    static let size = 128

    typealias Rows = ContiguousArray<EventRecord>

    /// Rows in order, and how many of them are idle.
    private struct Chunk: Sendable {
        var rows: Rows
        var idle: Int
    }

    /// The chunks before the last one.
    private var table: ContiguousArray<Chunk> = []
    /// The last chunk; empty only if it is the only one.
    private var tail: Rows = []
    private(set) var rowCount: UInt32 = 0
    private(set) var idleCount: UInt32 = 0
    /// No row is above it.
    private var bound: UInt32 = 0

    /// The number of chunks; none is empty.
    var count: Int { table.count + (tail.isEmpty ? 0 : 1) }
    var first: EventRecord? { table.first?.rows.first ?? tail.first }

    /// Asks the processor for the memory of the next row, without waiting for it.
    @inline(__always)
    mutating func prefetchEnd() { tail.prefetchEnd(after: Int(rowCount)) }

    /// Adds a row at the end.
    ///
    /// - Precondition: its sequence is above those of all rows.
    mutating func append(_ record: EventRecord) {
        if record.sequence > bound {
            bound = record.sequence
        } else if let last = tail.last {
            precondition(last.sequence < record.sequence)
        }
        if tail.count == min(tail.capacity, EventChunks.size) { makeRoom() }
        tail.append(record)
        rowCount += 1
        idleCount += record.isUploading ? 0 : 1
    }

    /// Growth by doubling that ends at a chunk's size and not at the next power of two above it.
    private mutating func makeRoom() {
        guard tail.count >= EventChunks.size else {
            return tail.reserveCapacity(min(EventChunks.size, max(4, tail.count * 2)))
        }
        table.append(Chunk(rows: tail, idle: tail.count { !$0.isUploading }))
        // A store that already filled a chunk will fill this one.
        tail = []
        tail.reserveCapacity(EventChunks.size)
    }

    /// Bytes of memory that the rows' chunks take, for tests.
    var allocatedBytes: Int {
        let header = 32
        let entries = table.isEmpty ? 0 : header + table.capacity * MemoryLayout<Chunk>.stride
        return (0..<count).reduce(entries) {
            $0 + header + rows(of: $1).capacity * MemoryLayout<EventRecord>.stride
        }
    }
}

extension EventChunks {
    /// The rows of all chunks: no copy where there is but one.
    var all: Rows {
        guard !table.isEmpty else { return tail }
        var all = Rows()
        all.reserveCapacity(Int(rowCount))
        for chunk in table { all += chunk.rows }
        return all + tail
    }

    func rows(of index: Int) -> Rows { index < table.count ? table[index].rows : tail }

    func lastSequence(of index: Int) -> UInt32 {
        let rows = rows(of: index)
        return rows[rows.count - 1].sequence
    }

    /// Of the last chunk nobody knows, and looking through it costs no more than 128 rows.
    func mayHaveIdle(_ index: Int) -> Bool { index == table.count || table[index].idle > 0 }

    /// The first chunk whose last row is not older than `sequence`; `nil` if all rows are older.
    func index(holding sequence: UInt32) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if lastSequence(of: middle) < sequence { low = middle + 1 } else { high = middle }
        }
        return low < count ? low : nil
    }

    /// Changes rows of a chunk in place: one look at who else holds the chunk, and not one for each row.
    ///
    /// - Parameter body: Gets the rows, and counts by how much more of them are idle afterwards.
    mutating func withRows(
        of index: Int, _ body: (UnsafeMutableBufferPointer<EventRecord>, inout Int) -> Void
    ) {
        var idle = 0
        if index < table.count {
            table[index].rows.withUnsafeMutableBufferPointer { body($0, &idle) }
            table[index].idle += idle
        } else {
            tail.withUnsafeMutableBufferPointer { body($0, &idle) }
        }
        idleCount = UInt32(Int(idleCount) + idle)
    }

    /// Removes the rows of a chunk for which `isRemoved` holds; asked once per row, in order.
    mutating func filter(_ index: Int, _ isRemoved: (EventRecord) -> Bool) {
        var removed = 0
        var removedIdle = 0
        change(index) { rows in
            rows.removeAll { row in
                guard isRemoved(row) else { return false }
                removed += 1
                removedIdle += row.isUploading ? 0 : 1
                return true
            }
            return removedIdle
        }
        rowCount -= UInt32(removed)
        if removed > 0 { compact(around: index) }
    }

    /// Removes the first rows of a chunk, and not all of them.
    mutating func deleteFirst(_ count: Int, of index: Int, _ deleted: (EventRecord) -> Void) {
        change(index) { rows in
            var idle = 0
            for row in rows.prefix(count) {
                idle += row.isUploading ? 0 : 1
                deleted(row)
            }
            rows.removeFirst(count)
            return idle
        }
        rowCount -= UInt32(count)
        compact(around: index)
    }

    /// Takes rows out of a chunk; `body` returns how many of them were idle.
    private mutating func change(_ index: Int, _ body: (inout Rows) -> Int) {
        let idle: Int
        if index < table.count {
            idle = body(&table[index].rows)
            table[index].idle -= idle
        } else {
            idle = body(&tail)
        }
        idleCount -= UInt32(idle)
    }

    /// Frees an empty chunk, merges a thin one with a neighbour, and gives memory back.
    private mutating func compact(around index: Int) {
        let left = rows(of: index).count
        if left == 0 { return free(index) }
        if index > 0 && fitTogether(index - 1) {
            mergeNext(into: index - 1)
        } else if index + 1 < count && fitTogether(index) {
            mergeNext(into: index)
        } else if rows(of: index).capacity > 4 * left + 8 {
            change(index) { rows in
                // A copy has the capacity that it needs.
                rows = Rows(rows[...])
                return 0
            }
        }
    }

    private mutating func free(_ index: Int) {
        if index < table.count {
            table.remove(at: index)
        } else {
            tail = table.popLast()?.rows ?? []
        }
        if table.isEmpty { table = [] }
    }

    private func fitTogether(_ index: Int) -> Bool {
        rows(of: index).count + rows(of: index + 1).count <= EventChunks.size
    }

    private mutating func mergeNext(into index: Int) {
        let next = rows(of: index + 1)
        let idle = index + 1 < table.count ? table[index + 1].idle : 0
        table[index].rows.reserveCapacity(EventChunks.size)
        table[index].rows.append(contentsOf: next)
        table[index].idle += idle
        // The last chunk has gone into the one before, which takes its place.
        if index + 1 == table.count { tail = [] }
        free(index + 1)
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
