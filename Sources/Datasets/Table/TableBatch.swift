package import Timebase

/// Rows of a table in memory, column by column: filled a value at a time, handed to writers, emptied, filled again.
///
/// ```swift
/// var batch = TableBatch(schema)
/// batch.put(17)
/// batch.put("buy")
/// batch.putNull()
/// batch.endRow()
/// ```
///
/// Columns that mostly have no value are put by their numbers, in any order, once the row has come to the first of them;
/// see ``put(word:at:)`` and ``skip(to:)``.
///
/// Nothing is allocated for a value; the memory of texts grows to the longest batch and stays. A batch takes nine
/// bytes for each value of ``capacity`` rows, and the texts.
package struct TableBatch: ~Copyable {
    /// Where the rows of a column lie: memory that the batch owns.
    struct Storage {
        let type: ColumnType
        let isNullable: Bool
        /// Numbers as they are, doubles by their bits, truth values as 0 and 1, the offset behind each text in
        /// ``text``; what a row without a value has here means nothing, but for texts.
        let words: UnsafeMutablePointer<Int64>
        let isAbsent: UnsafeMutablePointer<Bool>
        var text: UnsafeMutableRawPointer
        var textCapacity: Int
        /// The rows of which the column knows whether they have a value: rows behind them have none.
        var known = 0

        init(_ column: TableColumn, capacity: Int) {
            type = column.type
            isNullable = column.isNullable
            words = .allocate(capacity: capacity)
            isAbsent = .allocate(capacity: capacity)
            textCapacity = column.type == .string ? capacity * 16 : 0
            text = .allocate(byteCount: textCapacity, alignment: 8)
        }

        func deallocate() {
            words.deallocate()
            isAbsent.deallocate()
            text.deallocate()
        }

        /// The offset of a row's text.
        @inline(__always)
        func start(_ row: Int) -> Int { row == 0 ? 0 : Int(words[row - 1]) }

        @inline(__always)
        func bytes(_ row: Int) -> UnsafeRawBufferPointer {
            let start = start(row)
            return UnsafeRawBufferPointer(start: text + start, count: Int(words[row]) - start)
        }

        /// Leaves the rows up to `row` without a value that have none yet.
        ///
        /// - Precondition: The column is nullable, if there are any.
        @inline(__always)
        mutating func leaveAbsent(upTo row: Int) {
            if known < row { fill(upTo: row) }
        }

        @inline(never)
        private mutating func fill(upTo row: Int) {
            precondition(isNullable, "a column that is not nullable has a value in each row")
            let word = type == .string ? Int64(start(known)) : 0
            (words + known).update(repeating: word, count: row - known)
            (isAbsent + known).update(repeating: true, count: row - known)
            known = row
        }

        /// Puts the value of a row. Rows before it that have none stay without.
        @inline(__always)
        mutating func put(_ word: Int64, row: Int) {
            leaveAbsent(upTo: row)
            set(word, row: row)
        }

        /// Puts the text of a row behind those before. Rows between that have none stay without.
        @inline(__always)
        mutating func put(utf8: UnsafeRawBufferPointer, row: Int) {
            leaveAbsent(upTo: row)
            let used = start(row)
            if utf8.count > textCapacity &- used { growText(utf8.count, used: used) }
            (text + used).copyText(utf8)
            set(Int64(used &+ utf8.count), row: row)
        }

        @inline(__always)
        private mutating func set(_ word: Int64, row: Int) {
            words[row] = word
            isAbsent[row] = false
            known = row &+ 1
        }

        /// Makes room for a text behind what is there.
        mutating func growText(_ additional: Int, used: Int) {
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: max(textCapacity * 2, used + additional), alignment: 8)
            memory.copyMemory(from: text, byteCount: used)
            text.deallocate()
            text = memory
            textCapacity = max(textCapacity * 2, used + additional)
        }
    }

    package let schema: TableSchema
    /// The most rows that it holds.
    package let capacity: Int
    /// The rows that are whole.
    package private(set) var count = 0
    let columnCount: Int
    /// Changed by `(columns + n).pointee`: calls on `columns[n]` that change it make Swift 6.3.1 crash with the thread sanitizer.
    let columns: UnsafeMutablePointer<Storage>
    private var next = 0

    /// Makes an empty batch.
    ///
    /// - Precondition: `capacity` > 0.
    package init(_ schema: TableSchema, capacity: Int = 2048) {
        precondition(capacity > 0)
        self.schema = schema
        self.capacity = capacity
        columnCount = schema.columns.count
        columns = .allocate(capacity: columnCount)
        for (index, column) in schema.columns.enumerated() {
            (columns + index).initialize(to: Storage(column, capacity: capacity))
        }
    }

    deinit {
        for index in 0..<columnCount { columns[index].deallocate() }
        columns.deallocate()
    }

    package var isFull: Bool { count == capacity }

    /// Removes all rows, and keeps the memory.
    package mutating func removeAll() {
        count = 0
        next = 0
        for column in 0..<columnCount { columns[column].known = 0 }
    }

    /// Notes for each column which rows have no value. Whoever reads rows calls it before.
    func complete() {
        for column in 0..<columnCount { columns[column].leaveAbsent(upTo: count) }
    }

    /// Ends a row.
    ///
    /// - Precondition: Each column has its value, or was skipped.
    package mutating func endRow() {
        precondition(next == columnCount, "a row has a value for each column")
        next = 0
        count += 1
    }

    // MARK: - The next column of the row

    /// Puts a number, or a time in the column's unit.
    ///
    /// - Precondition: The next column is one of those; a time lies in the years 1678 to 2261, as every ``Instant``.
    package mutating func put(_ value: Int64) {
        let type = nextType
        precondition(type == .int64 || TableBatch.isTime(value, type), "no value of this column")
        put(word: value)
    }

    /// Puts a number; one that is not finite is none.
    ///
    /// - Precondition: The next column is one of doubles; it is nullable if the number is not finite.
    package mutating func put(_ value: Double) {
        precondition(nextType == .double, "no value of this column")
        guard value.isFinite else {
            putNull()
            return
        }
        put(word: Int64(bitPattern: value.bitPattern))
    }

    package mutating func put(_ value: Bool) {
        precondition(nextType == .bool, "no value of this column")
        put(word: value ? 1 : 0)
    }

    /// Puts a time, rounded down to the column's unit.
    package mutating func put(_ instant: Instant) {
        switch nextType {
        case .timestampMillis: put(instant.milliseconds)
        case .timestampMicros:
            let (whole, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1000)
            put(rest < 0 ? whole - 1 : whole)
        case .int64, .double, .bool, .string: preconditionFailure("no value of this column")
        }
    }

    package mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Puts a text.
    ///
    /// - Parameter utf8: Valid UTF-8, which is copied.
    package mutating func put(utf8: UnsafeRawBufferPointer) {
        precondition(nextType == .string, "no value of this column")
        (columns + next).pointee.put(utf8: utf8, row: count)
        next += 1
    }

    /// Leaves the row without a value here.
    ///
    /// - Precondition: The next column is nullable.
    package mutating func putNull() {
        _ = nextType
        precondition(columns[next].isNullable, "a column that is not nullable has a value in each row")
        next += 1
    }

    // MARK: - Columns by their numbers

    /// Puts a number, a time, the bits of a double, or 0 or 1 for a truth value into a column of the row; the first value
    /// of a row counts.
    ///
    /// - Precondition: The column is none of texts, and ``skip(to:)`` passes over it.
    package mutating func put(word: Int64, at column: Int) {
        precondition(column >= next && column < columnCount && count < capacity, "a row has its columns")
        precondition(columns[column].type != .string, "no value of this column")
        guard columns[column].known <= count else { return }
        (columns + column).pointee.put(word, row: count)
    }

    /// Puts a text into a column of the row; the first value of a row counts.
    ///
    /// - Parameter utf8: Valid UTF-8, which is copied.
    /// - Precondition: The column is one of texts, and ``skip(to:)`` passes over it.
    package mutating func put(utf8: UnsafeRawBufferPointer, at column: Int) {
        precondition(column >= next && column < columnCount && count < capacity, "a row has its columns")
        precondition(columns[column].type == .string, "no value of this column")
        guard columns[column].known <= count else { return }
        (columns + column).pointee.put(utf8: utf8, row: count)
    }

    /// Goes on with another column. Those between have the values that they were given by their numbers, or none.
    ///
    /// - Precondition: They are nullable; the column is not one that the row has passed.
    package mutating func skip(to column: Int) {
        precondition(column >= next && column <= columnCount, "a row has its columns")
        next = column
    }

    private var nextType: ColumnType {
        precondition(next < columnCount && count < capacity, "a row has its columns, a batch its rows")
        return columns[next].type
    }

    private mutating func put(word: Int64) {
        (columns + next).pointee.put(word, row: count)
        next += 1
    }

    /// The seconds from the beginning of 1678 to the end of 2261.
    private static let seconds = -9_214_560_000..<9_214_646_400 as Range<Int64>

    private static func isTime(_ value: Int64, _ type: ColumnType) -> Bool {
        guard let units = type.unitsPerSecond else { return false }
        return value >= seconds.lowerBound * units && value < seconds.upperBound * units
    }
}
