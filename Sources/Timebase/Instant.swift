/// A point on the run's clock: nanoseconds since 1970-01-01T00:00:00Z, leap seconds ignored.
///
/// Eight bytes, so that millions of them are cheap. Covers the years 1678 to 2262; arithmetic
/// beyond that traps.

package struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the Unix epoch.
    package var nanoseconds: Int64

    /// Makes an instant from nanoseconds since the Unix epoch.
    @inlinable
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Makes an instant from milliseconds since the Unix epoch.
    @inlinable
    package init(milliseconds: Int64) { nanoseconds = milliseconds * 1_000_000 }

    /// Makes an instant from seconds since the Unix epoch that somebody else tells, such as a header, a certificate or a
    /// file: what lies before 1970 or after 2199 is taken as the nearer of these ends, so that what lies between any two
    /// of them fits into an ``Interval``.
    package init(clampingSeconds seconds: Int64) {
        self.init(milliseconds: min(max(seconds, 0), 7_258_118_399) * 1000)
    }

    /// The instants that somebody else may tell, in an option or a file: from 1960, for what was captured before a run
    /// that begins in 1970, to the end of 2199. What lies between any two of them fits into an ``Interval``.
    package static let credible =
        Instant(milliseconds: -315_619_200_000)...Instant(milliseconds: 7_258_118_399_999)

    /// Makes an instant from nanoseconds since the Unix epoch that a file tells; `nil` for one outside ``credible``.
    package init?(credibleNanoseconds nanoseconds: Int64) {
        self.init(nanoseconds: nanoseconds)
        guard Instant.credible.contains(self) else { return nil }
    }

    /// Whole milliseconds since the Unix epoch, rounded down: the unit of every SDK's `time` field.
    @inlinable
    package var milliseconds: Int64 {
        let quotient = nanoseconds / 1_000_000
        return nanoseconds % 1_000_000 < 0 ? quotient - 1 : quotient
    }

    /// Milliseconds since the Unix epoch with their fraction, for reports.
    @inlinable
    package var fractionalMilliseconds: Double { Double(nanoseconds) / 1e6 }

    /// An instant later than every one that a run can reach: "never".
    @inlinable
    package static var distantFuture: Instant { Instant(nanoseconds: .max) }

    @inlinable
    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable
    package static func + (left: Instant, right: Interval) -> Instant {
        Instant(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    @inlinable
    package static func - (left: Instant, right: Interval) -> Instant {
        Instant(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    @inlinable
    package static func - (left: Instant, right: Instant) -> Interval {
        Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
}

/// A length of time in nanoseconds; may be negative.

package struct Interval: Comparable, Hashable, Sendable {
    /// Nanoseconds.
    package var nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No time at all.
    @inlinable
    package static var zero: Interval { Interval(nanoseconds: 0) }

    @inlinable
    package static func microseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1000) }
    @inlinable
    package static func milliseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000) }
    @inlinable
    package static func seconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000_000) }
    @inlinable
    package static func minutes(_ count: Int64) -> Interval { .seconds(count * 60) }
    @inlinable
    package static func hours(_ count: Int64) -> Interval { .seconds(count * 3600) }

    /// The interval of a number of seconds, rounded to the nanosecond.
    ///
    /// - Precondition: the value is finite and below 292 years.
    @inlinable
    package static func fractional(seconds count: Double) -> Interval {
        Interval(nanoseconds: Int64((count * 1e9).rounded()))
    }

    /// Whole milliseconds, rounded towards zero.
    @inlinable
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }
    /// Milliseconds with their fraction.
    @inlinable
    package var fractionalMilliseconds: Double { Double(nanoseconds) / 1e6 }
    /// Seconds with their fraction.
    @inlinable
    package var fractionalSeconds: Double { Double(nanoseconds) / 1e9 }

    @inlinable
    package static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable
    package static func + (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    @inlinable
    package static func - (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
    }

    @inlinable
    package static func * (left: Interval, right: Int64) -> Interval {
        Interval(nanoseconds: left.nanoseconds * right)
    }
    @inlinable
    package static func / (left: Interval, right: Int64) -> Interval {
        Interval(nanoseconds: left.nanoseconds / right)
    }

    /// A hundred years, which every instant of a run can be added to.
    package static let century = Interval.hours(24 * 36_525)

    /// How far a clock goes in this time that is `pace` times as fast; at most ``century``.
    ///
    /// - Parameter pace: 1 or more.
    package func stretched(by pace: Int64) -> Interval {
        let (product, overflows) = nanoseconds.multipliedReportingOverflow(by: pace)
        return overflows ? .century : min(Interval(nanoseconds: product), .century)
    }
}
