package import Snapshots
import Accounting
package import Timebase

/// A stretch of a run that is measured apart from the rest: steady load, without the cold start before it
/// and the drain after it.
///
/// What ends in the window counts: requests by the end of their answer, events by their last
/// acknowledgement or the moment at which their fate became final. Under a steady load this is also what
/// began in it; how far the two differ is told by ``started`` and ``captured``. A window's books are
/// therefore those of the events settled in it, and its balance is not a check.
package struct MeasuringWindow: Sendable {
    /// On the run's clock. Bounds are whole seconds from the run's start.
    package let range: Range<Instant>
    /// What was settled, per population; ``Accounting/Ledger/captured`` is the sum of its fates.
    package private(set) var populations: [PopulationRecord]
    /// Uploads whose planned start lies in the window, answered or not, per population.
    package private(set) var started: [UInt64]
    /// Events captured in the window, per population.
    package private(set) var captured: [UInt64]
    /// How late the generator did what its schedule said in the window.
    package private(set) var scheduleLag = LatencyHistogram()
    /// What the fleet reached together, as far as the run's series knows.
    private var fleetExtremes: SeriesExtremes?
    /// Whether the second noted last lies in the window: the time of what has none of its own.
    private var isOpen = false

    init(range: Range<Instant>, populationCount: Int, measuresFreshness: Bool) {
        self.range = range
        populations = Array(
            repeating: PopulationRecord(measuresFreshness: measuresFreshness), count: populationCount)
        started = Array(repeating: 0, count: populationCount)
        captured = Array(repeating: 0, count: populationCount)
    }

    /// The window's length.
    package var seconds: Double { (range.upperBound - range.lowerBound).fractionalSeconds }

    /// All populations as one.
    package var total: PopulationRecord {
        var sum = PopulationRecord()
        for record in populations { sum.merge(record) }
        if let fleetExtremes { sum.narrowGaugeExtremes(to: fleetExtremes) }
        return sum
    }

    /// Takes over what the run's series knows better than whoever adds up: what shards and populations reached at
    /// different moments does not add up.
    mutating func takeExtremes(of series: TimeSeries) {
        guard let extremes = series.extremes(within: range) else { return }
        fleetExtremes = extremes
        // Of one population of several, nobody knows more.
        if populations.count == 1 { populations[0].narrowGaugeExtremes(to: extremes) }
    }

    /// Books an event if its fate was settled in the window.
    ///
    /// - Parameter isBrought: Whether its device brought it along from before the run.
    mutating func note(_ event: SealedEvent, isBrought: Bool, population: Int) {
        if case .delivered = event.disposition {
            guard range.contains(event.ackedAt) else { return }
        } else {
            guard isOpen else { return }
        }
        populations[population].note(event)
        populations[population].ledger.captured += 1
        if isBrought { populations[population].prefilled += 1 }
    }

    mutating func note(_ sample: RequestSample, population: Int) {
        if range.contains(sample.finishedAt) { populations[population].note(sample) }
    }

    mutating func noteStart(plannedAt: Instant, population: Int) {
        if range.contains(plannedAt) { started[population] += 1 }
    }

    mutating func note(lag: Interval, at instant: Instant) {
        if range.contains(instant) { scheduleLag.record(lag) }
    }

    /// Notes the state of a fleet at the end of a second, or in between.
    mutating func note(
        gauges: TimeSeries.Gauges, freshlyCaptured: UInt64, radioTime: TotalTime?, radioWakeups: Int64?,
        population: Int, at instant: Instant
    ) {
        if range.contains(instant) {
            captured[population] += freshlyCaptured
            if let radioTime {
                populations[population].radioTime = (populations[population].radioTime ?? .zero) + radioTime
            }
            if let radioWakeups {
                let sum = Int64(populations[population].radioWakeups ?? 0) + radioWakeups
                populations[population].radioWakeups = UInt64(max(0, sum))
            }
            populations[population].note(gauges)
        }
        // A second is noted at its last nanosecond: from there on, its successor goes on.
        isOpen = range.contains(instant + Interval(nanoseconds: 1))
    }

    /// Takes over what another window of the same run noted of the fleets' levels.
    mutating func takeLevels(of other: MeasuringWindow) {
        for index in populations.indices { populations[index].takeLevels(of: other.populations[index]) }
    }

    mutating func merge(_ other: MeasuringWindow) {
        precondition(range == other.range, "windows of different runs")
        for index in populations.indices {
            populations[index].merge(other.populations[index])
            started[index] += other.started[index]
            captured[index] += other.captured[index]
        }
        scheduleLag.merge(other.scheduleLag)
    }
}

extension MeasuringWindow: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(range)
        writer.write(each: populations)
        writer.write(each: started)
        writer.write(each: captured)
        writer.write(scheduleLag)
        writer.write(isOpen)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        range = try reader.value()
        populations = try reader.values()
        started = try reader.values()
        captured = try reader.values()
        scheduleLag = try reader.value()
        isOpen = try reader.bool()
        guard started.count == populations.count, captured.count == populations.count else {
            throw reader.impossible
        }
    }
}
