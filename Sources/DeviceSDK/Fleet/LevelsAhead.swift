import Timebase

/// How a fleet's levels change by what devices do ahead of the clock, by the intervals in which they do it: what the
/// fleet tells of itself follows the clock all the same.
///
/// A ring of as many intervals as anything may lie ahead. Empty until a device runs ahead for the first time.
struct LevelsAhead: Sendable {
    /// What devices changed in an interval.
    struct Change: Equatable, Sendable {
        var captured: UInt64 = 0
        var stored: Int64 = 0
        var foreground: Int64 = 0
        var radioTime = TotalTime.zero
        var radioWakeups: Int64 = 0

        static func += (left: inout Change, right: Change) {
            left.captured += right.captured
            left.stored += right.stored
            left.foreground += right.foreground
            left.radioTime += right.radioTime
            left.radioWakeups += right.radioWakeups
        }
    }

    private let origin: Instant
    private var width: Int64
    private var ring: ContiguousArray<Change> = []
    /// The first interval that may lie ahead, and one past the last that has a change.
    private var bounds: Range<Int64> = 0..<0
    /// Of all that lies ahead: the radios count it as it happens.
    private(set) var radioTime = TotalTime.zero
    private(set) var radioWakeups: Int64 = 0

    /// - Parameter origin: Where intervals begin.
    init(origin: Instant) {
        self.origin = origin
        width = RunAhead.shortestInterval.nanoseconds
    }

    /// The number of the interval that a moment lies in.
    func interval(of moment: Instant) -> Int64 { (moment - origin).nanoseconds / width }

    /// The first moment after an interval.
    func end(of interval: Int64) -> Instant { origin + Interval(nanoseconds: (interval + 1) * width) }

    /// Notes what a device did in an interval.
    ///
    /// - Precondition: it is one of the ``RunAhead/intervals`` that begin with the clock's.
    @inline(__always)
    mutating func note(_ change: Change, in interval: Int64) {
        precondition(
            interval >= bounds.lowerBound && interval - bounds.lowerBound < RunAhead.intervals,
            "a device ran further ahead than anybody looks")
        if ring.isEmpty { ring = ContiguousArray(repeating: Change(), count: Int(RunAhead.intervals)) }
        ring[Int(interval % RunAhead.intervals)] += change
        bounds = bounds.lowerBound..<max(bounds.upperBound, interval + 1)
        radioTime += change.radioTime
        radioWakeups += change.radioWakeups
    }

    /// Takes what happened before a moment that no interval with a later change begins before.
    ///
    /// - Parameter next: The length of intervals from now on: the present one or a multiple.
    /// - Returns: `nil` if nothing did that changes anything.
    mutating func take(before now: Instant, next: Interval) -> Change? {
        let elapsed = (now - origin).nanoseconds
        let until = elapsed / width + (elapsed % width > 0 ? 1 : 0)
        var sum = Change()
        for interval in bounds.prefix(while: { $0 < until }) {
            sum += ring[Int(interval % RunAhead.intervals)]
            ring[Int(interval % RunAhead.intervals)] = Change()
        }
        radioTime = radioTime - sum.radioTime
        radioWakeups -= sum.radioWakeups
        let first = elapsed / width
        bounds = first..<max(first, bounds.upperBound)
        if next.nanoseconds != width { widen(to: next.nanoseconds) }
        return sum == Change() ? nil : sum
    }

    private mutating func widen(to next: Int64) {
        let left = bounds.map { ($0 * width / next, ring[Int($0 % RunAhead.intervals)]) }
        let first = bounds.lowerBound * width / next
        bounds = first..<max(first, left.last.map { $0.0 + 1 } ?? first)
        width = next
        for index in ring.indices { ring[index] = Change() }
        for (interval, change) in left { ring[Int(interval % RunAhead.intervals)] += change }
    }
}
