/// Longer intervals for pictures and their tables; the whole series is in `timeseries.csv`.
enum SeriesMerging {
    /// At most `limit` points. Counts add up; percentiles are the largest of the merged intervals, so
    /// that no peak vanishes; what is counted at an interval's end is the last.
    static func merged(_ series: [Report.SeriesPoint], limit: Int) -> [Report.SeriesPoint] {
        guard series.count > limit, limit > 0 else { return series }
        let size = (series.count + limit - 1) / limit
        return stride(from: 0, to: series.count, by: size).map { start in
            var point = series[start]
            for next in series[(start + 1)..<min(start + size, series.count)] { add(next, to: &point) }
            return point
        }
    }

    private static func add(_ next: Report.SeriesPoint, to point: inout Report.SeriesPoint) {
        point.seconds = next.second + next.seconds - point.second
        point.captured += next.captured
        point.delivered += next.delivered
        point.requests += next.requests
        point.failures += next.failures
        point.bytesSent += next.bytesSent
        point.freshnessP50 = max(point.freshnessP50, next.freshnessP50)
        point.freshnessP95 = max(point.freshnessP95, next.freshnessP95)
        point.durationP50 = max(point.durationP50, next.durationP50)
        point.durationP95 = max(point.durationP95, next.durationP95)
        point.durationP99 = max(point.durationP99, next.durationP99)
        point.lagP99 = max(point.lagP99, next.lagP99)
        point.storedRows = next.storedRows
        point.devicesActive = next.devicesActive
        point.connections = next.connections
    }
}
