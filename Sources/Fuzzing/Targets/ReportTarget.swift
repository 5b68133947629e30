import Measurement
import Reporting

/// A `report.json` of foreign origin, read and then rendered in every form.
final class ReportTarget: FuzzTarget {
    static let name = "report"
    static let dictionary = [
        "beaconswarm.report/1", "\"p(99.9)\"", "\"avg\"", "\"passes\"", "\"value\"", "\"series\"",
        "\"columns\"", "\"rows\"", "\"marks\"", "\"from_seconds\"", "\"audit\"", "1e300",
        "2026-01-05T00:00:00Z",
    ]

    init() {}

    func check(_ input: [UInt8]) throws {
        guard let report = try? ReportJSON.read(input) else { return }
        for writer in ReportFormats.all { _ = writer.render(report) }
        _ = TerminalSummary.render(report, color: true, width: 80)
        let first = ReportJSON.write(report)
        guard let again = try? ReportJSON.read(first) else {
            throw FuzzFinding("a report that was written cannot be read")
        }
        try demand(ReportJSON.write(again) == first, "a report changes each time that it is written")
    }
}
