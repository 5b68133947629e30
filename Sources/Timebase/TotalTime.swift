/// The times of many devices added up: what a million of them spend in a month is longer than an ``Interval`` is.
///
/// Nanoseconds in 128 bits, so that a sum is exact, and the same in whatever order parts of a run are added. Two words hold
/// them and not an `Int128`: records that have one are laid out for an alignment of 16, which Swift 6.3 does not keep when it
/// copies them.
package struct TotalTime: Hashable, Sendable {
    /// The upper and the lower half of the nanoseconds, in two's complement.
    package var high: UInt64
    package var low: UInt64

    @inlinable
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The time of one.
    @inlinable
    package init(_ interval: Interval) {
        self.init(
            high: UInt64(bitPattern: interval.nanoseconds >> 63),
            low: UInt64(bitPattern: interval.nanoseconds))
    }

    /// No time at all.
    @inlinable
    package static var zero: TotalTime { TotalTime(high: 0, low: 0) }

    @inlinable
    package var nanoseconds: Int128 { Int128(Int64(bitPattern: high)) << 64 | Int128(low) }

    /// Seconds with their fraction.
    package var fractionalSeconds: Double { Double(nanoseconds) / 1e9 }

    @inlinable
    package static func + (left: TotalTime, right: TotalTime) -> TotalTime {
        let (low, carries) = left.low.addingReportingOverflow(right.low)
        return TotalTime(high: left.high &+ right.high &+ (carries ? 1 : 0), low: low)
    }
    @inlinable
    package static func - (left: TotalTime, right: TotalTime) -> TotalTime {
        let (low, borrows) = left.low.subtractingReportingOverflow(right.low)
        return TotalTime(high: left.high &- right.high &- (borrows ? 1 : 0), low: low)
    }
    @inlinable
    package static func += (left: inout TotalTime, right: TotalTime) { left = left + right }
    /// Adds the time of one.
    @inlinable
    package static func += (left: inout TotalTime, right: Interval) { left += TotalTime(right) }
}
