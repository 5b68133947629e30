package import Timebase

/// What a device's process remembers of uploads that did not succeed, under a ``RetryPolicy``; it dies with the process.
/// A word, and no heap while there is nothing to remember.
package struct RetryState: Sendable {
    private struct Memory {
        var quietUntil = Instant(nanoseconds: .min)
        var due = Instant.distantFuture
        var failures: UInt32 = 0
        var eventLimit = Int.max
        /// Uploads that had begun when a failure was counted last: those among them that fail later do not count again.
        var begun: UInt32 = 0

        /// Counts a failure, unless its upload was under way beside the one that was counted last.
        mutating func count(_ number: UInt32, begun: UInt32) {
            guard number >= self.begun || failures == 0 else { return }
            failures = failures < .max ? failures + 1 : .max
            self.begun = begun
        }
    }

    /// Empty, or one.
    private var memory: ContiguousArray<Memory> = []

    package init() {}

    /// What a 413 means for the request that got it.
    package enum Split: Hashable, Sendable {
        /// It was no 413, or the policy does not split.
        case none
        /// The rows stay, and the next request carries half as many.
        case halves
        /// It had one event, which is dropped.
        case drops
    }

    /// Whether no upload may begin yet.
    @inline(__always)
    package func isQuiet(at now: Instant) -> Bool { !memory.isEmpty && now < memory[0].quietUntil }

    /// When the SDK tries again by itself; ``Timebase/Instant/distantFuture`` for never.
    @inline(__always)
    package var due: Instant { memory.isEmpty ? .distantFuture : memory[0].due }

    /// Events that a request may carry, of those that the rules allow.
    @inline(__always)
    package func limit(_ batch: Int) -> Int { memory.isEmpty ? batch : min(batch, memory[0].eventLimit) }

    /// The rows are on their way: there is nothing left to try by itself.
    package mutating func takeDue() {
        if !memory.isEmpty { memory[0].due = .distantFuture }
    }

    /// The app is in the foreground again: what came due while it slept is due now.
    package mutating func resume(at now: Instant) {
        if !memory.isEmpty { memory[0].due = max(memory[0].due, now) }
    }

    /// Looks for a 413 in an upload's end.
    ///
    /// - Parameter count: The events that the upload carried.
    package mutating func split(
        _ outcome: RequestOutcome, count: Int, under policy: RetryPolicy
    ) -> Split {
        guard policy.splitsOn413, case .answered(413, _, _, _) = outcome else { return .none }
        guard count > 1 else { return .drops }
        change { $0.eventLimit = min($0.eventLimit, count / 2) }
        return .halves
    }

    /// Notes how an upload ended.
    ///
    /// - Parameters:
    ///   - number: The upload's, of the `begun` that the device has begun so far.
    ///   - isKept: Whether its rows stay for another try.
    ///   - stream: The upload's own, for the jitter: ``PopulationStreams/retries(ofUpload:index:)``.
    package mutating func note(
        _ outcome: RequestOutcome, of number: UInt32, begun: UInt32, isKept: Bool, under policy: RetryPolicy,
        at now: Instant, _ stream: RandomStream
    ) {
        guard !policy.isIdle else { return }
        let wasQuiet = isQuiet(at: now)
        if policy.heedsRetryAfter, case .answered(let status, _, let asked?, _) = outcome,
            status == 429 || status == 503
        {
            let end = now + min(asked, RetryPolicy.longestQuiet)
            change { memory in
                memory.quietUntil = max(memory.quietUntil, end)
                if memory.due < .distantFuture { memory.due = max(memory.due, end) }
            }
        }
        guard let backoff = policy.backoff else { return }
        if isKept {
            change { memory in
                if !wasQuiet {
                    memory.count(number, begun: begun)
                    memory.quietUntil = max(
                        memory.quietUntil, now + backoff.delay(after: memory.failures, stream))
                }
                memory.due = memory.quietUntil
            }
        } else if !memory.isEmpty {
            memory[0].failures = 0
        }
    }

    private mutating func change(_ body: (inout Memory) -> Void) {
        if memory.isEmpty { memory.append(Memory()) }
        body(&memory[0])
    }
}

extension PopulationStreams {
    /// The draws that decide how long a device waits after one of its uploads.
    package func retries(ofUpload number: RequestNumber, index: UInt32) -> RandomStream {
        stream(.retries, index: Int(index)).child(2 << 40 | UInt64(number.number))
    }
}
