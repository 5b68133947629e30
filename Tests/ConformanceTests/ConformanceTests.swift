import Scenario
import TestSupport
import Testing

@Suite("Fitness of the scenarios")
struct FitnessTests {
    @Test(
        "shows what it says, whatever an answer takes within the slack", arguments: ConformanceSuite.scenarios
    )
    func fitness(of scenario: ConformanceScenario) throws {
        let problems = try ConformanceSuite.unfitness(scenario)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test("plays every system in every version", arguments: SystemMatrix.rows)
    func systems(row: SystemMatrix.Row) throws {
        #expect(try ConformanceSuite.plays(row), "\(row)")
    }
}

@Suite("Tolerances of the scenarios")
struct ToleranceTests {
    @Test(
        "are for few events: how often most of them travel is determined",
        arguments: ConformanceSuite.scenarios.filter { !$0.tolerates.isEmpty })
    func determined(scenario: ConformanceScenario) throws {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let outcome = Worlds.virtual(document)
        let undetermined = ConformanceSuite.undetermined(scenario, document, outcome)
        #expect(
            2 * undetermined.count < outcome.lines.count, "\(undetermined.count) of \(outcome.lines.count)")
        // And nobody's but those of the populations that are named.
        let named = outcome.ledgers.indices.filter { population in
            scenario.tolerates.contains(.attempts)
                || scenario.tolerates.contains(.attemptsOf(population: population))
                || scenario.tolerates.contains(.undeterminedAttemptsOf(population: population))
        }
        let others = undetermined.filter { id in !named.contains(outcome.lines[id]?.population ?? -1) }
        #expect(others.isEmpty, "\(others.count) events of other populations")
    }
}

@Suite("One device, two stores")
struct StoreConformanceTests {
    @Test(
        "sends the same bytes and keeps the same books from memory and from files",
        arguments: ConformanceSuite.sensorsScenarios)
    func stores(scenario: ConformanceScenario) throws {
        // Fewer than there are devices, so that files are closed and opened again.
        let problems = try ConformanceSuite.storeDisagreement(scenario, connections: 12)
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test("agrees in every scenario drawn", arguments: UInt64(0)..<16)
    func drawn(seed: UInt64) throws {
        let scenario = ConformanceScenario(
            "drawn \(seed)", shows: [], json: RandomScenario.json(seed: seed))
        let problems = try ConformanceSuite.storeDisagreement(scenario, connections: 12)
        #expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "\n"))\n\(scenario.json)")
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

    @Test(
        "keeps its books in every scenario drawn", arguments: UInt64(0)..<32,
        RandomScenario.Kind.allCases)
    func books(seed: UInt64, kind: RandomScenario.Kind) throws {
        let json = kind.json(seed: seed)
        let outcome = Worlds.virtual(try Worlds.load(json))
        #expect(
            outcome.problems.isEmpty, "seed \(seed): \(outcome.problems.joined(separator: "\n"))\n\(json)")
        #expect(!outcome.lines.isEmpty, "seed \(seed)")
    }

    @Test(
        "repeats a drawn scenario, and another seed changes it", arguments: UInt64(0)..<6,
        RandomScenario.Kind.allCases)
    func seeds(seed: UInt64, kind: RandomScenario.Kind) throws {
        let json = kind.json(seed: seed)
        let first = Worlds.virtualRun(try Worlds.load(json))
        #expect(first == Worlds.virtualRun(try Worlds.load(json)), "seed \(seed)")
        let other = json.replacing("\"seed\": \(seed)", with: "\"seed\": \(seed + 1000)")
        #expect(first.sealed != Worlds.virtualRun(try Worlds.load(other)).sealed, "seed \(seed)")
    }
}
