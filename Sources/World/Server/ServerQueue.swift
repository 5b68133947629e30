package import Timebase

/// A server at work: `c` workers and a bounded queue, first come first served, as a state machine. In Kendall's
/// words G/G/c/K, with K = workers + queue.
///
/// How long a request will wait is known when it comes, for nobody overtakes and nobody leaves: a server does not
/// know that a client gave up. The nth request's service time is a function of the stream and n alone.
package struct ServerQueue: Sendable {
    /// What becomes of a request.
    package enum Admission: Hashable, Sendable {
        /// It is served from the first moment on, and done at the second.
        case served(from: Instant, until: Instant)
        case refused(ServerWork.Refusal)
    }

    /// Ten years: nobody waits for as long as this.
    private static let longest = Interval.hours(24 * 3650)

    private let rules: ServerWork
    private let stream: RandomStream
    /// When each worker that has something to do is free; earliest first. No longer than the workers are.
    private var free = MinHeap<Instant>()
    /// When those that were admitted are done.
    private var ends = MinHeap<Instant>()
    private var arrivals: UInt64 = 0
    /// The theoretical arrival time of the rate's limit (GCRA, ITU-T I.371).
    private var nextAllowed = Instant(nanoseconds: .min)

    package init(_ rules: ServerWork, stream: RandomStream) {
        self.rules = rules
        self.stream = stream
    }

    /// Lets a request in, or turns it away. Times do not go back.
    ///
    /// - Complexity: O(log n) for n requests present.
    package mutating func admit(at now: Instant) -> Admission {
        var draw = stream.child(arrivals)
        arrivals &+= 1
        while let end = ends.first, end <= now { ends.popFirst() }
        if let limit = rules.limit, !isAllowed(limit, at: now) { return .refused(limit.refusal) }
        let waiting = max(0, ends.count - rules.workers)
        if let queue = rules.queue, ends.count >= rules.workers + queue { return .refused(rules.full) }
        var milliseconds = rules.serviceTime.sample(&draw)
        if let queue = rules.queue, queue > 0 {
            milliseconds *= 1 + rules.degrade * Double(waiting) / Double(queue)
        }
        var begins = now
        if free.count == rules.workers, let first = free.first {
            begins = min(max(now, first), now + ServerQueue.longest)
            free.popFirst()
        }
        // Beyond a day nothing is served: what instants can tell.
        let end = begins + .fractional(seconds: min(max(milliseconds, 0), 86_400_000) / 1000)
        free.insert(end)
        ends.insert(end)
        return .served(from: begins, until: end)
    }

    private mutating func isAllowed(_ limit: ServerWork.RateLimit, at now: Instant) -> Bool {
        let gap = Interval.fractional(seconds: min(1 / limit.rate, ServerQueue.longest.fractionalSeconds))
        let next = max(nextAllowed, now)
        // A burst that lasts longer than time does is no limit.
        let (most, isEndless) = gap.nanoseconds.multipliedReportingOverflow(by: Int64(limit.burst - 1))
        guard isEndless || (next - now).nanoseconds <= most else { return false }
        nextAllowed = Instant(nanoseconds: next.nanoseconds.adding(saturating: gap.nanoseconds))
        return true
    }
}
