import Accounting
import DeviceSDK
import LiveEngine
import LiveSimulation
import NIOCore
import TestSupport
import Testing
import Timebase

@Suite("HTTP/2 under a clock of the run's own")
struct SimulatedHTTP2Tests {
    private func world(seed: UInt64) -> SimulatedWorld {
        var world = SimulatedWorld(shards: 2)
        world.seed = seed
        world.target.http = .two
        world.decorate = { try $0.pipeline.syncOperations.addHandler(HTTP2Bridge(limit: 3)) }
        world.conditions.latency = .microseconds(10) ... .milliseconds(2)
        world.conditions.segment = 1...900
        return world
    }

    @Test("keeps its books, with every upload a stream of its own", arguments: ConformanceSuite.onSockets)
    func books(scenario: ConformanceScenario) throws {
        let record = try world(seed: 1).record(try Worlds.load(scenario.json, name: scenario.name))
        #expect(record.outcome.problems.isEmpty, "\(record.outcome.problems.joined(separator: "\n"))")
        let result = try #require(record.result)
        #expect(result.sharedConnections > 0 && result.streamsOpened >= result.sharedConnections)
        #expect(result.slotsLeft == 0)
    }

    @Test("keeps them where connections break, end and fall silent in the middle of frames")
    func broken() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            var world = world(seed: seed)
            world.conditions.reset = 0.2
            world.conditions.ended = 0.2
            world.conditions.stalled = 0.1
            for scenario in ConformanceSuite.onSockets.prefix(3) {
                let problems = try world.play(try Worlds.load(scenario.json, name: scenario.name)).problems
                #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))")
            }
        }
    }

    @Test("says the same bytes again with the same seed")
    func repetition() throws {
        let scenario = ConformanceSuite.onSockets[0]
        func play() throws -> (UInt64, UInt64, Bool) {
            let record = try world(seed: 9).record(try Worlds.load(scenario.json, name: scenario.name))
            let result = try #require(record.result)
            return (result.streamsOpened, record.outcome.audit.received, result.sharedConnections > 0)
        }
        let (first, second) = (try play(), try play())
        #expect(first == second && first.2)
    }
}
