package import Accounting
import Measurement
package import Scenario
package import TestSupport
package import Timebase

/// A world in which a scenario can be played for the swarm to judge.
///
/// A world is deterministic: the same scenario gives the same outcome, whatever the machine does meanwhile.
package protocol ExploredWorld: Sendable {
    /// The name in findings.
    var name: String { get }
    /// Plays a scenario to its end, or to the world's limit of work (``Outcome/wasCut``).
    ///
    /// - Throws: what kept the world from being made. What happens in it is part of the outcome.
    func play(_ scenario: ScenarioDocument) throws -> Outcome
}

/// What a scenario came to in a world: what invariants judge, and what is compared between worlds.
package struct Outcome: Sendable {
    /// Ledgers, events, audit, requests.
    package var world = WorldOutcome()
    /// Each event that was sealed, in the order in which it was.
    package var sealed: [Sealed] = []
    /// What was seen to pass a stated bound, in sentences.
    package var trespasses: [String] = []
    /// Devices in the foreground with rows in their stores when the run was closed, by global number.
    package var undrained: [UInt32] = []
    /// Requests that were in the air, or asked for, when the run was closed.
    package var openRequests = 0
    /// From the start to the end of the drain.
    package var simulated = Interval.zero
    /// Whether the world had no more time: then nothing says that things came to their end.
    package var wasCut = false
    /// Whether nothing happened on the way to the collector but what the scenario says.
    package var isModelled = true
    /// Whether what goes wrong beyond the scenario ends with the users' time.
    package var heals = true
    /// Of each population: delivered events by the freshness that was recorded.
    package var freshness: [Freshness] = []
    /// Events captured and delivered by the time series.
    package var series = Series()
    /// Connections that pools of a live engine still counted when all were closed.
    package var slotsLeft = 0
    /// Answers that a live engine took for no HTTP.
    package var malformedAnswers: UInt64 = 0
    /// What the collector's store does not hold that it said it did, or the other way round, in sentences.
    package var undurable: [String] = []
    /// Devices whose latest change of the network was not back to their own, by global number.
    package var displaced: [UInt32] = []
    /// Events that devices brought along from before the run.
    package var prefilled: UInt64 = 0
    /// By population: events in uploads that were asked for with a network and not given back.
    package var carried: [Int: UInt64] = [:]
    /// By population: uploads as they were measured, …
    package var measured: [Int: Uploads] = [:]
    /// … and as the devices saw them; the time that their answers took only where engines are never late.
    package var seen: [Int: Uploads] = [:]
    /// When anything was asked of a device last.
    package var lastStep = Interval.zero
    /// Fetches of configurations that were in the air, or asked for, when the run was closed.
    package var openFetches = 0
    /// An event whose fate is not what the audit's beliefs have, in a sentence.
    package var misbelieved: String?
    /// The order-free sum over the hashed requests as they were written; `nil` where worlds need not write the same.
    package var bodies: UInt64?
    /// The order-free sum over the hashed event lines.
    package var fingerprint: UInt64 = 0

    package init() {}

    /// A sealed event with its times, since the start of the run.
    package struct Sealed: Hashable, Sendable {
        package var population: Int
        package var id: EventID
        package var disposition: Disposition
        package var attempts: UInt16
        package var capturedAt: Interval
        /// `nil` for an event that was not delivered.
        package var acknowledgedAt: Interval?
    }

    /// What became of a population's uploads.
    package struct Uploads: Hashable, Sendable {
        /// How many, by status or name of the failure.
        package var ends: [String: UInt64] = [:]
        /// From their triggers to the last byte of whole answers, together, in milliseconds.
        package var answering: Double? = 0

        mutating func end(_ name: String) { ends[name, default: 0] += 1 }

        func adding(_ other: Uploads) -> Uploads {
            let both = answering.flatMap { mine in other.answering.map { mine + $0 } }
            return Uploads(ends: ends.merging(other.ends, uniquingKeysWith: +), answering: both)
        }
    }

    /// A population's histogram of freshness, in milliseconds.
    package struct Freshness: Hashable, Sendable {
        package var count: UInt64
        package var least: Double
        package var mean: Double
        package var most: Double
    }

    /// Sums over the time series.
    package struct Series: Hashable, Sendable {
        package var captured: UInt64 = 0
        package var delivered: UInt64 = 0
        package var requests: UInt64 = 0
    }
}
