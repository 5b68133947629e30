import Measurement
import Timebase

/// How the devices' stores grew over a window: the slope of a line through the rows that were stored at
/// the end of each second, by least squares.
struct StoreGrowth: Hashable, Sendable {
    private static let pointsNeeded = 5
    private(set) var rowsPerSecond = 0.0
    /// What of the slope is not chance: three standard errors less, and less what the number of stored
    /// rows, being a sum of independent stores, wanders by itself.
    private(set) var certainRowsPerSecond = 0.0

    /// - Parameter control: What the same users store where nothing is in their way: only the difference counts.
    init(_ series: TimeSeries, beyond control: TimeSeries? = nil, window: Range<Instant>) {
        let width = series.width.fractionalSeconds
        // A step's control is as long as the step.
        let others = control.flatMap { $0.width == series.width ? $0.buckets : nil } ?? []
        let points = series.buckets.enumerated().compactMap { index, bucket -> (x: Double, y: Double)? in
            let end = series.start + series.width * Int64(index + 1)
            guard end > window.lowerBound, end <= window.upperBound else { return nil }
            let other = index < others.count ? Double(others[index].gauges.storedRows) : 0
            return (Double(index) * width, Double(bucket.gauges.storedRows) - other)
        }
        let count = Double(points.count)
        guard points.count > 2 else { return }
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread
        let residual = points.reduce(0.0) { sum, point in
            let error = point.y - meanY - slope * (point.x - meanX)
            return sum + error * error
        }
        let error = (residual / (count - 2) / spread).squareRoot()
        rowsPerSecond = slope
        // With fewer points the error itself is chance.
        guard points.count >= StoreGrowth.pointsNeeded else { return }
        certainRowsPerSecond = slope - 3 * error - 2 * meanY.magnitude.squareRoot() / (count * width)
    }
}
