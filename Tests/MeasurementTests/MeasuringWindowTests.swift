import Accounting
import Testing
import Timebase

@testable import Measurement

@Suite("The measuring window")
struct MeasuringWindowTests {
    let start = Instant(milliseconds: 1_700_000_000_000)
    var range: Range<Instant> { start + .seconds(2)..<start + .seconds(4) }

    func event(_ sequence: UInt32, _ disposition: Disposition, ackedAt: Instant = .distantFuture)
        -> SealedEvent
    {
        SealedEvent(
            id: EventID(device: 0, sequence: sequence), label: 0, attempts: 1, disposition: disposition,
            capturedAt: start, ackedAt: ackedAt)
    }

    func sample(planned: Int64, finished: Int64) -> RequestSample {
        var sample = RequestSample(
            plannedAt: start + .milliseconds(planned), finishedAt: start + .milliseconds(finished))
        sample.status = 200
        sample.isAcknowledged = true
        return sample
    }

    /// Notes each second as the engines do: at its last nanosecond.
    func endSecond(_ second: Int64, captured: UInt64, _ recorder: inout RunRecorder) {
        var gauges = TimeSeries.Gauges()
        gauges.storedRows = UInt64(second)
        recorder.note(
            gauges: gauges, captured: captured, population: 0,
            at: start + .seconds(second) - Interval(nanoseconds: 1))
    }

    @Test("holds what ended in it, and tells what began in it")
    func contents() throws {
        var recorder = RunRecorder(start: start, populationCount: 1, measured: range)
        for (planned, finished) in [(100, 1900), (1900, 2000), (2100, 3999), (3999, 4000), (5000, 5100)] {
            recorder.noteStart(plannedAt: start + .milliseconds(Int64(planned)), population: 0)
            recorder.note(sample(planned: Int64(planned), finished: Int64(finished)), population: 0)
        }
        let window = try #require(recorder.window)
        #expect(window.populations[0].requests == 2)
        #expect(window.started == [2])
        #expect(recorder.populations[0].requests == 5)
        #expect(window.seconds == 2)
    }

    @Test("books events by their acknowledgement, and those without one by the second of their end")
    func fates() throws {
        var recorder = RunRecorder(start: start, populationCount: 1, measured: range)
        recorder.note([event(0, .lost(.killed))], population: 0)
        endSecond(1, captured: 10, &recorder)
        endSecond(2, captured: 30, &recorder)
        recorder.note(
            [
                event(1, .lost(.killed)), event(2, .delivered, ackedAt: start + .milliseconds(1999)),
                event(3, .delivered, ackedAt: start + .milliseconds(2000)),
            ], population: 0)
        endSecond(3, captured: 60, &recorder)
        recorder.note([event(4, .rejected(status: 413))], population: 0)
        endSecond(4, captured: 100, &recorder)
        recorder.note([event(5, .lost(.killed))], population: 0)
        endSecond(5, captured: 150, &recorder)
        let window = try #require(recorder.window)
        let ledger = window.populations[0].ledger
        #expect(ledger.delivered == 1)
        #expect(ledger.lostInAnyWay == 2)
        #expect(ledger.captured == 3 && ledger.balance == 0)
        #expect(window.captured == [70])
    }

    @Test("counts what devices brought along once it is settled, and takes it for no rate, also over shards")
    func prefilled() throws {
        var recorder = RunRecorder(start: start, populationCount: 1, measured: range)
        var brought = event(0, .delivered, ackedAt: start + .seconds(3))
        brought.capturedAt = start - .seconds(30)
        let own = event(1, .delivered, ackedAt: start + .seconds(3))
        var early = brought
        early.ackedAt = start + .seconds(1)
        recorder.note([brought, own, early], population: 0)
        var shard = RunRecorder(start: start, populationCount: 1, measured: range)
        shard.note([brought, own, own], population: 0)
        recorder.merge(shard)
        let metrics = try #require(recorder.window).total.metrics(seconds: 2)
        let metric = try #require(metrics.first { $0.name == "events_captured" })
        guard case .counter(let count, let perSecond) = metric.value else {
            Issue.record("\(metric.value)")
            return
        }
        #expect(count == 5 && perSecond == 1.5)
    }

    @Test("shards' windows merge into that of the whole")
    func merging() throws {
        var one = RunRecorder(start: start, populationCount: 1, measured: range)
        var other = one
        one.noteStart(plannedAt: start + .seconds(3), population: 0)
        one.note(sample(planned: 3000, finished: 3500), population: 0)
        one.note(lag: .milliseconds(3), at: start + .seconds(3))
        other.note(sample(planned: 1000, finished: 3000), population: 0)
        other.note(lag: .milliseconds(3), at: start + .seconds(1))
        one.merge(other)
        let window = try #require(one.window)
        #expect(window.started == [1])
        #expect(window.total.requests == 2)
        #expect(window.scheduleLag.count == 1)
    }

    /// The fleet's least and most stored rows in the window.
    private func stored(_ recorder: RunRecorder) throws -> ClosedRange<Double> {
        let metrics = try #require(recorder.window).total.metrics(seconds: 2)
        let metric = try #require(metrics.first { $0.name == "store_depth" })
        guard case .gauge(_, let minimum, let maximum) = metric.value else {
            Issue.record("store_depth is no gauge")
            return 0...0
        }
        return minimum...maximum
    }

    @Test("the fleet's extremes are those of its sum within the window, over populations and over shards")
    func extremes() throws {
        // By second: what one part of the fleet has stored, and the other. Both are highest before the window.
        let rows: [[UInt64]] = [[500, 500], [500, 500], [90, 10], [10, 95], [30, 30]]
        var whole = RunRecorder(start: start, populationCount: 2, measured: range)
        var shards = (0..<2).map { _ in
            RunRecorder(start: start, populationCount: 1, measured: range)
        }
        for (second, levels) in rows.enumerated() {
            let instant = start + .seconds(Int64(second) + 1) - Interval(nanoseconds: 1)
            for (part, level) in levels.enumerated() {
                var gauges = TimeSeries.Gauges()
                gauges.storedRows = level
                whole.note(gauges: gauges, captured: 0, population: part, at: instant)
                shards[part].note(gauges: gauges, captured: 0, population: 0, at: instant)
            }
        }
        // One recorder of one population knows it by itself.
        #expect(try stored(shards[0]) == 10...90)
        shards[0].merge(shards[1])
        #expect(try stored(whole) == 100...105)
        #expect(try stored(shards[0]) == 100...105)
    }

    @Test("where the run's clock is faster than the sockets, it tells of no freshness, and counts deliveries")
    func paced() throws {
        for isMeasured in [true, false] {
            var recorder = RunRecorder(
                start: start, populationCount: 1, measured: range, measuresFreshness: isMeasured)
            recorder.note([event(0, .delivered, ackedAt: start + .seconds(3))], population: 0)
            let total = try #require(recorder.window).total
            #expect(total.freshness.count == (isMeasured ? 1 : 0))
            #expect(total.ledger.delivered == 1)
        }
    }

    @Test("a run that measures nothing apart has none")
    func none() {
        var recorder = RunRecorder(start: start, populationCount: 1)
        recorder.noteStart(plannedAt: start, population: 0)
        recorder.note(sample(planned: 0, finished: 1), population: 0)
        #expect(recorder.window == nil)
    }
}
