import Foundation
import Measurement
import Testing

@testable import Rendering
@testable import Reporting

@Suite("Terminal")
struct TerminalTests {
    @Test(
        "no line of the summary is wider than the terminal",
        arguments: [40, 41, 50, 59, 60, 72, 80, 100, 125, 200])
    func width(columns: Int) {
        var crowded = Fixtures.outage()
        crowded.events.captured = 1_234_567_890_123
        crowded.events.lost.append(Report.NamedCount("a_cause_with_a_very_long_name_indeed", 1_234_567_890))
        crowded.answers.append(Report.NamedCount("a_failure_with_a_very_long_name_indeed", 7))
        crowded.auditNote = "https://collector.test/" + String(repeating: "path/", count: 40)
        var wide = Fixtures.outage()
        wide.reasons = [String(repeating: "服务器错误，请稍后再试。", count: 12), "é\u{301} 😀👨‍👩‍👧 かな"]
        wide.answers.append(Report.NamedCount(String(repeating: "错误", count: 20), 7))
        wide.populations[0].name = String(repeating: "数据", count: 40)
        for report in [Fixtures.outage(), crowded, wide] {
            let text = TerminalSummary.render(report, color: false, width: columns)
            for line in text.split(separator: "\n") { #expect(Columns.count(line) <= columns, "\(line)") }
        }
    }

    @Test("wide letters take two columns, and marks that combine none")
    func wideLetters() {
        for (text, columns) in [
            ("abc", 3), ("· … █ ✓ é", 9), ("e\u{301}", 1), ("服务器", 6), ("，", 2), ("한글", 4), ("😀", 2),
            ("⚠\u{FE0F}", 2),
        ] {
            #expect(Columns.count(text) == columns, "\(text)")
        }
        #expect(Columns.clipped("服务器错误", 6) == "服务…" && Columns.clipped("服务器", 6) == "服务器")
        #expect(Columns.shortened("服务器错误", 7) == "服…误" && Columns.shortened("abcdefgh", 5) == "ab…gh")
        #expect(
            Columns.cut("服务器错误", 5) == ["服务", "器错", "误"] && Columns.cut("abcde", 2) == ["ab", "cd", "e"])
        #expect(Columns.wrapped("服务 器 错误", 6) == ["服务", "器", "错误"])
        #expect(Columns.left("服", 4) == "服  " && Columns.right("服", 4) == "  服")
    }

    @Test("names that differ at their ends alone are told apart", arguments: [40, 60, 80])
    func ends(columns: Int) {
        var report = Fixtures.outage()
        let names = ["one", "two"].map { String(repeating: "a", count: 70) + "-" + $0 }
        let first = report.populations[0]
        report.populations = names.map { name in
            var population = first
            population.name = name
            return population
        }
        report.thresholds = names.map {
            Report.ThresholdResult(
                metric: "http_reqs{population:\($0)}", expression: "count>1", value: 2, ok: true)
        }
        let text = TerminalSummary.render(report, color: false, width: columns)
        for end in ["a-one", "a-two", "-one}", "-two}"] { #expect(text.contains(end), "\(end)") }
    }

    @Test("lines on the way break between words, and paths stay whole")
    func wrapped() {
        #expect(TerminalText.wrapped("short", width: 40) == "short")
        #expect(
            TerminalText.wrapped("against the embedded collector of this run", width: 24)
                == "against the embedded\n  collector of this run")
        let path = "/" + String(repeating: "folder/", count: 20)
        #expect(TerminalText.wrapped("report: \(path)", width: 40) == "report:\n  \(path)")
    }

    @Test("a row of a table is not broken: its columns would be none")
    func tables() {
        let row = "   3         800       160       320     0.5 %   1,200…   ✗ breaks: a reason"
        #expect(TerminalText.wrapped(row, width: 40) == row)
    }

    @Test("a narrow summary says what a wide one says")
    func narrow() {
        let report = Fixtures.outage()
        let text = TerminalSummary.render(report, color: false, width: 40)
        for figure in [
            "731,204", "694,318", "storage_limit", "12,840", "692,818", "41,862", "http_req_tls_handshaking",
            "p(90)=", "androi", "95.0 %", "✗ FAILED",
        ] {
            #expect(text.contains(figure), "\(figure)")
        }
        #expect(TerminalSummary.render(report, color: false, width: 1) == text)
    }

    @Test("the ledger stands on top, the thresholds before the metrics")
    func order() throws {
        let text = TerminalSummary.render(Fixtures.outage(), color: false, width: 100)
        let texts = [
            "✗ FAILED", "█ LEDGER", "balance", "█ AUDIT", "█ THRESHOLDS", "█ TOTAL RESULTS", "█ RUN AGAIN",
        ]
        let positions = try texts.map { try #require(text.range(of: $0)?.lowerBound, "\($0)") }
        #expect(positions == positions.sorted())
        #expect(text.contains("✓ 'p(95)<60000' was "))
        #expect(text.contains("'p(99)<2500' had no samples"))
    }

    @Test("uploads without a whole answer, which no percentile has, are counted below the times")
    func uploadsWithoutTimes() throws {
        var report = Fixtures.outage()
        let answered = try #require(report.metrics.trend("http_req_duration")?.count)
        let index = try #require(report.metrics.firstIndex { $0.name == "http_reqs" })
        for (uploads, said) in [(answered, false), (answered + 1_234, true)] {
            report.metrics[index] = Metric("http_reqs", .counter(count: Double(uploads), perSecond: 1))
            let sentence = "1,234 of \(Numbers.count(uploads)) had none, and are in no percentile."
            for text in [
                TerminalSummary.render(report, color: false, width: 400),
                String(decoding: MarkdownWriter().render(report), as: UTF8.self),
                String(decoding: HTMLWriter().render(report), as: UTF8.self),
            ] {
                #expect(text.contains(sentence) == said, "\(uploads)")
            }
        }
    }

    @Test("where no upload had a whole answer, that is counted all the same")
    func onlyUploadsWithoutTimes() throws {
        var report = Fixtures.outage()
        let times = try #require(report.metrics.firstIndex { $0.name == "http_req_duration" })
        report.metrics[times] = Metric("http_req_duration", .trend(.summary(TrendSummary())))
        let index = try #require(report.metrics.firstIndex { $0.name == "http_reqs" })
        report.metrics[index] = Metric("http_reqs", .counter(count: 7, perSecond: 1))
        #expect(report.durationNote.hasSuffix("7 of 7 had none, and are in no percentile."))
        // A run without an upload has none to speak of.
        report.metrics[index] = Metric("http_reqs", .counter(count: 0, perSecond: 0))
        #expect(!report.durationNote.contains("had none"))
    }

    @Test("without colour there is no escape sequence, and with it the same text")
    func color() {
        let plain = TerminalSummary.render(Fixtures.outage(), color: false, width: 100)
        let painted = TerminalSummary.render(Fixtures.outage(), color: true, width: 100)
        #expect(!plain.contains("\u{1B}"))
        #expect(painted.contains("\u{1B}[1"))
        #expect(painted.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
    }

    private var snapshot: StatusSnapshot {
        var snapshot = StatusSnapshot()
        snapshot.elapsed = 83.4
        snapshot.total = 660
        snapshot.devices = 3988
        snapshot.eventsPerSecond = 1181.3
        snapshot.requestsPerSecond = 69.2
        snapshot.freshnessP95 = 15_400
        snapshot.errors = 12
        snapshot.rowsStored = 9120
        snapshot.lagP99 = 0.91
        return snapshot
    }

    @Test(
        "the live line fits, dropping whole figures from the end", arguments: [1, 10, 40, 60, 80, 120, 200])
    func live(columns: Int) {
        let line = StatusLine.render(snapshot, color: false, width: columns)
        #expect(line.count < max(2, columns))
        #expect(!line.contains("\n"))
    }

    @Test("the live line says everything where there is room")
    func everything() {
        #expect(
            StatusLine.render(snapshot, color: false, width: 200)
                == "running [=-----------] 1m 23s/11m  3,988 devices  1,181 events/s  69.2 requests/s  "
                + "15.4 s fresh p(95)  12 errors  9,120 rows  910 µs lag")
    }

    @Test("a drain, which has no length of its own, is told by the time since the run's start")
    func drain() {
        var draining = snapshot
        (draining.phase, draining.elapsed, draining.total) = ("draining", 20.4, nil)
        #expect(StatusLine.clock(draining) == "draining, 20 s since the start")
        #expect(
            StatusLine.render(draining, color: false, width: 200).hasPrefix(
                "draining, 20 s since the start  "))
        draining.pace = 60
        #expect(StatusLine.clock(draining) == "draining, 20 s ×60 since the start")
    }

    @Test("the plain line names every figure, and leaves out what virtual time has not")
    func plain() {
        var virtual = snapshot
        virtual.lagP99 = nil
        virtual.freshnessP95 = nil
        #expect(
            StatusLine.plain(virtual)
                == "running 1m 23s/11m: devices 3,988, events/s 1,181, requests/s 69.2, fresh p(95) –, errors 12, rows 9,120"
        )
    }
}
