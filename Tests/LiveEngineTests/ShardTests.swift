import Accounting
import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import SensorsSDK
import Synchronization
import TestSupport
import Testing
import Timebase
import World

@testable import LiveEngine

@Suite("A shard against a scripted server", .serialized, .realClock())
struct ShardTests {
    private static let ok = ScriptedServer.ok

    private static func names(_ result: LiveResult) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: result.recorder.populations[0].answers.map { ($0.name, $0.count) })
    }

    @Test("sends what the device encodes and gives the answer back")
    func answer() async throws {
        let run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        let (result, log, requests) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(
            log.all == [
                .encoded(device: 0, number: 0),
                .completed(device: 0, number: 0, .answered(status: 200, body: [])), .finished,
            ])
        let request = try #require(requests.first)
        #expect(request.hasPrefix("POST /sa?project=p HTTP/1.1\r\nHost: 127.0.0.1:"))
        #expect(request.contains("\r\nUser-Agent: Test\r\n"))
        // The fleet's head holds the scenario's headers already: each is sent once.
        #expect(request.split(separator: "\r\n").filter { $0 == "X-Env: test" }.count == 1)
        #expect(request.hasSuffix("\r\nContent-Length: 28\r\n\r\ndevice=0&upload=0&xxxxxxxxxx"))
        #expect(result.recorder.populations[0].requests == 1)
        #expect(result.connectionsOpened == 1)
        #expect(Self.names(result) == ["200": 1])
        #expect(result.unexpectedAnswers.isEmpty)
        #expect(result.planFingerprint == 7)
        #expect(!result.wasStopped)
    }

    @Test("takes every phase of a request apart, with nothing left over")
    func phases() async throws {
        let run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        let (result, _, _) = try await run.play { _, _ in
            [.wait(100), .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(100), .write("ok")]
        }
        let metrics = result.recorder.populations[0].metrics(seconds: 1)
        func mean(_ name: String) throws -> Double {
            guard
                case .trend(.time(let histogram)) = metrics.first(where: { $0.name == "http_req_\(name)" })?
                    .value,
                histogram.count == 1
            else { throw LiveEngineError.unresolvedHost("http_req_\(name) has no value") }
            return histogram.meanMilliseconds
        }
        // A loop that notices the beginning of a phase late, by less than counts as late, finds it shorter.
        #expect(try mean("waiting") >= 75)
        #expect(try mean("receiving") >= 75)
        let parts = try ["blocked", "connecting", "sending", "waiting", "receiving"].map(mean)
        // Each is rounded down to a microsecond.
        #expect(abs(try mean("duration") - parts.reduce(0, +)) <= 0.006)
        let service = try ["sending", "waiting", "receiving"].map(mean)
        #expect(abs(try mean("service") - service.reduce(0, +)) <= 0.006)
    }

    @Test("gives a config fetch its body, and counts it apart")
    func config() async throws {
        let run = ScriptedRun { _ in [(.zero, .config(number: 0))] }
        let (result, log, requests) = try await run.play { _, _ in [.drip(Self.ok)] }
        #expect(log.outcomes == [.answered(status: 200, body: Array("ok".utf8))])
        #expect(requests.first?.hasPrefix("GET /config HTTP/1.1\r\n") == true)
        #expect(result.recorder.populations[0].requests == 0)
    }

    @Test("keeps a connection for the device's next request")
    func keepAlive() async throws {
        let run = ScriptedRun { _ in
            (0..<5).flatMap { [(.zero, .upload(number: $0)), (.zero, .awaitAnswers)] }
        }
        let (result, log, _) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes.count == 5)
        #expect(result.connectionsOpened == 1)
    }

    @Test("opens another connection for a request beside an open one")
    func concurrent() async throws {
        let run = ScriptedRun { _ in [(.zero, .upload(number: 0)), (.zero, .upload(number: 1))] }
        let (result, log, _) = try await run.play { _, _ in [.wait(30), .write(Self.ok)] }
        #expect(log.outcomes.count == 2)
        #expect(result.connectionsOpened == 2)
        #expect(result.connectionsPeak == 2)
    }

    @Test("obeys Connection: close")
    func connectionClose() async throws {
        let run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.milliseconds(100), .upload(number: 1))]
        }
        let (result, log, _) = try await run.play { _, _ in
            [.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")]
        }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 2))
        #expect(result.connectionsOpened == 2)
    }

    @Test("opens a new connection where the server closed the idle one")
    func closedWhileIdle() async throws {
        let run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.milliseconds(150), .upload(number: 1))]
        }
        let (result, log, _) = try await run.play { _, _ in [.write(Self.ok), .wait(10), .close] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 2))
        #expect(result.connectionsOpened == 2)
        #expect(Self.names(result) == ["200": 2])
    }

    @Test("closes a connection that was idle for too long")
    func idleLimit() async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.milliseconds(280), .upload(number: 1))]
        }
        run.idleLimit = .milliseconds(40)
        let (result, log, _) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes.count == 2)
        #expect(result.connectionsOpened == 2)
        #expect(result.connectionsRecycled == 0)
    }

    struct Failing: CustomTestStringConvertible, Sendable {
        var failure: RequestFailure
        /// The rule of HTTP that the answer breaks.
        var rule: AnswerBreach?
        var actions: [ScriptedServer.Action]
        var testDescription: String { failure.name }
    }

    @Test(
        "names how a request failed",
        arguments: [
            Failing(failure: .closed, actions: [.close]),
            Failing(failure: .reset, actions: [.reset]),
            Failing(failure: .reset, actions: [.write("HTTP/1.1 200 OK\r\n"), .wait(50), .reset]),
            Failing(
                failure: .truncated,
                actions: [.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close]),
            Failing(failure: .truncated, actions: [.write("HTTP/1.1 2"), .close]),
            Failing(
                failure: .malformed, rule: .statusLine,
                actions: [.write("220 mail.example.org ESMTP\r\n")]),
            // The settings of a server that speaks HTTP/2: no line ends in them.
            Failing(
                failure: .malformed, rule: .statusLine,
                actions: [.write("\0\0\u{6}\u{4}\0\0\0\0\0\0\u{3}\0\0\0\u{40}"), .close]),
            Failing(
                failure: .malformed, rule: .chunkSize,
                actions: [.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n")]),
        ])
    func failures(_ failing: Failing) async throws {
        let run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.zero, .upload(number: 1))]
        }
        let (result, log, _) = try await run.play { ordinal, _ in
            ordinal == 0 ? failing.actions : [.write(Self.ok)]
        }
        #expect(log.outcomes == [.failed(failing.failure), .answered(status: 200, body: [])])
        #expect(result.connectionsOpened == 2)
        #expect(Self.names(result) == [failing.failure.name: 1, "200": 1])
        let leftBytes = failing.actions.contains { if case .write = $0 { true } else { false } }
        #expect(result.unexpectedAnswers.map(\.failure) == (leftBytes ? [failing.failure] : []))
        if let rule = failing.rule {
            let told = result.unexpectedAnswers.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(told.allSatisfy { $0.hasPrefix("HTTP/1.1: \(rule.words): ") }, "\(told)")
        }
    }

    @Test("takes the close as the end of an answer without a length")
    func closeDelimited() async throws {
        let run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        let (_, log, _) = try await run.play { _, _ in [.write("HTTP/1.0 200 OK\r\n\r\nwhatever"), .close] }
        #expect(log.outcomes == [.answered(status: 200, body: [])])
    }

    @Test("ends a request at the SDK's own limit and closes its connection")
    func timeout() async throws {
        let run = ScriptedRun { _ in
            [
                (.zero, .upload(number: 0, timeout: .milliseconds(50))), (.zero, .awaitAnswers),
                (.zero, .upload(number: 1)),
            ]
        }
        let (result, log, _) = try await run.play { ordinal, _ in ordinal == 0 ? [] : [.write(Self.ok)] }
        #expect(log.outcomes == [.failed(.timedOut), .answered(status: 200, body: [])])
        #expect(result.connectionsOpened == 2)
        #expect(Self.names(result) == ["timed_out": 1, "200": 1])
    }

    @Test("says when a connection is refused")
    func refused() async throws {
        try await withGroup(threads: 1) { group in
            let server = try await ScriptedServer.start(on: group) { _, _ in [] }
            let port = server.port
            try await server.stop()
            let log = FleetLog()
            let run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
            let result = try await run.begin(port: port, on: [group.next()], log: log).result()
            #expect(log.outcomes == [.failed(.refused)])
            #expect(Self.names(result) == ["refused": 1])
            #expect(!log.all.contains(.encoded(device: 0, number: 0)))
        }
    }

    @Test("fails a request without a network at once, and does not count it")
    func offline() async throws {
        let run = ScriptedRun { _ in [(.zero, .offlineUpload(number: 0))] }
        let (result, log, requests) = try await run.play { _, _ in [] }
        #expect(log.outcomes == [.failed(.offline)])
        #expect(requests.isEmpty)
        #expect(result.recorder.populations[0].requests == 0)
        #expect(result.recorder.populations[0].offlineAttempts == 1)
    }

    @Test("cuts the requests of a process that dies, without an answer to it")
    func died() async throws {
        let run = ScriptedRun { _ in
            [
                (.zero, .upload(number: 0)), (.milliseconds(100), .die),
                (.milliseconds(150), .upload(number: 1)),
            ]
        }
        let (result, log, _) = try await run.play { ordinal, _ in
            ordinal == 0 ? [] : [.write(Self.ok)]
        }
        #expect(
            log.all == [
                .encoded(device: 0, number: 0), .encoded(device: 0, number: 1),
                .completed(device: 0, number: 1, .answered(status: 200, body: [])), .finished,
            ])
        #expect(Self.names(result) == ["process_died": 1, "200": 1])
        #expect(result.connectionsOpened == 2)
    }

    @Test("closes the idle connections of a process that dies")
    func diedIdle() async throws {
        let run = ScriptedRun { _ in
            [
                (.zero, .upload(number: 0)), (.milliseconds(100), .die),
                (.milliseconds(150), .upload(number: 1)),
            ]
        }
        let (result, _, _) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(Self.names(result) == ["200": 2])
        #expect(result.connectionsOpened == 2, "a new process has no connection yet")
    }

    @Test("closes the longest-idle connection where no descriptor is left")
    func recycling() async throws {
        var run = ScriptedRun { device in [(.milliseconds(Int64(device) * 100), .upload(number: 0))] }
        run.devices = 3
        run.descriptorBudget = 2
        let (result, log, _) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes.count == 3)
        #expect(result.connectionsRecycled == 1)
        #expect(result.connectionsPeak == 2)
    }

    @Test("lets requests wait in order where every connection is busy")
    func waiting() async throws {
        var run = ScriptedRun { device in [(.milliseconds(Int64(device) * 10), .upload(number: 0))] }
        run.devices = 4
        run.descriptorBudget = 1
        let (result, log, requests) = try await run.play { _, _ in [.wait(60), .write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 4))
        #expect(result.connectionsPeak == 1)
        #expect(result.connectionsRecycled == 3)
        #expect(
            requests.map { $0.split(separator: "&")[0].suffix(8) } == [
                "device=0", "device=1", "device=2", "device=3",
            ])
        let blocked = try #require(
            result.recorder.populations[0].metrics(seconds: 1).first { $0.name == "http_req_blocked" })
        guard case .trend(.time(let histogram)) = blocked.value else {
            Issue.record("http_req_blocked is a trend of times")
            return
        }
        #expect(histogram.count == 4)
        #expect(histogram.maximumMilliseconds >= 100)
    }

    @Test("ends a request that waits for a descriptor at its limit")
    func waitingTimeout() async throws {
        var run = ScriptedRun { device in
            [
                (
                    .milliseconds(Int64(device) * 20),
                    .upload(number: 0, timeout: .milliseconds(device == 0 ? 900 : 50))
                )
            ]
        }
        run.devices = 2
        run.descriptorBudget = 1
        let (result, log, requests) = try await run.play { _, _ in [] }
        #expect(log.outcomes == [.failed(.timedOut), .failed(.timedOut)])
        #expect(requests.count == 1)
        #expect(Self.names(result) == ["timed_out": 2])
    }

    @Test("keeps the first unexpected answers with their bytes")
    func unexpected() async throws {
        let run = ScriptedRun { _ in
            (0..<30).flatMap { [(.zero, .upload(number: $0)), (.zero, .awaitAnswers)] }
        }
        let (result, _, _) = try await run.play { _, _ in
            [.write("HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusy")]
        }
        #expect(result.unexpectedAnswers.count == UnexpectedAnswer.limit)
        let first = try #require(result.unexpectedAnswers.first)
        #expect(first.status == 503)
        #expect(first.failure == nil)
        #expect(first.headers.contains("Retry-After: 1"))
        #expect(first.body == Array("busy".utf8))
        #expect(Self.names(result) == ["503": 30])
    }

    @Test("sends a body that is larger than a socket's buffer")
    func largeBody() async throws {
        var run = ScriptedRun { _ in
            [(.zero, .upload(number: 0)), (.zero, .awaitAnswers), (.milliseconds(150), .upload(number: 1))]
        }
        run.bodySize = 3_000_000
        let (result, log, requests) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 2))
        #expect(requests.allSatisfy { $0.utf8.count > 3_000_000 })
        #expect(result.connectionsOpened == 1)
    }
}
