/// A form in which a report can be written.
package protocol ReportWriter: Sendable {
    /// The name after `--format`.
    static var format: String { get }
    /// The file in a run's folder.
    static var fileName: String { get }
    /// The whole file.
    func render(_ report: Report) -> [UInt8]
}

/// The forms that there are.
package enum ReportFormats {
    /// In the order in which help lists them.
    package static let all: [any ReportWriter] = [
        HTMLWriter(), MarkdownWriter(), TimeSeriesWriter(), JUnitWriter(), PrometheusWriter(),
        JSONReportWriter(), PercentileWriter(),
    ]

    /// Their names.
    package static var names: [String] { all.map { type(of: $0).format } }

    /// The writer of a form, `nil` for a name that does not exist.
    package static func writer(named name: String) -> (any ReportWriter)? {
        all.first { type(of: $0).format == name }
    }
}

/// `report.json`.
package struct JSONReportWriter: ReportWriter {
    package static let format = "json"
    package static let fileName = "report.json"
    package init() {}
    package func render(_ report: Report) -> [UInt8] { ReportJSON.write(report) }
}
