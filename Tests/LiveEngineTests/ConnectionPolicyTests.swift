import DeviceSDK
import Measurement
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Timebase
import World

@testable import LiveEngine

@Suite("Shared and single-use connections", .serialized, .realClock())
struct ConnectionPolicyTests {
    private static let ok = ScriptedServer.ok

    private static func blocked(_ result: LiveResult) throws -> LatencyHistogram {
        let metrics = result.recorder.populations[0].metrics(seconds: 1)
        guard case .trend(.time(let trend)) = metrics.first(where: { $0.name == "http_req_blocked" })?.value
        else { throw LiveEngineError.unresolvedHost("http_req_blocked is no trend") }
        return trend
    }

    @Test("lets devices share connections: never more, in the order of asking, each with an answer")
    func pooled() async throws {
        var run = ScriptedRun { device in [(.milliseconds(Int64(device)), .upload(number: 0))] }
        run.devices = 12
        run.connections = .pooled(2)
        let (result, log, requests) = try await run.play { _, _ in [.wait(20), .write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 12))
        #expect(result.connectionsOpened == 2)
        #expect(result.connectionsPeak == 2)
        #expect(result.connectionsRecycled == 0)
        let encoded = log.all.compactMap { if case .encoded(let device, _) = $0 { device } else { nil } }
        #expect(encoded == Array(0..<12))
        #expect(requests.count == 12)
        // The last pair waits for five pairs of 20 ms, less the 11 ms by which it asks later.
        let blocked = try Self.blocked(result)
        #expect(blocked.count == 12)
        #expect(blocked.maximumMilliseconds >= 80)
    }

    @Test("lets requests wait in order where every connection is busy, on HTTP/2 as on HTTP/1.1")
    func waitingForDescriptors() async throws {
        var run = ScriptedRun { device in [(.milliseconds(Int64(device) * 10), .upload(number: 0))] }
        run.devices = 4
        run.descriptorBudget = 1
        run.http = .two
        let (result, log, requests) = try await run.play { _, _ in [.wait(60), .write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 4))
        #expect(requests.count == 4)
        #expect(result.sharedConnections == 4)
        #expect(result.connectionsPeak == 1)
        #expect(result.connectionsRecycled == 3)
    }

    @Test("says how long a request waited in line whose process died there")
    func diedInLine() async throws {
        var run = ScriptedRun { device in
            device == 0
                ? [(.zero, .upload(number: 0))]
                : [(.milliseconds(20), .upload(number: 0)), (.milliseconds(120), .die)]
        }
        run.devices = 2
        run.descriptorBudget = 1
        let (result, log, requests) = try await run.play { _, _ in [.wait(300), .write(Self.ok)] }
        #expect(requests.count == 1)
        #expect(log.outcomes == [.answered(status: 200, body: [])])
        let blocked = try Self.blocked(result)
        #expect(blocked.count == 2)
        #expect(blocked.maximumMilliseconds >= 95)
    }

    @Test("gives every line its turn where descriptors are few")
    func turns() async throws {
        var run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        run.devices = 8
        run.descriptorBudget = 1
        run.connections = .pooled(2)
        run.targets = (0..<2).map { _ in
            .init(scheme: "http", host: "127.0.0.1", port: 0, pathAndQuery: "/sa?project=p")
        }
        let (result, log, _) = try await run.play { _, _ in [.wait(20), .write(Self.ok)] }
        #expect(result.connectionsPeak == 1)
        let encoded = log.all.compactMap { if case .encoded(let device, _) = $0 { device } else { nil } }
        #expect(encoded == [0, 2, 1, 4, 3, 6, 5, 7])
    }

    @Test("splits shared connections over event loops without ever exceeding them")
    func pooledShards() async throws {
        try await withGroup(threads: 4) { group in
            let server = try await ScriptedServer.start(on: group) { _, _ in [.wait(5), .write(Self.ok)] }
            let log = FleetLog()
            var run = ScriptedRun { _ in
                (0..<4).flatMap { [(.zero, .upload(number: $0)), (.zero, .awaitAnswers)] }
            }
            run.devices = 30
            run.connections = .pooled(5)
            let loops = (0..<3).map { _ in group.next() }
            let result = try await run.begin(port: server.port, on: loops, log: log).result()
            #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 120))
            #expect(server.peak <= 5)
            #expect(server.accepted == 5)
            #expect(result.connectionsOpened == 5)
            #expect(result.health.busyShares.count == 3)
            try await server.stop()
        }
    }

    @Test("uses fewer loops where there are fewer connections than loops")
    func fewerLoops() async throws {
        try await withGroup(threads: 4) { group in
            let server = try await ScriptedServer.start(on: group) { _, _ in [.write(Self.ok)] }
            let log = FleetLog()
            var run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
            run.devices = 9
            run.connections = .pooled(1)
            let loops = (0..<3).map { _ in group.next() }
            let result = try await run.begin(port: server.port, on: loops, log: log).result()
            #expect(log.outcomes.count == 9)
            #expect(server.accepted == 1)
            #expect(result.health.busyShares.count == 1)
            try await server.stop()
        }
    }

    @Test("gives the place of a request that gave up in line to the next")
    func pooledTimeouts() async throws {
        var run = ScriptedRun { device in
            let limit: Int64 = device % 3 == 1 ? 30 : 5000
            return [(.milliseconds(Int64(device)), .upload(number: 0, timeout: .milliseconds(limit)))]
        }
        run.devices = 9
        run.connections = .pooled(1)
        let (result, log, _) = try await run.play { _, _ in [.wait(40), .write(Self.ok)] }
        let timedOut = log.outcomes.count { $0 == .failed(.timedOut) }
        #expect(timedOut == 3)
        #expect(log.outcomes.count { $0 == .answered(status: 200, body: []) } == 6)
        #expect(result.connectionsPeak == 1)
    }

    @Test("opens another shared connection where one broke, and loses no request in line")
    func pooledFailures() async throws {
        var run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        run.devices = 10
        run.connections = .pooled(2)
        let (result, log, requests) = try await run.play { ordinal, _ in
            ordinal % 2 == 0 ? [.wait(5), .reset] : [.wait(5), .write(Self.ok)]
        }
        #expect(log.outcomes.count == 10)
        #expect(requests.count == 10)
        #expect(log.outcomes.count { $0 == .failed(.reset) } == 5)
        #expect(result.connectionsPeak <= 2)
    }

    @Test("closes a shared connection whose device died in the middle, and keeps the others'")
    func pooledDeath() async throws {
        var run = ScriptedRun { device in
            device == 0
                ? [(.zero, .upload(number: 0)), (.milliseconds(40), .die)]
                : [
                    (.milliseconds(5), .upload(number: 0)), (.zero, .awaitAnswers),
                    (.zero, .upload(number: 1)),
                ]
        }
        run.devices = 2
        run.connections = .pooled(1)
        let (result, log, _) = try await run.play { ordinal, _ in ordinal == 0 ? [] : [.write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 2))
        #expect(result.connectionsOpened == 2)
        #expect(result.connectionsPeak == 1)
    }

    @Test("gives back what waits in line when nothing may start any more")
    func pooledClosing() async throws {
        var run = ScriptedRun { _ in [(.zero, .upload(number: 0, timeout: .seconds(60)))] }
        run.devices = 3
        run.drain = .milliseconds(400)
        run.connections = .pooled(1)
        let (_, log, requests) = try await run.play { _, _ in [.wait(1500), .write(Self.ok)] }
        #expect(requests.count == 1)
        #expect(log.givenBack.count == 2)
        #expect(log.outcomes == [.answered(status: 200, body: [])])
    }

    @Test("opens a connection for each request, says so, and closes it")
    func perRequest() async throws {
        var run = ScriptedRun { _ in
            (0..<4).flatMap { [(.zero, .upload(number: $0)), (.zero, .awaitAnswers)] }
        }
        run.devices = 3
        run.connections = .perRequest
        let (result, log, requests) = try await run.play { _, _ in [.write(Self.ok)] }
        #expect(log.outcomes == Array(repeating: .answered(status: 200, body: []), count: 12))
        #expect(result.connectionsOpened == 12)
        #expect(result.connectionsPeak <= 3)
        #expect(requests.allSatisfy { $0.contains("\r\nConnection: close\r\n") })
        let metrics = result.recorder.populations[0].metrics(seconds: 1)
        guard case .trend(let connecting)? = metrics.first(where: { $0.name == "http_req_connecting" })?.value
        else {
            Issue.record("http_req_connecting is a trend")
            return
        }
        #expect(connecting.summary.count == 12)
    }

    @Test("spreads devices over several addresses by their number")
    func addresses() async throws {
        try await withGroup(threads: 3) { group in
            let servers = [
                try await ScriptedServer.start(on: group) { _, _ in [.write(Self.ok)] },
                try await ScriptedServer.start(on: group) { _, _ in [.write(Self.ok)] },
                try await ScriptedServer.start(on: group) { _, _ in [.write(Self.ok)] },
            ]
            for connections in [PopulationPlan.Target.Connections.perDevice, .pooled(6)] {
                var run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
                run.devices = 12
                run.connections = connections
                run.targets = servers.map {
                    .init(scheme: "http", host: "127.0.0.1", port: $0.port, pathAndQuery: "/sa?project=p")
                }
                let before = servers.map { $0.requests.count }
                let log = FleetLog()
                let loops = (0..<2).map { _ in group.next() }
                _ = try await run.begin(port: 0, on: loops, log: log).result()
                #expect(log.outcomes.count == 12)
                for (index, server) in servers.enumerated() {
                    let new = server.requests.dropFirst(before[index])
                    let devices = new.compactMap { request -> Int? in
                        request.split(separator: "device=").last?.split(separator: "&").first.flatMap {
                            Int($0)
                        }
                    }
                    #expect(devices.sorted() == stride(from: index, to: 12, by: 3).map { $0 })
                    #expect(new.allSatisfy { $0.contains("Host: 127.0.0.1:\(server.port)\r\n") })
                }
            }
            for server in servers { try await server.stop() }
        }
    }
}

@Suite("The split of shared connections")
struct PoolSplitTests {
    private static func plan(devices: Int, first: UInt32 = 0, urls: Int = 1, pooled: Int) -> PopulationPlan {
        var plan = ScriptedRun.plan(devices: devices, port: 80)
        plan.firstDevice = first
        plan.targets = (0..<urls).map {
            var target = PopulationPlan.Target(
                scheme: "http", host: "10.0.0.\($0)", port: 80, pathAndQuery: "/")
            target.connections = .pooled(pooled)
            return target
        }
        return plan
    }

    @Test("gives every connection away, and everyone at least one")
    func whole() {
        let seed = UInt64.random(in: 0...(.max))
        var stream = RandomStream(key: seed)
        for _ in 0..<300 {
            let shards = 1 + Int(stream.below(5))
            let urls = 1 + Int(stream.below(5))
            let total = urls + Int(stream.below(60))
            let plan = Self.plan(
                devices: 1 + Int(stream.below(200)), first: UInt32(stream.below(50)), urls: urls,
                pooled: total)
            let usable = PoolSplit.shards(shards, for: [plan])
            let split = PoolSplit(plan, shards: usable)
            let limits = split.limits(of: total)
            #expect(limits.joined().reduce(0, +) == total, "seed \(seed)")
            for index in 0..<plan.deviceCount {
                let target = plan.targetIndex(ofDevice: plan.firstDevice + UInt32(index))
                #expect(limits[index % usable][target] > 0, "seed \(seed)")
            }
        }
    }

    @Test("leaves nobody without one, even where there are too few")
    func tooFew() {
        let plan = Self.plan(devices: 10, urls: 3, pooled: 1)
        #expect(PoolSplit(plan, shards: 1).limits(of: 1) == [[1, 1, 1]])
    }

    @Test("splits evenly where devices are even")
    func even() {
        let plan = Self.plan(devices: 100, pooled: 10)
        #expect(PoolSplit(plan, shards: 4).limits(of: 10).map { $0[0] } == [3, 3, 2, 2])
    }
}
