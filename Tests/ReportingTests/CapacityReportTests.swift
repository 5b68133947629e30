import Measurement
import Testing
import Timebase

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
            "http_req_failed had to keep rate<0.01, but was 0.5 (50 %).", "Not steady: 3",
        ]
        #expect(report.brokeFirst.count == 2)
        #expect(report.brokeFirst[0].contains("http_req_failed"))
    }

    @Test("writes JSON that reads back with its schema and both ends")
    func json() throws {
        let value = try JSONText.read(CapacityJSON.write(CapacityFixture.report()))
        #expect(value["schema"] == .string("beaconswarm.capacity/1"))
        #expect(value["ending"] == .string("knee"))
        #expect(value["holds"]?["requests_per_second"] == .unsigned(200))
        #expect(value["breaks"]?["devices"] == .unsigned(102))
        guard case .array(let steps)? = value["steps"] else {
            Issue.record("no steps")
            return
        }
        #expect(steps.count == 10)
        #expect(steps[3]["verdict"] == .string("broke"))
        #expect(steps[0]["http_req_duration"]?["p(99)"] != nil)
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
        report.reasons.append(String(repeating: "Words of a reason. ", count: 12))
        let text = CapacityText.summary(report, color: false, width: width)
        for line in text.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
        #expect(text.contains("── knee ─"))
        #expect(text.contains("✓") && text.contains("✗"))
    }

    @Test("writes an empty search too")
    func empty() {
        var report = CapacityFixture.report()
        report.steps = []
        (report.holds, report.breaks, report.ending) = (nil, nil, .interrupted)
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
