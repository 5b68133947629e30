package import Snapshots
package import Accounting
import Timebase
package import World

/// Everything measured of one population: its books, its requests, its freshness. Constant memory,
/// exactly mergeable over shards.
///
/// Each kind of measure is a table by an enum, and ``MetricCatalogue`` says which of them is told under
/// which name: recording, merging and telling are loops over the cases.
package struct PopulationRecord: Sendable {
    package var ledger = Ledger()
    /// Of the captured, those that devices brought along from before the run: no rate of it has them.
    var prefilled: UInt64 = 0
    /// Whether it says something how old events are when they arrive. It does not where the run's clock is
    /// faster than the sockets: a moment on the way would count as minutes.
    package private(set) var measuresFreshness = true
    package private(set) var freshness = LatencyHistogram()
    /// How long devices' radios were awake for requests; `nil` where networks are ideal.
    var radioTime: TotalTime?
    /// How often requests woke them; `nil` where networks are ideal.
    var radioWakeups: UInt64?
    /// Devices that run the latest roll-out, and all; `nil` without roll-outs.
    private var rollOut: (updated: UInt64, all: UInt64)?
    /// Delivered events by the shortest bound that they keep.
    private var delivered = CaseTable<FreshnessBound, UInt64>(repeating: 0)

    private var times = CaseTable<RequestTime, LatencyHistogram>(repeating: LatencyHistogram())
    private var sizes = CaseTable<RequestSize, SizeHistogram>(repeating: SizeHistogram())
    private var counts = CaseTable<RequestCount, UInt64>(repeating: 0)
    private var gauges = CaseTable<FleetGauge, GaugeRange>(repeating: GaugeRange())
    /// Whole answers by status, in the order in which they came first.
    private var statusCounts: [(status: UInt16, count: UInt64)] = []
    /// Uploads without a whole answer.
    private var failureCounts = CaseTable<RequestFailure, UInt64>(repeating: 0)

    package init(measuresFreshness: Bool = true) { self.measuresFreshness = measuresFreshness }

    /// Books an event's fate, and its freshness if it was delivered.
    package mutating func note(_ event: SealedEvent) {
        ledger.seal(event.disposition)
        if case .delivered = event.disposition { noteFreshness(of: event) }
    }

    /// Books the fate of events that ended alike.
    mutating func note(_ events: ArraySlice<SealedEvent>, endedAs disposition: Disposition) {
        ledger.seal(disposition, times: UInt64(events.count))
        guard case .delivered = disposition else { return }
        for event in events { noteFreshness(of: event) }
    }

    private mutating func noteFreshness(of event: SealedEvent) {
        guard measuresFreshness else { return }
        let age = event.ackedAt - event.capturedAt
        freshness.record(age)
        if let bound = FreshnessBound(of: age) { delivered[bound] += 1 }
    }

    /// Records a finished request. Uploads begun without a network count only as attempts.
    package mutating func note(_ sample: RequestSample) {
        if sample.isConfig {
            counts[.configFetches] += 1
            return
        }
        if sample.isOffline {
            counts[.offlineAttempts] += 1
            return
        }
        if let failure = sample.failure { failureCounts[failure] += 1 } else { count(status: sample.status) }
        sample.count(in: &counts)
        sample.record(in: &sizes)
        sample.record(in: &times)
    }

    /// Counts a finished request, and nothing of its times.
    mutating func count(_ sample: RequestSample) {
        guard !sample.isConfig, !sample.isOffline else { return }
        sample.count(in: &counts)
        sample.record(in: &sizes)
    }

    private mutating func count(status: UInt16, times: UInt64 = 1) {
        if let index = statusCounts.firstIndex(where: { $0.status == status }) {
            statusCounts[index].count += times
        } else {
            statusCounts.append((status, times))
        }
    }

    /// Notes the state of the fleet.
    mutating func note(_ state: TimeSeries.Gauges) {
        for gauge in FleetGauge.allCases { gauges[gauge].note(Double(gauge.level(in: state))) }
        if state.devicesUpdatable > 0 { rollOut = (state.devicesUpdated, state.devicesUpdatable) }
    }

    /// Sets the extremes of gauges that are known better than by adding populations up.
    mutating func setGaugeExtremes(_ extremes: SeriesExtremes) {
        for gauge in FleetGauge.allCases {
            gauges[gauge].set(gauge.level(in: extremes.lowGauges), gauge.level(in: extremes.highGauges))
        }
    }

    /// Narrows the extremes of gauges by others that nothing can have gone beyond either.
    mutating func narrowGaugeExtremes(to extremes: SeriesExtremes) {
        for gauge in FleetGauge.allCases {
            gauges[gauge].narrow(gauge.level(in: extremes.lowGauges), gauge.level(in: extremes.highGauges))
        }
    }

    /// Takes over what another record of the same population noted of its fleet's levels.
    mutating func takeLevels(of other: PopulationRecord) {
        gauges = other.gauges
        (radioTime, radioWakeups) = (other.radioTime, other.radioWakeups)
        rollOut = other.rollOut
    }

    /// Adds another shard's or population's record.
    package mutating func merge(_ other: PopulationRecord) {
        ledger.merge(other.ledger)
        prefilled += other.prefilled
        measuresFreshness = measuresFreshness && other.measuresFreshness
        freshness.merge(other.freshness)
        delivered.merge(other.delivered) { $0 += $1 }
        times.merge(other.times) { $0.merge($1) }
        sizes.merge(other.sizes) { $0.merge($1) }
        counts.merge(other.counts) { $0 += $1 }
        gauges.merge(other.gauges) { $0.merge($1) }
        if let theirs = other.radioTime { radioTime = (radioTime ?? .zero) + theirs }
        if let theirs = other.radioWakeups { radioWakeups = (radioWakeups ?? 0) + theirs }
        if let (updated, all) = other.rollOut {
            rollOut = ((rollOut?.updated ?? 0) + updated, (rollOut?.all ?? 0) + all)
        }
        for entry in other.statusCounts { count(status: entry.status, times: entry.count) }
        failureCounts.merge(other.failureCounts) { $0 += $1 }
    }
}

// MARK: - What it tells

extension PopulationRecord {
    /// Uploads that began, those without an answer included.
    package var requests: UInt64 { counts[.uploads] }
    /// The same with fetches of configurations.
    package var allRequests: UInt64 { counts[.uploads] + counts[.configFetches] }
    /// Bytes of all uploads as far as they were sent.
    package var bytesSent: UInt64 { counts[.bytesSent] }
    package var failedRequests: UInt64 { counts[.failed] }
    /// Of the failed, those of apps whose process died: no target can do anything about them.
    package var abandonedRequests: UInt64 { counts[.abandoned] }
    /// Uploads that were not sent because the device had no network.
    package var offlineAttempts: UInt64 { counts[.offlineAttempts] }
    /// Uploads that got a whole answer, whatever it said.
    package var wholeAnswers: UInt64 { statusCounts.reduce(0) { $0 + $1.count } }
    /// How many uploads ended by a failure.
    package func count(of failure: RequestFailure) -> UInt64 { failureCounts[failure] }

    /// Answers by status or name of failure, the most frequent first, ties by name.
    package var answers: [(name: String, count: UInt64)] {
        let whole = statusCounts.map { (name: String($0.status), count: $0.count) }
        let failed = RequestFailure.allCases.map { (name: $0.name, count: failureCounts[$0]) }
        return (whole + failed.filter { $0.count > 0 }).sorted {
            $0.count != $1.count ? $0.count > $1.count : $0.name < $1.name
        }
    }

    /// The record as metrics under their contract names, in the catalogue's order; without what only an
    /// audit knows.
    ///
    /// - Parameter seconds: The length of the run that rates are told over.
    package func metrics(seconds: Double) -> [Metric] {
        MetricCatalogue.all.compactMap { entry in
            value(of: entry.source, seconds: seconds).map { Metric(entry.name, $0) }
        }
    }

    private func value(of source: MetricSource, seconds: Double) -> MetricValue? {
        switch source {
        case .captured: captured(over: seconds)
        case .count(let count): PopulationRecord.counter(counts[count], seconds)
        case .lost: PopulationRecord.rate(ledger.lostInAnyWay, of: ledger.captured)
        case .deliveredWithin(let bound): PopulationRecord.rate(delivered(within: bound), of: recorded)
        case .share(let part, let whole): PopulationRecord.rate(counts[part], of: counts[whole])
        case .freshness: .trend(.time(freshness))
        case .time(let time): .trend(.time(times[time]))
        case .size(let size): .trend(.size(sizes[size]))
        case .gauge(let gauge): gauges[gauge].metric
        case .radioTime: radioTime.map { PopulationRecord.counter($0.fractionalSeconds, seconds) }
        case .radioWakeups: radioWakeups.map { PopulationRecord.counter($0, seconds) }
        case .rollOut: rollOut.map { PopulationRecord.rate($0.updated, of: $0.all) }
        case .audit, .entry: nil
        }
    }

    private func captured(over seconds: Double) -> MetricValue {
        let own = ledger.captured - min(ledger.captured, prefilled)
        return .counter(
            count: Double(ledger.captured), perSecond: seconds > 0 ? Double(own) / seconds : 0)
    }

    private func delivered(within bound: FreshnessBound) -> UInt64 {
        FreshnessBound.allCases.prefix { $0.rawValue <= bound.rawValue }.reduce(0) { $0 + delivered[$1] }
    }

    /// Events of which freshness can be told: none where it is not measured.
    private var recorded: UInt64 {
        measuresFreshness ? ledger.captured - min(ledger.captured, ledger.count(of: .suppressed)) : 0
    }

    private static func counter(_ count: UInt64, _ seconds: Double) -> MetricValue {
        counter(Double(count), seconds)
    }

    private static func counter(_ count: Double, _ seconds: Double) -> MetricValue {
        .counter(count: count, perSecond: seconds > 0 ? count / seconds : 0)
    }

    private static func rate(_ part: UInt64, of whole: UInt64) -> MetricValue {
        .rate(passes: part, fails: whole - min(whole, part))
    }
}

/// How old an event may be when it arrives, to count as fresh by that measure; the shortest first.
enum FreshnessBound: UInt8, CaseIterable {
    case minute, hour, day

    /// The shortest bound that an age keeps; `nil` for an age beyond all.
    init?(of age: Interval) {
        if age <= .minutes(1) {
            self = .minute
        } else if age <= .hours(1) {
            self = .hour
        } else if age <= .hours(24) {
            self = .day
        } else {
            return nil
        }
    }
}

extension PopulationRecord: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(ledger)
        writer.write(prefilled)
        writer.write(measuresFreshness)
        writer.write(freshness)
        writer.write(optional: radioTime)
        writer.write(optional: radioWakeups)
        writer.write(rollOut != nil)
        if let (updated, all) = rollOut {
            writer.write(updated)
            writer.write(all)
        }
        writer.write(delivered)
        writer.write(times)
        writer.write(sizes)
        writer.write(counts)
        writer.write(gauges)
        writer.write(failureCounts)
        writer.write(UInt64(statusCounts.count))
        for entry in statusCounts.sorted(by: { $0.status < $1.status }) {
            writer.write(UInt64(entry.status))
            writer.write(entry.count)
        }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        ledger = try reader.value()
        prefilled = try reader.unsigned()
        measuresFreshness = try reader.bool()
        freshness = try reader.value()
        radioTime = try reader.optional()
        radioWakeups = try reader.optional()
        if try reader.bool() {
            let updated = try reader.unsigned()
            rollOut = (updated, try reader.unsigned())
        }
        delivered = try reader.value()
        times = try reader.value()
        sizes = try reader.value()
        counts = try reader.value()
        gauges = try reader.value()
        failureCounts = try reader.value()
        for _ in 0..<(try reader.count()) {
            count(status: try reader.integer(), times: try reader.unsigned())
        }
    }
}
