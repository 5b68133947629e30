package import Measurement
import Timebase

/// How many values of a metric fell into which range at which time: the counts behind a picture.
package struct HeatMap: Hashable, Sendable {
    package var metric: String
    /// The length of a column, seconds.
    package var columnSeconds: Double
    /// The bounds of the rows in milliseconds, ascending: one more than there are rows.
    package var bounds: [Double]
    /// Counts by column, each with one number a row from the shortest times; a column without values is
    /// empty.
    package var columns: [[UInt64]]

    /// The most columns and rows of a picture.
    private static let columnLimit = 90
    private static let rowLimit = 36

    package init(metric: String, columnSeconds: Double, bounds: [Double], columns: [[UInt64]]) {
        self.metric = metric
        self.columnSeconds = columnSeconds
        self.bounds = bounds
        self.columns = columns
    }

    /// Makes the map of one distribution of a series, by as many columns as a picture holds, and rows of
    /// equal height on a logarithmic scale: four, two or one for each doubling, so that they fit.
    ///
    /// - Returns: `nil` where nothing was measured.
    package init?(
        metric: String, series: TimeSeries, _ path: KeyPath<TimeSeries.Bucket, IntervalHistogram>
    ) {
        let size = max(1, (series.buckets.count + HeatMap.columnLimit - 1) / HeatMap.columnLimit)
        let columns = stride(from: 0, to: series.buckets.count, by: size).map { start in
            var sum = IntervalHistogram()
            for bucket in series.buckets[start..<min(start + size, series.buckets.count)] {
                sum.merge(bucket[keyPath: path])
            }
            return sum.recorded
        }
        guard let lowest = columns.compactMap({ $0.first?.index }).min(),
            let highest = columns.compactMap({ $0.last?.index }).max()
        else { return nil }
        let rows = Rows(from: lowest, through: highest, limit: HeatMap.rowLimit)
        self.metric = metric
        columnSeconds = series.width.fractionalSeconds * Double(size)
        bounds = rows.bounds
        self.columns = columns.map { counters in
            guard !counters.isEmpty else { return [] }
            var counts = [UInt64](repeating: 0, count: rows.bounds.count - 1)
            for (index, count) in counters { counts[rows.row(of: index)] += UInt64(count) }
            return counts
        }
    }

    /// Rows over a range of a histogram's counters.
    private struct Rows {
        /// Milliseconds.
        let bounds: [Double]
        private let first: Int
        private let perDoubling: Int

        init(from lowest: Int, through highest: Int, limit: Int) {
            var perDoubling = 4
            while perDoubling > 1,
                Rows.step(highest, perDoubling) - Rows.step(lowest, perDoubling) >= limit
            {
                perDoubling /= 2
            }
            let first = Rows.step(lowest, perDoubling)
            let last = Rows.step(highest, perDoubling)
            self.perDoubling = perDoubling
            self.first = first
            bounds = (first...(last + 1)).map {
                DeterministicMath.pow(2, Double($0) / Double(perDoubling)) / 1000
            }
        }

        func row(of index: Int) -> Int { Rows.step(index, perDoubling) - first }

        /// The step of a logarithmic ladder on which the middle of a counter stands.
        private static func step(_ index: Int, _ perDoubling: Int) -> Int {
            let range = IntervalHistogram.microseconds(of: index)
            let middle = max(1, (Double(range.lowerBound) + Double(range.upperBound)) / 2)
            let doublings = DeterministicMath.log(middle) / DeterministicMath.log(2)
            return Int((doublings * Double(perDoubling) + 1e-9).rounded(.down))
        }
    }
}
