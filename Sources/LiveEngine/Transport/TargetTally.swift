import DeviceSDK
import Synchronization
import Timebase

/// What was sent to one target and what it answered, of all kinds of requests, counted while the run goes on.
///
/// Shards count on their loops, and anybody may read meanwhile: a few relaxed additions for a request.
package final class TargetTally: Sendable {
    /// The counts at one moment.
    package struct Counts: Hashable, Sendable {
        /// Requests that began to be written.
        package var requests: UInt64
        /// Answers of 403, 429 and 5xx: the target wants no more, or cannot take more.
        package var refusals: UInt64
        /// All other answers.
        package var otherAnswers: UInt64

        package init(requests: UInt64 = 0, refusals: UInt64 = 0, otherAnswers: UInt64 = 0) {
            self.requests = requests
            self.refusals = refusals
            self.otherAnswers = otherAnswers
        }
    }

    /// As the scenario writes it.
    package let host: String
    /// Scheme, host and port.
    package let origin: String
    private let requests = Atomic<UInt64>(0)
    private let refusals = Atomic<UInt64>(0)
    private let otherAnswers = Atomic<UInt64>(0)
    private let dates = Mutex(ServerClock())

    init(_ target: PopulationPlan.Target) {
        host = target.host
        origin = target.origin
    }

    /// The counts now.
    package var counts: Counts {
        Counts(
            requests: requests.load(ordering: .relaxed), refusals: refusals.load(ordering: .relaxed),
            otherAnswers: otherAnswers.load(ordering: .relaxed))
    }

    /// What the answers so far told of the server's clock.
    package var clock: ServerClock { dates.withLock { $0 } }

    /// Takes the `Date` of an answer, by the machine's wall clock; a few times in a second are enough.
    func note(date: Instant, sent: Instant, received: Instant) {
        dates.withLock { $0.note(date: date, sent: sent, received: received) }
    }

    func noteRequest() { requests.add(1, ordering: .relaxed) }

    func noteAnswer(status: UInt16) {
        if status == 403 || status == 429 || (500...599).contains(status) {
            refusals.add(1, ordering: .relaxed)
        } else {
            otherAnswers.add(1, ordering: .relaxed)
        }
    }
}
