/// A clock that runs faster when users are more active: the time change of an open model.
///
/// Whatever is drawn as a length of time (the gap to the next event, or to the next session) is laid
/// out on this clock and read back on the run's. A process of rate 1 on this clock is then one whose
/// rate follows the curve on the run's: nothing is dropped, nothing waits, and each device's own
/// order and draws stay as they are (inversion of the cumulative rate; Çinlar, "Introduction to
/// Stochastic Processes", 1975, 4.7).
package struct ActivityClock: Sendable, Hashable {
    private let start: Instant
    /// Seconds of activity per second of the run.
    private let curve: StageCurve

    /// Makes a clock whose speed follows a curve and is 1 on average over a run.
    ///
    /// - Parameters:
    ///   - rate: Any quantity that activity is proportional to, such as events per second.
    ///   - length: The run's length, over which the mean is taken.
    /// - Returns: `nil` if the curve is 0 all that time.
    package init?(rate: StageCurve, start: Instant, length: Interval) {
        guard let mean = ActivityClock.mean(of: rate, over: length) else { return nil }
        self.start = start
        curve = StageCurve(stages: rate.stages.map { .init(duration: $0.duration, target: $0.target / mean) })
    }

    /// A curve's mean over the first `length`; `nil` if that is not positive.
    package static func mean(of rate: StageCurve, over length: Interval) -> Double? {
        let mean = rate.area(until: length) / length.fractionalSeconds
        return mean > 0 && mean.isFinite ? mean : nil
    }

    /// How fast the clock runs at an instant: 1 on average.
    ///
    /// - Complexity: O(log n) in the number of stages.
    package func speed(at instant: Instant) -> Double { curve.value(at: max(.zero, instant - start)) }

    /// The run's time at which `activity` has gone by on this clock since `instant`;
    /// ``Instant/distantFuture`` if it never has.
    ///
    /// - Precondition: `instant` is not before the start.
    /// - Complexity: O(log n) in the number of stages.
    package func instant(after instant: Instant, activity: Interval) -> Instant {
        let area = curve.area(until: instant - start) + activity.fractionalSeconds
        guard let offset = curve.offset(ofArea: area), offset < Interval.longest else {
            return .distantFuture
        }
        // Rounding may not turn time back.
        return max(instant, start + offset)
    }
}
