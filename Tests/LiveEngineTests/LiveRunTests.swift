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
        #expect(log.outcomes == [.answered(status: 200, body: [])])
        #expect(log.givenBack == [1])
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
        health.busyShares = [0.97, 0.5]
        #expect(health.isSaturated && health.busiestLoop == 0.97)
        for _ in 0..<5 { lag.record(.milliseconds(400)) }
        health = GeneratorHealth(scheduleLag: lag, busyShares: [0.5], peakBusyShares: [0.5])
        #expect(health.isSaturated && health.lagP99 > 100)
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
