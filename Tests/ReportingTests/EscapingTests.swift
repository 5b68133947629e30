import Foundation
#if canImport(FoundationXML)
    import FoundationXML
#endif
import Measurement
import Testing
import Wire

@testable import Rendering
@testable import Reporting

@Suite("Names from outside do no harm")
struct EscapingTests {
    private func text(_ writer: some ReportWriter, _ report: Report = EscapingTests.hostile()) -> String {
        String(decoding: writer.render(report), as: UTF8.self)
    }

    /// A report in which every text that can come from outside is an attack.
    private static func hostile() -> Report {
        var report = Fixtures.outage()
        let attack = "</script></style></title>\"'><svg onload=alert(1)>&amp;\n|`=cmd`\u{1B}[2J\u{202E}"
        report.scenario.name = attack
        report.scenario.description = attack
        report.scenario.overrides = [attack]
        report.scenario.sha256 = attack
        report.toolVersion = attack
        report.fingerprint = attack
        report.run.command = ["beaconswarm", attack]
        report.run.host = attack
        report.run.operatingSystem = attack
        report.run.target = attack
        report.reasons = [attack, attack]
        report.auditNote = attack
        report.warnings = [attack]
        report.answers.append(Report.NamedCount(attack, 2))
        report.marks.append(Report.Mark(from: 1, until: 2, text: attack))
        report.events.lost.append(Report.NamedCount(attack, 5))
        report.populations[0].name = attack
        report.populations[0].system = attack
        report.thresholds.append(
            Report.ThresholdResult(metric: attack, expression: attack, value: 1, ok: false))
        report.metrics.append(.init(attack, .counter(count: 1, perSecond: 1)))
        return report
    }

    /// The tags of a text: what stands between `<` and the next white space, `/` or `>`.
    private func tags(_ text: String) -> Set<String> {
        var tags: Set<String> = []
        for part in text.split(separator: "<", omittingEmptySubsequences: false).dropFirst() {
            let name = part.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber || $0 == "!" || $0 == "?" }
            tags.insert(String(name).lowercased())
        }
        return tags
    }

    @Test("HTML has no element but its own, no event handler, no script, no address to load from")
    func html() {
        let html = text(HTMLWriter())
        let own: Set<String> = [
            "!doctype", "html", "head", "meta", "title", "style", "body", "header", "main", "footer",
            "section", "p", "h1",
            "h2", "h3", "div", "span", "dl", "dt", "dd", "small", "ul", "ol", "li", "b", "svg", "desc", "g",
            "rect", "path",
            "line", "circle", "text", "tspan", "figure", "figcaption", "details", "summary", "table",
            "caption", "thead",
            "tbody", "tr", "th", "td", "code", "pre",
        ]
        #expect(tags(html).subtracting(own).isEmpty)
        for forbidden in [
            "<script", " onload=alert(1)>", "src=\"", "href=", "url(", "@import", "\u{1B}", "\u{202E}",
        ] {
            #expect(!html.contains(forbidden), "\(forbidden)")
        }
        #expect(html.contains("default-src 'none'; style-src 'nonce-beaconswarm'"))
        #expect(html.contains("&lt;svg onload=alert(1)&gt;"))
        #expect(!html.contains(" style=\""))
    }

    @Test("HTML is well-formed apart from its head: every element that opens closes")
    func balanced() throws {
        let html = text(HTMLWriter())
        let body = try #require(html.range(of: "<body>"))
        let end = try #require(html.range(of: "</body>"))
        let delegate = Names()
        let parser = XMLParser(data: Data(html[body.lowerBound..<end.upperBound].utf8))
        parser.delegate = delegate
        #expect(parser.parse(), "\(String(describing: parser.parserError)) at line \(parser.lineNumber)")
        #expect(delegate.identifiers.count == Set(delegate.identifiers).count)
        let references = Set(delegate.references)
        #expect(references.isSubset(of: Set(delegate.identifiers)))
        #expect(!references.isEmpty)
    }

    @Test("JUnit is well-formed XML with the names as they are")
    func junit() {
        let delegate = Names()
        let parser = XMLParser(data: Data(JUnitWriter().render(EscapingTests.hostile())))
        parser.delegate = delegate
        #expect(parser.parse())
        #expect(delegate.elements.filter { $0 == "testcase" }.count == 7 + 4)
        #expect(delegate.elements.filter { $0 == "failure" }.count == 3)
    }

    @Test("Markdown has no tag, and every row of a table as many cells as its header")
    func markdown() {
        let markdown = text(MarkdownWriter())
        let outside = markdown.components(separatedBy: "```")
        #expect(!outside[0].contains("<svg"))
        #expect(!outside[0].contains("<script"))
        var columns: Int?
        for line in outside[0].split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                columns = nil
                continue
            }
            let bars = line.replacing("\\|", with: "").count { $0 == "|" }
            #expect(bars == columns ?? bars, "\(line)")
            columns = bars
        }
        #expect(!markdown.contains("\u{1B}"))
    }

    @Test("CSV keeps its columns, quotes what needs it and disarms formulas")
    func csv() {
        #expect(Escaping.csv("=1+1") == "'=1+1")
        #expect(Escaping.csv("a,\"b\"\nc") == "\"a,\"\"b\"\" c\"")
        #expect(Escaping.csv("plain") == "plain")
        // The mark makes one character of the two, but a reader of CSV still sees the quote, comma or sign.
        #expect(Escaping.csv("a,\u{301}b") == "\"a,\u{301}b\"")
        #expect(
            Escaping.csv("a\"\u{301};b").unicodeScalars.elementsEqual("\"a\"\"\u{301};b\"".unicodeScalars))
        #expect(Escaping.csv("=\u{301}1").unicodeScalars.elementsEqual("'=\u{301}1".unicodeScalars))
        let lines = text(TimeSeriesWriter()).split(separator: "\r\n")
        #expect(lines.count == 661)
        #expect(lines[0].hasPrefix("second,seconds,captured_events,"))
        for line in lines {
            let unquoted = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
            #expect(unquoted.count { $0 == "," } == 33)
        }
        #expect(lines[181].hasSuffix(",collector outage"))
        #expect(lines[212].hasSuffix(","))
        #expect(lines[301].contains("remote config"))
        #expect(!lines[300].contains("remote config"))
        // It says nothing of an end: it lasts to that of the run.
        #expect(lines[302...].allSatisfy { $0.contains("remote config") })
    }

    @Test("Prometheus has one sample a line, and label values in balanced quotes")
    func prometheus() {
        let lines = text(PrometheusWriter()).split(separator: "\n")
        var families: Set<Substring> = []
        for line in lines {
            if line.hasPrefix("# TYPE ") {
                #expect(families.insert(line.split(separator: " ")[2]).inserted, "\(line)")
                continue
            }
            if line.hasPrefix("#") { continue }
            let bare = line.replacing("\\\\", with: "").replacing("\\\"", with: "")
            #expect(bare.count { $0 == "\"" } % 2 == 0, "\(line)")
            #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
            #expect(line.hasPrefix("beaconswarm_"))
        }
        let text = lines.joined(separator: "\n")
        #expect(text.contains("beaconswarm_events{fate=\"evicted\",cause=\"storage_limit\"} 12840"))
        #expect(text.contains("# TYPE beaconswarm_http_req_duration_seconds summary"))
        #expect(text.contains("beaconswarm_http_reqs_total 44323"))
    }

    @Test("Prometheus has no series twice, whatever is written twice in a scenario")
    func onceEach() {
        var report = EscapingTests.hostile()
        report.thresholds += report.thresholds
        var seen: Set<Substring> = []
        for line in text(PrometheusWriter(), report).split(separator: "\n") where !line.hasPrefix("#") {
            let series = line[..<(line.lastIndex(of: " ") ?? line.endIndex)]
            #expect(seen.insert(series).inserted, "\(series)")
        }
        #expect(seen.count > 100)
    }

    @Test("CSV rows have as many cells as the header for any text of the timeline")
    func timeline() {
        var report = EscapingTests.hostile()
        report.series = Array(report.series.prefix(3))
        report.marks = ["a,b", "\"quoted\"", "line\nbreak", "semi;colon", "@sum", "\u{1B}[2J", ""].map {
            Report.Mark(from: 0, until: 10, text: $0)
        }
        let text = text(TimeSeriesWriter(), report)
        #expect(text.components(separatedBy: "\r\n").count == 5)
        let cell = "\"a,b; \"\"quoted\"\"; line break; semi;colon; @sum; \u{FFFD}[2J; \""
        #expect(text.components(separatedBy: "\r\n")[1].hasSuffix("," + cell))
    }

    @Test("unexpected answers are a line of JSON each, whatever their bodies hold")
    func errors() throws {
        let attack = "\u{0}\n\"}\\ \u{2028}</script>"
        var answer = Fixtures.answers[0]
        answer.body = attack
        answer.headers = attack
        answer.population = attack
        let lines = ErrorsWriter.render([answer, Fixtures.answers[1]]).split(separator: 0x0A)
        #expect(lines.count == 2)
        let value = try JSONReader.readStrictly(Array(lines[0]))
        #expect(value["body"] == .text(attack) && value["population"] == .text(attack))
        #expect(value["at"] == .number(1_772_451_181_000.25))
        #expect(ErrorsWriter.render([]).isEmpty)
    }

    @Test("the terminal gets no control character from outside")
    func terminal() {
        #expect(Escaping.line("a\u{61C}b\u{E0041}\u{E007F}c") == "a\u{FFFD}b\u{FFFD}\u{FFFD}c")
        let summary = TerminalSummary.render(EscapingTests.hostile(), color: false, width: 80)
        #expect(!summary.unicodeScalars.contains { $0 != "\n" && Escaping.isHidden($0) })
        var snapshot = StatusSnapshot()
        snapshot.phase = "run\u{1B}[2J\n"
        #expect(!StatusLine.plain(snapshot).unicodeScalars.contains { Escaping.isHidden($0) || $0 == "\n" })
    }

    @Test("a command can be pasted into a shell")
    func shell() {
        #expect(Escaping.shell("a b") == "'a b'")
        #expect(Escaping.shell("it's $HOME") == "'it'\\''s $HOME'")
        #expect(Escaping.shell("") == "''")
        #expect(
            Escaping.shell("a'\u{301} b; echo")
                .unicodeScalars.elementsEqual("'a'\\''\u{301} b; echo'".unicodeScalars))
        #expect(Escaping.shell("populations.0.devices=5") == "populations.0.devices=5")
        #expect(
            Fixtures.outage().repeatCommand.text
                == "beaconswarm run 'scenarios/evening peak.json' --seed 18446744073709551557"
        )
    }

    @Test("the command that repeats a run names nothing that is there now, and all that it wants")
    func repeated() {
        func text(_ words: String, parts: [Report.Part]? = nil) -> String {
            var report = Fixtures.outage()
            report.run.command = words.split(separator: " ").map(String.init)
            report.run.parts = parts
            report.seed = 7
            return report.repeatCommand.text
        }
        #expect(
            text("beaconswarm simulate s.json --keep-stores ks --events e.ndjson --out w --store=x.sqlite -q")
                == "beaconswarm simulate s.json -q --seed 7")
        #expect(text("beaconswarm run s.json --keep-stores=ks --seed 9") == "beaconswarm run s.json --seed 9")
        let part = Report.Part(name: "0/1", devices: 1, attempt: 1, host: "h", wallSeconds: 1)
        #expect(text("beaconswarm merge p --out w", parts: [part]) == "beaconswarm merge p --out DIR")
    }

    @Test(
        "a command over several lines is the same command, with no word cut", arguments: [1, 20, 34, 36, 200])
    func lines(width: Int) {
        let command = ShellCommand([
            "beaconswarm", "run", "a scenario with a long name.json", "--set", "x=it's",
        ])
        let lines = command.lines(width: width)
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix(" \\") } && lines.last?.hasSuffix("\\") == false)
        #expect(
            lines.map { $0.hasSuffix(" \\") ? String($0.dropLast(2)) : $0 }.joined(separator: " ")
                == command.text)
        #expect(lines.allSatisfy { $0.count <= max(width, 36) })
        #expect((lines.count == 1) == (width == 200))
    }
}

/// Collects what an XML text holds.
private final class Names: NSObject, XMLParserDelegate {
    var elements: [String] = []
    var identifiers: [String] = []
    var references: [String] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        elements.append(name)
        if let id = attributes["id"] { identifiers.append(id) }
        if let labels = attributes["aria-labelledby"] {
            references += labels.split(separator: " ").map(String.init)
        }
    }
}
