package import Timebase

extension PopulationStreams {
    /// The tick of a timer after one that is due, or from a start, where each is set for an interval after the one before:
    /// then, or up to `jitter` later.
    package func tick(
        after moment: Instant, every interval: Interval, jitter: Interval, since start: Instant, index: UInt32
    ) -> Instant {
        let tick = moment + interval
        return tick + lateness(ofTick: tick - start, upTo: jitter, index: index)
    }

    /// The tick of such a timer that is not before a moment, where the one that is due and those after it were skipped
    /// because there was nothing to do.
    ///
    /// - Complexity: O(ticks skipped), with jitter; beyond a thousand they are taken to be as late as they are on average.
    package func tick(
        notBefore now: Instant, from due: Instant, every interval: Interval, jitter: Interval,
        since start: Instant, index: UInt32
    ) -> Instant {
        guard due < now else { return due }
        let mean = interval.nanoseconds + jitter.nanoseconds / 2
        let late = (now - due).nanoseconds
        guard jitter > .zero else {
            return due + Interval(nanoseconds: (late + mean - 1) / mean * mean)
        }
        var due = due + Interval(nanoseconds: max(0, late / mean - 1000) * mean)
        while due < now {
            due = tick(after: due, every: interval, jitter: jitter, since: start, index: index)
        }
        return due
    }

    /// How late a tick of a timer is, evenly between nothing and `most`: a draw that belongs to the tick.
    ///
    /// - Parameter age: The tick's own, on the run's clock.
    package func lateness(ofTick age: Interval, upTo most: Interval, index: UInt32) -> Interval {
        guard most > .zero else { return .zero }
        var draw = stream(.retries, index: Int(index)).child(3 << 40).child(
            UInt64(bitPattern: age.nanoseconds))
        return Interval(nanoseconds: Int64(draw.uniform() * Double(most.nanoseconds)))
    }
}
