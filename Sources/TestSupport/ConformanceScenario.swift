/// A small scenario that must come out the same in every world.
///
/// What makes a scenario fit: faults are addressed by device and upload, or by times that lie well
/// between two user actions; flushes are triggered by events, or by timers at moments at which nobody
/// acts; no process dies right after it asked for an upload. Then some tens of milliseconds more or less, which an
/// answer takes over a real socket or a shard comes late, change nothing but times. ``ConformanceSuite`` checks
/// that claim in virtual time before it goes live.
package struct ConformanceScenario: Sendable, CustomStringConvertible {
    package var name: String
    /// The scenario file's text.
    package var json: String
    /// Facts (see ``WorldOutcome/facts``) that the outcome must show: without them the scenario would
    /// agree with itself about nothing.
    package var shows: Set<String>
    /// What may differ between worlds here, each for a reason that the scenario states.
    package var tolerates: Set<Tolerance>

    /// A difference that is no defect. Times of answers (freshness, durations) are never compared.
    package enum Tolerance: Hashable, Sendable {
        /// How often events were carried and how many copies arrived: where a flush is ready the moment
        /// that an answer is there, the answer's time decides what travels together.
        case attempts
        /// The same for one population, by its index among the scenario's.
        case attemptsOf(population: Int)
        /// The same for those events of a population that travel more or less often when answers take another time
        /// within the slack, or devices are woken late (a process that dies meanwhile sends nothing): how often all
        /// others travel is determined.
        case undeterminedAttemptsOf(population: Int)
        /// When the SDK's own events about an answer were captured.
        case answerTimes
    }

    package init(
        _ name: String, shows: Set<String>, tolerates: Set<Tolerance> = [], json: String
    ) {
        self.name = name
        self.shows = shows
        self.tolerates = tolerates
        self.json = json
    }

    package var description: String { name }
}
