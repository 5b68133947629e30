import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

@Suite("The page of a run that goes on")
struct LivePageTests {
    private var going: Report {
        var report = Fixtures.outage()
        report.isPartial = true
        report.audit = nil
        report.judge()
        return report
    }

    private func html(_ id: String, of report: Report) throws -> String {
        try #require(LivePage.parts(of: report).first { $0.id == id }).html
    }

    @Test("Every part of a finished run stands in report.html, letter by letter")
    func sameRenderer() throws {
        let report = Fixtures.outage()
        let page = String(decoding: HTMLWriter().render(report), as: UTF8.self)
        let parts = LivePage.parts(of: report)
        for part in parts where !["now", "timeline"].contains(part.id) {
            #expect(page.contains(part.html), "\(part.id)")
        }
        #expect(parts.filter { !$0.html.isEmpty }.count > 9)
    }

    @Test("The frame has a place for each part, and loads nothing but its script")
    func frame() {
        let frame = String(decoding: LivePage.frame(title: Hostile.mark), as: UTF8.self)
        for part in LivePage.parts(of: going) + [LivePage.log([])] {
            #expect(frame.contains("data-part=\"\(part.id)\""), "\(part.id)")
        }
        #expect(frame.contains("src=\"watch.js\"") && !frame.contains("<b onmouseover"))
        #expect(!LivePage.policy.contains("unsafe"))
        #expect(!LiveScript.text.contains("http"))
    }

    @Test("A run that goes on is told by what holds so far")
    func verdict() throws {
        var report = going
        #expect(!LiveVerdict(report).holds, "one of the fixture's thresholds is broken")
        #expect(try html("now", of: report).contains("Does not hold so far"))
        report.thresholds.removeAll { !$0.ok }
        #expect(LiveVerdict(report).holds)
        #expect(try html("now", of: report).contains("Holds so far"))
        let held = Report.ThresholdResult(metric: "retries", expression: "count<1", value: 0, ok: true)
        report.thresholds = [held, held]
        #expect(LiveVerdict(report).reasons[0].hasSuffix(", and both thresholds with samples hold."))
        // What has no samples yet is not broken yet.
        report.thresholds = [
            Report.ThresholdResult(metric: "event_freshness", expression: "p(95)<1", value: nil, ok: false)
        ]
        #expect(LiveVerdict(report).holds)
    }

    @Test("Figures of a run that goes on say of when they are")
    func moment() throws {
        var report = going
        for (seconds, words) in [(8.9, "8s into the run"), (0.4, "the run&#39;s first second")] {
            report.simulatedSeconds = seconds
            let now = try html("now", of: report).replacing("'", with: "&#39;")
            #expect(now.contains("as of \(words)."), "\(now)")
        }
        report.isPartial = false
        #expect(!(try html("now", of: report).contains("All figures are as of")))
    }

    @Test("Variants of which runs are still to come are told by what holds so far")
    func variants() throws {
        var report = LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .virtual, seeds: [1, 2, 3], variants: [])
        report.variants = [report.baseName, "other"].map { name in
            var stream = RandomStream(key: 3)
            let cells = (1...3).map { SyntheticLab.cell(UInt64($0), loss: 0.02, stream: &stream) }
            return LabReport.Variant(name: name, cells: cells)
        }
        func series(_ report: LabReport) throws -> String {
            try #require(LivePage.parts(of: report).first { $0.id == "series" }).html
        }
        #expect(try series(report).contains("<p class=\"word\">Passed</p>"))
        report.variants[1].cells.removeLast()
        let going = try series(report)
        #expect(going.contains("Holds so far") && going.contains("So far: ") && !going.contains(">Passed<"))
    }

    @Test("Points of a sweep that goes on are held against each other over the seeds that all of them have")
    func sweep() throws {
        let axis = SweepReport.Axis(path: "populations.0.sdk.upload.batch", values: ["1", "2", "3"])
        var lab = LabReport(
            toolVersion: "1",
            scenario: Report.ScenarioReference(name: "x", description: "", sha256: "0", overrides: []),
            mode: .virtual, seeds: [1, 2], variants: [])
        lab.variants = axis.values.enumerated().map { index, value in
            var stream = RandomStream(key: 4).child(UInt64(index))
            let cells = (1...(index == 0 ? 2 : 1)).map {
                SyntheticLab.cell(UInt64($0), loss: 0.01, stream: &stream)
            }
            return LabReport.Variant(name: "batch=\(value)", cells: cells)
        }
        var sweep = SweepReport(
            axes: [axis], lab: lab, cost: try Figure.parse("data_sent"),
            freshness: try Figure.parse("event_freshness.p(95)"))
        func part(_ id: String) throws -> String {
            try #require(LivePage.parts(of: sweep).first { $0.id == id }).html
        }
        #expect(sweep.commonSeeds == [1])
        #expect(sweep.overCommonSeeds.lab.variants.allSatisfy { $0.cells.map(\.seed) == [1] })
        let now = try part("now")
        #expect(now.contains("Drawn is seed 1, which all 3 points played so far have."), "\(now)")
        #expect(now.contains("Points with all their seeds") && now.contains("1 of 3"))
        #expect(now.contains("On the front so far"))
        // A point that was not played yet has no seed that the others would have to have.
        sweep.lab.variants[2].cells = []
        sweep.lab.variants[1].cells.append(sweep.lab.variants[0].cells[1])
        #expect(sweep.commonSeeds == [1, 2])
        sweep.lab.variants.removeLast()
        sweep.axes[0].values.removeLast()
        #expect(!(try part("now").contains("so far")))
    }

    @Test("What only the end of a run tells is not told as zero before it")
    func unknown() throws {
        var report = going
        report.fingerprint = ""
        report.generator = Report.Generator()
        report.generator.scheduleLag = Fixtures.outage().generator.scheduleLag
        report.run.target = Report.embeddedTarget
        report.entries = [Report.Entry(name: "outage", mark: 0, metrics: [])]
        let run = try html("run", of: report)
        for name in ["Fingerprint", "Busiest event loop", "Connections", "<dt>Generator</dt>"] {
            #expect(!run.contains(name), "\(name)")
        }
        #expect(run.contains("Generator&#39;s lag") || run.contains("Generator's lag"))
        #expect(try html("audit", of: report).contains("compared at the end of the run"))
        #expect(try html("entries", of: report).contains("whose fate is known"))
        let bytes = ReportJSON.write(report)
        let generator = try #require(try JSONReader.readStrictly(bytes)["generator"])
        #expect(generator["schedule_lag"] != nil && generator["connections_peak"] == nil)
        #expect(generator["cpu_utilization"] == nil && generator["saturated"] == nil)
        let again = try ReportJSON.read(bytes)
        #expect(again.generator == report.generator && ReportJSON.write(again) == bytes)
        // At the end all of it is there.
        report.isPartial = false
        let whole = try JSONReader.readStrictly(ReportJSON.write(report))
        #expect(whole["generator"]?["connections_peak"] == .int(0))
        #expect(!(try html("entries", of: report).contains("whose fate is known")))
    }

    @Test("A run that has not begun does not fail for having delivered nothing")
    func beginning() {
        var report = going
        report.events = Report.EventCounts()
        report.metrics = []
        report.thresholds = []
        let verdict = LiveVerdict(report)
        #expect(verdict.holds && verdict.reasons.count == 1)
    }

    @Test("The timeline tells what is over, what is in force and what is next")
    func timeline() throws {
        var report = going
        report.marks = [
            Report.Mark(from: 0, until: 10, text: "early"), Report.Mark(from: 30, until: 90, text: "now"),
            Report.Mark(from: 20, until: nil, text: "a change"),
            Report.Mark(from: 100, until: nil, text: Hostile.mark),
        ]
        report.simulatedSeconds = 40
        let text = try html("timeline", of: report)
        #expect(text.count(of: "class=\"over\"") == 1)
        // What says nothing of an end lasts to that of the run.
        #expect(text.count(of: "class=\"force\"") == 2)
        #expect(text.contains("<b>in 1m</b>"))
        #expect(!text.contains("<b onmouseover"))
    }

    @Test("What was said is shown as a terminal has it, as text, and nothing where nothing was said")
    func log() {
        let part = LivePage.log(["first", "<b>second</b>", "step  load"])
        let positions = ["first", "&lt;b&gt;second", "step  load"]
            .compactMap { part.html.firstRange(of: $0)?.lowerBound }
        #expect(positions.count == 3 && positions == positions.sorted())
        #expect(part.html.contains("<li class=\"columns\">step"))
        #expect(LivePage.log([]) == LivePage.Part(id: "log", html: ""))
    }

    @Test("Summaries, counters and gauges are pushed as what they are")
    func push() throws {
        var writer = OTLPWriter(
            resource: [("service.name", "beaconswarm")], toolVersion: "1",
            start: .init(nanoseconds: 1_700_000_000_000_000_000))
        let body = writer.body(of: going, progress: 0.5, now: .init(nanoseconds: 1_700_000_001_000_000_000))
        let root = try JSONReader.readStrictly(body)
        let scope = root["resourceMetrics"]?.elements?.first?["scopeMetrics"]?.elements?.first
        let metrics = try #require(scope?["metrics"]?.elements)
        func metric(_ name: String) -> JSONNode? { metrics.first { $0["name"]?.string == name } }
        let counter = try #require(metric("beaconswarm_http_reqs_total")?["sum"])
        #expect(counter["isMonotonic"] == .bool(true))
        let summary = try #require(metric("beaconswarm_http_req_duration_seconds")?["summary"])
        let point = try #require(summary["dataPoints"]?.elements?.first)
        #expect(point["quantileValues"]?.elements?.count == 5)
        #expect(point["timeUnixNano"]?.string == "1700000001000000000")
        #expect(metric("beaconswarm_progress_ratio")?["gauge"] != nil)
    }

    @Test("A series that was pushed once is pushed again with 0 where it is nothing any more")
    func endedSeries() throws {
        var writer = OTLPWriter(resource: [], toolVersion: "1", start: .init(nanoseconds: 0))
        func points(_ report: Report, _ name: String) throws -> [String: JSONNode] {
            let root = try JSONReader.readStrictly(
                writer.body(of: report, progress: nil, now: .distantFuture))
            let scope = root["resourceMetrics"]?.elements?.first?["scopeMetrics"]?.elements?.first
            let metric = scope?["metrics"]?.elements?.first { $0["name"]?.string == name }
            let all = try #require(metric?["gauge"]?["dataPoints"]?.elements)
            return Dictionary(
                all.map { point in
                    let labels = point["attributes"]?.elements ?? []
                    let told = labels.filter { ["fate", "cause", "verdict"].contains($0["key"]?.string) }
                    let values = told.compactMap { $0["value"]?["stringValue"]?.string }
                    return (values.sorted().joined(separator: " "), point["asDouble"] ?? .null)
                }, uniquingKeysWith: { one, _ in one })
        }
        var report = going
        report.events.pending = [Report.NamedCount("stored", 877)]
        #expect(try points(report, "beaconswarm_events")["pending stored"] == .number(877))
        #expect(try points(report, "beaconswarm_run_info") == ["unfinished": .number(1)])
        report.events.pending = [Report.NamedCount("stored", 0)]
        report.isPartial = false
        report.judge()
        for _ in 0..<2 {
            #expect(try points(report, "beaconswarm_events")["pending stored"] == .number(0))
            let info = try points(report, "beaconswarm_run_info")
            #expect(info == ["unfinished": .number(0), report.verdict.rawValue: .number(1)])
        }
    }

    @Test("What only an earlier run had is pushed as 0 if it was counted, and else as having no value")
    func nextRun() throws {
        var writer = OTLPWriter(resource: [], toolVersion: "1", start: .init(nanoseconds: 0))
        func push(_ report: Report) throws -> [String: JSONNode] {
            let root = try JSONReader.readStrictly(
                writer.body(of: report, progress: nil, now: .distantFuture))
            let scope = root["resourceMetrics"]?.elements?.first?["scopeMetrics"]?.elements?.first
            let named = (scope?["metrics"]?.elements ?? []).map { ($0["name"]?.string ?? "", $0) }
            return Dictionary(named, uniquingKeysWith: { one, _ in one })
        }
        func points(_ metric: JSONNode?, _ kind: String) -> [JSONNode] {
            metric?[kind]?["dataPoints"]?.elements ?? []
        }
        func count(_ metrics: [String: JSONNode], of answer: String) -> JSONNode? {
            points(metrics["beaconswarm_answers_total"], "sum").first {
                let label = $0["attributes"]?.elements?.first
                return label?["value"]?["stringValue"]?.string == answer
            }?["asDouble"]
        }
        var first = Fixtures.outage()
        first.answers = [Report.NamedCount("200", 9), Report.NamedCount("503", 4)]
        let ended = try push(first)
        #expect(count(ended, of: "503") == .number(4))
        #expect(points(ended["beaconswarm_exit_code"], "gauge").first?["asDouble"] != nil)
        var second = going
        second.answers = [Report.NamedCount("200", 2)]
        second.metrics.removeAll { $0.name == "event_freshness" || $0.name == "http_req_failed" }
        for _ in 0..<2 {
            let begun = try push(second)
            #expect(count(begun, of: "200") == .number(2) && count(begun, of: "503") == .number(0))
            let gone = [
                ("beaconswarm_exit_code", "gauge"), ("beaconswarm_audit_events", "gauge"),
                ("beaconswarm_http_req_failed_ratio", "gauge"),
                ("beaconswarm_event_freshness_seconds", "summary"),
            ]
            for (name, kind) in gone {
                let all = points(begun[name], kind)
                #expect(!all.isEmpty, "\(name)")
                for point in all {
                    #expect(point["flags"] == .int(1) && point["asDouble"] == nil, "\(name)")
                    #expect(point["count"] == nil && point["quantileValues"] == nil, "\(name)")
                }
            }
        }
    }
}

extension String {
    /// How often another text is in this one.
    fileprivate func count(of other: String) -> Int { ranges(of: other).count }
}
