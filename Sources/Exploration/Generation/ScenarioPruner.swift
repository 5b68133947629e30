import Scenario
import Timebase
package import Wire

/// Takes out of a scenario what the loader refuses.
package enum ScenarioPruner {
    /// How often what is left is asked about again.
    private static let rounds = 16

    /// The scenario without what the loader finds wrong with it: where a key is missing, without the object that
    /// lacks it.
    ///
    /// - Returns: `nil` if nothing sound is left.
    package static func sound(_ drawn: JSONNode) -> JSONNode? {
        var scenario = drawn
        for _ in 0..<rounds {
            switch load(scenario) {
            case .success: return scenario
            case .failure(let found):
                // From the back, so that what goes moves nothing that is still to go.
                let pointers = Set(found.problems.map(\.pointer)).map { JSONPath(text: $0)?.tokens ?? [] }
                    .sorted { isAfter($0, $1) }
                for pointer in pointers {
                    guard !pointer.isEmpty, let rest = scenario.removing(pointer[...]) else { return nil }
                    scenario = rest
                }
            }
        }
        return nil
    }

    /// Reads a scenario as the product does.
    static func load(_ scenario: JSONNode) -> Result<ScenarioDocument, ScenarioProblems> {
        ScenarioLoader.load(bytes: Array(scenario.compactText.utf8), name: "swarm")
    }

    private static func isAfter(_ left: [String], _ right: [String]) -> Bool {
        for (one, other) in zip(left, right) where one != other {
            if let one = Int(one), let other = Int(other) { return one > other }
            return one > other
        }
        // What lies in something goes before it.
        return left.count > right.count
    }
}
