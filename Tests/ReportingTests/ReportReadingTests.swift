import Measurement
import Testing
import Wire

@testable import Reporting

/// What reading a report does with a file that is not what it should be.
@Suite("Reading a damaged report")
struct ReportReadingTests {
    /// A value's path: the keys and indices that lead to it.
    private enum Step: Hashable {
        case key(String)
        case index(Int)
    }

    private static func report() -> Report {
        var report = Fixtures.outage()
        report.series = Array(report.series.prefix(2))
        report.closeUps = [Report.CloseUp(mark: 1, points: report.series)]
        report.auditNote = "a note"
        return report
    }

    private static func name(_ path: [Step]) -> String {
        path.reduce("") { text, step in
            switch step {
            case .key(let key): text.isEmpty ? key : "\(text).\(key)"
            case .index(let index): "\(text)[\(index)]"
            }
        }
    }

    /// Every path of a value; of arrays the first element alone.
    private static func paths(_ value: JSONNode, _ path: [Step] = []) -> [(path: [Step], value: JSONNode)] {
        var all = path.isEmpty ? [] : [(path, value)]
        switch value.content {
        case .object(let members):
            for member in members { all += paths(member.value, path + [.key(member.key)]) }
        case .array(let values): if let first = values.first { all += paths(first, path + [.index(0)]) }
        default: break
        }
        return all
    }

    /// The value with what stands at a path replaced; `nil` removes a key.
    private static func changed(_ value: JSONNode, _ path: ArraySlice<Step>, to new: JSONNode?) -> JSONNode {
        guard let step = path.first else { return new ?? .null }
        let rest = path.dropFirst()
        switch (value.content, step) {
        case (.object(let members), .key(let key)):
            return JSONNode(
                .object(
                    members.compactMap { member in
                        guard member.key == key else { return member }
                        if rest.isEmpty { return new.map { JSONNode.Member(key, $0) } }
                        return JSONNode.Member(key, changed(member.value, rest, to: new))
                    }))
        case (.array(var values), .index(let index)):
            values[index] = changed(values[index], rest, to: new)
            return .list(values)
        default: return value
        }
    }

    /// A value of a kind that nobody expects in place of another.
    private static func other(than value: JSONNode) -> JSONNode? {
        switch value.content {
        case .null: nil
        case .string: .bool(true)
        default: .text("wrong")
        }
    }

    /// Written for readers elsewhere; made from other values on reading.
    private static func isDerived(_ name: String) -> Bool {
        name == "tool.name" || name.hasPrefix("first_failed_answer")
            || name.hasPrefix("percentiles.") && name.contains(".columns")
            || (name.contains("metrics.") && name.hasSuffix(".rate"))
    }

    @Test("every value of the wrong kind is named by its key, with what was expected and found")
    func wrongKinds() throws {
        let whole = ReportJSON.value(of: ReportReadingTests.report())
        var refused = 0
        for (path, value) in ReportReadingTests.paths(whole) {
            let name = ReportReadingTests.name(path)
            guard let wrong = ReportReadingTests.other(than: value), !ReportReadingTests.isDerived(name)
            else {
                continue
            }
            let bytes = ReportReadingTests.changed(whole, path[...], to: wrong).bytes(.compact)
            let error = #expect(throws: ReportReadError.self, "\(name)") { try ReportJSON.read(bytes) }
            #expect(error?.key == name)
            #expect(error?.message.contains("expected ") == true, "\(name): \(error?.message ?? "")")
            refused += 1
        }
        #expect(refused > 300)
    }

    @Test("a key that is gone is named, or was not needed: nothing else happens")
    func removed() throws {
        let whole = ReportJSON.value(of: ReportReadingTests.report())
        var refused: Set<String> = []
        for (path, _) in ReportReadingTests.paths(whole) {
            // Close-ups name their mark by its index.
            guard case .key = path.last, path != [.key("marks")] else { continue }
            let bytes = ReportReadingTests.changed(whole, path[...], to: nil).bytes(.compact)
            let name = ReportReadingTests.name(path)
            do throws(ReportReadError) { _ = try ReportJSON.read(bytes) } catch {
                let parent = ReportReadingTests.name(path.dropLast())
                #expect(
                    error.key.hasPrefix(parent) && error.message == "the key is missing", "\(name): \(error)")
                refused.insert(name)
            }
        }
        let needed: Set = [
            "schema", "tool", "scenario.sha256", "events.captured", "events.delivered", "run.command",
            "metrics", "populations", "generator.schedule_lag", "thresholds[0].ok", "marks[0].text",
            "series.columns", "series.rows", "close_ups[0].mark", "close_ups[0].series", "audit.unexpected",
            "heatmaps.http_req_duration.bounds_ms", "percentiles.event_freshness.rows",
            "unexpected_answers[0].body",
        ]
        #expect(needed.subtracting(refused).isEmpty)
        let optional: Set = ["close_ups", "series", "warnings", "audit", "heatmaps", "pace", "partial"]
        #expect(optional.isDisjoint(with: refused))
    }

    private func error(_ path: [String], _ new: JSONNode) -> String? {
        var steps: [Step] = []
        for part in path { steps.append(Int(part).map { .index($0) } ?? .key(part)) }
        let whole = ReportJSON.value(of: ReportReadingTests.report())
        let bytes = ReportReadingTests.changed(whole, steps[...], to: new).bytes(.compact)
        do throws(ReportReadError) { _ = try ReportJSON.read(bytes) } catch { return error.description }
        return nil
    }

    @Test("numbers out of range and rows of another length are refused with their places")
    func ranges() {
        #expect(
            error(["close_ups", "0", "mark"], .int(3))
                == "close_ups[0].mark: expected the index of one of 3 marks")
        #expect(error(["close_ups", "0", "mark"], .int(-1))?.hasPrefix("close_ups[0].mark") == true)
        #expect(
            error(["series", "rows", "1"], .list([.int(1)]))
                == "series.rows[1]: expected 33 values, found 1")
        #expect(
            error(["events", "captured"], .int(1 << 53))
                == "events.captured: expected a count below 2^53")
        #expect(
            error(["events", "captured"], .number(1.5))?.hasPrefix("events.captured: expected a whole")
                == true)
        // More than any run measures: sums and squares of it would be no numbers.
        #expect(
            error(["metrics", "http_reqs", "count"], .number(1e20))
                == "metrics.http_reqs.count: expected a number from -10^18 to 10^18")
        #expect(error(["metrics", "http_reqs", "count"], .number(1e18)) == nil)
        #expect(error(["heatmaps", "event_freshness", "bounds_ms", "0"], .number(0)) != nil)
        #expect(error(["heatmaps", "event_freshness", "bounds_ms", "1"], .number(0.000001)) != nil)
        #expect(error(["percentiles", "event_freshness", "rows", "0", "1"], .number(100.1)) != nil)
        #expect(error(["started_at"], .text("yesterday"))?.hasPrefix("started_at: expected a time") == true)
        #expect(error(["unexpected_answers", "0", "status"], .int(70_000)) != nil)
        #expect(error(["unexpected_answers", "0", "at"], .number(1e15)) != nil)
    }

    @Test("a file that was cut off anywhere is refused, never half read")
    func truncated() {
        var report = ReportReadingTests.report()
        report.heatMaps = []
        report.curves = []
        report.populations = []
        let bytes = ReportJSON.write(report)
        for length in stride(from: 0, to: bytes.count - 2, by: 7) {
            #expect(throws: ReportReadError.self, "\(length) bytes") {
                try ReportJSON.read(Array(bytes.prefix(length)))
            }
        }
    }

    @Test(
        "what is no JSON is told with its line",
        arguments: [
            ("", "line 1"), ("\u{FEFF}{}", "line 1"), ("{\"schema\": 1,}", "line 1"),
            ("{\n\"a\": 1,\n\"a\": 2}", "line 3"), ("[1, 2", "line 1"), ("{\"a\": 01}", "line 1"),
            ("{\"a\": 1e999}", "line 1"), ("{\"a\": NaN}", "line 1"), ("{\"a\": \"\\ud800\"}", "line 1"),
            ("{} {}", "line 1"), ("\n\n nul", "line 3"),
        ])
    func noJSON(text: String, place: String) {
        let error = #expect(throws: ReportReadError.self) { try ReportJSON.read(Array(text.utf8)) }
        #expect(error?.description.contains("no JSON") == true)
        #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    }

    @Test("bytes that are no text, and a thousand brackets, are refused")
    func hostile() {
        #expect(throws: ReportReadError.self) { try ReportJSON.read([0x22, 0xFF, 0x22]) }
        #expect(throws: ReportReadError.self) {
            try ReportJSON.read([UInt8](repeating: 0x5B, count: 100_000))
        }
    }

    @Test("a series without extremes, as older versions wrote it, has its values for them")
    func older() throws {
        let whole = ReportJSON.value(of: ReportReadingTests.report())
        guard let rows = whole["series"]?["rows"]?.elements,
            let names = whole["series"]?["columns"]?.elements
        else {
            Issue.record("no series")
            return
        }
        let old = JSONNode.object([
            ("columns", .list(Array(names.prefix(17)))),
            ("rows", .list(rows.map { .list(Array(($0.elements ?? []).prefix(17))) })),
        ])
        let bytes = (ReportReadingTests.changed(whole, [.key("series")], to: old)).bytes(.compact)
        let report = try ReportJSON.read(bytes)
        #expect(report.series == ReportReadingTests.report().series)
        #expect(report.series[1].storedRange.high == Double(report.series[1].storedRows))
    }

    @Test("extremes and close-ups come back as they were written")
    func extremes() throws {
        var report = ReportReadingTests.report()
        report.series[0].requestRate = .init(0.25, 17.5)
        report.series[1].storedRange = .init(3, 20_474)
        report.closeUps = [.init(mark: 2, points: [report.series[0]]), .init(mark: 0, points: [])]
        let again = try ReportJSON.read(ReportJSON.write(report))
        #expect(again.series == report.series)
        #expect(again.closeUps == report.closeUps)
    }
}
