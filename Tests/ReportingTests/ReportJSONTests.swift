import Measurement
import Testing
import Wire

@testable import Reporting

@Suite("report.json")
struct ReportJSONTests {
    @Test("reading and writing again gives the same bytes, seeds above 2^53 included")
    func roundTrip() throws {
        let bytes = ReportJSON.write(Fixtures.outage())
        let report = try ReportJSON.read(bytes)
        #expect(report.seed == 18_446_744_073_709_551_557)
        #expect(ReportJSON.write(report) == bytes)
        #expect(report.series == Fixtures.outage().series)
        #expect(report.marks == Fixtures.marks)
        #expect(report.thresholds == Fixtures.outage().thresholds)
    }

    @Test("what a run could not write remains its verdict where it is read back and judged anew")
    func unwritten() throws {
        var report = Fixtures.outage()
        report.unwritten = ["cannot write events.ndjson.partial: No space left on device"]
        var again = try ReportJSON.read(ReportJSON.write(report))
        again.judge()
        #expect(again.unwritten == report.unwritten)
        #expect(again.exitCode == 70 && again.causes.first == "unwritten")
    }

    @Test("has exactly the contract's keys in its order, extras after them")
    func keys() throws {
        let value = ReportJSON.value(of: Fixtures.outage())
        guard let members = value.members else {
            Issue.record("no object")
            return
        }
        #expect(
            members.map(\.key) == [
                "schema", "tool", "scenario", "mode", "seed", "fingerprint", "verdict", "reasons", "causes",
                "exit_code",
                "interrupted", "ended_by", "partial",
                "started_at", "wall_seconds", "simulated_seconds", "pace", "devices",
                "devices_started", "run", "events",
                "audit", "audit_note", "metrics", "populations", "thresholds", "generator", "answers",
                "marks", "entries", "series", "close_ups", "percentiles", "heatmaps", "first_failed_answer",
                "unexpected_answers",
                "warnings",
            ])
        #expect(value["schema"] == .text("beaconswarm.report/1"))
        #expect(value["events"]?["evicted"]?["storage_limit"] == .int(12_840))
        #expect(value["events"]?["pending"]?["in_flight"] == .int(46))
        #expect(value["events"]?["balance"] == .int(0))
        #expect(value["audit"]?["acked_not_found"] == .int(0))
        #expect(value["populations"]?["ios"]?["events"]?["captured"] == .int(520_000))
    }

    @Test("writes each kind of metric with k6's keys")
    func metrics() throws {
        func keys(_ metric: MetricValue) -> [String] {
            ReportCodec.metric.write(metric).members?.map(\.key) ?? []
        }
        #expect(
            keys(.trend(.summary(TrendSummary())))
                == ["count", "min", "avg", "med", "max", "p(90)", "p(95)", "p(99)", "p(99.9)"])
        #expect(keys(.counter(count: 1, perSecond: 1)) == ["count", "rate"])
        #expect(keys(.rate(passes: 1, fails: 1)) == ["rate", "passes", "fails"])
        #expect(keys(.gauge(value: 1, minimum: 0, maximum: 2)) == ["value", "min", "max"])
        #expect(ReportCodec<MetricValue>.metric.write(.rate(passes: 1, fails: 3))["rate"] == .number(0.25))
        #expect(ReportCodec<MetricValue>.metric.write(.rate(passes: 0, fails: 0))["rate"] == .number(0))
    }

    @Test("writes the fixed causes even where nothing has them, and null for no audit")
    func fixed() {
        var report = Fixtures.outage()
        report.audit = nil
        report.events = Report.EventCounts()
        let value = ReportJSON.value(of: report)
        #expect(value["audit"] == .null)
        #expect(value["events"]?["evicted"]?["expired"] == .int(0))
        #expect(value["events"]?["pending"]?["stored"] == .int(0))
    }

    /// The report's value with one key of one path replaced, or removed.
    private func changed(_ value: JSONNode, _ path: [String], to new: JSONNode?) -> JSONNode {
        guard let members = value.members, let key = path.first else { return value }
        return JSONNode(
            .object(
                members.compactMap { member in
                    guard member.key == key else { return member }
                    if path.count > 1 {
                        return JSONNode.Member(key, changed(member.value, Array(path.dropFirst()), to: new))
                    }
                    return new.map { JSONNode.Member(key, $0) }
                }))
    }

    @Test(
        "names the key that is missing",
        arguments: [
            "schema", "tool.version", "scenario.name", "mode", "seed", "verdict", "started_at",
            "events.captured",
            "events.balance", "audit.confirmed", "metrics.http_reqs.rate", "populations.ios.events",
            "thresholds",
            "generator.schedule_lag.avg",
        ])
    func missing(path: String) {
        let parts = path.split(separator: ".").map(String.init)
        let value = changed(ReportJSON.value(of: Fixtures.outage()), parts, to: nil)
        let error = #expect(throws: ReportReadError.self) { try ReportJSON.read(value.bytes(.compact)) }
        let isKind = path.hasSuffix("schedule_lag.avg")
        #expect(error?.key == (isKind ? "generator.schedule_lag.avg" : path))
    }

    @Test("says what was expected and what was found")
    func wrongType() {
        let whole = ReportJSON.value(of: Fixtures.outage())
        let value = changed(whole, ["events", "captured"], to: .text("many"))
        let error = #expect(throws: ReportReadError.self) { try ReportJSON.read(value.bytes(.compact)) }
        #expect(
            error?.description
                == "events.captured: expected a whole number from 0 to 2^64 − 1, found a string")
        let verdict = changed(whole, ["verdict"], to: .text("great"))
        let other = #expect(throws: ReportReadError.self) { try ReportJSON.read(verdict.bytes(.compact)) }
        #expect(
            other?.description == "verdict: expected one of passed, failed, invalid, interrupted, found great"
        )
        let schema = changed(whole, ["schema"], to: .text("beaconswarm.report/2"))
        #expect(throws: ReportReadError.self) { try ReportJSON.read(schema.bytes(.compact)) }
        #expect(throws: ReportReadError.self) { try ReportJSON.read(Array("{".utf8)) }
    }

    @Test("passes over keys it does not know, and causes it does not know are kept")
    func unknown() throws {
        var members = try #require(ReportJSON.value(of: Fixtures.outage()).members)
        members.append(JSONNode.Member("future", .list([.null])))
        let value = changed(
            JSONNode(.object(members)), ["events", "lost"], to: .object([("meteorite", .int(3))]))
        let report = try ReportJSON.read(value.bytes(.compact))
        #expect(report.events.lost == [Report.NamedCount("meteorite", 3)])
    }
}
