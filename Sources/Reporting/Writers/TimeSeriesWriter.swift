import Rendering
import Wire

/// `timeseries.csv` (RFC 4180): one row for each interval of the run, units in the header. Also row
/// by row, for the file that grows during a run.
package struct TimeSeriesWriter: ReportWriter {
    package static let format = "csv"
    package static let fileName = "timeseries.csv"
    package init() {}

    package func render(_ report: Report) -> [UInt8] {
        var bytes = TimeSeriesWriter.header
        for point in report.series { bytes += TimeSeriesWriter.row(point, marks: report.marks) }
        return bytes
    }

    /// The first line.
    package static var header: [UInt8] {
        Array((SeriesColumns.all.map(\.name) + ["timeline"]).joined(separator: ",").utf8) + [0x0D, 0x0A]
    }

    /// One line. The last column names what of the timeline was at work in the interval.
    package static func row(_ point: Report.SeriesPoint, marks: [Report.Mark]) -> [UInt8] {
        let end = point.second + point.seconds
        let active = marks.filter { $0.from < end && ($0.until ?? .infinity) > point.second }
        var cells = SeriesColumns.all.map { column in
            SeriesColumns.value(of: column.access, in: point).compactText
        }
        cells.append(Escaping.csv(active.map(\.text).joined(separator: "; ")))
        return Array(cells.joined(separator: ",").utf8) + [0x0D, 0x0A]
    }
}
