package import Snapshots
import Accounting
package import Timebase

/// What became of the events that were captured while an entry of the timeline lasted, of the uploads that were
/// due in it, and of the time after it: an outage of ten minutes drowns in the figures of a week.
///
/// Of the whole fleet, in constant memory, exactly mergeable.
package struct EntryWindow: Sendable {
    /// How long after an entry's end the herd is looked for.
    package static let herdLength = Interval.minutes(10)

    /// On the run's clock; one that never ends goes on beyond the run.
    package let range: Range<Instant>
    private var record: PopulationRecord
    /// How long after the entry's end its events were acknowledged first; empty where ages are not measured.
    private var recovery = LatencyHistogram()
    private var attempts = SizeHistogram()
    /// Uploads that began in each second after the entry's end.
    private var arrivals: ContiguousArray<UInt32> = []

    init(range: Range<Instant>, measuresFreshness: Bool) {
        self.range = range
        record = PopulationRecord(measuresFreshness: measuresFreshness)
    }

    private var ends: Bool { range.upperBound < .distantFuture }

    mutating func note(_ event: SealedEvent) {
        guard range.contains(event.capturedAt) else { return }
        record.note(event)
        record.ledger.captured += 1
        if event.attempts > 0 { attempts.record(UInt64(event.attempts)) }
        guard ends, record.measuresFreshness, case .delivered = event.disposition else { return }
        recovery.record(max(.zero, event.ackedAt - range.upperBound))
    }

    mutating func note(_ sample: RequestSample) {
        if range.contains(sample.plannedAt) { record.count(sample) }
        guard ends, !sample.isConfig, !sample.isOffline else { return }
        let age = sample.begunAt - range.upperBound
        guard age >= .zero, age < EntryWindow.herdLength else { return }
        let second = Int(age.nanoseconds / 1_000_000_000)
        while arrivals.count <= second { arrivals.append(0) }
        arrivals[second] += 1
    }

    mutating func merge(_ other: EntryWindow) {
        precondition(range == other.range, "windows of different runs")
        record.merge(other.record)
        recovery.merge(other.recovery)
        attempts.merge(other.attempts)
        while arrivals.count < other.arrivals.count { arrivals.append(0) }
        for second in other.arrivals.indices { arrivals[second] += other.arrivals[second] }
    }

    /// The entry's metrics, in the order of ``MetricCatalogue/ofEntries``.
    ///
    /// - Parameter end: The end of what was measured: rates of an entry that goes on are told up to here.
    package func metrics(until end: Instant) -> [Metric] {
        let length = max(.zero, min(range.upperBound, end) - range.lowerBound)
        let shared = record.metrics(seconds: length.fractionalSeconds)
        return MetricCatalogue.ofEntries.compactMap { entry in
            guard case .entry(let measure) = entry.source else {
                return shared.first { $0.name == entry.name }
            }
            return value(of: measure, until: end).map { Metric(entry.name, $0) }
        }
    }

    /// What follows an entry's end is told once that has come: nothing would look like nobody who came back.
    private func value(of measure: EntryMeasure, until end: Instant) -> MetricValue? {
        let hasEnded = range.upperBound < end
        switch measure {
        case .attempts: return .trend(.size(attempts))
        case .recovery: return hasEnded ? .trend(.time(recovery)) : nil
        case .herd:
            guard hasEnded else { return nil }
            let peak = Double(arrivals.max() ?? 0)
            return .gauge(value: peak, minimum: Double(arrivals.min() ?? 0), maximum: peak)
        }
    }
}

/// What is measured of an entry of the timeline alone.
enum EntryMeasure: Hashable, Sendable {
    case attempts, recovery, herd
}

extension EntryWindow: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(range)
        writer.write(record)
        writer.write(recovery)
        writer.write(attempts)
        writer.write(UInt64(arrivals.count))
        for count in arrivals { writer.write(UInt64(count)) }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        range = try reader.value()
        record = try reader.value()
        recovery = try reader.value()
        attempts = try reader.value()
        for _ in 0..<(try reader.count()) { arrivals.append(try reader.integer()) }
    }
}
