import Measurement
import Testing

@testable import Reporting

@Suite("What becomes of a run with a warm-up")
struct WarmUpVerdictTests {
    /// Most uploads succeed, but not one of those that are measured.
    private func warm(expecting expectation: Report.Expectation? = nil) -> Report {
        var report = Fixtures.outage()
        report.thresholds = []
        report.scenario.expectation = expectation
        report.measuredFromSeconds = 181
        report.metrics.removeAll { $0.name == "http_req_failed" }
        report.metrics.append(Metric("http_req_failed", .rate(passes: 180, fails: 0)))
        report.judge()
        return report
    }

    @Test("what was delivered before the measuring began was delivered")
    func delivered() {
        let report = warm()
        #expect(report.exitCode == 0 && report.causes.isEmpty, "\(report.reasons)")
        #expect(report.delivery.warnings.isEmpty)
        let uploads = report.series.reduce(0) { $0 + $1.requests }
        let failed = report.series.reduce(0) { $0 + $1.failures }
        #expect(report.delivery.uploads == uploads && report.delivery.acknowledged == uploads - failed)
        let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
        #expect(xml.contains("failures=\"0\"") && !xml.contains("no upload began"))
    }

    @Test("where nothing is to be delivered, what was delivered before the measuring began speaks against it")
    func unexpected() {
        let report = warm(expecting: .nothingDelivered)
        #expect(report.exitCode == 99 && report.causes == ["delivered_unexpectedly"], "\(report.reasons)")
    }

    @Test("what was measured speaks for the run where the report has no series")
    func withoutSeries() {
        var report = warm()
        report.series = []
        report.judge()
        #expect(report.delivery.uploads == 180 && report.causes == ["nothing_delivered"])
    }
}
