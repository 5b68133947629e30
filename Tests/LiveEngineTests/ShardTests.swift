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

@Suite("The course of a live run", .serialized, .realClock())
struct LiveRunTests {
    private static let ok = ScriptedServer.ok

    @Test("splits devices over shards and puts the counts together")
    func shards() async throws {
        var run = ScriptedRun { device in
            [(.milliseconds(Int64(device)), .seal), (.milliseconds(20), .upload(number: 0))]
                + (device == 3 ? [(.milliseconds(30), .seal)] : [])
        }
        run.devices = 5
        run.shards = 2
        let (result, log, requests) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes.count == 5)
        #expect(requests.count == 5)
        #expect(result.capturedPerDevice == [1, 1, 1, 2, 1])
        #expect(result.recorder.beliefs.capturedCounts == [1, 1, 1, 2, 1])
        #expect(result.recorder.populations[0].ledger.captured == 6)
        #expect(result.recorder.populations[0].ledger.balance == 0)
        #expect(result.devicesStarted == 5)
        #expect(result.planFingerprint == 14)
        #expect(result.health.busyShares.count == 2)
    }

    @Test("gives every sealed event to the sink")
    func sink() async throws {
        try await withGroup(threads: 1) { group in
            let taken = Mutex<[EventID]>([])
            let log = FleetLog()
            let run = ScriptedRun { _ in (0..<600).map { _ in (.zero, .seal) } }
            let live = try await run.begin(port: 1, on: [group.next()], log: log) {
                events, population, shard in
                #expect(population == 0 && shard == 0)
                taken.withLock { $0 += events.map(\.id) }
            }
            _ = try await live.result()
            #expect(live.labels == [[EventLabel(type: "track", name: "Scripted")]])
            #expect(taken.withLock { $0 } == (0..<600).map { EventID(device: 0, sequence: $0) })
        }
    }

    @Test("waits in the drain for open answers")
    func drain() async throws {
        var run = ScriptedRun { _ in [(.milliseconds(90), .upload(number: 0))] }
        run.duration = .milliseconds(100)
        let (_, log, _) = try await run.play { _, _ in [.wait(200), .write(Self.ok)] }
        #expect(log.outcomes == [.answered(status: 200, body: [])])
    }

    @Test("starts nothing after the drain, and still takes open answers")
    func afterDrain() async throws {
        // The second comes between the end of the drain and the answer; half a second lets a busy machine begin.
        var run = ScriptedRun { _ in [(.zero, .upload(number: 0)), (.milliseconds(900), .upload(number: 1))] }
        run.duration = .milliseconds(500)
        run.drain = .milliseconds(50)
        let (_, log, requests) = try await run.play { _, _ in [.wait(1500), .write(Self.ok)] }
        #expect(requests.count == 1)
        // The answer lets the device come to the present; what it asks for then is handed back unsent.
        #expect(log.outcomes == [.answered(status: 200, body: []), .failed(.offline)])
    }

    @Test("stops users on the first stop and drains")
    func stop() async throws {
        try await withGroup(threads: 2) { group in
            let log = FleetLog()
            // However long it takes until the run is looked at and stopped, its request is open.
            let server = try await ScriptedServer.start(on: group) { _, _ in
                [.hold(until: { log.all.contains(.usersStopped) }), .write(Self.ok)]
            }
            var run = ScriptedRun { _ in
                [
                    (.zero, .upload(number: 0, timeout: .seconds(3000))),
                    (.seconds(3000), .upload(number: 1)),
                ]
            }
            run.duration = .seconds(3600)
            let live = try await run.begin(port: server.port, on: [group.next()], log: log)
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let during = try await live.snapshot()
            #expect(during.phase == .running)
            #expect(during.requestsInFlight == 1)
            #expect(during.openConnections == 1)
            #expect(during.usersStoppedAt == nil)
            live.stop()
            #expect(try await live.snapshot().usersStoppedAt != nil)
            let result = try await live.result()
            #expect(result.wasStopped)
            let stopped = try #require(result.usersStoppedAt)
            #expect(during.now <= stopped && stopped <= result.finishedAt)
            #expect(log.all.contains(.usersStopped))
            #expect(log.outcomes == [.answered(status: 200, body: [])])
            #expect(try await live.snapshot().phase == .ended)
            try await server.stop()
        }
    }

    @Test("ends at once on the second stop")
    func stopTwice() async throws {
        try await withGroup(threads: 2) { group in
            let server = try await ScriptedServer.start(on: group) { _, _ in [] }
            let log = FleetLog()
            var run = ScriptedRun { _ in [(.zero, .upload(number: 0, timeout: .seconds(3000)))] }
            run.duration = .seconds(3600)
            run.drain = .seconds(3600)
            let live = try await run.begin(port: server.port, on: [group.next()], log: log)
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            live.stop()
            live.stop()
            _ = try await live.result()
            #expect(log.outcomes.isEmpty)
            #expect(log.all.last == .finished)
            try await server.stop()
        }
    }

    @Test("changes networks on the timeline and back")
    func timeline() async throws {
        var run = ScriptedRun { _ in [] }
        run.devices = 2
        run.duration = .milliseconds(200)
        run.entries = [
            .init(
                from: ScriptedRun.start + .milliseconds(50), until: ScriptedRun.start + .milliseconds(100),
                network: .none, share: 1)
        ]
        let (_, log, _) = try await run.play { _, _ in [] }
        #expect(
            log.all == [
                .network(device: 0, .to(.none)), .network(device: 1, .to(.none)),
                .network(device: 0, NetworkChange(kind: nil)),
                .network(device: 1, NetworkChange(kind: nil)), .finished,
            ])
    }

    @Test("refuses a target that it cannot speak to before the run")
    func targets() async throws {
        var plan = ScriptedRun.plan(devices: 1, port: 443)
        plan.target.scheme = "ftp"
        let schedule = RunSchedule(start: ScriptedRun.start, duration: .seconds(1), drain: .zero)
        let configuration = LiveConfiguration(
            plans: [plan], schedule: schedule, clock: RunClock(showing: ScriptedRun.start),
            descriptorBudget: 1)
        try await withGroup(threads: 1) { group in
            _ = await #expect(throws: LiveEngineError.unsupportedScheme("ftp")) {
                _ = try await LiveRun.start(configuration, on: [group.next()])
            }
        }
    }

    @Test("tells a target that listens from one that does not")
    func reachable() async throws {
        try await withGroup(threads: 1) { group in
            let server = try await ScriptedServer.start(on: group) { _, _ in [] }
            let target = ScriptedRun.plan(devices: 1, port: server.port).target
            #expect(try await LiveEngine.connectProblem(target, on: group.next()) == nil)
            var dotted = target
            dotted.host = "LocalHost."
            #expect(try await LiveEngine.connectProblem(dotted, on: group.next()) == nil)
            try await server.stop()
            let problem = try await LiveEngine.connectProblem(target, on: group.next())
            #expect(problem == "Connection refused")
        }
    }

    /// What the check before a run says of a server from which HTTP/2 is demanded without TLS.
    private func problem(demandingHTTP2 actions: [ScriptedServer.Action]) async throws -> String? {
        // The suite knows how late these loops are.
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ScriptedServer.start(on: group) { ordinal, _ in ordinal == 0 ? actions : [] }
        var target = ScriptedRun.plan(devices: 1, port: server.port).target
        target.http = .two
        let problem = try await LiveEngine.connectProblem(
            target, within: .milliseconds(300), on: group.next())
        try await server.stop()
        return problem
    }

    @Test("tells a server that speaks HTTP/2 from the first byte from one that does not")
    func demandedHTTP2() async throws {
        let settings = "\0\0\0\u{4}\0\0\0\0\0"
        #expect(try await problem(demandingHTTP2: [.write(settings)]) == nil)
        #expect(try await problem(demandingHTTP2: [.drip(settings)]) == nil)
        let older = "the server answers in HTTP/1.1, and target.http asks for HTTP/2"
        #expect(try await problem(demandingHTTP2: [.write("HTTP/1.1 400 No\r\n\r\n"), .close]) == older)
        let none = "the server does not answer in HTTP/2, and target.http asks for nothing else"
        #expect(try await problem(demandingHTTP2: [.write("SSH-2.0-x\r\n")]) == none)
        #expect(try await problem(demandingHTTP2: [.close]) == none)
        #expect(try await problem(demandingHTTP2: []) == "no answer within 300ms")
    }

    @Test("judges the generator by its lag and its loops")
    func health() {
        var lag = LatencyHistogram()
        for _ in 0..<95 { lag.record(.milliseconds(1)) }
        var health = GeneratorHealth(scheduleLag: lag, busyShares: [0.5], peakBusyShares: [0.9])
        #expect(!health.isSaturated)
        health.busyShares = [0.5, 0.97]
        #expect(health.problem?.contains("Event loop 1 was busy 97 %") == true)
        for _ in 0..<5 { lag.record(.milliseconds(400)) }
        health = GeneratorHealth(scheduleLag: lag, busyShares: [0.5], peakBusyShares: [0.5])
        #expect(health.problem?.contains("1 in 100 of its actions") == true)
    }

    /// Of Sensors devices whose flushes wait for each other: they keep two connections each unless they fetch no
    /// configuration.
    private static func problem(
        devices: Int, inUse: Int? = nil, budget: Int, ports: Int, hosts: [String] = ["10.0.0.1"],
        fetchesConfig: Bool = true, connections: PopulationPlan.Target.Connections = .perDevice,
        http: PopulationPlan.Target.HTTPVersions = .automatic
    ) -> String? {
        var plan = ScriptedRun.plan(devices: devices, port: 80)
        var rules = SensorsRules(version: .v4)
        rules.upload.blocksTracking = true
        rules.remoteConfig.enabled = fetchesConfig
        plan.system = rules
        plan.targets = hosts.map { .init(scheme: "http", host: $0, port: 80, pathAndQuery: "/") }
        plan.target.connections = connections
        plan.target.http = http
        return LiveEngine.capacityProblem(
            plans: [plan], inUse: inUse.map { [ConnectionsInUse(devices: $0, connections: 2 * $0)] },
            descriptorBudget: budget, ephemeralPorts: ports)
    }

    @Test("says beforehand what cannot fit, with the number that would")
    func capacity() {
        #expect(Self.problem(devices: 50, budget: 100, ports: 28_232) == nil)
        let descriptors = Self.problem(devices: 51, budget: 100, ports: 28_232)
        #expect(descriptors?.hasPrefix("51 devices in use keep up to 102 connections") == true)
        #expect(descriptors?.contains("50 devices would fit (--devices 50)") == true)
        // Nobody holds a connection who is not in use.
        #expect(Self.problem(devices: 900, inUse: 50, budget: 100, ports: 28_232) == nil)
        // What would fit is told of all devices, as they are asked for.
        let few = Self.problem(devices: 900, inUse: 51, budget: 100, ports: 28_232)
        #expect(
            few
                == descriptors?.replacing("50 devices", with: "880 devices").replacing(
                    "s 50)", with: "s 880)"))
        #expect(Self.problem(devices: 880, inUse: 50, budget: 100, ports: 28_232) == nil)
        #expect(
            Self.problem(devices: 51, budget: 1, ports: 28_232)?.contains(": no device would fit. ") == true)
        // One connection does where nothing is fetched beside the uploads, and where all are streams of one.
        #expect(Self.problem(devices: 100, budget: 100, ports: 28_232, fetchesConfig: false) == nil)
        #expect(Self.problem(devices: 101, budget: 100, ports: 28_232, fetchesConfig: false) != nil)
        #expect(Self.problem(devices: 100, budget: 100, ports: 28_232, http: .two) == nil)
        let ports = Self.problem(devices: 30_000, budget: 70_000, ports: 28_232)
        #expect(ports?.contains("14000 devices would fit (--devices 14000), or more addresses") == true)
        #expect(ports?.contains("10.0.0.1:80") == true)
        #expect(MachineLimits.descriptorBudget(limit: 20_000, sharedWithCollector: true) == 9_950)
        // 2,000 devices with a file and a connection each, both ends here.
        #expect(MachineLimits.storeBudget(limit: 20_000, files: 2000) == 2000)
        #expect(
            MachineLimits.descriptorBudget(limit: 20_000, sharedWithCollector: true, stores: 2000) == 8_950)
        // Where descriptors are few, files take turns.
        #expect(MachineLimits.storeBudget(limit: 1024, files: 2000) == 308)
        #expect(MachineLimits.storeBudget(limit: 1024, files: 0) == 0)
        #expect(MachineLimits.ephemeralPorts() > 0)
    }

    @Test("counts ports for each destination, and shared connections once")
    func destinations() {
        let hosts = ["10.0.0.1", "10.0.0.2"]
        #expect(Self.problem(devices: 28_000, budget: 60_000, ports: 28_232, hosts: hosts) == nil)
        #expect(
            Self.problem(devices: 60_000, budget: 130_000, ports: 28_232, hosts: hosts)?
                .hasPrefix("30000 devices in use keep up to 60000 connections to 10.0.0.1:80") == true)
        #expect(Self.problem(devices: 60_000, budget: 100, ports: 50, connections: .pooled(50)) == nil)
        #expect(Self.problem(devices: 60_000, budget: 100, ports: 40, connections: .pooled(50)) != nil)
    }

    @Test("says when new connections would use up the ports")
    func ports() {
        var plan = ScriptedRun.plan(devices: 10, port: 80)
        #expect(
            LiveEngine.portProblem(plans: [plan], requestsPerSecond: 1000, ephemeralPorts: 28_232) == nil)
        plan.target.connections = .perRequest
        #expect(
            LiveEngine.portProblem(plans: [plan], requestsPerSecond: 470, ephemeralPorts: 28_232) == nil)
        #expect(
            LiveEngine.portProblem(plans: [plan], requestsPerSecond: 472, ephemeralPorts: 28_232)?
                .contains("470 a second") == true)
    }
}

@Suite("Transport benchmark")
struct TransportBenchTests {
    @Test("counts whole answers, and opens anew what fails")
    func counts() async throws {
        // A machine that keeps the loops waiting may need longer for a hundred requests than a fifth of a second.
        for seconds in [0.2, 2, 20] {
            let (outcome, requests) = try await Self.measured(seconds: seconds)
            guard requests.count >= 100 || seconds == 20 else { continue }
            #expect(outcome.failed == 1)
            #expect(outcome.succeeded > 4)
            #expect(outcome.otherAnswers == 0)
            #expect(requests.allSatisfy { $0.hasSuffix("Content-Length: 4\r\n\r\nbody") })
            break
        }
    }

    /// A measurement of a server that leaves its fourth request unanswered, and what that server got.
    private static func measured(
        seconds: Double
    ) async throws -> (outcome: TransportBench.Outcome, requests: [String]) {
        try await withGroup(threads: 2) { group in
            let server = try await ScriptedServer.start(on: group) { ordinal, _ in
                ordinal == 3 ? [.close] : [.write(ScriptedServer.ok)]
            }
            let target = PopulationPlan.Target(
                scheme: "http", host: "127.0.0.1", port: server.port, pathAndQuery: "/")
            let outcome = try await TransportBench.run(
                target: target, connections: 4, seconds: seconds, body: Array("body".utf8), on: group.next())
            let requests = server.requests
            try await server.stop()
            return (outcome: outcome, requests: requests)
        }
    }
}
