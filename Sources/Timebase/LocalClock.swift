/// The clock that a device shows: that of its zone, as much ahead as its owner or its crystal has set it.
package struct LocalClock: Sendable, Hashable {
    private let zone: UTCOffsets
    private let skew: Interval

    /// Makes a clock.
    ///
    /// - Parameters:
    ///   - zone: How far local time is ahead of UTC, and when that changes.
    ///   - skew: How far the clock is ahead of what it should show; negative for behind. It changes with the zone when it
    ///     shows the moment of the change, not when that has come.
    package init(zone: UTCOffsets, skew: Interval = .zero) {
        self.zone = zone
        self.skew = skew
    }

    /// How far the clock is ahead of UTC at an instant.
    ///
    /// - Complexity: O(log n) in the number of changes of the zone.
    package func offset(at instant: Instant) -> Interval {
        skew + zone.offset(at: instant + skew).offset
    }

    /// What the clock shows at an instant.
    package func reading(at instant: Instant) -> CivilTime {
        CivilTime(instant, offset: offset(at: instant))
    }

    /// The day that the clock shows at an instant, as the number of days since 1970-01-01.
    package func day(of instant: Instant) -> Int64 {
        CivilTime.dayNumber(instant, offset: offset(at: instant))
    }

    /// When the clock showed the midnight that the day of an instant began with.
    package func midnight(before instant: Instant) -> Instant {
        let midnight = Instant(milliseconds: day(of: instant) * 86_400_000)
        // By the offset of that moment: the day may have had a change since.
        return midnight - offset(at: midnight - offset(at: instant))
    }
}
