import Measurement
import Rendering
import Testing
import Timebase

@testable import Reporting

@Suite("Curves of percentiles")
struct CurveChartTests {
    @Test("tell the percentiles of the table, which lie between two of their steps")
    func percentiles() throws {
        var histogram = LatencyHistogram()
        for index in 1...10_000 { histogram.record(index <= 9905 ? .milliseconds(10) : .seconds(10)) }
        let summary = TrendSummary(histogram)
        let line = CurveChart.Line(
            name: "http_req_duration", tone: "a", curve: histogram.percentileCurve, summary: summary)
        #expect(summary.p99 < 11)
        #expect(line.value(99) == summary.p99)
        #expect(line.value(99.9) == summary.p999)
        #expect(line.value(100) == summary.maximum)
        // Which no summary has: that of the first step there.
        #expect(try #require(line.value(75)) < 11)
        let chart = try #require(CurveChart(id: "p", title: "By percentile", lines: [line]))
        #expect(chart.description.contains(", p(99) \(Numbers.duration(milliseconds: summary.p99)), p(100) "))
    }
}
