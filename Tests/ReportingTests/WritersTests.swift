import Foundation
import Measurement
import Testing
import Timebase

@testable import Reporting

@Suite("Writers")
struct WritersTests {
    private func html(_ report: Report) -> String {
        String(decoding: HTMLWriter().render(report), as: UTF8.self)
    }

    @Test("every form has a name and a file of its own, and is found by its name")
    func registry() {
        #expect(ReportFormats.names == ["html", "md", "csv", "junit", "prometheus", "json", "hgrm"])
        for name in ReportFormats.names {
            let writer = ReportFormats.writer(named: name)
            #expect(writer.map { type(of: $0).format } == name)
        }
        #expect(ReportFormats.writer(named: "pdf") == nil)
        #expect(Set(ReportFormats.all.map { type(of: $0).fileName }).count == ReportFormats.all.count)
    }

    @Test(
        "a report that was read back renders as the one that was measured",
        arguments: ["html", "md", "csv", "junit", "prometheus", "hgrm"])
    func rendersAgain(format: String) throws {
        let writer = try #require(ReportFormats.writer(named: format))
        let report = Fixtures.outage()
        let again = try ReportJSON.read(ReportJSON.write(report))
        #expect(writer.render(again) == writer.render(report))
    }

    @Test("HTML puts the verdict and its reason first, then the ledger")
    func order() throws {
        let page = html(Fixtures.outage())
        let texts = [
            "Failed (exit code 99)", "events_lost violated rate&lt;0.001 with",
            "Where every event went",
            "How fresh, and how fast", "Over time", "How uploads were answered", "By population",
            "Thresholds",
            "What the collector holds", "How it was run",
        ]
        let positions = try texts.map { try #require(page.range(of: ">" + $0)?.lowerBound, "\($0)") }
        #expect(positions == positions.sorted())
        #expect(page.contains("not k6&#39;s meaning"))
        #expect(page.contains("--seed 18446744073709551557"))
    }

    @Test("every picture has a title, a description and a table beside it")
    func accessible() {
        let page = html(Fixtures.outage())
        let pictures = page.components(separatedBy: "role=\"img\"").count - 1
        // Flow and percentiles, and for each frame: curves, heat maps, lines, and lines around three entries.
        #expect(pictures == 2 + 2 + 2 * (2 + 2 + 8 + 3 * 8))
        #expect(page.components(separatedBy: "<desc id=").count - 1 == pictures)
        #expect(
            page.components(separatedBy: "<summary>Table").count - 1 == 1 + 1 + 2 + 2 + 8 + 3 * 8)
    }

    @Test("the flow says every number, the smallest cause too")
    func flow() {
        let page = html(Fixtures.outage())
        for text in [
            "delivered 694,318", "storage_limit 12,840", "cleared_unsent 9", "confirmed 692,818",
            "swallowed 1,500",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(page.contains("the balance is 0"))
    }

    @Test("faults are shaded and numbered in every chart over time")
    func marks() {
        let page = html(Fixtures.outage())
        // In both frames, and around each entry it and a neighbour.
        #expect(page.components(separatedBy: "class=\"mark\"").count - 1 == 2 * (2 * 8 + 3 * 8))
        #expect(page.components(separatedBy: "class=\"edge\"").count - 1 == 2 * (3 * (8 + 2) + 3 * 2 * 8))
        #expect(page.contains("collector outage, 3m to 3m30s"))
    }

    @Test("numbers of faults that begin together stand beside each other in a heat map")
    func crowdedMarks() throws {
        var report = Fixtures.outage()
        report.marks = [
            Report.Mark(from: 301, until: nil, text: "second"),
            Report.Mark(from: 300, until: nil, text: "first"),
        ]
        report.marks += (0..<20).map { _ in Report.Mark(from: 302, until: nil, text: "crowd") }
        let page = html(report)
        let begin = try #require(page.range(of: "id=\"h-time-t\"")?.upperBound)
        let end = try #require(page.range(of: "</svg>", range: begin..<page.endIndex)?.lowerBound)
        let labels = page[begin..<end].components(separatedBy: "<text ").filter {
            $0.contains("class=\"note\"")
        }
        let positions = try labels.map { label in
            let start = try #require(label.range(of: "x=\"")?.upperBound)
            return try #require(Double(label[start...].prefix { $0 != "\"" }))
        }
        #expect(labels.first?.contains(">2<") == true && labels.dropFirst().first?.contains(">1<") == true)
        #expect((3..<20).contains(positions.count))
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $1 - $0 > 8 })
    }

    /// A run in which nothing happened at all.
    private func empty() -> Report {
        Report(
            toolVersion: "0",
            scenario: Report.ScenarioReference(name: "", description: "", sha256: "", overrides: []),
            mode: .virtual, seed: 0, fingerprint: "", startedAt: .init(nanoseconds: 0), wallSeconds: 0,
            simulatedSeconds: 0, devices: 0, devicesStarted: 0,
            run: Report.RunContext(
                command: [], host: "", operatingSystem: "", cores: 0, memoryBytes: 0, target: "modelled world"
            ),
            events: Report.EventCounts())
    }

    @Test(
        "what a run went against has an article, unless it is a URL",
        arguments: [
            ("modelled world", "against the modelled world."),
            ("embedded collector", "against the embedded collector."),
            ("http://127.0.0.1:8106/sa", "against http://127.0.0.1:8106/sa."),
        ])
    func target(_ target: String, _ words: String) {
        var report = empty()
        report.run.target = target
        #expect(String(decoding: MarkdownWriter().render(report), as: UTF8.self).contains(words))
    }

    @Test("a run without events, samples or series renders everywhere", arguments: ReportFormats.names)
    func rendersEmpty(format: String) throws {
        let writer = try #require(ReportFormats.writer(named: format))
        #expect(!writer.render(empty()).isEmpty)
        let text = String(decoding: writer.render(empty()), as: UTF8.self)
        #expect(!text.contains("nan") && !text.contains("inf "))
    }

    @Test(
        "absurd numbers in a damaged report are refused or rendered, never a crash",
        arguments: [1e15, 1e19, 1e300, -1e300])
    func absurd(number: Double) throws {
        var report = Fixtures.outage()
        report.wallSeconds = number
        report.simulatedSeconds = number
        report.events.balance = .min
        report.thresholds[0].value = number
        report.marks[0].from = number
        report.metrics[0] = Metric("event_freshness", .trend(.summary(absurdTrend(number))))
        report.metrics.append(Metric("data_sent", .counter(count: number, perSecond: number)))
        report.entries = [
            Report.Entry(
                name: "o", mark: 0,
                metrics: [Metric("http_reqs", .counter(count: number, perSecond: number))])
        ]
        report.generator.cpuUtilization = number
        report.generator.scheduleLag = absurdTrend(number)
        report.series = Array(report.series.prefix(3))
        report.series[2].second = number
        report.series[1].freshnessP95 = number
        for format in ReportFormats.all { #expect(!format.render(report).isEmpty) }
        #expect(!TerminalSummary.render(report, color: true, width: 80).isEmpty)
        report.events.captured = .max
        #expect(throws: ReportReadError.self) { try ReportJSON.read(ReportJSON.write(report)) }
    }

    private func absurdTrend(_ number: Double) -> TrendSummary {
        var trend = TrendSummary()
        trend.count = 1
        trend.minimum = -number
        trend.median = number / 2
        trend.p99 = number
        trend.maximum = number
        return trend
    }

    @Test("an empty run round-trips, repeats its command and has a summary")
    func emptyRun() throws {
        let bytes = ReportJSON.write(empty())
        #expect(ReportJSON.write(try ReportJSON.read(bytes)) == bytes)
        #expect(empty().repeatCommand.text == "beaconswarm simulate SCENARIO --seed 0")
        #expect(TerminalSummary.render(empty(), color: false, width: 80).contains("✓ PASSED"))
    }

    @Test(
        "long series are merged without losing a count or a peak",
        arguments: [1, 2, 119, 120, 121, 659, 660, 661])
    func merging(limit: Int) {
        let series = Fixtures.series()
        let merged = SeriesMerging.merged(series, limit: limit)
        #expect(merged.count <= limit)
        #expect(merged.reduce(0) { $0 + $1.captured } == series.reduce(0) { $0 + $1.captured })
        #expect(merged.map(\.freshnessP95).max() == series.map(\.freshnessP95).max())
        #expect(merged.last?.storedRows == series.last?.storedRows)
        #expect(merged.reduce(0) { $0 + $1.seconds } == 660)
    }

    @Test("the rows of a growing file are those of the finished one")
    func growing() {
        let report = Fixtures.outage()
        var bytes = TimeSeriesWriter.header
        for point in report.series { bytes += TimeSeriesWriter.row(point, marks: report.marks) }
        #expect(bytes == TimeSeriesWriter().render(report))
    }

    @Test("JUnit has a case for the books, the audit, the generator, the run and each threshold")
    func junit() {
        let report = Fixtures.outage()
        let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
        #expect(xml.contains("tests=\"10\" failures=\"2\""))
        var unknown = report
        unknown.audit = nil
        unknown.events.balance = -1
        let other = String(decoding: JUnitWriter().render(unknown), as: UTF8.self)
        #expect(other.contains("tests=\"9\" failures=\"3\""))
        #expect(other.contains("<skipped "))
    }

    /// What can be wrong with a run, by what a report says of it.
    private static let faults: [(cause: VerdictRules.Cause, change: @Sendable (inout Report) -> Void)] = [
        (.balance, { $0.events.balance = 1 }),
        (.ackedNotFound, { $0.audit?.ackedNotFound = 1 }),
        (.unexpectedEvents, { $0.audit?.unexpected = 1 }),
        (.interrupted, { $0.isInterrupted = true }),
        (.generatorLate, { $0.generator.saturated = true }),
        (
            .generatorFailed,
            {
                let count = $0.delivery.uploads / 2
                $0.generator.ownFailures = [.init(name: "no_socket", count: count, text: "no socket")]
            }
        ),
        (.maxRate, { $0.endedBy = .init(cause: .maxRate, text: "Too many requests.") }),
        (.guard, { $0.endedBy = .init(cause: .guard, text: "It answers 403 alone.") }),
        (
            .maxRate,
            {
                var part = Report.Part(name: "0/2", devices: 2, attempt: 1, host: "lab-7", wallSeconds: 1)
                part.endedBy = .init(cause: .maxRate, text: "Part 0/2 sent too many requests.")
                ($0.run.parts, $0.endedBy) = ([part], part.endedBy)
            }
        ),
        (.guardMissing, { $0.scenario.expectation = .guard }),
        (.deliveredUnexpectedly, { $0.scenario.expectation = .nothingDelivered }),
        (
            .nothingDelivered,
            {
                $0.metrics.removeAll { $0.name == "http_req_failed" }
                $0.metrics.append(Metric("http_req_failed", .rate(passes: 9, fails: 0)))
            }
        ),
        (
            .partsMissing,
            {
                $0.run.parts = []
                $0.run.missingParts = "Missing is 1/2."
            }
        ),
        (
            .clocksApart,
            {
                var part = Report.Part(name: "0/2", devices: 2, attempt: 1, host: "lab-7", wallSeconds: 1)
                part.problems = [.init(cause: .clocksApart, text: "Clocks are a second apart.")]
                $0.run.parts = [part]
            }
        ),
        (
            .thresholdBroken,
            { $0.thresholds = [.init(metric: "events_lost", expression: "rate<0.1", value: 1, ok: false)] }
        ),
    ]

    @Test("whatever speaks against a run fails a case of JUnit")
    func junitOfEveryFault() {
        var sound = Fixtures.outage()
        sound.thresholds = []
        sound.judge()
        let passing = String(decoding: JUnitWriter().render(sound), as: UTF8.self)
        #expect(sound.exitCode == 0 && passing.contains("failures=\"0\""), "\(sound.reasons)")
        for (cause, change) in Self.faults {
            var report = sound
            change(&report)
            report.judge()
            let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
            #expect(report.causes == [cause.rawValue] && report.exitCode != 0, "\(report.reasons)")
            #expect(xml.contains("failures=\"1\"") && xml.contains("<failure message="), "\(cause)")
        }
        for failed in [("no memory", [String]()), (nil, ["the disk is full"])] {
            var report = sound
            report.judge(internalError: failed.0, unwritten: failed.1)
            let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
            #expect(report.exitCode == 70 && xml.contains("failures=\"1\""))
        }
        #expect(Set(Self.faults.map(\.cause)).count == VerdictRules.Cause.allCases.count - 2)
    }

    @Test("an interrupted run did not reach its end, though its books weigh more")
    func junitOfInterruption() {
        var report = Fixtures.outage()
        report.thresholds = []
        (report.isInterrupted, report.events.balance) = (true, 1)
        report.judge()
        let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
        #expect(report.exitCode == 95 && xml.contains("failures=\"2\""))
        #expect(xml.contains("<failure message=\"The run was interrupted; the figures"))
    }

    @Test("a run that a threshold ended did not reach its end, and says which and when")
    func junitOfThresholdThatEnds() {
        var report = Fixtures.outage()
        report.thresholds = [
            Report.ThresholdResult(
                metric: "http_req_failed", expression: "rate<0.1", value: 0.4, ok: false, aborted: true)
        ]
        report.usersSeconds = 12
        report.judge()
        let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
        #expect(report.exitCode == 99 && xml.contains("failures=\"2\""))
        let text = "http_req_failed: rate&lt;0.1 ended it after 12 s"
        #expect(xml.contains("<failure message=\"\(text)\" type=\"threshold_broken\">\(text)</failure>"))
    }

    @Test("unexpected answers can be opened, and let nothing loose")
    func answers() {
        let page = html(Fixtures.outage())
        #expect(page.components(separatedBy: "<details class=\"answer\">").count - 1 == 2)
        #expect(page.contains("503 · ios · 2026-03-02T11:33:01"))
        #expect(page.contains("Content-Type: text/html\nRetry-After: 3"))
        #expect(page.contains("&lt;h1&gt;&lt;img src=x onerror=alert(1)&gt;"))
    }

    @Test("a run that is not over is not judged, in any form")
    func partial() {
        var report = Fixtures.outage()
        report.isPartial = true
        report.simulatedSeconds = 90_061.7
        report.judge()
        let page = html(report)
        let state = "These figures are of 1d1h1m1s into the run: they are written every 10s"
        #expect(page.contains(state))
        #expect(page.contains("holds so far") && page.contains("broken so far"))
        #expect(page.contains("<span>Unfinished</span>") && !page.contains("(exit code"))
        #expect(!page.contains("✓ held") && !page.contains("✗ broken"))
        let terminal = TerminalSummary.render(report, color: false, width: 100)
        #expect(terminal.contains("… 'p(95)<60000' was ") && !terminal.contains("✗ '"))
        #expect(terminal.contains(", holds so far\n") && terminal.contains(", broken so far\n"))
        #expect(terminal.contains("■ UNFINISHED"))
        let junit = String(decoding: JUnitWriter().render(report), as: UTF8.self)
        #expect(junit.components(separatedBy: "not judged yet").count - 1 == 6)
        let metrics = String(decoding: PrometheusWriter().render(report), as: UTF8.self)
        #expect(!metrics.contains("threshold_ok"))
        let summary = String(decoding: MarkdownWriter().render(report), as: UTF8.self)
        #expect(summary.contains("| holds so far | ") && summary.contains("| broken so far | "))
        #expect(summary.contains(": unfinished\n"))
    }

    @Test("of a live run that is not over, nothing says that its generator kept its schedule")
    func generatorOfPartial() {
        var report = Fixtures.outage()
        report.isPartial = true
        for saturated in [true, false] {
            report.generator.saturated = saturated
            let junit = String(decoding: JUnitWriter().render(report), as: UTF8.self)
            #expect(junit.components(separatedBy: "not judged yet").count - 1 == 6)
            #expect(!junit.contains("type=\"generator_late\""))
        }
        report.generator.eventLoops = 0
        let early = String(decoding: PrometheusWriter().render(report), as: UTF8.self)
        #expect(!early.contains("generator_saturated") && early.contains("generator_lag_p99_seconds"))
        report.isPartial = false
        let late = String(decoding: PrometheusWriter().render(report), as: UTF8.self)
        #expect(late.contains("beaconswarm_generator_saturated 0"))
    }

    @Test("the heat map holds every value once, and its peak is the darkest")
    func heatMap() throws {
        let series = Fixtures.distributions()
        let map = try #require(HeatMap(metric: "m", series: series, \.duration))
        let values = series.buckets.reduce(0) { $0 + $1.duration.count }
        #expect(map.columns.reduce(0) { $1.reduce($0, +) } == values)
        #expect(map.columns.count <= 90 && map.bounds.count <= 37)
        #expect(map.bounds[0] <= 4 && (map.bounds.last ?? 0) >= 1000)
        let page = html(Fixtures.outage())
        #expect(page.contains("class=\"heat h6\"><title>"))
        #expect(HeatMap(metric: "m", series: TimeSeries(start: series.start), \.duration) == nil)
    }

    @Test("the curve's text has HdrHistogram's columns and foot")
    func percentiles() {
        let text = String(decoding: PercentileWriter().render(Fixtures.outage()), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "       Value     Percentile TotalCount 1/(1-Percentile)")
        #expect(lines[1].isEmpty)
        #expect(text.contains("#[Max     = ") && text.contains("Total count    =         4000]"))
        #expect(text.contains("#[Buckets =           33, SubBuckets     =         2048]"))
        #expect(text.contains(" 1.000000000000       4000\n#[Mean"))
    }

    @Test("the missing are told by place, in every form for people")
    func missing() {
        let report = Fixtures.outage()
        for text in [
            html(report), String(decoding: MarkdownWriter().render(report), as: UTF8.self),
            TerminalSummary.render(report, color: false, width: 100),
        ] {
            #expect(text.contains("never accepted") && text.contains("12,812"))
            #expect(text.contains("accepted, then lost"))
        }
    }

    @Test("a single interval is drawn as dots")
    func singlePoint() {
        var report = Fixtures.outage()
        report.series = Array(report.series.dropFirst(100).prefix(1))
        #expect(html(report).components(separatedBy: "<circle").count > 8)
    }
}
