import Accounting
import Snapshots
import Testing
import Timebase
import World

@testable import Measurement

@Suite("The time series")
struct TimeSeriesTests {
    let start = Instant(milliseconds: 1_000_000)

    static func captured(_ count: UInt64) -> Tally {
        var tally = Tally()
        tally.captured = count
        return tally
    }

    static var request: Tally {
        var tally = Tally()
        tally.requests = 1
        return tally
    }

    @Test("keeps its memory constant and its sums whole over a week")
    func week() {
        var series = TimeSeries(start: start)
        for minute in Int64(0)..<(7 * 24 * 60) {
            series.update(at: start + .minutes(minute), Self.captured(3))
        }
        #expect(series.buckets.count <= TimeSeries.capacity)
        #expect(series.buckets.reduce(0) { $0 + $1.captured } == 3 * 7 * 24 * 60)
        #expect(series.width > .seconds(300))
    }

    @Test("merges shards of different lengths and widths without losing a count")
    func merge() {
        var short = TimeSeries(start: start)
        var long = TimeSeries(start: start)
        for second in Int64(0)..<100 { short.update(at: start + .seconds(second), Self.request) }
        for second in Int64(0)..<5000 { long.update(at: start + .seconds(second), Self.request) }
        for (one, other) in [(short, long), (long, short)] {
            var merged = one
            merged.merge(other)
            #expect(merged.buckets.reduce(0) { $0 + $1.requests } == 5100)
            #expect(merged.width == long.width)
        }
    }
}

@Suite("The recorder")
struct RunRecorderTests {
    let start = Instant(milliseconds: 1_700_000_000_000)

    func event(_ sequence: UInt32, _ disposition: Disposition, age: Interval = .seconds(2)) -> SealedEvent {
        SealedEvent(
            id: EventID(device: 3, sequence: sequence), label: 0, attempts: 1, disposition: disposition,
            capturedAt: start, ackedAt: disposition == .delivered ? start + age : .distantFuture)
    }

    @Test("makes books, freshness and beliefs from the same events")
    func books() throws {
        var recorder = RunRecorder(start: start, populationCount: 1)
        let events: ContiguousArray = [
            event(0, .delivered), event(1, .evicted(.storageLimit)), event(2, .delivered, age: .minutes(5)),
            event(3, .suppressed(.invalid)), event(4, .rejected(status: 413)),
        ]
        recorder.note(events, population: 0)
        recorder.note(gauges: TimeSeries.Gauges(), captured: 5, population: 0, at: start)
        let record = recorder.populations[0]
        #expect(record.ledger.balance == 0)
        #expect(record.ledger.lostInAnyWay == 2)
        let metrics = record.metrics(seconds: 10)
        // Four of five were recorded by the SDK; one of them arrived within a minute, both within an hour.
        for (bound, inTime, late) in [("1m", 1, 3), ("1h", 2, 2), ("24h", 2, 2)] {
            let within = try #require(metrics.first { $0.name == "freshness_within_\(bound)" })
            guard case .rate(let passes, let fails) = within.value else { throw UnexpectedKind() }
            #expect((passes, fails) == (UInt64(inTime), UInt64(late)), "\(bound)")
        }
    }

    struct UnexpectedKind: Error {}

    @Test("counts what devices brought along, and takes it for no rate, also over shards and snapshots")
    func prefilled() throws {
        var recorder = RunRecorder(start: start, populationCount: 1)
        let gauges = TimeSeries.Gauges()
        recorder.note(gauges: gauges, captured: 100, prefilled: 100, population: 0, at: start)
        recorder.note(gauges: gauges, captured: 130, prefilled: 100, population: 0, at: start + .seconds(1))
        var shard = RunRecorder(start: start, populationCount: 1)
        shard.note(gauges: gauges, captured: 60, prefilled: 50, population: 0, at: start)
        var writer = SnapshotWriter()
        writer.write(recorder)
        var reader = SnapshotReader(writer.bytes[...])
        var read: RunRecorder = try reader.value()
        read.merge(shard)
        for (record, count, rate) in [(recorder.total, 130.0, 3.0), (read.total, 190, 4)] {
            let metric = try #require(record.metrics(seconds: 10).first { $0.name == "events_captured" })
            guard case .counter(let found, let perSecond) = metric.value else { throw UnexpectedKind() }
            #expect(found == count && perSecond == rate)
        }
    }

    @Test("has a fingerprint that knows content but not order")
    func fingerprint() {
        let events = ContiguousArray(
            (0..<100).map { event(UInt32($0), $0 % 3 == 0 ? .delivered : .lost(.killed)) })
        var one = RunRecorder(start: start, populationCount: 1)
        one.note(events, population: 0)
        var other = RunRecorder(start: start, populationCount: 1)
        other.note(ContiguousArray(events.reversed()), population: 0)
        #expect(one.eventFingerprint == other.eventFingerprint)
        var third = RunRecorder(start: start, populationCount: 1)
        third.note(events.dropLast() + [event(99, .lost(.storageError))], population: 0)
        #expect(third.eventFingerprint != one.eventFingerprint)
    }

    @Test("leaves refusals out of the durations and offline attempts out of the requests")
    func failures() throws {
        var recorder = RunRecorder(start: start, populationCount: 1)
        var refused = RequestSample(plannedAt: start, finishedAt: start + .milliseconds(1))
        refused.failure = .refused
        var offline = refused
        offline.failure = .offline
        var answered = RequestSample(plannedAt: start, finishedAt: start + .milliseconds(80))
        answered.status = 200
        answered.isAcknowledged = true
        // Success is what the system takes for it: a 204 may be none.
        var unwanted = answered
        unwanted.status = 204
        unwanted.isAcknowledged = false
        for sample in [refused, offline, answered, unwanted] { recorder.note(sample, population: 0) }
        let record = recorder.populations[0]
        #expect(record.requests == 3)
        #expect(record.failedRequests == 2)
        #expect(recorder.series.buckets[0].failures == 2)
        #expect(record.offlineAttempts == 1)
        #expect(record.answers.map(\.name) == ["200", "204", "refused"])
        let duration = try #require(record.metrics(seconds: 1).first { $0.name == "http_req_duration" })
        guard case .trend(let trend) = duration.value else { throw UnexpectedKind() }
        #expect(trend.summary.count == 2)
        #expect(abs(trend.summary.median - 80) < 0.1)
    }

    @Test("the busiest second is that in which most uploads left, wherever they end and in whichever part")
    func busiest() {
        var recorders = Array(repeating: RunRecorder(start: start, populationCount: 1), count: 2)
        // Three a second leave, but for seven in the fifth second; all end at one moment.
        for second in 0..<20 as Range<Int64> {
            for number in 0..<(second == 4 ? 7 : 3) {
                var sample = RequestSample(
                    plannedAt: start, finishedAt: start + .seconds(60) - Interval(nanoseconds: 1))
                sample.begunAt = start + .seconds(second) + .milliseconds(Int64(number))
                sample.failure = .unanswered
                recorders[number % 2].note(sample, population: 0)
            }
        }
        recorders[0].merge(recorders[1])
        let series = recorders[0].series
        #expect(series.busiestRate(from: start) == 7)
        #expect(series.busiestRate(from: start + .milliseconds(4001)) == 3)
        #expect(series.busiestRate(from: start + .seconds(90)) == 0)
        #expect(series.extremes?.high.requests == 64)
        // Where intervals were joined, it is the rate of one.
        var long = recorders[0]
        long.note(lag: .zero, at: start + .hours(7 * 24))
        #expect(long.series.busiestRate(from: start) == 52 / long.series.partWidth.fractionalSeconds)
    }

    /// A whole answer to an upload that had every part that an upload can have.
    private var full: RequestSample {
        var sample = RequestSample(plannedAt: start, finishedAt: start + .milliseconds(9))
        (sample.status, sample.isAcknowledged, sample.isRetry) = (200, true, true)
        (sample.eventCount, sample.bytesSent, sample.bytesReceived) = (3, 300, 30)
        (sample.lookingUp, sample.connecting, sample.handshaking) = (.zero, .zero, .zero)
        return sample
    }

    @Test("tells every metric of the catalogue, in its order and kind, but for those of an audit")
    func catalogue() {
        var recorder = RunRecorder(start: start, populationCount: 1)
        recorder.note(full, population: 0)
        recorder.note([event(0, .delivered)], population: 0)
        let entries = MetricCatalogue.all.filter { $0.source != .audit }
        // Where networks are ideal, nobody counts how long radios were awake, nor roll-outs that are not there.
        #expect(
            recorder.populations[0].metrics(seconds: 1).map(\.name)
                == entries.map(\.name).filter { !$0.hasPrefix("radio_") && $0 != "rollout_reached" })
        var gauges = TimeSeries.Gauges()
        (gauges.devicesUpdated, gauges.devicesUpdatable) = (2, 5)
        recorder.note(
            gauges: gauges, captured: 1, radioTime: TotalTime(.milliseconds(2500)), radioWakeups: 2,
            population: 0, at: start)
        let metrics = recorder.populations[0].metrics(seconds: 1)
        #expect(metrics.map(\.name) == entries.map(\.name))
        var samples: [UInt64] = []
        for (metric, entry) in zip(metrics, entries) {
            switch (metric.value, entry.kind) {
            case (.trend(let trend), .trend): samples.append(trend.summary.count)
            case (.counter, .counter), (.rate, .rate), (.gauge, .gauge): break
            default: Issue.record("\(entry.name) is no \(entry.kind)")
            }
        }
        // Each part that the upload had is recorded, once.
        let parts = Mirror(reflecting: full).children.filter { $0.label != "failure" }
        #expect(samples.allSatisfy { $0 <= 1 })
        #expect(samples.count { $0 == 0 } == parts.count { "\($0.value)" == "nil" })
    }

    @Test("whatever is measured of uploads and fleets is a metric of the catalogue")
    func catalogued() {
        let told = Set(MetricCatalogue.all.map(\.source))
        var measured =
            RequestTime.allCases.map(MetricSource.time) + RequestSize.allCases.map(MetricSource.size)
        measured += FleetGauge.allCases.map(MetricSource.gauge)
        measured += FreshnessBound.allCases.map(MetricSource.deliveredWithin)
        for source in measured { #expect(told.contains(source), "\(source) has no entry") }
        // What is told in other words than a metric's: how uploads ended, and those that never began.
        let others: [RequestCount] = [.abandoned, .offlineAttempts]
        for count in RequestCount.allCases where !others.contains(count) {
            #expect(
                told.contains(.count(count)) || told.contains(.share(count, of: .uploads)),
                "\(count) has no entry")
        }
    }

    @Test("adds up how long radios were awake, over populations, shards and a window")
    func radioTime() {
        var parts = (0..<2).map { _ in
            RunRecorder(
                start: start, populationCount: 2, measured: start + .seconds(1)..<start + .seconds(3))
        }
        for (shard, total) in [4, 6].enumerated() {
            for second in 0..<4 as Range<Int64> {
                // In every second a fourth.
                parts[shard].note(
                    gauges: TimeSeries.Gauges(), captured: 0,
                    radioTime: TotalTime(.milliseconds(Int64(total) * 250 * (second + 1))),
                    radioWakeups: UInt64(total) * UInt64(second + 1), population: 1,
                    at: start + .seconds(second))
            }
        }
        parts[0].merge(parts[1])
        #expect(parts[0].populations[0].radioTime == nil)
        #expect(parts[0].populations[1].radioTime == TotalTime(.seconds(10)))
        #expect(parts[0].total.radioTime == TotalTime(.seconds(10)))
        #expect(parts[0].window?.total.radioTime == TotalTime(.seconds(5)))
        #expect(parts[0].populations[0].radioWakeups == nil)
        #expect(parts[0].total.radioWakeups == 40)
        #expect(parts[0].window?.total.radioWakeups == 20)
    }

    @Test("merges shards to what one recorder would have")
    func merge() {
        var whole = RunRecorder(start: start, populationCount: 2)
        var parts = [
            RunRecorder(start: start, populationCount: 2), RunRecorder(start: start, populationCount: 2),
        ]
        for index in 0..<200 {
            let sealed: ContiguousArray = [
                event(UInt32(index), .delivered, age: .milliseconds(Int64(index)))
            ]
            whole.note(sealed, population: index % 2)
            parts[index / 100].note(sealed, population: index % 2)
        }
        parts[0].merge(parts[1])
        #expect(parts[0].eventFingerprint == whole.eventFingerprint)
        #expect(parts[0].beliefs.delivered == whole.beliefs.delivered)
        for population in 0..<2 {
            #expect(parts[0].populations[population].ledger == whole.populations[population].ledger)
            #expect(
                parts[0].populations[population].freshness.meanMilliseconds
                    == whole.populations[population].freshness.meanMilliseconds)
        }
    }
}
