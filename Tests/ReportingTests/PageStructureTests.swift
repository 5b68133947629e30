import Foundation
#if canImport(FoundationXML)
    import FoundationXML
#endif
import Testing

@testable import Rendering
@testable import Reporting

/// A page's outline: headings, captions of figures and tables, names of what can be opened.
private final class Outline: NSObject, XMLParserDelegate {
    private(set) var lines: [String] = []
    /// Regions that scroll, with their classes and the number of columns of their tables.
    private(set) var scrollers: [(classes: String, columns: Int)] = []
    private var open: [String] = []
    private var text = ""
    private static let kept: Set = ["h1", "h2", "h3", "figcaption", "summary", "caption"]

    static func read(_ page: [UInt8]) throws -> Outline {
        let html = String(decoding: page, as: UTF8.self)
        let start = try #require(html.range(of: "<body>")?.lowerBound)
        let end = try #require(html.range(of: "</body>")?.upperBound)
        let outline = Outline()
        let parser = XMLParser(data: Data(html[start..<end].utf8))
        parser.delegate = outline
        try #require(parser.parse(), "\(String(describing: parser.parserError)) line \(parser.lineNumber)")
        return outline
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        open.append(name)
        if Outline.kept.contains(name) { text = "" }
        let classes = attributes["class"] ?? ""
        if classes.contains("scroll") { scrollers.append((classes, 0)) }
        if name == "th", open.contains("thead"), !scrollers.isEmpty {
            scrollers[scrollers.count - 1].columns += 1
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        open.removeLast()
        if Outline.kept.contains(name) { lines.append("\(name) \(text.filter { $0 != "\n" })") }
    }
}

@Suite("The structure of pages")
struct PageStructureTests {
    @Test("on paper, where nothing scrolls, no column of a table is cut off")
    func paper() throws {
        let style = Stylesheet.text.description
        let media = try #require(style.range(of: "@media print"))
        for rule in [".scroll{overflow:visible", ".many::before{display:none}", "td.w{min-width:0}"] {
            #expect(style[media.upperBound...].contains(rule), "\(rule)")
        }
        #expect(
            style.range(of: "@media", range: media.upperBound..<style.endIndex) == nil, "the last rules win")
        #expect(SweepHTML.style.description.contains("@media print{.sorts"))
    }

    private static let closeUp = [
        "figcaption Events captured and delivered", "figcaption Event freshness", "figcaption Uploads",
        "figcaption Upload time (http_req_duration)", "figcaption Events waiting on devices",
        "figcaption Traffic sent", "figcaption Devices", "figcaption The generator's own lag",
    ]

    @Test("report.html has these headings, figures and things to open, in this order")
    func report() throws {
        let outline = try Outline.read(HTMLWriter().render(Fixtures.outage()))
        let lines = outline.lines.filter { !$0.hasPrefix("caption ") && !$0.hasPrefix("summary Table") }
        let expected: [String] =
            ["h1 evening-peak", "h2 Warnings", "h2 Where every event went", "h2 How fresh, and how fast"]
            + ["figcaption Upload time by percentile", "figcaption Event freshness by percentile"]
            + ["h2 Over time", "figcaption Upload time, all of it (http_req_duration)"]
            + ["figcaption Event freshness, all of it"] + PageStructureTests.closeUp
            + ["h3 Around each entry of the timeline", "summary 1collector outage, 3m to 3m30s"]
            + PageStructureTests.closeUp + ["summary 2remote config: disableSDK, 5m"]
            + PageStructureTests.closeUp + ["summary 3\(Hostile.mark), 6m to 6m20s"]
            + PageStructureTests.closeUp + [
                "h2 How uploads were answered", "h3 The first unexpected answers",
            ]
        #expect(Array(lines.prefix(expected.count)) == expected)
        let rest = lines.dropFirst(expected.count).filter {
            !$0.hasPrefix("summary 503") && !$0.hasPrefix("summary m")
        }
        #expect(
            rest == [
                "h2 By population", "h2 Thresholds", "h2 What the collector holds",
                "h3 Where the missing events are", "h2 All metrics",
                "summary Every metric of the fleet, with its meaning",
                "h2 How it was run, and how to run it again", "h3 Changed from the scenario file",
            ])
    }

    @Test("tables of many columns say that they scroll, in every page")
    func scrollers() throws {
        for page in [HTMLWriter().render(Fixtures.outage()), CapacityHTML.write(CapacityFixture.report())] {
            let scrollers = try Outline.read(page).scrollers
            #expect(scrollers.contains { $0.columns > 4 })
            for scroller in scrollers {
                #expect(scroller.columns > 0)
                #expect(scroller.classes.contains("many") == (scroller.columns > 4), "\(scroller)")
            }
        }
        let style = Stylesheet.text.description
        #expect(style.contains(".many::before{content:"))
        // Where a browser knows what scrolls, it says so of nothing else.
        #expect(style.contains("@supports(animation-timeline:scroll()){.many::before{"))
        #expect(style.contains("stroke-width:1.5;\nstroke-dasharray:none}"), "a dot is no dashed line")
    }

    @Test("pages of comparisons, variants and sweeps are sound, with these headings")
    func lab() throws {
        let comparison = SyntheticLab.comparison(8, seeds: 4, loss: 0.02, worseBy: 0.01)
        let own = ["h2 What differs", "h2 Gates (the default ones)", "h2 Figures", "caption Figures"]
        #expect(
            try Outline.read(ComparisonHTML.write(comparison)).lines == ["h1 base → candidate"] + own)
        var report = LabReport(
            toolVersion: "1", scenario: comparison.base.scenario, mode: .virtual, seeds: comparison.seeds,
            variants: [
                LabReport.Variant(name: "base", cells: comparison.base.cells),
                LabReport.Variant(name: "b", cells: comparison.candidate.cells),
            ])
        let page = ComparisonHTML.write(report, comparisons: report.comparisons)
        #expect(
            try Outline.read(page).lines
                == ["h1 x", "h2 Variants", "caption Variants", "h2 base → b"]
                + own.map { $0.replacing("h2 ", with: "h3 ") })
        report.variants = ["a=1", "a=2"].map { LabReport.Variant(name: $0, cells: comparison.base.cells) }
        let sweep = SweepReport(
            axes: [SweepReport.Axis(path: "p.a", values: ["1", "2"])], lab: report,
            cost: try Figure.parse("data_sent"), freshness: try Figure.parse("event_freshness.p(95)"))
        // Two points that are equal beat neither.
        #expect(sweep.points.map(\.isOnFront) == [true, true])
        #expect(
            try Outline.read(SweepHTML.write(sweep)).lines == [
                "h1 x", "h2 Freshness against cost", "figcaption Freshness against cost", "h2 All points",
                "caption All points",
            ])
    }

    @Test("a run without anything has headings for what there is, and no empty frames")
    func empty() throws {
        var report = Fixtures.outage()
        report.series = []
        report.heatMaps = []
        report.curves = []
        report.metrics = []
        report.marks = []
        report.closeUps = []
        report.answers = []
        report.unexpectedAnswers = []
        report.populations = []
        report.thresholds = []
        report.warnings = []
        report.events = Report.EventCounts()
        report.audit = nil
        report.scenario.overrides = []
        let outline = try Outline.read(HTMLWriter().render(report))
        #expect(
            outline.lines == [
                "h1 evening-peak", "h2 Where every event went", "h2 What the collector holds",
                "h2 How it was run, and how to run it again",
            ])
    }

    @Test("close-ups are recorded ones where there are any, else parts of the series, else none")
    func closeUps() throws {
        var report = Fixtures.outage()
        let drawn = SeriesMerging.merged(report.series, limit: 120)
        let part = try #require(HTMLWriter.closeUp(report, 0, drawn: drawn))
        #expect(part.first?.second == 120 && part.last?.second == 329 && part.count == 210)
        report.closeUps = [.init(mark: 0, points: Array(report.series.prefix(5)))]
        #expect(HTMLWriter.closeUp(report, 0, drawn: drawn)?.count == 5)
        report.closeUps = []
        report.series = Array(report.series.prefix(100))
        #expect(HTMLWriter.closeUp(report, 0, drawn: report.series) == nil)
        report.marks = (0..<20).map { Report.Mark(from: Double($0) * 30, until: nil, text: "m\($0)") }
        report.series = Fixtures.series()
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        #expect(page.components(separatedBy: "<details class=\"closeup\">").count - 1 == 12)
        #expect(page.contains("Only the first 12 of 20 entries are shown closely."))
    }

    @Test("nothing that a page draws is not a number", arguments: [0.0, 1e-9, 1e9, 1e15])
    func numbers(scale: Double) throws {
        var report = Fixtures.outage()
        for index in report.series.indices {
            report.series[index].durationP95 *= scale
            report.series[index].storedRows = UInt64(
                min(9e15, Double(report.series[index].storedRows) * scale))
            report.series[index].requestRate = .init(0, scale)
            report.series[index].storedRange = .init(0, scale * 1e3)
        }
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        for attribute in ["d=\"", "x=\"", "y=\"", "width=\"", "height=\"", "viewBox=\""] {
            for part in page.components(separatedBy: attribute).dropFirst() {
                let value = part.prefix { $0 != "\"" }.lowercased()
                #expect(!value.contains("nan") && !value.contains("inf"), "\(attribute)\(value.prefix(80))")
            }
        }
        _ = try Outline.read(HTMLWriter().render(report))
    }
}
