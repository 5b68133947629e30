package import Timebase

/// How much a collector can take.
package struct CapacityFault: Hashable, Sendable {
    /// Requests per second that it serves while nobody waits; above 0.
    package var rate: Double
    /// Requests that may wait behind the one that is being served; 0 or more.
    package var queue: Int
    /// How much longer a request takes to serve that finds the queue full: 0 for a collector whose pace
    /// does not suffer, 1 for one that is half as fast by then.
    package var degrade: Double
    /// The answer to a request that finds no place.
    package var status: UInt16
    /// Sent with that answer.
    package var retryAfter: Interval?

    package init(
        rate: Double, queue: Int, degrade: Double = 0, status: UInt16 = 503, retryAfter: Interval? = nil
    ) {
        self.rate = rate
        self.queue = queue
        self.degrade = degrade
        self.status = status
        self.retryAfter = retryAfter
    }
}

/// One server with a bounded queue in front, first come first served, as a state machine.
///
/// A request that arrives while `n` others are there (one being served, the rest waiting) is served for
///
///     (1 + degrade · n / queue) / rate        seconds,
///
/// beginning when those before it are done. With more than `queue` of them there, it is turned away at
/// once. Since nobody leaves the queue early (a server does not know that a client gave up), a `degrade`
/// above 0 lets the capacity fall as the load rises: the collapse of a system that spends its time on
/// answers for which nobody waits any more.
///
/// Times must not go back by more than the order of arrivals on several threads makes them.
package struct CapacityQueue: Sendable {
    private let rules: CapacityFault
    /// When those that were admitted are done: ascending; beyond the longest wait in no order.
    private var ends: [Instant] = []
    /// The first of ``ends`` that is not known to be past.
    private var head = 0

    package init(_ rules: CapacityFault) { self.rules = rules }

    /// Lets a request in.
    ///
    /// - Returns: when its answer is ready, or `nil` if it is turned away.
    /// - Complexity: O(1) amortised.
    package mutating func admit(at now: Instant) -> Instant? {
        forgetDone(at: now)
        let present = ends.count - head
        guard present <= rules.queue else { return nil }
        let load = rules.queue > 0 ? Double(present) / Double(rules.queue) : 0
        // Below a nanosecond and beyond ten years nothing is served, and nobody waits for longer: the bounds of what
        // instants can tell.
        let longest = Interval.hours(24 * 3650)
        let seconds = min(max((1 + rules.degrade * load) / rules.rate, 1e-9), longest.fractionalSeconds)
        let begins = min(max(now, ends.last ?? now), now + longest)
        let end = begins + Interval.fractional(seconds: seconds)
        ends.append(end)
        return end
    }

    /// Requests that are being served or wait.
    package mutating func present(at now: Instant) -> Int {
        forgetDone(at: now)
        return ends.count - head
    }

    private mutating func forgetDone(at now: Instant) {
        while head < ends.count, ends[head] <= now { head += 1 }
        guard head > 64, head * 2 > ends.count else { return }
        ends.removeFirst(head)
        head = 0
    }
}
