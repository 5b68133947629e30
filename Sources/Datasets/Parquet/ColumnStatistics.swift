/// The smallest and the greatest value of a column chunk, and how many rows have none.
struct ColumnStatistics {
    /// Longer texts are left out: readers skip row groups by them, and need no novels for it.
    static let textLimit = 256

    private let type: ColumnType
    private(set) var absent: Int64 = 0
    private var isEmpty = true
    private var minimum: Int64 = 0
    private var maximum: Int64 = 0
    private var least: [UInt8] = []
    private var greatest: [UInt8] = []
    /// How the two begin: most texts are told from them by that.
    private var leastBeginning: UInt64 = 0
    private var greatestBeginning: UInt64 = 0

    init(_ type: ColumnType) { self.type = type }

    mutating func removeAll() {
        absent = 0
        isEmpty = true
    }

    mutating func noteAbsent(_ count: Int) { absent += Int64(count) }

    /// Notes the value of a number, a time or a truth value.
    @inline(__always)
    mutating func note(_ word: Int64) {
        if isEmpty {
            minimum = word
            maximum = word
            isEmpty = false
        } else if word < minimum {
            minimum = word
        } else if word > maximum {
            maximum = word
        }
    }

    /// Notes a double, by the bits that order as doubles do.
    @inline(__always)
    mutating func note(double bits: Int64) { note(ColumnStatistics.ordered(bits)) }

    /// Doubles' bits to numbers of the same order and back: of negative ones all but the sign are turned round.
    @inline(__always)
    private static func ordered(_ bits: Int64) -> Int64 { bits ^ (bits >> 63) & Int64.max }

    @inline(__always)
    mutating func note(_ text: UnsafeRawBufferPointer) {
        let beginning = text.beginning
        if !isEmpty, beginning > leastBeginning, beginning < greatestBeginning { return }
        noteExtreme(text, beginning)
    }

    /// Notes a text that may be less or greater than all before.
    private mutating func noteExtreme(_ text: UnsafeRawBufferPointer, _ beginning: UInt64) {
        if isEmpty || least.withUnsafeBytes({ text.order(with: $0) }) < 0 {
            least = Array(text)
            leastBeginning = beginning
        }
        if isEmpty || greatest.withUnsafeBytes({ text.order(with: $0) }) > 0 {
            greatest = Array(text)
            greatestBeginning = beginning
        }
        isEmpty = false
    }

    /// Writes the fields of `Statistics`.
    func write(to thrift: inout ThriftWriter) {
        thrift.field(3, int64: absent)
        guard !isEmpty else { return }
        let (low, high) = bounds
        if high.count <= ColumnStatistics.textLimit { thrift.field(5, bytes: high) }
        if low.count <= ColumnStatistics.textLimit { thrift.field(6, bytes: low) }
        if high.count <= ColumnStatistics.textLimit { thrift.field(7, bool: true) }
        if low.count <= ColumnStatistics.textLimit { thrift.field(8, bool: true) }
    }

    /// As PLAIN has the values, without the length of texts.
    private var bounds: ([UInt8], [UInt8]) {
        func bytes(_ word: Int64) -> [UInt8] { withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        switch type {
        case .string: return (least, greatest)
        case .bool: return ([UInt8(minimum)], [UInt8(maximum)])
        case .int64, .timestampMillis, .timestampMicros: return (bytes(minimum), bytes(maximum))
        case .double:
            // The format wants the zeros of both signs between the two (parquet.thrift, ColumnOrder).
            var low = ColumnStatistics.ordered(minimum)
            var high = ColumnStatistics.ordered(maximum)
            if low == 0 { low = Int64.min }
            if high == Int64.min { high = 0 }
            return (bytes(low), bytes(high))
        }
    }
}
