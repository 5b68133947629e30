package import Timebase

/// A small distribution for one interval of a time series: eight buckets for each power of two of
/// microseconds, within 9 %, at most 2.5 kB, exactly mergeable.
package struct CoarseHistogram: Hashable, Sendable {
    private var counts: [UInt32] = []
    package private(set) var count: UInt64 = 0

    package init() {}

    package mutating func record(_ interval: Interval) {
        let index = CoarseHistogram.index(of: UInt64(max(0, interval.nanoseconds / 1000)))
        if counts.count <= index {
            counts.append(contentsOf: repeatElement(0, count: index + 1 - counts.count))
        }
        counts[index] &+= 1
        count += 1
    }

    package mutating func merge(_ other: CoarseHistogram) {
        if counts.count < other.counts.count {
            counts.append(contentsOf: repeatElement(0, count: other.counts.count - counts.count))
        }
        for index in other.counts.indices { counts[index] &+= other.counts[index] }
        count += other.count
    }

    /// Milliseconds that `percentile` per cent of the values do not exceed; 0 if empty.
    package func milliseconds(atPercentile percentile: Double) -> Double {
        guard count > 0 else { return 0 }
        let target = max(1, UInt64((Double(count) * percentile / 100).rounded(.up)))
        var seen: UInt64 = 0
        for (index, number) in counts.enumerated() {
            seen += UInt64(number)
            if seen >= target { return Double(CoarseHistogram.middle(of: index)) / 1000 }
        }
        return 0
    }

    static func index(of microseconds: UInt64) -> Int {
        guard microseconds >= 16 else { return Int(microseconds) }
        let exponent = 63 - microseconds.leadingZeroBitCount
        return (exponent - 2) * 8 + Int(microseconds >> UInt64(exponent - 3)) - 8
    }

    static func middle(of index: Int) -> UInt64 {
        guard index >= 16 else { return UInt64(index) }
        let exponent = UInt64(index / 8 + 2)
        let step = UInt64(index % 8 + 8)
        let low = step << (exponent - 3)
        return low + (1 << (exponent - 3)) / 2
    }
}
