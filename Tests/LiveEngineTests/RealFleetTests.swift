import Accounting
import AppModel
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

@Suite("Real devices against an unreliable server", .serialized)
struct RealFleetTests {
    /// Mostly positive answers, and every way in which an answer can fail.
    private static func unreliable(_ ordinal: Int) -> [ScriptedServer.Action] {
        var stream = RandomStream(key: 0xFA17).child(UInt64(ordinal))
        switch stream.below(20) {
        case 0: return [.reset]
        case 1: return [.close]
        case 2: return [.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close]
        case 3: return [.write("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")]
        case 4: return [.write("garbage\r\n\r\n")]
        case 5: return []
        case 6: return [.wait(40), .write(ScriptedServer.ok)]
        case 7:
            return [.write("HTTP/1.1 413 Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), .close]
        case 8: return [.drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")]
        default: return [.write(ScriptedServer.ok)]
        }
    }

    private static func plan(_ version: SensorsRules.Version, port: Int) throws -> PopulationPlan {
        var rules = SensorsRules(version: version)
        rules.upload.flushInterval = .milliseconds(100)
        rules.upload.flushBulkSize = 5
        rules.upload.timeout = .milliseconds(150)
        rules.remoteConfig.timeout = .milliseconds(150)
        rules.remoteConfig.retryDelay = .milliseconds(100)
        var persona = try #require(Presets.persona(named: "power"))
        persona.tempo = 100
        persona.killAtBackgroundChance = 0.4
        persona.crashChance = 0.1
        persona.meanTimeToKill = .milliseconds(200)
        let start = ScriptedRun.start
        var plan = PopulationPlan(
            name: "unreliable", deviceCount: 40, start: start, usersEnd: start + .milliseconds(1500),
            app: try #require(Presets.app(named: "shop")), persona: persona,
            target: .init(scheme: "http", host: "127.0.0.1", port: port, pathAndQuery: "/sa?project=p"),
            system: rules)
        plan.seed = 42
        plan.arrival.over = .milliseconds(200)
        return plan
    }

    @Test("keeps its books balanced whatever the server does", arguments: SensorsRules.Version.allCases)
    func balance(version: SensorsRules.Version) async throws {
        try await withGroup(threads: 3) { group in
            let server = try await ScriptedServer.start(on: group) { ordinal, _ in Self.unreliable(ordinal) }
            let start = ScriptedRun.start
            var schedule = RunSchedule(start: start, duration: .milliseconds(1500), drain: .milliseconds(600))
            schedule.deviceEntries = [
                .init(
                    from: start + .milliseconds(500), until: start + .milliseconds(800), network: .none,
                    share: 0.5)
            ]
            let sealed = Mutex<[EventID]>([])
            let watch = try await LoopWatch.start(on: group.makeIterator().map { $0 })
            let configuration = LiveConfiguration(
                plans: [try Self.plan(version, port: server.port)], schedule: schedule,
                clock: RunClock(showing: start - .milliseconds(100)), descriptorBudget: 30
            ) { events, _, _ in sealed.withLock { $0 += events.map(\.id) } }
            let run = try await LiveRun.start(configuration, on: [group.next(), group.next()])
            let result = try await run.result()
            let late = max(watch.stop(), result.lag)
            let ledger = result.recorder.populations[0].ledger
            #expect(ledger.balance == 0)
            #expect(ledger.captured > 100)
            #expect(ledger.captured == result.capturedPerDevice.reduce(0) { $0 + UInt64($1) })
            // Requests wait for 150 ms, and the run is over soon: on a late machine all of them may come to nothing.
            if late < .milliseconds(40) {
                #expect(ledger.count(of: .delivered) > 0)
                #expect(!result.unexpectedAnswers.isEmpty)
            }
            let ids = sealed.withLock { $0 }
            #expect(UInt64(ids.count) == ledger.captured)
            #expect(Set(ids).count == ids.count)
            #expect(result.devicesStarted == 40)
            #expect(result.connectionsPeak <= 30)
            #expect(result.recorder.scheduleLag.count > 0)
            try await server.stop()
        }
    }
}
