import Accounting
import Testing
import Timebase
import World

@testable import Measurement

@Suite("What an entry of the timeline did")
struct EntryWindowTests {
    let start = Instant(milliseconds: 1_700_000_000_000)
    /// From 10 s to 20 s.
    var range: Range<Instant> { start + .seconds(10)..<start + .seconds(20) }

    private func event(
        _ sequence: UInt32, captured: Int64, _ disposition: Disposition, acked: Int64? = nil,
        attempts: UInt16 = 1
    ) -> SealedEvent {
        SealedEvent(
            id: EventID(device: 0, sequence: sequence), label: 0, attempts: attempts,
            disposition: disposition, capturedAt: start + .milliseconds(captured),
            ackedAt: acked.map { start + .milliseconds($0) } ?? .distantFuture)
    }

    private func sample(planned: Int64, finished: Int64, service: Int64 = 0, isRetry: Bool = false)
        -> RequestSample
    {
        var sample = RequestSample(
            plannedAt: start + .milliseconds(planned), finishedAt: start + .milliseconds(finished))
        sample.status = 200
        sample.isAcknowledged = !isRetry
        sample.isRetry = isRetry
        sample.begunAt = sample.finishedAt - .milliseconds(service)
        sample.waiting = .milliseconds(service)
        return sample
    }

    private func recorder() -> RunRecorder {
        RunRecorder(start: start, populationCount: 1, entries: [range])
    }

    private func metric(_ name: String, _ recorder: RunRecorder) throws -> MetricValue {
        let metrics = recorder.entries[0].metrics(until: start + .seconds(100))
        return try #require(metrics.first { $0.name == name }?.value)
    }

    @Test("books the events captured in it, whatever their end, and no others")
    func events() throws {
        var recorder = recorder()
        recorder.note(
            [
                event(0, captured: 9999, .delivered, acked: 50_000),
                event(1, captured: 10_000, .delivered, acked: 12_000),
                event(2, captured: 15_000, .delivered, acked: 25_000, attempts: 3),
                event(3, captured: 19_999, .evicted(.storageLimit), attempts: 0),
                event(4, captured: 20_000, .lost(.killed)),
            ], population: 0)
        guard case .counter(let count, let rate) = try metric("events_captured", recorder),
            case .rate(let passes, let fails) = try metric("events_lost", recorder),
            case .trend(let freshness) = try metric("event_freshness", recorder),
            case .trend(let attempts) = try metric("event_attempts", recorder),
            case .trend(let recovery) = try metric("time_to_recover", recorder)
        else { throw Missing() }
        #expect(count == 3 && rate == 0.3)
        #expect(passes == 1 && fails == 2)
        #expect(freshness.summary.count == 2 && freshness.summary.maximum == 10_000)
        #expect(attempts.summary.count == 2 && attempts.summary.average == 2)
        // The first was there before the end, the second 5 s after it.
        #expect(recovery.summary.minimum == 0 && recovery.summary.maximum == 5000)
    }

    @Test("tells no times of events where the run's clock is faster than the sockets")
    func paced() throws {
        var recorder = RunRecorder(
            start: start, populationCount: 1, entries: [range], measuresFreshness: false)
        recorder.note([event(0, captured: 15_000, .delivered, acked: 25_000)], population: 0)
        guard case .trend(let freshness) = try metric("event_freshness", recorder),
            case .trend(let recovery) = try metric("time_to_recover", recorder),
            case .trend(let attempts) = try metric("event_attempts", recorder)
        else { throw Missing() }
        #expect(freshness.summary.count == 0 && recovery.summary.count == 0 && attempts.summary.count == 1)
    }

    @Test("counts the uploads that were due in it, and finds the busiest second after it")
    func uploads() throws {
        var recorder = recorder()
        for (planned, finished) in [(9000, 11_000), (10_000, 10_500), (19_999, 30_000)] as [(Int64, Int64)] {
            recorder.note(sample(planned: planned, finished: finished, isRetry: true), population: 0)
        }
        // Two begin in the second from 23 s on, though they end later; one ten minutes after the end.
        for finished in [23_900, 24_400, 24_600, 620_500] as [Int64] {
            recorder.note(sample(planned: finished, finished: finished, service: 500), population: 0)
        }
        guard case .counter(let requests, _) = try metric("http_reqs", recorder),
            case .counter(let retries, _) = try metric("retries", recorder),
            case .rate(let failed, _) = try metric("http_req_failed", recorder),
            case .gauge(let peak, _, _) = try metric("herd_peak", recorder)
        else { throw Missing() }
        #expect(requests == 2 && retries == 2 && failed == 2)
        #expect(peak == 2)
    }

    @Test("an upload that ends without an answer counts from when it left, as others do")
    func unanswered() throws {
        var recorder = recorder()
        // All are cut at one moment, and only two of them left in the same second after the entry.
        for left in [19_900, 21_000, 23_100, 23_900, 25_000] as [Int64] {
            var sample = RequestSample(plannedAt: start, finishedAt: start + .seconds(90))
            sample.begunAt = start + .milliseconds(left)
            sample.failure = .unanswered
            recorder.note(sample, population: 0)
        }
        guard case .gauge(let peak, _, _) = try metric("herd_peak", recorder) else { throw Missing() }
        #expect(peak == 2)
    }

    @Test("an entry without an end has no recovery and no herd; the shards' parts make the whole")
    func parts() throws {
        let unending = RunRecorder(start: start, populationCount: 1, entries: [start..<Instant.distantFuture])
        let names = unending.entries[0].metrics(until: start + .seconds(9)).map(\.name)
        #expect(!names.contains("time_to_recover") && !names.contains("herd_peak"))
        #expect(names.contains("event_freshness"))
        // Nor is there any of an entry whose end has not come.
        let early = recorder().entries[0].metrics(until: range.upperBound).map(\.name)
        #expect(!early.contains("time_to_recover") && !early.contains("herd_peak"))
        #expect(early.contains("event_attempts"))
        var whole = recorder()
        var parts = [recorder(), recorder()]
        for number in 0..<40 {
            let at = Int64(number) * 700
            let end = event(UInt32(number), captured: at, .delivered, acked: at + 9000)
            let upload = sample(planned: at, finished: at + 300)
            whole.note([end], population: 0)
            whole.note(upload, population: 0)
            parts[number % 2].note([end], population: 0)
            parts[number % 2].note(upload, population: 0)
        }
        parts[0].merge(parts[1])
        for name in MetricCatalogue.ofEntries.map(\.name) {
            #expect("\(try metric(name, parts[0]))" == "\(try metric(name, whole))", "\(name)")
        }
    }

    private struct Missing: Error {}
}
