import Scenario
package import Timebase

/// Plays one scenario in every world and demands equal books.
package enum ConformanceSuite {
    /// How much later than its time an answer may come, or a shard may act, without changing anything
    /// in a scenario of the suite.
    package static let slack = Interval.milliseconds(90)
    /// A live run that was later than ``slack`` says more about the machine than about the engines: it
    /// is invalid and played again, so many times at most.
    package static let attempts = 3

    /// Every scenario of the suite.
    package static let scenarios: [ConformanceScenario] = faultScenarios + deviceScenarios + lifeScenarios

    /// Whether a scenario is fit for the suite: it shows what it says, its books are right, and
    /// answers that take up to ``slack`` change nothing.
    ///
    /// - Returns: what is wrong, in sentences.
    package static func unfitness(_ scenario: ConformanceScenario) throws -> [String] {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let outcome = Worlds.virtual(document)
        var problems = outcome.problems
        // Knobs beyond what the SDK would allow are what makes a run short.
        problems += document.warnings.filter { $0.pointer.hasPrefix("/timeline") }.map(\.text)
        let missing = scenario.shows.subtracting(outcome.facts)
        if !missing.isEmpty {
            problems.append("does not show \(missing.sorted()), only \(outcome.facts.sorted())")
        }
        for time in [Interval.milliseconds(15), slack] {
            let slow = Worlds.virtual(document, serviceTime: time)
            problems += Differences.between(outcome, slow, tolerating: scenario.tolerates).map {
                "with answers after \(time): \($0)"
            }
        }
        return problems
    }

    /// Plays a scenario live and compares it with virtual time.
    ///
    /// - Returns: what is wrong, in sentences; empty if the worlds agree.
    package static func disagreement(
        _ scenario: ConformanceScenario, shards: Int
    ) async throws -> [String] {
        let document = try Worlds.load(scenario.json, name: scenario.name)
        let expected = Worlds.virtual(document)
        var problems: [String] = []
        for _ in 0..<attempts {
            let found = try await Worlds.live(document, shards: shards)
            problems = Differences.between(expected, found, tolerating: scenario.tolerates)
            // Books must be right however late the generator was.
            let unsound = found.problems
            if !unsound.isEmpty { return unsound + problems }
            if problems.isEmpty || found.lag <= slack { return problems }
            problems.append("the generator was \(found.lag) late in the last of \(attempts) runs")
        }
        return problems
    }
}
