import Accounting
import LiveSimulation
import Measurement
import Scenario
import TestSupport
import Testing
import Timebase

@Suite("The live engine under a clock of its own")
struct SimulatedLiveTests {
    @Test(
        "comes to the books of virtual time, with one shard and four",
        arguments: ConformanceSuite.scenarios, [1, 4])
    func books(scenario: ConformanceScenario, shards: Int) throws {
        let problems = try ConformanceSuite.simulatedDisagreement(scenario, SimulatedWorld(shards: shards))
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test("comes to the same books from files", arguments: ConformanceSuite.liveInFiles)
    func files(scenario: ConformanceScenario) throws {
        let folder = try StoreFolder(fleets: 6)
        var world = SimulatedWorld(shards: 2)
        world.makeFleet = folder.makeFleet
        let problems = try ConformanceSuite.simulatedDisagreement(scenario, world) + folder.warnings
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test(
        "comes to the same books however bytes are cut and delayed, within what a scenario bears",
        arguments: ConformanceSuite.unordered)
    func cuts(scenario: ConformanceScenario) throws {
        var world = SimulatedWorld(shards: 2)
        world.seed = RandomStream.hash(of: scenario.name)
        // A body of some windows, the answer and the commit stay below the slack of the suite.
        world.conditions.latency = .microseconds(1) ... .milliseconds(3)
        world.conditions.segment = 1...1_500
        world.conditions.window = 16_384
        world.disk.commitTime = .zero ... .milliseconds(5)
        let problems = try ConformanceSuite.simulatedDisagreement(scenario, world)
        #expect(problems.isEmpty, "seed \(world.seed): \(problems.joined(separator: "\n"))")
    }
}

@Suite("The lag of the live engine")
struct SimulatedLagTests {
    @Test("what falls due while open answers are awaited, after the drain, is not late")
    func closing() throws {
        // A flush is due when the drain ends, at 8 s, and the fetch of the configuration fails at 10 s.
        let text = #"""
            {"duration": "4s", "drain": "4s", "populations": [{
             "name": "ios", "devices": 5, "system": "sensors", "version": "1.10.17",
             "persona": {"preset": "steady", "rate": "4/s"}, "sdk": {"upload": {"flushInterval": "2s"}}}]}
            """#
        let document = try ScenarioLoader.load(bytes: Array(text.utf8), name: "closing").get()
        var world = SimulatedWorld()
        world.conditions.unanswered = 1
        let record = try world.record(document)
        #expect(record.finishedAt - record.start >= .seconds(10))
        #expect(record.recorder.scheduleLag.count > 0)
        #expect(record.recorder.scheduleLag.maximumMilliseconds < 100)
    }
}

@Suite("Uploads that nobody answers")
struct SimulatedSilenceTests {
    @Test(
        "count from when they left or began to connect, and not from when the run gives them up",
        arguments: [0.0, 1])
    func begin(unanswered: Double) throws {
        // Nothing leaves once the drain is over, at 8 s, and what is open then is given up after the entry.
        let text = #"""
            {"duration": "4s", "drain": "4s", "populations": [{
             "name": "ios", "devices": 5, "system": "sensors", "version": "1.10.17",
             "persona": {"preset": "steady", "rate": "4/s"}, "sdk": {"upload": {"flushInterval": "2s"}}}],
             "timeline": [{"at": "0s", "for": "9s", "collector": {"fault": "stall", "hold": "60s"}}]}
            """#
        let document = try ScenarioLoader.load(bytes: Array(text.utf8), name: "silence").get()
        var world = SimulatedWorld()
        world.conditions.unanswered = unanswered
        let record = try world.record(document)
        let recorder = record.recorder
        #expect(recorder.populations[0].requests > 0 && record.finishedAt - record.start > .seconds(9))
        let metrics = recorder.entries[0].metrics(until: record.finishedAt)
        guard case .gauge(let peak, _, _) = metrics.first(where: { $0.name == "herd_peak" })?.value else {
            Issue.record("the entry has no herd_peak")
            return
        }
        #expect(peak == 0)
    }
}

@Suite("The live engine where everything goes wrong")
struct SimulatedFaultTests {
    /// A world in which a fifth of the connections ends in some bad way.
    static func badWorld(seed: UInt64) -> SimulatedWorld {
        var world = SimulatedWorld(shards: 1 + Int(seed % 4))
        world.seed = seed
        world.conditions.latency = .microseconds(1) ... .milliseconds(200)
        world.conditions.segment = 1...3_000
        world.conditions.window = 4_096
        world.conditions.refused = 0.04
        world.conditions.unanswered = 0.02
        world.conditions.reset = 0.08
        world.conditions.ended = 0.04
        world.conditions.stalled = 0.02
        world.disk.commitTime = .zero ... .milliseconds(50)
        world.disk.commitFails = 0.05
        return world
    }

    @Test("keeps its books, and loses nothing that was acknowledged", arguments: ConformanceSuite.scenarios)
    func faults(scenario: ConformanceScenario) throws {
        let world = Self.badWorld(seed: RandomStream.hash(of: scenario.name))
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let problems = try world.play(document).problems
        #expect(problems.isEmpty, "seed \(world.seed): \(problems.joined(separator: "\n"))")
    }

    @Test("keeps its books beside a full disk", arguments: ConformanceSuite.onSockets)
    func fullDisk(scenario: ConformanceScenario) throws {
        var world = SimulatedWorld(shards: 2)
        world.disk.storeBytes = 64 << 10
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let outcome = try world.play(document)
        #expect(outcome.problems.isEmpty, "\(outcome.problems.joined(separator: "\n"))")
    }

    @Test("gives the same run for the same seed", arguments: 1...6 as ClosedRange<UInt64>)
    func repeatable(seed: UInt64) throws {
        let scenario = ConformanceSuite.scenarios[Int(seed) * 7 % ConformanceSuite.scenarios.count]
        let document = try Worlds.load(scenario.json, name: scenario.name)
        var world = Self.badWorld(seed: seed)
        world.collectorDeaths = [.init(at: .seconds(3), down: .seconds(2))]
        let (first, second) = (try world.play(document), try world.play(document))
        #expect(Differences.between(first, second, tolerating: []).isEmpty, "seed \(seed)")
        #expect(first.lines == second.lines && first.audit == second.audit, "seed \(seed)")
    }

    @Test("keeps what it acknowledged over deaths of the collector", arguments: ConformanceSuite.deathProof)
    func collectorDeaths(scenario: ConformanceScenario) throws {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        for seed in 1...2 as ClosedRange<UInt64> {
            var world = Self.badWorld(seed: seed)
            var random = RandomStream(key: seed)
            world.collectorDeaths = (0..<8).map { number in
                SimulatedWorld.Death(
                    at: .milliseconds(Int64(number) * 2_000 + Int64(random.below(1_500))),
                    down: .milliseconds(Int64(random.below(400))))
            }
            let problems = try world.play(document).problems
            #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))")
        }
    }

    @Test(
        "knows of nothing acknowledged that is not durable, whenever the run dies",
        arguments: ConformanceSuite.deathProof)
    func runnerDeaths(scenario: ConformanceScenario) throws {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        for seed in 1...3 as ClosedRange<UInt64> {
            var world = Self.badWorld(seed: seed)
            var random = RandomStream(key: seed)
            world.runnerDeath = .milliseconds(Int64(random.below(20_000)))
            let outcome = try world.play(document)
            #expect(outcome.audit.ackedNotFound == 0, "seed \(seed)")
            #expect(outcome.audit.imbalances.isEmpty, "seed \(seed)")
        }
    }
}
