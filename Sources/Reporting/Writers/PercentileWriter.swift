import Measurement
import Rendering

/// A distribution by percentiles, as HdrHistogram's `outputPercentileDistribution` prints it and its plotter
/// (`plotFiles.html`) reads it: values in milliseconds, three decimals.
package struct PercentileWriter: ReportWriter {
    package static let format = "hgrm"
    package static let fileName = "http_req_duration.hgrm"
    /// The metrics that are written so, each into a file `<metric>.hgrm`.
    package static let metrics = ["http_req_duration", "http_req_service", "event_freshness"]

    /// Which of ``metrics`` is written.
    package var metric: String

    package init(metric: String = "http_req_duration") { self.metric = metric }

    package func render(_ report: Report) -> [UInt8] {
        let curve = report.curves.first { $0.metric == metric }?.curve ?? PercentileCurve()
        var text =
            PercentileWriter.line("Value", "Percentile", "TotalCount", "1/(1-Percentile)") + "\n"
        for point in curve.points {
            let share = point.percentile / 100
            text += PercentileWriter.line(
                PercentileWriter.fixed(point.milliseconds, 3), PercentileWriter.fixed(share, 12),
                String(point.totalCount),
                point.percentile < 100 ? PercentileWriter.fixed(1 / (1 - share), 2) : nil)
        }
        let figure = { (value: Double) in Columns.right(PercentileWriter.fixed(value, 3), 12) }
        let whole = { (value: String) in Columns.right(value, 12) }
        text += "#[Mean    = \(figure(curve.mean)), StdDeviation   = \(figure(curve.standardDeviation))]\n"
        text += "#[Max     = \(figure(curve.maximum)), Total count    = \(whole(String(curve.totalCount)))]\n"
        text +=
            "#[Buckets = \(whole(String(curve.buckets))), SubBuckets     = \(whole(String(curve.subBuckets)))]\n"
        return Array(text.utf8)
    }

    private static func line(_ value: String, _ percentile: String, _ count: String, _ inverse: String?)
        -> String
    {
        let cells = [Columns.right(value, 12), Columns.right(percentile, 14), Columns.right(count, 10)]
        return (cells + (inverse.map { [Columns.right($0, 14)] } ?? [])).joined(separator: " ") + "\n"
    }

    /// Without commas between thousands.
    private static func fixed(_ value: Double, _ decimals: Int) -> String {
        Numbers.fixed(value, decimals).filter { $0 != "," }
    }
}
