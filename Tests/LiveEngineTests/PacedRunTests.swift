import Accounting
import DeviceSDK
import Measurement
import TestSupport
import Testing
import Timebase
import World

@testable import LiveEngine

/// Runs whose devices live an hour in a second; the second of a socket stays one.
@Suite("A shard at a pace", .serialized, .realClock())
struct PacedRunTests {
    private static let ok = ScriptedServer.ok

    private static func run(
        duration: Interval, script: @escaping @Sendable (Int) -> ScriptedFleet.Script
    ) -> ScriptedRun {
        var run = ScriptedRun(script: script)
        run.pace = 3600
        run.duration = duration
        return run
    }

    private static func metric(_ name: String, of result: LiveResult) throws -> LatencyHistogram {
        let metrics = result.recorder.populations[0].metrics(seconds: 1)
        guard case .trend(.time(let histogram)) = metrics.first(where: { $0.name == name })?.value else {
            throw LiveEngineError.unresolvedHost("\(name) has no value")
        }
        return histogram
    }

    @Test("plays hours of devices at once, and measures requests by real time")
    func hours() async throws {
        // Four minutes, eight minutes …: far less than a socket's second each.
        let run = Self.run(duration: .hours(1)) { _ in
            (0..<10).map { (.minutes(4 * Int64($0)), .upload(number: UInt32($0))) }
        }
        let (result, log, _) = try await run.play { _, _ in [.wait(20), .write(Self.ok)] }
        #expect(log.outcomes.count == 10)
        let duration = try Self.metric("http_req_duration", of: result)
        #expect(duration.count == 10)
        #expect(duration.minimumMilliseconds >= 19)
        // By the clock of the devices it would be 72 s at least.
        #expect(duration.milliseconds(atPercentile: 100) < 60_000)
        // What waited for the answer is what the phases add up to.
        let parts = try ["blocked", "connecting", "sending", "waiting", "receiving"].map {
            let part = try Self.metric("http_req_\($0)", of: result)
            return part.meanMilliseconds * Double(part.count)
        }
        #expect(abs(duration.meanMilliseconds * 10 - parts.reduce(0, +)) <= 0.1)
        #expect(result.finishedAt - ScriptedRun.start >= .hours(1))
    }

    @Test("lets a request wait for its real limit, not for the devices' hour")
    func limit() async throws {
        let run = Self.run(duration: .milliseconds(1)) { _ in
            [(.zero, .upload(number: 0, timeout: .milliseconds(300)))]
        }
        let (result, log, _) = try await run.play { _, _ in [.wait(100), .write(Self.ok)] }
        #expect(log.outcomes == [.answered(status: 200, body: [])])
        #expect(result.finishedAt - ScriptedRun.start >= .milliseconds(100) * 3600)

        let (cut, cutLog, _) = try await run.play { _, _ in [] }
        #expect(cutLog.outcomes == [.failed(.timedOut)])
        #expect(cut.finishedAt - ScriptedRun.start >= .milliseconds(300) * 3600)
    }

    @Test("turns Retry-After into the devices' time")
    func retryAfter() async throws {
        let run = Self.run(duration: .milliseconds(1)) { _ in [(.zero, .upload(number: 0))] }
        let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n"
        let (_, log, _) = try await run.play { _, _ in [.write(busy)] }
        #expect(log.outcomes == [.answered(status: 503, body: [], retryAfter: .hours(2))])
    }

    @Test("notes neither the age of events nor each of the devices' seconds")
    func intervals() async throws {
        let run = Self.run(duration: .hours(1)) { _ in
            (0..<10).map { (.minutes(5 * Int64($0)), .seal) }
        }
        let (result, _, _) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(result.recorder.series.width == .seconds(512))
        #expect(result.recorder.series.buckets.reduce(0) { $0 + $1.delivered } == 10)
        #expect(result.recorder.series.buckets.reduce(0) { $0 + $1.captured } == 10)
        #expect(result.recorder.total.ledger.balance == 0)
        #expect(try Self.metric("event_freshness", of: result).count == 0)
        let day = result.recorder.total.metrics(seconds: 1).first { $0.name == "freshness_within_24h" }
        guard case .rate(passes: 0, fails: 0) = day?.value else {
            Issue.record("freshness_within_24h has samples")
            return
        }
    }
}
