import Measurement
import Testing
import Timebase

@testable import Rendering
@testable import Reporting

@Suite("Words of pages")
struct PageWordsTests {
    private func html(_ report: Report) -> String {
        String(decoding: HTMLWriter().render(report), as: UTF8.self)
    }

    @Test("figures of a dataset have their unit in sight, and bars say what they are parts of")
    func dataset() {
        var hours = [Int](repeating: 1, count: 24)
        hours[20] = 5
        let report = DatasetReport(
            name: "x", toolVersion: "1", seed: 1, rows: 28, captured: 28,
            populations: [
                .init(
                    name: "p", persona: "casual", devices: 3, bots: 0, hours: hours, askedHours: [],
                    rates: [.init(name: "launches", found: 2, asked: nil)], times: [])
            ], columns: [], sampledRows: 28)
        let page = String(decoding: DatasetHTML.write(report), as: UTF8.self)
        for head in ["Per device and day", "Times", "Sessions by the hour of people&#39;s own day"] {
            #expect(page.contains("<h3>\(head)</h3>"), "\(head)")
        }
        #expect(page.contains(">of the largest share</th>"))
    }

    @Test("a search that found no knee does not speak of one that is shaded")
    func noKnee() {
        var report = CapacityFixture.report()
        func isShaded() -> Bool {
            String(decoding: CapacityHTML.write(report), as: UTF8.self).contains("Shaded: ")
        }
        #expect(report.ending == .knee && isShaded())
        report.ending = .maximum
        #expect(!isShaded())
    }

    @Test("an entry without an end that begins with the run does so from the start on")
    func withoutEnd() throws {
        var report = Fixtures.outage()
        report.clock = nil
        report.marks = [
            Report.Mark(from: 0, until: nil, text: "outage"), Report.Mark(from: 0, until: 9, text: "slow"),
            Report.Mark(from: 60, until: nil, text: "change"),
        ]
        let page = html(report)
        let timeline = try #require(LivePage.parts(of: report).first { $0.id == "timeline" }).html
        for form in [page, timeline] {
            #expect(form.contains("outage, from the start on<") && form.contains("change, 1m<"))
        }
        #expect(page.contains("slow, 0 to 9s<"))
    }

    @Test("heat maps, in which nothing is shaded, are not said to be")
    func shaded() {
        var report = Fixtures.outage()
        let lines = "Shaded, in heat maps marked by a line where they begin: "
        #expect(!report.heatMaps.isEmpty && html(report).contains(lines))
        report.heatMaps = []
        #expect(html(report).contains("Shaded: "))
    }

    @Test("events of before the run are told beside the rate that leaves them out")
    func prefilled() {
        var report = Fixtures.outage()
        #expect(report.prefilledNote == nil)
        report.simulatedSeconds = 210
        let index = report.metrics.firstIndex { $0.name == "events_captured" } ?? 0
        report.metrics[index] = Metric(
            "events_captured", .counter(count: 12_157_290, perSecond: 217_290.0 / 210))
        let words = "events_captured has 11,940,000 events that devices brought along from before the run"
        #expect(html(report).contains(words))
        let terminal = TerminalSummary.render(report, color: false, width: 200)
        #expect(terminal.contains(words))
        // After a warm-up, a rate is one of what is left of the run.
        report.measuredFromSeconds = 110
        report.metrics[index] = Metric(
            "events_captured", .counter(count: 12_157_290, perSecond: 217_290.0 / 100))
        #expect(report.prefilledNote?.hasPrefix(words) == true)
        report.measuredFromSeconds = nil
        report.metrics[index] = Metric("events_captured", .counter(count: 210, perSecond: 1))
        #expect(report.prefilledNote == nil)
    }

    @Test("the note on a warm-up says that copies, too, which an audit counts, are of the whole run")
    func warmUp() {
        var report = Fixtures.outage()
        report.measuredFromSeconds = 240
        let words = "on; the ledger, the audit with events_duplicated and thresholds on it, the answers, "
        #expect(html(report).contains(words), "\(report.warmUpNote ?? "")")
    }

    @Test("a table of entries says how many have no row")
    func entriesWithoutRow() throws {
        var report = Fixtures.outage()
        let mark = try #require(report.marks.first)
        func texts() -> [String] {
            [html(report), String(decoding: MarkdownWriter().render(report), as: UTF8.self)]
        }
        let said = "Only the first 12 of 300 entries have figures of their own."
        report.marks = Array(repeating: mark, count: 12)
        report.entries = (0..<12).map { Report.Entry(name: "\($0)", mark: $0, metrics: []) }
        #expect(texts().allSatisfy { !$0.contains(said) })
        report.marks = Array(repeating: mark, count: 300)
        #expect(texts().allSatisfy { $0.contains(said) })
    }

    @Test("without an upload there is no share of failed ones")
    func noUploads() {
        var report = Fixtures.outage()
        let empty = [
            Metric("http_reqs", .counter(count: 0, perSecond: 0)),
            Metric("http_req_failed", .rate(passes: 0, fails: 0)),
        ]
        report.metrics =
            report.metrics.filter { metric in !empty.contains { $0.name == metric.name } } + empty
        #expect(html(report).contains("<dt>Uploads</dt>\n<dd>0/s<small>none</small>"))
    }

    @Test("what took no time does not stand where the shortest time stands")
    func zero() throws {
        func trend(from minimum: Double) -> Metric {
            var trend = TrendSummary()
            (trend.count, trend.minimum, trend.median, trend.maximum) = (10, minimum, minimum, 80)
            (trend.average, trend.p90, trend.p95, trend.p99, trend.p999) = (20, 50, 60, 70, 80)
            return Metric("http_req_duration", .trend(.summary(trend)))
        }
        for (minimum, hasZero) in [(0.0, true), (2, false)] {
            let chart = try #require(PercentileChart([trend(from: minimum)]))
            let first = try #require(chart.ticks.first)
            for geometry in [PercentileChart.Geometry.wide, .narrow] {
                #expect((chart.x(0, geometry) < chart.x(first, geometry) - 40) == hasZero)
                var html = Markup()
                chart.write(geometry, into: &html)
                #expect(html.text.contains(">0</text>") == hasZero)
            }
        }
    }

    @Test("an entry of the timeline has one number in all of a page, and the tag by which thresholds know it")
    func entries() {
        var report = Fixtures.outage()
        report.marks = [
            Report.Mark(from: 10, until: 20, text: "early"), Report.Mark(from: 30, until: 90, text: "late"),
        ]
        report.entries = [
            Report.Entry(name: "0", mark: 1, metrics: []), Report.Entry(name: "dark", mark: 0, metrics: []),
        ]
        let rows = EntryFigures.rows(of: report)
        #expect(rows.map { Array($0.prefix(2)) } == [["2 late", "{entry:0}"], ["1 early", "{entry:dark}"]])
        #expect(rows.allSatisfy { $0.count == EntryFigures.header.count })
        let page = html(report)
        #expect(page.contains("<b>1</b>") && page.contains("{entry:dark}") && !page.contains("0: late"))
        let summary = String(decoding: MarkdownWriter().render(report), as: UTF8.self)
        #expect(summary.contains("| 2 late | \\{entry:0\\} |"), "\(summary)")
    }
}
