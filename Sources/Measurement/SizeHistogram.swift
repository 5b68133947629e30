package import Snapshots

/// A distribution of small whole numbers (rows, events, a count of devices), exact below 1024 and
/// within 1.6 % above; 9 kB at most, exactly mergeable.
package struct SizeHistogram: Hashable, Sendable {
    /// 1024 exact counters, then 64 for each further power of two up to 2^40.
    private var counts: [UInt64] = []
    private var sum: UInt64 = 0
    private var lowest: UInt64 = .max
    private var highest: UInt64 = 0
    package private(set) var count: UInt64 = 0

    package init() {}

    package mutating func record(_ value: UInt64, times: UInt64 = 1) {
        let index = SizeHistogram.index(of: min(value, 1 << 40))
        if counts.count <= index {
            counts.append(contentsOf: repeatElement(0, count: index + 1 - counts.count))
        }
        counts[index] += times
        count += times
        sum += value * times
        lowest = min(lowest, value)
        highest = max(highest, value)
    }

    package mutating func merge(_ other: SizeHistogram) {
        if counts.count < other.counts.count {
            counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
        }
        for index in other.counts.indices { counts[index] += other.counts[index] }
        count += other.count
        sum += other.sum
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }

    package var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }
    package var minimum: Double { count == 0 ? 0 : Double(lowest) }
    package var maximum: Double { Double(highest) }

    /// The smallest value that `percentile` per cent of the values do not exceed; 0 if empty.
    package func value(atPercentile percentile: Double) -> Double {
        guard count > 0 else { return 0 }
        let target = PercentileRank.of(percentile, among: count)
        var seen: UInt64 = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if seen >= target { return Double(min(SizeHistogram.upperBound(of: index), highest)) }
        }
        return maximum
    }

    static func index(of value: UInt64) -> Int {
        guard value >= 1024 else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        return 1024 + (exponent - 10) * 64 + Int(value >> UInt64(exponent - 6)) - 64
    }

    static func upperBound(of index: Int) -> UInt64 {
        guard index >= 1024 else { return UInt64(index) }
        let exponent = UInt64((index - 1024) / 64 + 10)
        let step = UInt64((index - 1024) % 64 + 64)
        return (step + 1) << (exponent - 6) - 1
    }
}

extension SizeHistogram: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        for number in [count, sum, lowest, highest] { writer.write(number) }
        let last = counts.lastIndex { $0 > 0 } ?? -1
        writer.write(UInt64(last + 1))
        for number in counts[...last] { writer.write(number) }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        count = try reader.unsigned()
        sum = try reader.unsigned()
        lowest = try reader.unsigned()
        highest = try reader.unsigned()
        for _ in 0..<(try reader.count()) { counts.append(try reader.unsigned()) }
    }
}
