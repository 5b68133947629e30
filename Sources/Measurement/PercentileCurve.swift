/// A distribution as HdrHistogram prints it: its values at percentiles that come closer and closer to 100.
package struct PercentileCurve: Hashable, Sendable {
    /// A step of the curve.
    package struct Point: Hashable, Sendable {
        /// Milliseconds that the values up to the percentile do not exceed.
        package var milliseconds: Double
        /// 0…100.
        package var percentile: Double
        /// How many values do not exceed ``milliseconds``.
        package var totalCount: UInt64

        package init(milliseconds: Double, percentile: Double, totalCount: UInt64) {
            self.milliseconds = milliseconds
            self.percentile = percentile
            self.totalCount = totalCount
        }
    }

    /// The last is at 100; empty where nothing was measured.
    package var points: [Point] = []
    /// Milliseconds.
    package var mean = 0.0
    /// Milliseconds.
    package var standardDeviation = 0.0
    /// Milliseconds, exact.
    package var maximum = 0.0
    package var totalCount: UInt64 = 0
    /// The histogram's arrangement, for the foot of the text.
    package var buckets = 0
    package var subBuckets = 0

    package init() {}
}
