import Measurement
import Testing
import Wire

@testable import Reporting

@Suite("Reports of paced runs")
struct PaceReportTests {
    private static var paced: Report {
        var report = Fixtures.outage()
        report.pace = 3600
        return report
    }

    @Test("say so before everything else")
    func banner() throws {
        let text = TerminalSummary.render(Self.paced, color: false, width: 100)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(
            lines.first?.hasPrefix("Pace 3,600: people's and device clocks went 3,600 times as fast") == true)
        let page = String(decoding: HTMLWriter().render(Self.paced), as: UTF8.self)
        let note = try #require(page.firstRange(of: "<p class=\"pace\" role=\"note\">Pace 3,600: "))
        let title = try #require(page.firstRange(of: "<h1"))
        #expect(note.upperBound < title.lowerBound)
        let summary = String(decoding: MarkdownWriter().render(Self.paced), as: UTF8.self)
        #expect(summary.split(separator: "\n").dropFirst().first?.hasPrefix("> Pace 3,600: ") == true)
    }

    @Test("tell how many uploads there were, not a rate that nobody met")
    func uploads() {
        func page(pace: Int) -> String {
            var report = Fixtures.outage()
            report.pace = pace
            report.metrics.removeAll { $0.name == "http_reqs" }
            report.metrics.append(Metric("http_reqs", .counter(count: 1662, perSecond: 0.0025)))
            return String(decoding: HTMLWriter().render(report), as: UTF8.self)
        }
        #expect(page(pace: 3600).contains("<dt>Uploads</dt>\n<dd>1,662<small>"))
        #expect(page(pace: 1).contains("<dt>Uploads</dt>\n<dd>0.0025/s<small>"))
    }

    @Test("have no chart of the freshness that was not measured")
    func freshness() {
        var report = Self.paced
        #expect(String(decoding: HTMLWriter().render(report), as: UTF8.self).contains("id=\"c-fresh-t\""))
        for index in report.series.indices {
            report.series[index].freshnessP50 = 0
            report.series[index].freshnessP95 = 0
        }
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(!page.contains("c-fresh") && page.contains("id=\"c-time-t\""))
    }

    @Test("keep it when they are read again")
    func reading() throws {
        let bytes = ReportJSON.write(Self.paced)
        #expect(ReportJSON.value(of: Self.paced)["pace"] == .int(3600))
        let again = try ReportJSON.read(bytes)
        #expect(again.pace == 3600)
        #expect(ReportJSON.write(again) == bytes)
    }

    @Test("are the exception: others say nothing of it")
    func real() {
        let report = Fixtures.outage()
        #expect(report.paceNote == nil)
        #expect(!TerminalSummary.render(report, color: false, width: 100).contains("Pace"))
        #expect(!String(decoding: HTMLWriter().render(report), as: UTF8.self).contains("class=\"pace\""))
    }

    @Test("are told on the way by people's time")
    func status() {
        var snapshot = StatusSnapshot()
        snapshot.elapsed = 90_000
        snapshot.total = 604_800
        #expect(StatusLine.plain(snapshot).hasPrefix("running 25h/7d: "))
        snapshot.pace = 3600
        #expect(StatusLine.plain(snapshot).hasPrefix("running 25h/7d ×3600: "))
    }
}
