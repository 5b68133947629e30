/// Longer intervals for pictures and their tables; the whole series is in `timeseries.csv`.
enum SeriesMerging {
    /// At most `limit` points, joined as ``Report/SeriesPoint/join(_:)`` says.
    static func merged(_ series: [Report.SeriesPoint], limit: Int) -> [Report.SeriesPoint] {
        guard series.count > limit, limit > 0 else { return series }
        let size = (series.count + limit - 1) / limit
        return stride(from: 0, to: series.count, by: size).map { start in
            var point = series[start]
            for next in series[(start + 1)..<min(start + size, series.count)] {
                point.join(next)
            }
            return point
        }
    }
}
