import Testing
import Timebase

@testable import Measurement

/// Peaks must not vanish when intervals are joined.
@Suite("Extremes of the time series")
struct SeriesExtremesTests {
    let start = Instant(milliseconds: 1_000_000)

    private func requests(_ count: UInt64, failures: UInt64 = 0) -> Tally {
        var tally = Tally()
        (tally.requests, tally.failures) = (count, failures)
        return tally
    }

    private func rows(_ count: UInt64) -> TimeSeries.Gauges {
        var gauges = TimeSeries.Gauges()
        gauges.storedRows = count
        return gauges
    }

    /// A request a second and a gauge that stands still, but for one second with 500 failures and one with
    /// 20,474 rows.
    private func day(_ seconds: Range<Int64>, step: Int64 = 1, burst: Int64, peak: Int64) -> TimeSeries {
        var series = TimeSeries(start: start)
        for second in stride(from: seconds.lowerBound, to: seconds.upperBound, by: Int64.Stride(step)) {
            let instant = start + .seconds(second + 1) - Interval(nanoseconds: 1)
            series.update(at: instant, second == burst ? requests(500, failures: 500) : requests(1))
            series.setGauges(rows(second == peak ? 20_474 : 100), at: instant)
        }
        return series
    }

    @Test("an interval as short as its parts is its own extreme")
    func short() throws {
        let series = day(0..<10, burst: 3, peak: 4)
        for index in series.buckets.indices {
            let extremes = try #require(series.extremes(of: index))
            #expect(extremes.width == .seconds(1))
            #expect(extremes.low == extremes.high && extremes.high == series.buckets[index].counts)
            #expect(extremes.highGauges == series.buckets[index].gauges)
        }
        #expect(series.extremes(of: 10) == nil)
    }

    @Test(
        "a second's burst and a second's peak outlive hours of joining", arguments: [2_000, 20_000, 90_000])
    func long(seconds: Int64) throws {
        let (burst, peak) = (seconds / 3, seconds / 2)
        let series = day(0..<seconds, burst: burst, peak: peak)
        #expect(series.buckets.count <= TimeSeries.capacity)
        let width = series.width.nanoseconds / 1_000_000_000
        let failing = try #require(series.extremes(of: Int(burst / width)))
        let part = UInt64(failing.width.nanoseconds / 1_000_000_000)
        #expect(failing.high.failures == 500)
        #expect(failing.low.failures == 0 || width == Int64(part))
        #expect(failing.high.requests == 499 + part)
        let full = try #require(series.extremes(of: Int(peak / width)))
        #expect((full.lowGauges.storedRows, full.highGauges.storedRows) == (100, 20_474))
        let whole = try #require(series.extremes)
        #expect(whole.highGauges.storedRows == 20_474 && whole.high.failures == 500)
        #expect(series.buckets.allSatisfy { $0.gauges.storedRows <= 20_474 })
    }

    @Test("a quiet interval has nothing for its least, and keeps the gauges of the one before")
    func quiet() throws {
        var series = TimeSeries(start: start, width: .seconds(8), shortest: .seconds(1))
        series.update(at: start, requests(7))
        series.setGauges(rows(3), at: start)
        series.update(at: start + .seconds(20), requests(2))
        let second = try #require(series.extremes(of: 1))
        #expect(second.low == Tally() && second.high == Tally())
        #expect((second.lowGauges.storedRows, second.highGauges.storedRows) == (3, 3))
        let first = try #require(series.extremes(of: 0))
        #expect((first.low.requests, first.high.requests) == (0, 7))
    }

    /// What one recorder would have seen: the sums of both, second by second.
    @Test("two shards give what one recorder gives, whatever their order", arguments: [60, 5_000, 38_000])
    func shards(seconds: Int64) throws {
        var whole = TimeSeries(start: start)
        var parts = [TimeSeries(start: start), TimeSeries(start: start)]
        for second in 0..<seconds {
            let instant = start + .seconds(second + 1) - Interval(nanoseconds: 1)
            // Each shard peaks when the other is low, so that sums of peaks would be too high.
            let mine = UInt64(second % 7 * 10)
            let theirs = UInt64((6 - second % 7) * 10 + second % 3)
            parts[0].update(at: instant, requests(mine))
            parts[1].update(at: instant, requests(theirs))
            parts[0].setGauges(rows(mine), at: instant)
            parts[1].setGauges(rows(theirs), at: instant)
            whole.update(at: instant, requests(mine + theirs))
            whole.setGauges(rows(mine + theirs), at: instant)
        }
        for (one, other) in [(0, 1), (1, 0)] {
            var merged = parts[one]
            merged.merge(parts[other])
            for index in whole.buckets.indices {
                #expect(merged.extremes(of: index) == whole.extremes(of: index), "interval \(index)")
            }
        }
        #expect(whole.extremes?.highGauges.storedRows == 62)
    }

    @Test("beyond ten hours the extremes of several shards are bounds")
    func bounds() throws {
        var parts = [TimeSeries(start: start), TimeSeries(start: start)]
        for second in 0..<Int64(40_000) {
            let instant = start + .seconds(second + 1) - Interval(nanoseconds: 1)
            parts[Int(second % 2)].setGauges(rows(10), at: instant)
            parts[Int((second + 1) % 2)].setGauges(rows(0), at: instant)
        }
        parts[0].merge(parts[1])
        let extremes = try #require(parts[0].extremes)
        #expect(extremes.highGauges.storedRows == 20 && extremes.lowGauges.storedRows == 0)
    }

    @Test("a shard that ended first adds its last gauges to what the other goes on with")
    func ended() throws {
        var long = day(0..<100, burst: 90, peak: 80)
        let short = day(0..<10, burst: 5, peak: 4)
        long.merge(short)
        #expect(long.extremes(of: 80)?.highGauges.storedRows == 20_574)
        #expect(long.extremes(of: 99)?.lowGauges.storedRows == 200)
        #expect(long.buckets.map(\.gauges.storedRows).suffix(3) == [200, 200, 200])
        var other = short
        other.merge(day(0..<100, burst: 90, peak: 80))
        for index in 0..<100 {
            #expect(other.extremes(of: index) == long.extremes(of: index))
            #expect(other.buckets[index].gauges == long.buckets[index].gauges)
        }
    }

    @Test("gauges are to be noted at the end of each part, however long the run")
    func sampling() {
        var series = TimeSeries(start: start)
        #expect(series.nextSample(after: start) == start + .seconds(1))
        #expect(series.nextSample(after: start + .milliseconds(300)) == start + .seconds(1))
        series.update(at: start + .hours(7 * 24))
        #expect(series.width == .seconds(512) && series.partWidth == .seconds(16))
        #expect(series.nextSample(after: start + .seconds(16)) == start + .seconds(32))
        #expect(series.nextSample(after: start + .seconds(17)) == start + .seconds(32))
    }
}

@Suite("Close-ups")
struct CloseUpTests {
    let start = Instant(milliseconds: 1_000_000)

    private func recorder() -> RunRecorder {
        let range = start + .hours(48)..<start + .hours(50)
        return RunRecorder(start: start, populationCount: 2, closeUps: [range])
    }

    private func note(_ recorder: inout RunRecorder, at instant: Instant, failed: Bool = false) {
        var sample = RequestSample(plannedAt: instant, finishedAt: instant)
        sample.status = failed ? 503 : 200
        sample.isAcknowledged = !failed
        recorder.note(sample, population: 0)
    }

    @Test("hold what happened in them, in shorter intervals than the run's")
    func holds() throws {
        var recorder = recorder()
        for minute in Int64(0)..<(7 * 24 * 60) {
            note(&recorder, at: start + .minutes(minute), failed: minute == 49 * 60)
        }
        let closeUp = recorder.closeUps[0]
        #expect(closeUp.series.buckets.reduce(0) { $0 + $1.requests } == 120)
        #expect(closeUp.series.buckets.reduce(0) { $0 + $1.failures } == 1)
        #expect(closeUp.series.width < recorder.series.width)
        #expect(Int64(closeUp.series.buckets.count) <= CloseUp.capacity)
        let index = closeUp.series.buckets.firstIndex { $0.failures > 0 }
        #expect(index == Int(3600 / (closeUp.series.width.nanoseconds / 1_000_000_000)))
        #expect(closeUp.series.buckets.reduce(0) { $0 + $1.duration.count } == 120)
    }

    @Test("ask for gauges as often as they can show them, and only there")
    func samples() {
        var recorder = recorder()
        recorder.note(lag: .zero, at: start + .hours(7 * 24))
        let coarse = recorder.series.partWidth
        #expect(recorder.nextSample(after: start + .hours(20)) == start + .hours(20) + coarse)
        let before = start + .hours(48) - .seconds(1)
        #expect(recorder.nextSample(after: before) == start + .hours(48))
        let inside = start + .hours(49)
        #expect(recorder.nextSample(after: inside) == inside + .seconds(1))
        #expect(recorder.nextSample(after: start + .hours(50)) >= start + .hours(50) + .seconds(2))
    }

    @Test("merge over shards")
    func merges() {
        var (one, other) = (recorder(), recorder())
        note(&one, at: start + .hours(49))
        note(&other, at: start + .hours(49), failed: true)
        one.merge(other)
        #expect(one.closeUps[0].series.buckets.last?.requests == 2)
        #expect(one.closeUps[0].series.buckets.last?.failures == 1)
    }

    @Test("a population's extremes are those of its shards' sum, not the sum of its shards' extremes")
    func population() throws {
        var shards = (0..<3).map { _ in RunRecorder(start: start, populationCount: 1) }
        for second in Int64(0)..<6 {
            let instant = start + .seconds(second + 1) - Interval(nanoseconds: 1)
            for shard in shards.indices {
                var gauges = TimeSeries.Gauges()
                gauges.storedRows = second % 3 == Int64(shard) ? 90 : 10
                shards[shard].note(gauges: gauges, captured: 0, population: 0, at: instant)
            }
        }
        var whole = shards[0]
        for shard in shards.dropFirst() { whole.merge(shard) }
        for record in [whole.total, whole.populations[0]] {
            let metric = try #require(record.metrics(seconds: 6).first { $0.name == "store_depth" })
            guard case .gauge(let value, let minimum, let maximum) = metric.value else {
                Issue.record("store_depth is no gauge")
                return
            }
            #expect((value, minimum, maximum) == (110, 110, 110))
        }
    }

    @Test("the fleet's extremes are those of its sum, not the sum of its populations' extremes")
    func fleet() throws {
        var recorder = RunRecorder(start: start, populationCount: 2)
        for second in Int64(0)..<4 {
            let instant = start + .seconds(second + 1) - Interval(nanoseconds: 1)
            for population in 0..<2 {
                var gauges = TimeSeries.Gauges()
                gauges.storedRows = second % 2 == Int64(population) ? 90 : 10
                recorder.note(gauges: gauges, captured: 0, population: population, at: instant)
            }
        }
        let metric = try #require(
            recorder.total.metrics(seconds: 4).first { $0.name == "store_depth" })
        guard case .gauge(let value, let minimum, let maximum) = metric.value else {
            Issue.record("store_depth is no gauge")
            return
        }
        #expect((value, minimum, maximum) == (100, 100, 100))
    }
}
