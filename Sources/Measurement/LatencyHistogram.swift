package import Snapshots
import Histogram
package import Timebase

/// A distribution of lengths of time: HdrHistogram with three significant digits from a microsecond
/// to ``maximum``, about 300 kB up to a hundred days and 350 kB where values are longer, exactly mergeable. The first values
/// are kept as they are: to make the histogram costs as much as some ten thousand of them, and most distributions of small
/// parts never need one.
///
/// What is below zero or above the range is recorded as the bound. Sums are integers of microseconds, so a mean does not
/// depend on the order of merging.
package struct LatencyHistogram: Sendable {
    /// What no run goes beyond, in microseconds: 3650 days, 30 of drain, and some to spare.
    package static let maximum: UInt64 = 3_700 * 86_400 * 1_000_000
    /// A hundred days in microseconds: as far as a histogram reaches at first, which hardly any run goes beyond.
    package static let usualMaximum: UInt64 = 100 * 86_400 * 1_000_000

    /// All values, once there are more than ``fewLimit``.
    private var histogram: Histogram<UInt64>?
    /// All values until then, in microseconds, ascending, each with how often it came: whatever the order in which they
    /// came, the same.
    private var few: ContiguousArray<(value: UInt64, times: UInt64)> = []
    private static let fewLimit = 64
    private var sum: UInt64 = 0
    private var lowest: UInt64 = .max
    private var highest: UInt64 = 0
    /// The number of values recorded.
    package private(set) var count: UInt64 = 0

    /// Makes an empty histogram; its memory comes with its values.
    package init() {}

    /// Records one value. Takes about 10 ns.
    package mutating func record(_ interval: Interval, times: UInt64 = 1) {
        let value = min(UInt64(max(0, interval.nanoseconds / 1000)), LatencyHistogram.maximum)
        note(value, times: times)
        count += times
        // A sum of more than half a million years stays there, and the mean is that of it.
        sum = sum.adding(saturating: value.multiplied(saturating: times))
        lowest = min(lowest, value)
        highest = max(highest, value)
    }

    /// Adds a value in microseconds to the distribution.
    private mutating func note(_ value: UInt64, times: UInt64) {
        guard histogram?.record(value, count: times) == nil else { return }
        let index = few.firstIndex { $0.value >= value } ?? few.count
        if index < few.count, few[index].value == value {
            few[index].times += times
        } else {
            few.insert((value, times), at: index)
        }
        guard few.count > LatencyHistogram.fewLimit else { return }
        histogram = filled
        few = []
    }

    /// All values as a histogram; `nil` for none.
    private var filled: Histogram<UInt64>? {
        guard histogram == nil, !few.isEmpty else { return histogram }
        var filled = Histogram<UInt64>(
            lowestDiscernibleValue: 1, highestTrackableValue: LatencyHistogram.usualMaximum,
            numberOfSignificantValueDigits: .three)
        // The counters of longer values come after the others, so it stays the same histogram.
        filled.autoResize = true
        for entry in few { filled.record(entry.value, count: entry.times) }
        return filled
    }

    /// Adds another histogram's values.
    package mutating func merge(_ other: LatencyHistogram) {
        if let theirs = other.histogram {
            if histogram?.add(theirs) == nil {
                histogram = theirs
                for entry in few { note(entry.value, times: entry.times) }
                few = []
            }
        } else {
            for entry in other.few { note(entry.value, times: entry.times) }
        }
        count += other.count
        sum = sum.adding(saturating: other.sum)
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }

    /// The value in milliseconds that `percentile` per cent of the values do not exceed; 0 if empty.
    ///
    /// - Parameter percentile: 0…100. 100 gives the exact maximum.
    /// - Complexity: O(counters), some 20 µs; of few values O(values).
    package func milliseconds(atPercentile percentile: Double) -> Double {
        guard count > 0 else { return 0 }
        if percentile >= 100 { return maximumMilliseconds }
        let found = histogram?.valueAtPercentile(percentile) ?? valueOfFew(atPercentile: percentile)
        return Double(min(max(found, lowest), highest)) / 1000
    }

    /// Milliseconds; 0 if empty.
    package var meanMilliseconds: Double { count == 0 ? 0 : Double(sum) / Double(count) / 1000 }
    /// Milliseconds, exact; 0 if empty.
    package var minimumMilliseconds: Double { count == 0 ? 0 : Double(lowest) / 1000 }
    /// Milliseconds, exact; 0 if empty.
    package var maximumMilliseconds: Double { Double(highest) / 1000 }

    /// The share of values up to `interval`, 0…1; 0 if empty.
    package func share(upTo interval: Interval) -> Double {
        guard count > 0 else { return 0 }
        let value = min(UInt64(max(0, interval.nanoseconds / 1000)), LatencyHistogram.maximum)
        return Double(histogram?.count(within: 0...value) ?? countOfFew(upTo: value)) / Double(count)
    }

    /// The distribution at percentiles that halve the distance to 100 in five steps each, as
    /// HdrHistogram's `outputPercentileDistribution` has them; some hundred and fifty points.
    ///
    /// - Complexity: O(counters).
    package var percentileCurve: PercentileCurve {
        var curve = PercentileCurve()
        curve.buckets = LatencyHistogram.bucketCount(upTo: max(highest, LatencyHistogram.usualMaximum))
        curve.subBuckets = LatencyHistogram.subBucketCount
        guard let histogram = filled else { return curve }
        curve.points = histogram.percentiles(ticksPerHalfDistance: 5).map { step in
            PercentileCurve.Point(
                milliseconds: Double(min(step.value, highest)) / 1000,
                percentile: step.percentileLevelIteratedTo, totalCount: step.totalCountToThisValue)
        }
        curve.mean = meanMilliseconds
        curve.standardDeviation = histogram.stdDeviation / 1000
        curve.maximum = maximumMilliseconds
        curve.totalCount = count
        return curve
    }

    // MARK: - Few values

    // What the histogram would say of them, without making it: it cannot tell values apart that share a counter.

    private func valueOfFew(atPercentile percentile: Double) -> UInt64 {
        guard percentile != 0 else { return lowest }
        let wanted = PercentileRank.of(percentile, among: count)
        var seen: UInt64 = 0
        for entry in few {
            seen += entry.times
            if seen >= wanted { return LatencyHistogram.highestEquivalent(to: entry.value) }
        }
        return highest
    }

    private func countOfFew(upTo value: UInt64) -> UInt64 {
        let bound = LatencyHistogram.highestEquivalent(to: value)
        return few.prefix { $0.value <= bound }.reduce(0) { $0 + $1.times }
    }

    /// The greatest value that shares a counter of the histogram with `value`.
    private static func highestEquivalent(to value: UInt64) -> UInt64 {
        let subBucketBits = subBucketCount.trailingZeroBitCount
        let shift = max(0, UInt64.bitWidth - value.leadingZeroBitCount - subBucketBits)
        return ((value >> UInt64(shift)) + 1) << UInt64(shift) - 1
    }

    /// Sub-buckets of a histogram of three significant digits: 2 × 10^3, as a power of two.
    private static let subBucketCount = 2048
    /// Powers of two that it needs to reach a value.
    private static func bucketCount(upTo value: UInt64) -> Int {
        1 + UInt64.bitWidth - (value / UInt64(subBucketCount)).leadingZeroBitCount
    }
}

extension LatencyHistogram: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        for number in [count, sum, lowest, highest] { writer.write(number) }
        // The counters' lowest values: those put the same counts into the same counters.
        let values = histogram.map { $0.recordedValues().map { (value: $0.value, times: $0.count) } }
        writer.write(values != nil)
        let entries = values ?? few.map { (value: $0.value, times: $0.times) }
        writer.write(UInt64(entries.count))
        var last: UInt64 = 0
        for entry in entries {
            writer.write(Int64(bitPattern: entry.value &- last))
            writer.write(entry.times)
            last = entry.value
        }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        count = try reader.unsigned()
        sum = try reader.unsigned()
        lowest = try reader.unsigned()
        highest = try reader.unsigned()
        let isFull = try reader.bool()
        var last: UInt64 = 0
        for _ in 0..<(try reader.count()) {
            last = last &+ UInt64(bitPattern: try reader.signed())
            guard last <= LatencyHistogram.maximum else { throw reader.impossible }
            let times = try reader.unsigned()
            guard times <= count else { throw reader.impossible }
            few.append((last, times))
        }
        guard isFull else { return }
        histogram = filled
        few = []
    }
}
