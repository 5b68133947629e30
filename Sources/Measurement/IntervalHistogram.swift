package import Snapshots
package import Timebase

/// A distribution for one interval of a time series: HdrHistogram's arrangement of counters with two
/// significant digits (within 0.8 %), from a microsecond to ``LatencyHistogram/maximum``.
///
/// The counters come in blocks of 128, one for each power of two of microseconds, and only the blocks
/// that hold something are kept: 512 bytes each, some four to ten in practice, 43 at most. Once the interval
/// is over, ``pack()`` leaves the counters that are not zero, in eight bytes each. A series of
/// ``TimeSeries/capacity`` intervals so takes a megabyte or two for each metric, where full histograms
/// of three digits would take 300 MB. Exactly mergeable.
package struct IntervalHistogram: Sendable {
    /// As HdrHistogram counts them.
    package static let significantDigits = 2
    /// Half of the sub-buckets: 2 × 10^2, as a power of two, halved.
    private static let blockSize = 128

    /// A bit for each block that is kept, the lowest for the shortest times.
    private var used: UInt64 = 0
    /// The blocks that are kept, in ascending order. A counter wraps beyond 2^32 − 1.
    private var counts: [UInt32] = []
    /// Instead of the blocks, the counters that are not zero, ascending by their indices.
    private var packed: [PackedCounter]?
    /// The number of values recorded.
    package private(set) var count: UInt64 = 0

    package init() {}

    /// Records one value; what is below zero or above the range counts as the bound.
    package mutating func record(_ interval: Interval) {
        let microseconds = UInt64(max(0, interval.nanoseconds / 1000))
        let index = IntervalHistogram.index(of: min(microseconds, LatencyHistogram.maximum))
        if packed != nil { unpack() }
        let start = offset(ofBlock: index / IntervalHistogram.blockSize)
        counts[start + index % IntervalHistogram.blockSize] &+= 1
        count += 1
    }

    /// Adds another interval's values.
    package mutating func merge(_ other: IntervalHistogram) {
        if packed != nil { unpack() }
        for (index, number) in other.recorded { add(number, at: index) }
        count += other.count
    }

    private mutating func add(_ number: UInt32, at index: Int) {
        let start = offset(ofBlock: index / IntervalHistogram.blockSize)
        counts[start + index % IntervalHistogram.blockSize] &+= number
    }

    /// Takes as little memory as the values need. Another value may be recorded all the same, and unpacks.
    package mutating func pack() {
        guard packed == nil else { return }
        packed = recorded.map { PackedCounter(index: UInt16($0.index), count: $0.count) }
        (used, counts) = (0, [])
    }

    private mutating func unpack() {
        let list = packed ?? []
        packed = nil
        for counter in list { add(counter.count, at: Int(counter.index)) }
    }

    /// Where a block begins in ``counts``.
    private mutating func offset(ofBlock block: Int) -> Int {
        let bit: UInt64 = 1 << UInt64(block)
        let start = (used & (bit - 1)).nonzeroBitCount * IntervalHistogram.blockSize
        if used & bit == 0 {
            counts.insert(contentsOf: repeatElement(0, count: IntervalHistogram.blockSize), at: start)
            used |= bit
        }
        return start
    }

    /// Milliseconds that `percentile` per cent of the values do not exceed, by the highest value that
    /// the counter stands for; 0 if empty.
    package func milliseconds(atPercentile percentile: Double) -> Double {
        guard count > 0 else { return 0 }
        let target = PercentileRank.of(percentile, among: count)
        var seen: UInt64 = 0
        for (index, number) in recorded {
            seen += UInt64(number)
            if seen >= target {
                return Double(IntervalHistogram.microseconds(of: index).upperBound) / 1000
            }
        }
        return 0
    }

    /// The highest value that the last counter with values stands for, in microseconds; 0 if empty.
    package var highest: UInt64 {
        recorded.last.map { IntervalHistogram.microseconds(of: $0.index).upperBound } ?? 0
    }

    /// The counters that are not zero: their indices in HdrHistogram's array, ascending, and their counts.
    package var recorded: [(index: Int, count: UInt32)] {
        if let packed { return packed.map { (Int($0.index), $0.count) } }
        var result: [(index: Int, count: UInt32)] = []
        var rest = used
        var start = 0
        while rest != 0 {
            let first = rest.trailingZeroBitCount * IntervalHistogram.blockSize
            for offset in 0..<IntervalHistogram.blockSize where counts[start + offset] > 0 {
                result.append((first + offset, counts[start + offset]))
            }
            start += IntervalHistogram.blockSize
            rest &= rest - 1
        }
        return result
    }

    /// The index of the counter of a value in HdrHistogram's array (unit magnitude 0).
    static func index(of microseconds: UInt64) -> Int {
        guard microseconds >= 256 else { return Int(microseconds) }
        let bucket = 63 - microseconds.leadingZeroBitCount - 7
        return (bucket + 1) * blockSize + Int(microseconds >> UInt64(bucket)) - blockSize
    }

    /// The values that the counter at an index stands for.
    package static func microseconds(of index: Int) -> ClosedRange<UInt64> {
        guard index >= 2 * blockSize else { return UInt64(index)...UInt64(index) }
        let bucket = UInt64(index / blockSize - 1)
        let low = UInt64(index % blockSize + blockSize) << bucket
        return low...(low + (1 << bucket) - 1)
    }
}

/// A counter, and its index in HdrHistogram's array.
private struct PackedCounter: Sendable {
    var index: UInt16
    var count: UInt32
}

extension IntervalHistogram: Equatable {
    /// Whether the same values were recorded, packed or not.
    package static func == (left: IntervalHistogram, right: IntervalHistogram) -> Bool {
        left.count == right.count && left.recorded.elementsEqual(right.recorded, by: ==)
    }
}

extension IntervalHistogram: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        let recorded = recorded
        writer.write(UInt64(recorded.count))
        var last = 0
        for (index, number) in recorded {
            writer.write(UInt64(index - last))
            writer.write(UInt64(number))
            last = index
        }
        writer.write(count)
    }

    /// - Complexity: O(counters). What is made is packed.
    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        var counters: [PackedCounter] = []
        var last = 0
        for _ in 0..<(try reader.count()) {
            let step: UInt16 = try reader.integer()
            last += Int(step)
            guard last <= IntervalHistogram.index(of: LatencyHistogram.maximum) else {
                throw reader.impossible
            }
            counters.append(PackedCounter(index: UInt16(last), count: try reader.integer()))
        }
        packed = counters
        count = try reader.unsigned()
    }
}
