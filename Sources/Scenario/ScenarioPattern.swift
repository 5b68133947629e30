package import AppModel
package import Timebase
package import Wire

/// Something that a sound scenario plants in the data: what there is to find, for whoever checks whether it was found.
///
/// What it makes users and apps do is in the populations; see ``ScenarioPopulation/patterns``.
package struct ScenarioPattern: Sendable {
    /// What it does, as far as it has to be told apart afterwards.
    package enum Change: Sendable {
        case release(version: String)
        /// `before` is the event to which it relates, of a step of a funnel.
        case chance(event: String, before: String?)
        case campaign
        case bots(persona: String)
        case duplicateEvent(event: String)
        case missingProperty(event: String, key: String)
        case wrongType(event: String, key: String)
    }

    /// What a dataset calls the query for a pattern of this name; SQL's names have no `-`.
    static func queryName(of name: String) -> String {
        "pattern_" + name.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "_")
    }

    /// The scenario's own name for it; unique, with `-` and `_` taken for the same.
    package var name: String
    /// What a dataset calls the query that shows it.
    package var queryName: String { ScenarioPattern.queryName(of: name) }
    /// The tag of its format, such as `bots`.
    package var kind: String
    package var change: Change
    /// Indices of the populations that it concerns, in the scenario's order.
    package var populations: [Int]
    /// Since the start.
    package var from: Interval
    /// `nil` for the end of the run.
    package var until: Interval?
    /// What else the scenario says of it, as written.
    package var parameters: [JSONNode.Member]
}

/// What patterns make a population's users and app do. Times count from 1970, and are put on the run's clock by its plan.
package struct PopulationPatterns: Sendable {
    package var users = UserPatterns()
    package var bugs: [TrackingBug] = []
}
