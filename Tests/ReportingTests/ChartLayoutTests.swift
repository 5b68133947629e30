import Foundation
#if canImport(FoundationXML)
    import FoundationXML
#endif
import Measurement
import Testing
import Timebase

@testable import Rendering
@testable import Reporting

/// A text in a picture, as a browser would place it.
private struct PlacedText {
    var text: String
    var x: Double
    var y: Double
    var classes: String

    /// A little less than the narrowest usual fonts need, so that what overlaps here does so anywhere.
    private static let characterWidth = 5.6

    var range: ClosedRange<Double> {
        let width = Double(text.count) * PlacedText.characterWidth
        let classes = classes.split(separator: " ")
        if classes.contains("middle") { return (x - width / 2)...(x + width / 2) }
        return classes.contains("end") ? (x - width)...x : x...(x + width)
    }

    func covers(_ other: PlacedText) -> Bool {
        abs(y - other.y) < 8 && range.lowerBound < other.range.upperBound
            && other.range.lowerBound < range.upperBound
    }
}

/// Reads the pictures of a page: their texts, paths and rectangles.
private final class Pictures: NSObject, XMLParserDelegate {
    struct Picture {
        var title = ""
        var classes = ""
        var width = 0.0
        var height = 0.0
        var texts: [PlacedText] = []
        var paths: [(classes: String, data: String)] = []
        var rectangles: [(classes: String, x: Double, width: Double)] = []
    }

    private(set) var all: [Picture] = []
    private var open: Picture?
    private var text: PlacedText?
    private var element = ""

    /// The charts of a page that have axes.
    static func read(_ page: [UInt8]) throws -> [Picture] {
        let html = String(decoding: page, as: UTF8.self)
        let start = try #require(html.range(of: "<body>")?.lowerBound)
        let end = try #require(html.range(of: "</body>")?.upperBound)
        let reader = Pictures()
        let parser = XMLParser(data: Data(html[start..<end].utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError)) line \(parser.lineNumber)")
        return reader.all.filter { $0.classes.split(separator: " ").contains("chart") }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        element = name
        let number = { (key: String) in Double(attributes[key] ?? "") ?? 0 }
        switch name {
        case "svg":
            var picture = Picture()
            let box = (attributes["viewBox"] ?? "").split(separator: " ").compactMap { Double($0) }
            if box.count == 4 { (picture.width, picture.height) = (box[2], box[3]) }
            picture.classes = attributes["class"] ?? ""
            open = picture
        case "text":
            text = PlacedText(
                text: "", x: number("x"), y: number("y"), classes: attributes["class"] ?? "")
        case "path": open?.paths.append((attributes["class"] ?? "", attributes["d"] ?? ""))
        case "rect":
            open?.rectangles.append((attributes["class"] ?? "", number("x"), number("width")))
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if text != nil { text?.text += string }
        if element == "title", text == nil, open?.title.isEmpty == true { open?.title += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if name == "text", let done = text {
            open?.texts.append(done)
            text = nil
        }
        if name == "svg", let done = open {
            all.append(done)
            open = nil
        }
        element = ""
    }
}

@Suite("The layout of charts")
struct ChartLayoutTests {
    /// Times from a microsecond to weeks, and eight digits of percentiles: all labels that there are.
    private static func wide() -> Report {
        var report = Fixtures.outage()
        var series = TimeSeries(start: Instant(milliseconds: 1_772_451_000_000))
        for hour in Int64(0)..<(7 * 24) {
            series.update(at: series.start + .hours(hour)) { bucket in
                for power in 0..<16 {
                    var time: Int64 = 2
                    for _ in 0..<power { time *= 6 }
                    bucket.duration.record(.microseconds(min(time, 8_000_000_000_000)))
                }
            }
        }
        report.addDistributions(of: series)
        var curve = PercentileCurve()
        curve.totalCount = 9_000_000
        curve.points = (0...7).map { nines in
            let percentile = 100 * (1 - DeterministicMath.pow(10, -Double(nines)))
            return .init(
                milliseconds: DeterministicMath.pow(10, Double(nines) * 1.7 - 3), percentile: percentile,
                totalCount: 9_000_000)
        }
        curve.points.append(.init(milliseconds: 604_800_000, percentile: 100, totalCount: 9_000_000))
        report.curves = [.init(metric: "http_req_duration", curve: curve)]
        for index in report.series.indices {
            report.series[index].second = Double(index) * 916
            report.series[index].seconds = 916
            report.series[index].freshnessP50 = 0.002
            report.series[index].freshnessP95 = Double(index) * 1_000_000
            report.series[index].storedRows = UInt64(index) * 1_234_567
            report.series[index].spreadEvenly()
        }
        for index in report.marks.indices {
            report.marks[index].from = Double(index) * 90
            report.marks[index].until = report.marks[index].from + 1
        }
        return report
    }

    @Test("no label leaves its picture or stands on another, wide or narrow", arguments: [0, 1, 2, 3])
    func labels(kind: Int) throws {
        var partial = Fixtures.outage()
        partial.series = Array(partial.series.prefix(2))
        let page =
            switch kind {
            case 0: HTMLWriter().render(Fixtures.outage())
            case 1: HTMLWriter().render(ChartLayoutTests.wide())
            case 2: HTMLWriter().render(partial)
            default: CapacityHTML.write(CapacityFixture.report())
            }
        let pictures = try Pictures.read(page)
        #expect(pictures.count >= 8)
        for picture in pictures {
            let label = "\(picture.title) (\(picture.classes))"
            for (index, text) in picture.texts.enumerated() {
                #expect(
                    text.range.lowerBound > -1 && text.range.upperBound < picture.width + 1
                        && text.y > 8 && text.y < picture.height, "\(label): \(text.text)")
                for other in picture.texts[..<index] {
                    #expect(!text.covers(other), "\(label): \(text.text) on \(other.text)")
                }
            }
        }
    }

    @Test("each chart is there for both screens, with the same lines and no pointer's places on a phone")
    func frames() throws {
        let pictures = try Pictures.read(HTMLWriter().render(Fixtures.outage()))
        let roomy = pictures.filter { $0.classes.contains("roomy") }
        let compact = pictures.filter { $0.classes.contains("compact") }
        #expect(roomy.count == compact.count && roomy.count == 2 + 2 + 8 + 3 * 8)
        for (large, small) in zip(roomy, compact) {
            #expect(large.title == small.title && small.width < large.width)
            let lines = { (picture: Pictures.Picture) in
                picture.paths.filter { $0.classes.hasPrefix("line ") }.map(\.classes)
            }
            #expect(lines(large) == lines(small))
            #expect(!small.rectangles.contains { $0.classes == "hover" })
        }
    }

    /// A minute each, two failures in one second of a thousand seconds.
    private func peaky() -> Report {
        var report = Fixtures.outage()
        report.marks = []
        report.series = (0..<200).map { index in
            var point = Report.SeriesPoint()
            (point.second, point.seconds) = (Double(index) * 60, 60)
            (point.requests, point.captured, point.storedRows) = (600, 1200, 320)
            point.failures = index == 77 ? 2 : 0
            point.spreadEvenly()
            if index == 77 {
                point.failureRate = .init(0, 2)
                point.storedRange = .init(320, 20_474)
            }
            return point
        }
        return report
    }

    private func chart(_ id: String, _ report: Report) throws -> TimeChart {
        let points = SeriesMerging.merged(report.series, limit: 120)
        return try #require(HTMLWriter.charts(report, points).first { $0.id == id })
    }

    @Test("a peak within an interval has room, is told, and is drawn as a band")
    func peaks() throws {
        let store = try chart("c-store", peaky())
        #expect(store.description.contains("320 to 20.5 k"))
        var svg = Markup()
        store.draw(into: &svg)
        #expect(svg.text.contains("class=\"band a\""))
        #expect(svg.text.contains("rows 320 (320 to 20.5 k)"))
        var table = Markup()
        store.figures?(&table)
        #expect(table.text.contains("20.5 k"))
    }

    @Test("two failures among thousands of uploads do not look like none")
    func rare() throws {
        let uploads = try chart("c-reqs", peaky())
        #expect(uploads.lines.map(\.name) == ["all (120,000)", "failed (2)"])
        #expect(uploads.axis.isLogarithmic)
        let height = 250.0
        #expect(uploads.axis.position(2.0 / 120) * height > 20)
        #expect(uploads.axis.position(0) == 0)
        #expect(uploads.axis.title == "per second, logarithmic")
    }

    @Test("without extremes there is no band, and close values keep a linear axis from nothing")
    func plain() throws {
        let report = Fixtures.outage()
        let store = try chart("c-store", report)
        #expect(!store.axis.isLogarithmic && store.axis.ticks.first == 0)
        var beginning = report
        beginning.series = Array(report.series.prefix(100))
        var svg = Markup()
        try chart("c-store", beginning).draw(into: &svg)
        #expect(!svg.text.contains("band"))
    }

    @Test("upload times that are all the same are a line, not a wall")
    func constant() throws {
        var series = TimeSeries(start: Instant(nanoseconds: 0))
        for second in Int64(0)..<80 {
            series.update(at: Instant(nanoseconds: second * 1_000_000_000)) {
                $0.duration.record(.milliseconds(20))
            }
        }
        let map = try #require(HeatMap(metric: "m", series: series, \.duration))
        let chart = try #require(HeatMapChart(id: "h", title: "t", noun: "upload", map: map, marks: []))
        var svg = Markup()
        chart.draw(into: &svg)
        let heights = svg.text.components(separatedBy: "<rect ").compactMap { part -> Double? in
            guard part.contains("class=\"heat"), part.contains("<title>") else { return nil }
            guard let start = part.range(of: "height=\"")?.upperBound else { return nil }
            return Double(part[start...].prefix { $0 != "\"" })
        }
        #expect(!heights.isEmpty)
        #expect(heights.allSatisfy { $0 < 30 })
        #expect(svg.text.contains(">20 ms<"))
        // One upload in each second.
        #expect(svg.text.contains(": 1 upload<") && svg.text.contains(">1 upload in "))
    }

    @Test("the knee's name stands above all points")
    func knee() throws {
        let pictures = try Pictures.read(CapacityHTML.write(CapacityFixture.report()))
        for picture in pictures {
            let knee = try #require(picture.texts.first { $0.text.hasPrefix("knee ") })
            let top = try #require(
                picture.texts.filter { $0.classes == "axis end" }.map(\.y).min(), "\(picture.title)")
            // Points are four high, and the label of the uppermost line is set four below it.
            #expect(knee.y < top - 4 - 8)
        }
    }
}
