import Measurement
import Testing
import Timebase
import Wire

@testable import Reporting

/// A search as it might come out: a target that takes 200 requests per second.
enum CapacityFixture {
    static func trend(_ p99: Double) -> TrendSummary {
        var trend = TrendSummary()
        trend.count = 1000
        (trend.minimum, trend.median, trend.p90, trend.p95) = (p99 / 9, p99 / 4, p99 / 2, p99 / 1.5)
        (trend.average, trend.p99, trend.p999, trend.maximum) = (p99 / 4, p99, p99 * 2, p99 * 3)
        return trend
    }

    static func step(
        _ number: Int, _ purpose: String, devices: Int, held: Bool, window: Double = 10
    ) -> CapacityReport.Step {
        var step = CapacityReport.Step(
            number: number, purpose: purpose, load: Double(devices), devices: devices, warmUpSeconds: 5,
            windowSeconds: window)
        let failed = max(0, Double(devices) * 2 - 200) / Double(devices * 2)
        step.verdict = held ? .held : .broke
        step.requestsOffered = Double(devices) * 2
        step.requestsAnswered = Double(devices) * 2
        step.eventsOffered = Double(devices) * 4
        step.eventsDelivered = Double(devices) * 4 * (1 - failed)
        step.requests = UInt64(Double(devices) * 2 * window)
        step.duration = trend(held ? 2 + Double(devices) / 20 : 40)
        step.freshness = trend(1000)
        step.failed = failed
        step.lost = 0
        if !held {
            let result = Report.ThresholdResult(
                metric: "http_req_failed", expression: "rate<0.01", value: failed, ok: false)
            step.thresholds = [result]
            step.reasons = [VerdictRules.sentence(result)]
        }
        return step
    }

    static func report(name: String = "knee") -> CapacityReport {
        var report = CapacityReport(
            toolVersion: "0.1.0",
            scenario: .init(name: name, description: "Where it breaks.", sha256: "ab", overrides: []),
            mode: .live, seed: 7, startedAt: Instant(milliseconds: 1_767_571_200_000), wallSeconds: 190,
            run: .init(
                command: ["beaconswarm", "capacity", "knee.json", "--out", "x"], host: "box",
                operatingSystem: "Linux", cores: 2, memoryBytes: 1 << 32, target: "http://127.0.0.1:80/sa"),
            scaling: .devices, precision: 0.02,
            conditions: [
                .init(metric: "http_req_failed", expression: "rate<0.01", origin: .scenario)
            ])
        let loads = [
            (25, true), (50, true), (100, true), (200, false), (150, false), (125, false), (102, false),
        ]
        report.steps = loads.enumerated().map { index, load in
            step(index + 1, index < 4 ? "climb" : "bisect", devices: load.0, held: load.1)
        }
        report.steps.append(step(8, "recheck", devices: 102, held: false, window: 20))
        report.steps.append(step(9, "confirm", devices: 100, held: true, window: 20))
        report.steps.append(step(10, "confirm", devices: 100, held: true, window: 20))
        report.ending = .knee
        report.exitCode = 0
        report.holds = report.level(100, .held)
        report.breaks = report.level(102, .broke)
        report.reasons = ["Holds at 200 req/s, breaks at 204 req/s."]
        return report
    }
}

@Suite("The report of a capacity")
struct CapacityReportTests {
    @Test("takes the trials of a load together, longer windows for more")
    func levels() throws {
        var report = CapacityFixture.report()
        report.steps[8].requestsOffered = 210
        let level = try #require(report.level(100, .held))
        #expect(level.trials == 3 && level.trialsInAll == 3)
        #expect(level.requestsOffered == 204)
        #expect(report.level(100, .broke) == nil)
        #expect(report.level(102, .broke)?.trials == 2)
    }

    @Test("names each thing that broke once, whatever its figures were")
    func first() {
        var report = CapacityFixture.report()
        report.steps[7].reasons = [
            "http_req_failed violated rate<0.01 with 0.5 (50 %).", "Not steady: 3",
        ]
        #expect(report.brokeFirst.count == 2)
        #expect(report.brokeFirst[0].contains("http_req_failed"))
    }

    @Test("writes JSON that reads back with its schema and both ends")
    func json() throws {
        let value = try JSONReader.readStrictly(CapacityJSON.write(CapacityFixture.report()))
        #expect(value["schema"] == .text("beaconswarm.capacity/1"))
        #expect(value["ending"] == .text("knee"))
        #expect(value["holds"]?["requests_per_second"] == .int(200))
        #expect(value["breaks"]?["devices"] == .int(102))
        guard let steps = value["steps"]?.elements else {
            Issue.record("no steps")
            return
        }
        #expect(steps.count == 10)
        #expect(steps[3]["verdict"] == .text("broke"))
        #expect(steps[0]["http_req_duration"]?["p(99)"] != nil)
    }

    @Test("reads back what it wrote, byte for byte, and names what is wrong")
    func reads() throws {
        var report = CapacityFixture.report()
        report.arrivalSeconds = 40
        report.steps[2].storesGrowBeyond = 1.5
        report.steps[2].isClose = true
        report.steps[4].lost = nil
        report.warnings = ["beware"]
        report.maxSeconds = 300
        let bytes = CapacityJSON.write(report)
        #expect(CapacityJSON.write(try CapacityJSON.read(bytes)) == bytes)
        #expect(CapacityHTML.write(try CapacityJSON.read(bytes)) == CapacityHTML.write(report))
        for ending in CapacityReport.Ending.allCases {
            report.ending = ending
            #expect(try CapacityJSON.read(CapacityJSON.write(report)).ending == ending)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let wrong = text.replacing("\"verdict\": \"held\"", with: "\"verdict\": \"hold\"", maxReplacements: 1)
        #expect {
            _ = try CapacityJSON.read(Array(wrong.utf8))
        } throws: { error in
            (error as? ReportReadError)?.key == "steps[0].verdict"
        }
    }

    @Test("shows what was judged, in its own unit, whatever metric that is")
    func columns() throws {
        var report = CapacityFixture.report()
        report.conditions = [
            .init(metric: "event_freshness", expression: "p(50)<30000", origin: .scenario),
            .init(metric: "events_lost{population:ios}", expression: "rate<0.2", origin: .scenario),
        ]
        for index in report.steps.indices {
            let broke = report.steps[index].verdict == .broke
            report.steps[index].thresholds = [
                .init(
                    metric: "event_freshness", expression: "p(50)<30000", value: broke ? 31_000 : 1200,
                    ok: !broke),
                .init(metric: "events_lost{population:ios}", expression: "rate<0.2", value: 0.125, ok: true),
            ]
        }
        let header = CapacityText.header(report)
        #expect(header.contains("fresh p(50)") && header.contains("lost{ios}") && header.contains("stores"))
        let line = CapacityText.line(report.steps[3], of: report, range: "100…200", color: false)
        #expect(line.contains("31 s") && line.contains("12.5 %") && line.contains("100…200"))
        #expect(CapacityColumn.leading(report).name == "fresh p(50)")
        #expect(CapacityText.summary(report, color: false, width: 100).contains("fresh p(50)"))
        #expect(String(decoding: CapacityMarkdown.write(report), as: UTF8.self).contains("fresh p\\(50\\)"))
        #expect(String(decoding: CapacityHTML.write(report), as: UTF8.self).contains("lost{ios}"))
        for step in report.steps.indices { report.steps[step].thresholds[0].ok = true }
        #expect(CapacityColumn.leading(report).name == "stores")
    }

    @Test("what stands for the verdicts of steps is told beside them, and no latency is taken for freshness")
    func legend() {
        var report = CapacityFixture.report()
        report.steps[8].verdict = .generatorLimited
        report.steps[9].verdict = .cut
        let words = "✓ holds; ✗ breaks; ! the generator could not follow; ■ cut short."
        #expect(String(decoding: CapacityHTML.write(report), as: UTF8.self).contains(words))
        let summary = String(decoding: CapacityMarkdown.write(report), as: UTF8.self)
        #expect(summary.contains("✓ holds; ✗ breaks; \\! the generator could not follow; ■ cut short."))
        #expect(summary.contains("| ■ | 100 |"), "\(summary)")
        #expect(CapacityText.header(report).contains(" request p(99)"))
    }

    @Test("the load that breaks is told in proportion to the one that holds")
    func proportion() throws {
        var report = CapacityFixture.report()
        for index in report.steps.indices where report.steps[index].verdict == .broke {
            report.steps[index].requestsOffered = 90
        }
        report.setLevels(holds: 100, breaks: 102)
        #expect(report.holds?.requestsOffered == 200 && report.breaks?.requestsOffered == 204)
        #expect(report.breaks?.requestsAnswered == 204)
        report.setLevels(holds: nil, breaks: 102)
        #expect(report.holds == nil && report.breaks?.requestsOffered == 90)
    }

    @Test("the command for the load that holds takes the place of bounds that were given")
    func play() {
        var report = CapacityFixture.report()
        report.run.command = [
            "beaconswarm", "capacity", "knee.json", "--max", "900", "--from=3", "--out", "x",
        ]
        #expect(report.playCommand?.text == "beaconswarm capacity knee.json --from 100 --max 100 --seed 7")
        report.holds = nil
        #expect(report.playCommand == nil)
    }

    @Test("writes a row for each step, with nothing where there were no samples")
    func csv() throws {
        var report = CapacityFixture.report()
        report.steps[0].duration = TrendSummary()
        report.steps[0].failed = nil
        report.steps[0].reasons = ["=1+1, \"quoted\""]
        let lines = String(decoding: CapacityCSV.write(report), as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 11)
        let header = lines[0].split(separator: ",")
        #expect(header.first == "step" && header.contains("duration_p99_ms"))
        #expect(lines[1].hasSuffix("\"'=1+1, \"\"quoted\"\"\""))
        #expect(lines[1].contains(",,,"))
    }

    @Test("draws every step, its verdict by shape, and the knee; nothing from outside gets in unescaped")
    func page() {
        var report = CapacityFixture.report(name: "<script>alert(1)</script>")
        report.steps[3].verdict = .generatorLimited
        let html = String(decoding: CapacityHTML.write(report), as: UTF8.self)
        #expect(!html.contains("<script"))
        #expect(html.contains("class=\"disc\"") && html.contains("class=\"cross\""))
        #expect(html.contains("class=\"triangle\""))
        #expect(html.contains("knee 200"))
        #expect(html.contains("Content-Security-Policy"))
        // Three lines of latency, two of freshness, two of loss and two of throughput, in both frames.
        #expect(html.components(separatedBy: "<g class=\"point").count - 1 == 2 * 10 * 9)
    }

    @Test("stands in events where an overloaded server got fewer requests")
    func scale() {
        var report = CapacityFixture.report()
        #expect(CapacityScale(report).unit == "requests/s offered")
        for index in report.steps.indices where report.steps[index].verdict == .broke {
            report.steps[index].requestsOffered = 90
        }
        #expect(CapacityScale(report).unit == "events/s captured")
    }

    @Test("fits its summary into the terminal and marks the knee", arguments: [80, 100, 160])
    func summary(width: Int) {
        var report = CapacityFixture.report(name: "a rather long name of a scenario that goes on and on")
        let words = String(repeating: "Words of a reason. ", count: 12)
        report.reasons = ["Holds. \(words)", words]
        let text = CapacityText.summary(report, color: false, width: width)
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        #expect(text.contains("── knee ─"))
        #expect(text.contains("✓") && text.contains("✗"))
    }

    @Test("the heads of its columns are whole, and end where the figures end", arguments: [80, 100, 160])
    func heads(width: Int) throws {
        let text = CapacityText.summary(CapacityFixture.report(), color: false, width: width)
        let lines = text.split(separator: "\n").map(String.init)
        let head = try #require(lines.firstIndex { $0.contains("load     req/s") })
        #expect(lines[head].hasSuffix("p(99)    stores"), "\(lines[head])")
        #expect(lines[head].count == width && lines[head + 1].count == width, "\(lines[head + 1])")
    }

    @Test("writes an empty search too")
    func empty() {
        var report = CapacityFixture.report()
        report.steps = []
        (report.holds, report.breaks, report.ending) = (nil, nil, .interrupted)
        #expect(CapacityText.steps(0) == "0 steps" && CapacityText.steps(1) == "1 step")
        #expect(!CapacityHTML.write(report).isEmpty)
        #expect(!CapacityMarkdown.write(report).isEmpty)
        #expect(!CapacityText.summary(report, color: true, width: 80).isEmpty)
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
