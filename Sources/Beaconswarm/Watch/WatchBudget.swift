import Timebase

/// When something may be drawn anew: as seldom as it takes to stay within a share of a core, however costly it is.
struct WatchBudget {
    /// Of one core's time: half of the hundredth that watching may cost, since sending costs too.
    static let share = 0.005
    /// However cheap it is.
    static let leastPeriod = Interval.milliseconds(900)

    private var due: Interval?

    /// - Parameter now: By the clock that only goes forward.
    func isDue(at now: Interval) -> Bool { due.map { now >= $0 } ?? true }

    /// Notes that it was drawn.
    ///
    /// - Parameter cost: CPU time that it took.
    mutating func note(cost: Interval, at now: Interval) {
        let pause = Interval.fractional(seconds: cost.fractionalSeconds / WatchBudget.share)
        due = now + max(WatchBudget.leastPeriod, pause)
    }
}
