import Scenario
import TestSupport
import Testing

@Suite("One fleet, two worlds")
struct ConformanceTests {
    @Test(
        "shows what it says, whatever an answer takes within the slack", arguments: ConformanceSuite.scenarios
    )
    func fitness(of scenario: ConformanceScenario) throws {
        let problems = try ConformanceSuite.unfitness(scenario)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test(
        "comes to the same books live, with one shard and with two", arguments: ConformanceSuite.scenarios,
        [1, 2])
    func live(scenario: ConformanceScenario, shards: Int) async throws {
        let problems = try await LiveGate.shared.run {
            try await ConformanceSuite.disagreement(scenario, shards: shards)
        }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }
}

@Suite("Virtual time")
struct VirtualTimeTests {
    @Test("repeats itself to the last bit", arguments: ConformanceSuite.scenarios)
    func determinism(scenario: ConformanceScenario) throws {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let first = Worlds.virtualRun(document)
        #expect(!first.sealed.isEmpty)
        #expect(first == Worlds.virtualRun(document))
    }

    @Test("keeps its books in every scenario drawn", arguments: UInt64(0)..<32)
    func books(seed: UInt64) throws {
        let json = RandomScenario.json(seed: seed)
        let outcome = Worlds.virtual(try Worlds.load(json))
        #expect(
            outcome.problems.isEmpty, "seed \(seed): \(outcome.problems.joined(separator: "\n"))\n\(json)")
        #expect(!outcome.lines.isEmpty, "seed \(seed)")
    }

    @Test("repeats a drawn scenario, and another seed changes it", arguments: UInt64(0)..<6)
    func seeds(seed: UInt64) throws {
        let json = RandomScenario.json(seed: seed)
        let first = Worlds.virtualRun(try Worlds.load(json))
        #expect(first == Worlds.virtualRun(try Worlds.load(json)), "seed \(seed)")
        let other = json.replacing("\"seed\": \(seed)", with: "\"seed\": \(seed + 1000)")
        #expect(first.sealed != Worlds.virtualRun(try Worlds.load(other)).sealed, "seed \(seed)")
    }
}

/// Lets a few live runs go on at a time, so that they do not disturb each other's clocks.
actor LiveGate {
    static let shared = LiveGate(width: 14)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) { free = width }

    nonisolated func run<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        await enter()
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
