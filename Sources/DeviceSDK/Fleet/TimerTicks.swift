package import Timebase

/// A timer that is set anew at each of its ticks: for an interval later, or up to `jitter` after that.
package struct TimerTicks {
    private let streams: PopulationStreams
    private let interval: Interval
    private let jitter: Interval
    private let start: Instant

    /// - Parameter start: The run's.
    @inline(__always)
    package init(
        _ streams: PopulationStreams, every interval: Interval, jitter: Interval, since start: Instant
    ) {
        self.streams = streams
        self.interval = interval
        self.jitter = jitter
        self.start = start
    }

    /// The tick after one that is due, or from a start.
    package func next(after moment: Instant, index: UInt32) -> Instant {
        let tick = moment + interval
        return tick + lateness(ofTick: tick - start, index: index)
    }

    /// The tick that is not before a moment, where the one that is due and those after it were skipped because there was
    /// nothing to do.
    ///
    /// - Complexity: O(ticks skipped), with jitter; beyond a thousand they are taken to be as late as they are on average.
    package func next(notBefore now: Instant, from due: Instant, index: UInt32) -> Instant {
        guard due < now else { return due }
        let mean = interval.nanoseconds + jitter.nanoseconds / 2
        let late = (now - due).nanoseconds
        guard jitter > .zero else {
            return due + Interval(nanoseconds: (late + mean - 1) / mean * mean)
        }
        var due = due + Interval(nanoseconds: max(0, late / mean - 1000) * mean)
        while due < now { due = next(after: due, index: index) }
        return due
    }

    /// How late a tick is, evenly between nothing and the jitter: a draw that belongs to the tick.
    ///
    /// - Parameter age: The tick's own, on the run's clock.
    private func lateness(ofTick age: Interval, index: UInt32) -> Interval {
        guard jitter > .zero else { return .zero }
        var draw = streams.stream(.retries, index: Int(index)).child(3 << 40).child(
            UInt64(bitPattern: age.nanoseconds))
        return Interval(nanoseconds: Int64(draw.uniform() * Double(jitter.nanoseconds)))
    }
}
