/// The times of many devices added up: what a million of them spend in a month is longer than an ``Interval`` is.
///
/// Nanoseconds in 128 bits, so that a sum is exact, and the same in whatever order parts of a run are added.
package struct TotalTime: Hashable, Sendable {
    /// Nanoseconds.
    package var nanoseconds: Int128

    @inlinable
    package init(nanoseconds: Int128) { self.nanoseconds = nanoseconds }

    /// The time of one.
    @inlinable
    package init(_ interval: Interval) { nanoseconds = Int128(interval.nanoseconds) }

    /// No time at all.
    @inlinable
    package static var zero: TotalTime { TotalTime(nanoseconds: 0) }

    /// Seconds with their fraction.
    package var fractionalSeconds: Double { Double(nanoseconds) / 1e9 }

    @inlinable
    package static func + (left: TotalTime, right: TotalTime) -> TotalTime {
        TotalTime(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    @inlinable
    package static func - (left: TotalTime, right: TotalTime) -> TotalTime {
        TotalTime(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    @inlinable
    package static func += (left: inout TotalTime, right: TotalTime) { left = left + right }
    /// Adds the time of one.
    @inlinable
    package static func += (left: inout TotalTime, right: Interval) {
        left.nanoseconds += Int128(right.nanoseconds)
    }
}
