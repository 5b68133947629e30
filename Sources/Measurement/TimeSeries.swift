package import Timebase

/// What happened in each interval of a run. Memory is constant: when there are more than
/// ``TimeSeries/capacity`` intervals, pairs of them become one of twice the length.
package struct TimeSeries: Sendable {
    /// The most intervals that are kept.
    package static let capacity = 1200

    /// One interval's counts and distributions.
    package struct Bucket: Sendable {
        package var captured: UInt64 = 0
        package var delivered: UInt64 = 0
        package var requests: UInt64 = 0
        package var failures: UInt64 = 0
        package var bytesSent: UInt64 = 0
        package var freshness = IntervalHistogram()
        package var duration = IntervalHistogram()
        package var service = IntervalHistogram()
        package var lag = IntervalHistogram()
        /// Gauges at the end of the interval.
        package var gauges = Gauges()

        package init() {}

        mutating func merge(_ other: Bucket, gauges merged: Gauges) {
            captured += other.captured
            delivered += other.delivered
            requests += other.requests
            failures += other.failures
            bytesSent += other.bytesSent
            freshness.merge(other.freshness)
            duration.merge(other.duration)
            service.merge(other.service)
            lag.merge(other.lag)
            gauges = merged
            pack()
        }

        /// Takes as little memory as the values need.
        mutating func pack() {
            freshness.pack()
            duration.pack()
            service.pack()
            lag.pack()
        }
    }

    /// States of the fleet at one moment.
    package struct Gauges: Hashable, Sendable {
        package var storedRows: UInt64 = 0
        package var devicesActive: UInt64 = 0
        package var devicesStarted: UInt64 = 0
        package var connections: UInt64 = 0

        package init() {}

        package static func + (left: Gauges, right: Gauges) -> Gauges {
            var sum = left
            sum.storedRows += right.storedRows
            sum.devicesActive += right.devicesActive
            sum.devicesStarted += right.devicesStarted
            sum.connections += right.connections
            return sum
        }
    }

    /// The run's start.
    package let start: Instant
    /// The present length of an interval; a power of two times a second.
    package private(set) var width: Interval
    package private(set) var buckets: [Bucket] = []
    /// The bucket that was looked up last and the nanoseconds that belong to it: most things happen
    /// in the interval in which the one before them did.
    private var latest = (index: 0, from: Int64.max, until: Int64.min)
    /// The buckets before it are packed. The last two are not: what was due at an interval's end is told a
    /// little later.
    private var packedEnd = 0

    /// Makes an empty series.
    ///
    /// - Parameter width: The first length of an interval; a power of two times a second.
    package init(start: Instant, width: Interval = .seconds(1)) {
        self.start = start
        self.width = width
    }

    /// Changes the interval in which `instant` lies; instants before the start count to the first.
    package mutating func update(at instant: Instant, _ change: (inout Bucket) -> Void) {
        let known = instant.nanoseconds >= latest.from && instant.nanoseconds < latest.until
        change(&buckets[known ? latest.index : bucketIndex(of: instant)])
    }

    /// Sets the gauges of the interval in which `instant` lies, and of those after it: they stay what
    /// they are until they are set again.
    package mutating func setGauges(_ gauges: Gauges, at instant: Instant) {
        let index = bucketIndex(of: instant)
        for later in index..<buckets.count { buckets[later].gauges = gauges }
    }

    private mutating func bucketIndex(of instant: Instant) -> Int {
        let elapsed = max(0, instant.nanoseconds - start.nanoseconds)
        while Int(elapsed / width.nanoseconds) >= TimeSeries.capacity { halve() }
        let index = Int(elapsed / width.nanoseconds)
        if index >= buckets.count {
            // A quiet interval keeps the gauges of the one before.
            var blank = Bucket()
            blank.gauges = buckets.last?.gauges ?? Gauges()
            buckets.append(contentsOf: repeatElement(blank, count: index + 1 - buckets.count))
            packOld()
        }
        let from = start.nanoseconds + Int64(index) * width.nanoseconds
        latest = (index, from, from + width.nanoseconds)
        return index
    }

    private mutating func packOld() {
        let end = max(packedEnd, buckets.count - 2)
        for index in packedEnd..<end { buckets[index].pack() }
        packedEnd = end
    }

    private mutating func halve() {
        width = width * 2
        var merged: [Bucket] = []
        merged.reserveCapacity(TimeSeries.capacity)
        for index in stride(from: 0, to: buckets.count, by: 2) {
            var bucket = buckets[index]
            if index + 1 < buckets.count {
                bucket.merge(buckets[index + 1], gauges: buckets[index + 1].gauges)
            }
            merged.append(bucket)
        }
        buckets = merged
        latest = (0, .max, .min)
        packedEnd = 0
        packOld()
    }

    /// Adds another shard's series of the same run; gauges add up.
    package mutating func merge(_ other: TimeSeries) {
        precondition(start == other.start, "series of different runs")
        var theirs = other
        while width < theirs.width { halve() }
        while theirs.width < width { theirs.halve() }
        let common = min(buckets.count, theirs.buckets.count)
        for index in 0..<common {
            let gauges = buckets[index].gauges + theirs.buckets[index].gauges
            buckets[index].merge(theirs.buckets[index], gauges: gauges)
        }
        extend(with: theirs.buckets, from: common)
    }

    /// The part in which only one of two shards had anything to tell: the other's gauges stay.
    private mutating func extend(with theirs: [Bucket], from common: Int) {
        if theirs.count > common {
            let mine = buckets.last?.gauges ?? Gauges()
            for var bucket in theirs[common...] {
                bucket.gauges = bucket.gauges + mine
                buckets.append(bucket)
            }
        } else if let last = theirs.last {
            for index in common..<buckets.count {
                buckets[index].gauges = buckets[index].gauges + last.gauges
            }
        }
    }
}
