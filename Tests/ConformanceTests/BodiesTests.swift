import Measurement
import Reporting
import Scenario
import TestSupport
import Testing

@Suite("Bodies written, and handed over")
struct BodiesTests {
    @Test("come to the same, event for event", arguments: ConformanceSuite.scenarios)
    func agrees(_ scenario: ConformanceScenario) throws {
        let problems = try ConformanceSuite.bodyDisagreement(scenario)
        #expect(problems.isEmpty, "\(scenario.name): \(problems)")
    }

    @Test("come to the same without ids of the harness", arguments: ConformanceSuite.scenarios)
    func agreesUntagged(_ scenario: ConformanceScenario) throws {
        var untagged = scenario
        untagged.json = scenario.json.withoutTags
        let problems = try ConformanceSuite.bodyDisagreement(untagged)
        #expect(problems.isEmpty, "\(scenario.name): \(problems)")
    }

    @Test("come to the same for each system and version, whatever the answer", arguments: SystemMatrix.rows)
    func agreesOnAnswers(_ row: SystemMatrix.Row) throws {
        for column in SystemMatrix.columns {
            let problems = try SystemMatrix.bodyDisagreement(row, column)
            #expect(problems.isEmpty, "\(row), \(column.title): \(problems)")
        }
    }
}

@Suite("Bodies before they are packed")
struct PlainBodiesTests {
    @Test("tell a collector the same as their bytes", arguments: ConformanceSuite.scenarios)
    func agrees(_ scenario: ConformanceScenario) throws {
        for json in [scenario.json, scenario.json.withoutTags] {
            let found = PlainComparison.play(try Worlds.load(json, name: scenario.name))
            #expect(found.problems.isEmpty, "\(scenario.name): \(found.problems.prefix(2))")
        }
    }

    @Test("tell it for each system and version", arguments: SystemMatrix.rows)
    func agreesForAll(_ row: SystemMatrix.Row) throws {
        let found = try SystemMatrix.plainComparison(row)
        #expect(found.problems.isEmpty, "\(row): \(found.problems.prefix(2))")
        #expect(found.events > 0 && found.packed == 0, "\(row)")
    }
}

extension String {
    /// The scenario with `tagEvents` off, whether it says something about it or not.
    fileprivate var withoutTags: String {
        let (key, off) = (#""tagEvents": "#, #""tagEvents": false"#)
        if contains(key) {
            return split(separator: key + "true", omittingEmptySubsequences: false).joined(separator: off)
        }
        guard let brace = firstIndex(of: "{") else { return self }
        return self[...brace] + off + ", " + self[index(after: brace)...]
    }
}
