import Scenario
import TestSupport
import Testing

// That the live engine comes to the books of virtual time is proved under a simulated clock, network and disk. A few
// scenarios are played on real sockets too, for what only those have. They play on the real clock, so they are a
// target of their own, which `.ci/test` runs alone: tests that compute beside them would only make them late.

@Suite("One fleet, two worlds", .realClock(patience: ConformanceSuite.patience))
struct ConformanceTests {
    @Test(
        "comes to the same books on real sockets, with one shard and with two",
        arguments: ConformanceSuite.onSockets, [1, 2])
    func live(scenario: ConformanceScenario, shards: Int) async throws {
        let problems = try await LiveGate.shared.run {
            try await ConformanceSuite.disagreement(scenario, shards: shards)
        }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }
}

@Suite("Files on the real clock", .realClock(patience: ConformanceSuite.patience))
struct LiveStoreTests {
    @Test(
        "comes live, from files, to the books of virtual time in memory",
        arguments: ConformanceSuite.inFilesOnSockets)
    func live(scenario: ConformanceScenario) async throws {
        let problems = try await LiveGate.shared.run {
            try await ConformanceSuite.disagreement(scenario, shards: 2, inFiles: true)
        }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
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
