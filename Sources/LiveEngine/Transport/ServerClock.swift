package import Timebase

/// What the `Date` of answers tells of a server's clock against this machine's.
///
/// A server says whole seconds: where it wrote D, its clock showed D up to D + 1 s, at a moment after the request was sent
/// and before the answer was received. So its clock is ahead by more than D − received and by less than D + 1 s − sent. What
/// many answers say has to hold at once, which soon leaves a few milliseconds. Clocks drift, so it is asked to hold within a
/// minute at a time.
package struct ServerClock: Hashable, Sendable {
    /// How far the server's clock is ahead of the machine's, at least and at most.
    package struct Bounds: Hashable, Sendable {
        package var least: Interval
        package var most: Interval

        package init(least: Interval, most: Interval) {
            self.least = least
            self.most = most
        }

        fileprivate var width: Interval { most - least }
    }

    /// How long what answers say has to hold at once.
    private static let window = Interval.seconds(60)

    /// Answers that told the time.
    package private(set) var answers: UInt64 = 0
    private var best: Bounds?
    private var current: Bounds?
    private var windowEnd = Instant.distantFuture
    private var isContradictory = false

    package init() {}

    /// Takes an answer in; both moments by the machine's clock.
    package mutating func note(date: Instant, sent: Instant, received: Instant) {
        guard received >= sent else { return }
        let found = Bounds(least: date - received, most: date + .seconds(1) - sent)
        answers += 1
        if current == nil || received >= windowEnd {
            closeWindow()
            current = found
            windowEnd = received + ServerClock.window
        } else if let known = current {
            current = Bounds(
                least: max(known.least, found.least), most: min(known.most, found.most))
        }
        if let current, current.most < current.least { isContradictory = true }
    }

    private mutating func closeWindow() {
        best = narrower(best, current)
        current = nil
    }

    private func narrower(_ one: Bounds?, _ other: Bounds?) -> Bounds? {
        guard let one, let other else { return one ?? other }
        return one.width <= other.width ? one : other
    }

    /// The narrowest of all minutes; `nil` without answers that told the time, and where they contradict each other: several
    /// servers answered, or a clock was set.
    package var bounds: Bounds? { isContradictory ? nil : narrower(best, current) }
}
