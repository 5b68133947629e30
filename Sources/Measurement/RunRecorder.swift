package import Snapshots
package import Accounting
package import Timebase

/// Everything that a run, or one shard of it, measures. Shards record apart and are merged from
/// snapshots; nothing is shared while running.
package struct RunRecorder: Sendable {
    package var populations: [PopulationRecord]
    package var series: TimeSeries
    package var beliefs = DeviceBeliefs()
    /// Order-free sum over the hashed events with their fates.
    package private(set) var eventFingerprint: UInt64 = 0
    /// How late the generator did what its schedule said; empty in virtual time.
    package var scheduleLag = LatencyHistogram()
    private var measured: MeasuringWindow?
    /// Parts of the run that are looked at closely.
    package private(set) var closeUps: [CloseUp]
    /// The first entries of the timeline, each with what it did.
    package private(set) var entries: [EntryWindow]
    private let closeUpBounds: Range<Instant>
    private let measuresFreshness: Bool
    private var nextGauges: [TimeSeries.Gauges]
    private var capturedInRun: [UInt64]

    /// Makes an empty recorder.
    ///
    /// - Parameters:
    ///   - measured: A part of the run to measure apart as well, in whole seconds from the start.
    ///   - closeUps: Parts of the run to look at closely, in whole seconds from the start.
    ///   - entries: When entries of the timeline last.
    ///   - interval: The first length of the series' intervals; a power of two times a second.
    ///   - measuresFreshness: Whether ages of events are noted.
    package init(
        start: Instant, populationCount: Int, measured: Range<Instant>? = nil,
        closeUps: [Range<Instant>] = [], entries: [Range<Instant>] = [],
        interval: Interval = .seconds(1), measuresFreshness: Bool = true
    ) {
        populations = Array(
            repeating: PopulationRecord(measuresFreshness: measuresFreshness), count: populationCount)
        series = TimeSeries(start: start, width: interval)
        self.measuresFreshness = measuresFreshness
        nextGauges = Array(repeating: TimeSeries.Gauges(), count: populationCount)
        capturedInRun = Array(repeating: 0, count: populationCount)
        self.closeUps = closeUps.map { CloseUp(range: $0, shortest: interval) }
        let from = closeUps.map(\.lowerBound).min() ?? start
        closeUpBounds = from..<(closeUps.map(\.upperBound).max() ?? from)
        self.entries = entries.map { EntryWindow(range: $0, measuresFreshness: measuresFreshness) }
        self.measured = measured.map {
            MeasuringWindow(
                range: $0, populationCount: populationCount, measuresFreshness: measuresFreshness)
        }
    }

    /// Books sealed events of one population.
    package mutating func note(_ events: ContiguousArray<SealedEvent>, population: Int) {
        let measuresFreshness = measuresFreshness
        // In a loop of their own: a hash waits for its own steps, and the next event's can go on meanwhile.
        for event in events { eventFingerprint &+= event.fingerprint(population: population) }
        events.forEachStretch { disposition, stretch in
            populations[population].note(stretch, endedAs: disposition)
            beliefs.note(stretch, endedAs: disposition)
            guard case .delivered = disposition else { return }
            for event in stretch {
                noteInSeries(at: event.ackedAt, RunRecorder.oneDelivered) {
                    if measuresFreshness { $0.freshness.record(event.ackedAt - event.capturedAt) }
                }
            }
        }
        guard measured != nil || !entries.isEmpty else { return }
        for event in events {
            measured?.note(event, isBrought: event.capturedAt < series.start, population: population)
            for index in entries.indices { entries[index].note(event) }
        }
    }

    /// Notes that an upload was asked for; only a measuring window wants to know.
    package mutating func noteStart(plannedAt: Instant, population: Int) {
        measured?.noteStart(plannedAt: plannedAt, population: population)
    }

    /// Records a finished request.
    package mutating func note(_ sample: RequestSample, population: Int) {
        populations[population].note(sample)
        measured?.note(sample, population: population)
        for index in entries.indices { entries[index].note(sample) }
        guard !sample.isConfig, !sample.isOffline else { return }
        var counts = Tally()
        counts.requests = 1
        counts.bytesSent = sample.bytesSent
        if sample.failed { counts.failures = 1 }
        if sample.isAbandoned { counts.abandoned = 1 }
        noteInSeries(at: sample.finishedAt, counts) {
            guard sample.failure == nil else { return }
            $0.duration.record(sample.duration)
            $0.service.record(sample.service)
        }
        // Only now: intervals are long enough for all that has ended.
        series.noteBegun(at: sample.begunAt)
    }

    /// Notes how late one thing was done.
    package mutating func note(lag: Interval, at instant: Instant) {
        scheduleLag.record(lag)
        measured?.note(lag: lag, at: instant)
        noteInSeries(at: instant, nil) { $0.lag.record(lag) }
    }

    /// Notes the state of one population's fleet; the events captured since the last call go to the
    /// interval of `instant`, but for those that devices brought along from before the run.
    ///
    /// - Parameters:
    ///   - radioTime: How long radios were awake so far; `nil` where nobody counts.
    ///   - radioWakeups: How often they were woken so far.
    package mutating func note(
        gauges: TimeSeries.Gauges, captured: UInt64, prefilled: UInt64 = 0, radioTime: TotalTime? = nil,
        radioWakeups: UInt64? = nil, population: Int, at instant: Instant
    ) {
        let fresh = captured - prefilled - capturedInRun[population]
        capturedInRun[population] = captured - prefilled
        let awake = radioTime.map { $0 - (populations[population].radioTime ?? .zero) }
        populations[population].radioTime = radioTime
        // A request that is taken back takes its wake-up with it.
        let woken = radioWakeups.map { Int64($0) - Int64(populations[population].radioWakeups ?? 0) }
        populations[population].radioWakeups = radioWakeups
        measured?.note(
            gauges: gauges, freshlyCaptured: fresh, radioTime: awake, radioWakeups: woken,
            population: population, at: instant)
        populations[population].ledger.captured = captured
        populations[population].prefilled = prefilled
        populations[population].note(gauges)
        nextGauges[population] = gauges
        let sum = nextGauges.reduce(TimeSeries.Gauges(), +)
        var counts = Tally()
        counts.captured = fresh
        noteInSeries(at: instant, counts) { _ in }
        series.setGauges(sum, at: instant)
        for index in closeUps.indices where closeUps[index].range.contains(instant) {
            closeUps[index].series.setGauges(sum, at: instant)
        }
    }

    /// Notes a look at one population's fleet.
    package mutating func note(_ levels: FleetLevels, population: Int, at instant: Instant) {
        note(
            gauges: levels.gauges, captured: levels.captured, prefilled: levels.prefilled,
            radioTime: levels.radioTime, radioWakeups: levels.radioWakeups, population: population,
            at: instant)
    }

    /// Whether levels that are what they were need not be noted at an instant: everything that is told of them goes on
    /// with the last ones by itself.
    package func goesOn(at instant: Instant) -> Bool {
        measured == nil && closeUps.isEmpty && series.goesOn(at: instant)
    }

    /// How much has been recorded, in no unit: it grows with each fate and each request.
    package var activity: UInt64 {
        populations.reduce(0) { $0 + $1.ledger.sealed + $1.allRequests + $1.offlineAttempts }
    }

    /// Takes over the levels that another recorder of the same run noted, and what follows from them: gauges, their
    /// extremes, the radios' time. What else was recorded stays.
    package mutating func takeLevels(of other: RunRecorder) {
        series.takeGauges(of: other.series)
        for index in closeUps.indices { closeUps[index].series.takeGauges(of: other.closeUps[index].series) }
        for index in populations.indices { populations[index].takeLevels(of: other.populations[index]) }
        if let theirs = other.measured { measured?.takeLevels(of: theirs) }
        nextGauges = other.nextGauges
    }

    private static let oneDelivered: Tally = {
        var tally = Tally()
        tally.delivered = 1
        return tally
    }()

    private mutating func noteInSeries(
        at instant: Instant, _ counts: Tally?, _ record: (inout TimeSeries.Bucket) -> Void
    ) {
        series.update(at: instant, counts, record)
        guard instant >= closeUpBounds.lowerBound, instant < closeUpBounds.upperBound else { return }
        for index in closeUps.indices where closeUps[index].range.contains(instant) {
            closeUps[index].series.update(at: instant, counts, record)
        }
    }

    /// When the gauges are to be noted next: at the end of the shortest interval that anything is told of.
    package func nextSample(after instant: Instant) -> Instant {
        var next = series.nextSample(after: instant)
        for closeUp in closeUps {
            if instant < closeUp.range.lowerBound { next = min(next, closeUp.range.lowerBound) }
            if closeUp.range.contains(instant) { next = min(next, closeUp.series.nextSample(after: instant)) }
        }
        return next
    }

    /// When the next part of the run begins that is looked at closely, the end of all times where none does; `nil` within
    /// one.
    package func nextCloseUp(after instant: Instant) -> Instant? {
        guard !closeUps.contains(where: { $0.range.contains(instant) }) else { return nil }
        return closeUps.lazy.map(\.range.lowerBound).filter { $0 > instant }.min() ?? .distantFuture
    }

    /// Whether another recorder measures the same stretches of the same run: only one that does can be
    /// merged, or have its levels taken over.
    package func fits(_ other: RunRecorder) -> Bool {
        guard series.start == other.series.start, populations.count == other.populations.count,
            measured?.range == other.measured?.range
        else { return false }
        return closeUps.map(\.range) == other.closeUps.map(\.range)
            && entries.map(\.range) == other.entries.map(\.range)
    }

    /// Adds another shard's recorder.
    package mutating func merge(_ other: RunRecorder) {
        precondition(populations.count == other.populations.count, "recorders of different runs")
        for index in populations.indices { populations[index].merge(other.populations[index]) }
        series.merge(other.series)
        // What shards reached at different moments does not add up. Of one population of several, nobody knows more.
        if populations.count == 1, let extremes = series.extremes {
            populations[0].setGaugeExtremes(extremes)
        }
        precondition(closeUps.count == other.closeUps.count, "recorders of different runs")
        for index in closeUps.indices { closeUps[index].series.merge(other.closeUps[index].series) }
        precondition(entries.count == other.entries.count, "recorders of different runs")
        for index in entries.indices { entries[index].merge(other.entries[index]) }
        beliefs.merge(other.beliefs)
        eventFingerprint &+= other.eventFingerprint
        scheduleLag.merge(other.scheduleLag)
        if let theirs = other.measured { measured?.merge(theirs) }
        for index in nextGauges.indices { nextGauges[index] = nextGauges[index] + other.nextGauges[index] }
        for index in capturedInRun.indices { capturedInRun[index] += other.capturedInRun[index] }
    }

    /// The part of the run that is measured apart, where there is one. Takes O(intervals of the series).
    package var window: MeasuringWindow? {
        var window = measured
        window?.takeExtremes(of: series)
        return window
    }

    /// All populations as one.
    package var total: PopulationRecord {
        var sum = PopulationRecord()
        for record in populations { sum.merge(record) }
        // What populations reached at different moments does not add up.
        if populations.count > 1, let extremes = series.extremes {
            sum.setGaugeExtremes(extremes)
        }
        return sum
    }
}

extension SealedEvent {
    /// What it adds to the fingerprint of a run or a dataset.
    @inline(__always)
    package func fingerprint(population: Int) -> UInt64 {
        var stream = RandomStream(key: UInt64(id.device) << 32 | UInt64(id.sequence))
            .child(UInt64(population) << 32 | UInt64(label) << 16 | UInt64(attempts))
            .child(UInt64(disposition.code))
            .child(UInt64(bitPattern: capturedAt.nanoseconds))
            .child(UInt64(bitPattern: ackedAt.nanoseconds))
        return stream.next()
    }
}

extension RunRecorder: Snapshotable {
    /// Everything but ``beliefs``, which have a file of their own.
    package func write(to writer: inout SnapshotWriter) {
        writer.write(each: populations)
        writer.write(series)
        writer.write(eventFingerprint)
        writer.write(scheduleLag)
        writer.write(optional: measured)
        writer.write(each: closeUps)
        writer.write(each: entries)
        writer.write(closeUpBounds)
        writer.write(measuresFreshness)
        writer.write(each: nextGauges)
        writer.write(each: capturedInRun)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        populations = try reader.values()
        series = try reader.value()
        eventFingerprint = try reader.unsigned()
        scheduleLag = try reader.value()
        measured = try reader.optional()
        closeUps = try reader.values()
        entries = try reader.values()
        closeUpBounds = try reader.value()
        measuresFreshness = try reader.bool()
        nextGauges = try reader.values()
        capturedInRun = try reader.values()
        guard nextGauges.count == populations.count, capturedInRun.count == populations.count else {
            throw reader.impossible
        }
    }
}
