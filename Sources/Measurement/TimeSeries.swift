package import Snapshots
package import Timebase

/// What happened in each interval of a run. Memory is constant: when there are more than
/// ``TimeSeries/capacity`` intervals, pairs of them become one of twice the length. What was counted, and
/// the gauges, are kept in shorter intervals besides, so that peaks do not vanish in long intervals:
/// ``extremes(of:)``.
package struct TimeSeries: Sendable {
    /// The most intervals that are kept.
    package static let capacity = 1200

    /// One interval's counts and distributions.
    package struct Bucket: Sendable {
        package fileprivate(set) var counts = Tally()
        package var freshness = IntervalHistogram()
        package var duration = IntervalHistogram()
        package var service = IntervalHistogram()
        package var lag = IntervalHistogram()
        /// Gauges at the end of the interval.
        package fileprivate(set) var gauges = Gauges()

        package init() {}

        package var captured: UInt64 { counts.captured }
        package var delivered: UInt64 { counts.delivered }
        package var requests: UInt64 { counts.requests }
        package var failures: UInt64 { counts.failures }
        package var abandoned: UInt64 { counts.abandoned }
        package var bytesSent: UInt64 { counts.bytesSent }

        mutating func merge(_ other: Bucket, gauges merged: Gauges) {
            counts += other.counts
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

    /// The run's start.
    package let start: Instant
    /// The present length of an interval; a power of two times a second.
    package private(set) var width: Interval
    package private(set) var buckets: [Bucket] = []
    private var fine: FineSeries
    /// The bucket that was looked up last and the nanoseconds that belong to it: most things happen
    /// in the interval in which the one before them did.
    private var latest = (index: 0, from: Int64.max, until: Int64.min)
    /// The buckets before it are packed. The last two are not: what was due at an interval's end is told a
    /// little later.
    private var packedEnd = 0

    /// Makes an empty series.
    ///
    /// - Parameters:
    ///   - width: The first length of an interval; a power of two times a second.
    ///   - shortest: The shortest interval in which anything is counted; `width` or that divided by a power
    ///     of two.
    package init(start: Instant, width: Interval = .seconds(1), shortest: Interval? = nil) {
        self.start = start
        self.width = width
        fine = FineSeries(width: shortest ?? width)
        widenParts()
    }

    /// The length of the shorter intervals that extremes are told of, and after which the gauges are worth
    /// another look.
    package var partWidth: Interval { fine.width }

    /// The events captured in each of the shorter intervals.
    ///
    /// - Complexity: O(parts), at most 38,400.
    package var capturedByPart: [UInt64] { fine.captured }

    /// The first end of such an interval after an instant.
    package func nextSample(after instant: Instant) -> Instant {
        let elapsed = max(0, instant.nanoseconds - start.nanoseconds)
        let passed = elapsed / fine.width.nanoseconds
        return start + Interval(nanoseconds: (passed + 1) * fine.width.nanoseconds)
    }

    /// The extremes within an interval. Counts are those of the whole interval where it is as short as
    /// its parts.
    ///
    /// - Complexity: O(parts), at most 32.
    package func extremes(of index: Int) -> SeriesExtremes? {
        let parts = Int(width.nanoseconds / fine.width.nanoseconds)
        return fine.extremes(of: index * parts..<(index + 1) * parts)
    }

    /// The extremes within the whole series; `nil` where there is none yet.
    ///
    /// - Complexity: O(parts), at most 38,400.
    package var extremes: SeriesExtremes? { fine.extremes(of: 0..<fine.count) }

    /// The extremes within a stretch of the run, with all of the shorter intervals that it begins and ends in;
    /// `nil` where there is none yet.
    ///
    /// - Complexity: O(parts), at most 38,400.
    func extremes(within range: Range<Instant>) -> SeriesExtremes? {
        let range = range.clamped(to: start..<start + fine.width * Int64(fine.count))
        guard !range.isEmpty else { return nil }
        let last = part(of: range.upperBound - Interval(nanoseconds: 1))
        return fine.extremes(of: part(of: range.lowerBound)..<last + 1)
    }

    private mutating func widenParts() {
        let parts = width.nanoseconds / FineSeries.partsLimit
        fine.widen(to: Interval(nanoseconds: parts))
    }

    /// Notes what happened in the interval in which `instant` lies; instants before the start count to the
    /// first.
    ///
    /// - Parameters:
    ///   - counts: What is to be counted.
    ///   - record: Records values in the interval's distributions.
    package mutating func update(
        at instant: Instant, _ counts: Tally? = nil, _ record: (inout Bucket) -> Void = { _ in }
    ) {
        let known = instant.nanoseconds >= latest.from && instant.nanoseconds < latest.until
        let index = known ? latest.index : bucketIndex(of: instant)
        record(&buckets[index])
        guard let counts else { return }
        buckets[index].counts += counts
        fine.count(counts, at: part(of: instant))
    }

    /// Notes that an upload left that has ended, and is counted where it ended.
    mutating func noteBegun(at instant: Instant) { fine.countBegun(at: part(of: instant)) }

    /// The most uploads in a second that left in any of the shorter intervals from an instant on.
    ///
    /// - Complexity: O(parts), at most 38,400.
    package func busiestRate(from instant: Instant) -> Double {
        let width = fine.width.nanoseconds
        let elapsed = max(0, instant.nanoseconds - start.nanoseconds)
        return Double(fine.mostBegun(from: Int((elapsed + width - 1) / width))) / fine.width.fractionalSeconds
    }

    /// The index of the short interval in which an instant lies.
    private func part(of instant: Instant) -> Int {
        Int(max(0, instant.nanoseconds - start.nanoseconds) / fine.width.nanoseconds)
    }

    /// Sets the gauges of the interval in which `instant` lies, and of those after it: they stay what
    /// they are until they are set again.
    package mutating func setGauges(_ gauges: Gauges, at instant: Instant) {
        let index = bucketIndex(of: instant)
        for later in index..<buckets.count { buckets[later].gauges = gauges }
        fine.setGauges(gauges, at: part(of: instant))
    }

    /// Whether an instant lies in the last interval that there is: gauges that stay what they are need not be set, and no
    /// interval changes its length.
    func goesOn(at instant: Instant) -> Bool {
        latest.index == buckets.count - 1 && instant.nanoseconds >= latest.from
            && instant.nanoseconds < latest.until
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
        widenParts()
    }

    /// Takes over the gauges of another series of the same run.
    mutating func takeGauges(of other: TimeSeries) {
        precondition(start == other.start, "series of different runs")
        var theirs = other
        while width < theirs.width { halve() }
        while theirs.width < width { theirs.halve() }
        while buckets.count < theirs.buckets.count { buckets.append(Bucket()) }
        let last = theirs.buckets.last?.gauges ?? Gauges()
        for index in buckets.indices {
            buckets[index].gauges = index < theirs.buckets.count ? theirs.buckets[index].gauges : last
        }
        packOld()
        fine.takeGauges(of: theirs.fine)
    }

    /// Adds another shard's series of the same run; gauges add up.
    package mutating func merge(_ other: TimeSeries) {
        precondition(start == other.start, "series of different runs")
        var theirs = other
        while width < theirs.width { halve() }
        while theirs.width < width { theirs.halve() }
        precondition(fine.width == theirs.fine.width, "series of different intervals")
        fine.add(theirs.fine)
        let common = min(buckets.count, theirs.buckets.count)
        // Where only one of two shards has anything to tell, the other's gauges stay.
        let rest = (buckets.count < theirs.buckets.count ? buckets : theirs.buckets).last?.gauges ?? Gauges()
        for index in 0..<common {
            let gauges = buckets[index].gauges + theirs.buckets[index].gauges
            buckets[index].merge(theirs.buckets[index], gauges: gauges)
        }
        for index in common..<buckets.count { buckets[index].gauges = buckets[index].gauges + rest }
        for var bucket in theirs.buckets[common...] {
            bucket.gauges = bucket.gauges + rest
            buckets.append(bucket)
        }
    }
}

extension TimeSeries.Bucket: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(counts)
        for histogram in [freshness, duration, service, lag] { writer.write(histogram) }
        writer.write(gauges)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        counts = try reader.value()
        freshness = try reader.value()
        duration = try reader.value()
        service = try reader.value()
        lag = try reader.value()
        gauges = try reader.value()
    }
}

extension TimeSeries: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(start)
        writer.write(width)
        writer.write(each: buckets)
        writer.write(fine)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        start = try reader.value()
        width = try reader.value()
        buckets = try reader.values()
        fine = try reader.value()
        guard width >= fine.width, buckets.count <= TimeSeries.capacity else { throw reader.impossible }
        packedEnd = buckets.count
    }
}
