import Measurement
import Timebase

/// `report.json`, both ways: schema `beaconswarm.report/1`. Times are milliseconds unless a key says
/// otherwise. Readers must sum causes and pass over keys they do not know.
package enum ReportJSON {
    package static let schema = "beaconswarm.report/1"

    /// Writes a report.
    package static func write(_ report: Report, pretty: Bool = true) -> [UInt8] {
        JSONText.write(value(of: report), pretty: pretty)
    }

    /// The report as a value, for those who want to add to it.
    package static func value(of report: Report) -> JSONValue {
        .object(
            [identity(report), counts(report), details(report)].flatMap {
                $0.map { JSONMember($0.key, $0.value) }
            })
    }

    /// Which run it was.
    private static func identity(_ report: Report) -> KeyValuePairs<String, JSONValue> {
        [
            "schema": .string(schema),
            "tool": .members(["name": .string("beaconswarm"), "version": .string(report.toolVersion)]),
            "scenario": value(of: report.scenario),
            "mode": .string(report.mode.rawValue),
            "seed": .unsigned(report.seed),
            "fingerprint": .string(report.fingerprint),
            "verdict": .string(report.verdict.rawValue),
            "reasons": strings(report.reasons), "causes": strings(report.causes),
            "exit_code": .integer(Int64(report.exitCode)),
            "interrupted": .boolean(report.isInterrupted), "partial": .boolean(report.isPartial),
            "started_at": .string(report.startedAt.text),
            "wall_seconds": .double(report.wallSeconds),
            "simulated_seconds": .double(report.simulatedSeconds),
            "pace": .integer(Int64(report.pace)),
            "devices": .integer(Int64(report.devices)),
            "devices_started": .integer(Int64(report.devicesStarted)),
            "run": value(of: report.run),
        ]
    }

    /// What came of it.
    private static func counts(_ report: Report) -> KeyValuePairs<String, JSONValue> {
        [
            "events": events(report.events),
            "audit": report.audit.map(audit) ?? .null,
            "audit_note": report.auditNote.map(JSONValue.string) ?? .null,
            "metrics": metrics(report.metrics),
            "populations": .object(report.populations.map { JSONMember($0.name, population($0)) }),
            "thresholds": .array(report.thresholds.map { value(of: $0) }),
            "generator": generator(report.generator),
            "answers": counts(report.answers),
        ]
    }

    /// What its pictures and lists are drawn from.
    private static func details(_ report: Report) -> KeyValuePairs<String, JSONValue> {
        [
            "marks": .array(report.marks.map(mark)),
            "series": SeriesColumns.value(of: report.series),
            "close_ups": .array(report.closeUps.map(closeUp)),
            "percentiles": .object(report.curves.map { JSONMember($0.metric, curve($0.curve)) }),
            "heatmaps": .object(report.heatMaps.map { JSONMember($0.metric, heatMap($0)) }),
            "first_failed_answer": report.firstFailedAnswer.map { value(of: $0) } ?? .null,
            "unexpected_answers": .array(report.unexpectedAnswers.map { value(of: $0) }),
            "warnings": strings(report.warnings),
        ]
    }

    private static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    private static func counts(_ counts: [Report.NamedCount]) -> JSONValue {
        .object(counts.map { JSONMember($0.name, .unsigned($0.count)) })
    }

    static func value(of scenario: Report.ScenarioReference) -> JSONValue {
        .members([
            "name": .string(scenario.name), "description": .string(scenario.description),
            "sha256": .string(scenario.sha256), "overrides": strings(scenario.overrides),
            "expect": scenario.expectsNothingDelivered
                ? .string(Report.ScenarioReference.nothingDelivered) : .null,
        ])
    }

    static func value(of run: Report.RunContext) -> JSONValue {
        .members([
            "command": strings(run.command), "host": .string(run.host),
            "operating_system": .string(run.operatingSystem), "cores": .integer(Int64(run.cores)),
            "memory_bytes": .unsigned(run.memoryBytes), "target": .string(run.target),
        ])
    }

    private static func events(_ events: Report.EventCounts) -> JSONValue {
        .members([
            "captured": .unsigned(events.captured), "delivered": .unsigned(events.delivered),
            "suppressed": counts(events.suppressed),
            "evicted": fixed(["storage_limit", "expired"], events.evicted),
            "rejected": counts(events.rejected), "lost": counts(events.lost),
            "pending": fixed(["stored", "in_flight"], events.pending),
            "balance": .integer(events.balance),
        ])
    }

    /// The causes that readers may rely on come first and always; others follow as they are.
    private static func fixed(_ names: [String], _ all: [Report.NamedCount]) -> JSONValue {
        let always = names.map { name in
            Report.NamedCount(name, all.reduce(0) { $1.name == name ? $0 + $1.count : $0 })
        }
        return counts(always + all.filter { !names.contains($0.name) })
    }

    private static func audit(_ audit: Report.AuditCounts) -> JSONValue {
        let counts = AuditFields.all.map { JSONMember($0.key, .unsigned(audit[keyPath: $0.path])) }
        return .object(counts + [JSONMember("missing", audit.missing.map(missing) ?? .null)])
    }

    private static func metrics(_ metrics: [Metric]) -> JSONValue {
        .object(metrics.map { JSONMember($0.name, value(of: $0.value)) })
    }

    static func value(of metric: MetricValue) -> JSONValue {
        switch metric {
        case .trend(let trend): return value(of: trend.summary)
        case .counter(let count, let perSecond):
            return .members(["count": .double(count), "rate": .double(perSecond)])
        case .rate(let passes, let fails):
            let rate = MetricCatalogue.share(passes: passes, fails: fails) ?? 0
            return .members(["rate": .double(rate), "passes": .unsigned(passes), "fails": .unsigned(fails)])
        case .gauge(let value, let minimum, let maximum):
            return .members(["value": .double(value), "min": .double(minimum), "max": .double(maximum)])
        }
    }

    private static func value(of trend: TrendSummary) -> JSONValue {
        .members([
            "count": .unsigned(trend.count), "min": .double(trend.minimum), "avg": .double(trend.average),
            "med": .double(trend.median), "max": .double(trend.maximum), "p(90)": .double(trend.p90),
            "p(95)": .double(trend.p95), "p(99)": .double(trend.p99), "p(99.9)": .double(trend.p999),
        ])
    }

    private static func population(_ population: Report.Population) -> JSONValue {
        .members([
            "system": .string(population.system), "version": .string(population.version),
            "devices": .integer(Int64(population.devices)), "events": events(population.events),
            "metrics": metrics(population.metrics),
        ])
    }

    static func value(of result: Report.ThresholdResult) -> JSONValue {
        .members([
            "metric": .string(result.metric), "expression": .string(result.expression),
            "value": result.value.map(JSONValue.double) ?? .null, "ok": .boolean(result.ok),
            "aborted": .boolean(result.aborted),
        ])
    }

    private static func generator(_ generator: Report.Generator) -> JSONValue {
        .members([
            "saturated": .boolean(generator.saturated), "schedule_lag": value(of: generator.scheduleLag),
            "cpu_utilization": .double(generator.cpuUtilization),
            "event_loops": .integer(Int64(generator.eventLoops)),
            "connections_opened": .unsigned(generator.connectionsOpened),
            "connections_peak": .unsigned(generator.connectionsPeak),
            "connections_recycled": .unsigned(generator.connectionsRecycled),
            "tls_handshakes": .unsigned(generator.tlsHandshakes),
            "tls_resumed": .unsigned(generator.tlsResumed),
            "own_failures": .array(
                generator.ownFailures.map {
                    .members([
                        "cause": .string($0.name), "count": .unsigned($0.count), "text": .string($0.text),
                    ])
                }),
        ])
    }

    private static func mark(_ mark: Report.Mark) -> JSONValue {
        .members([
            "from_seconds": .double(mark.from), "until_seconds": mark.until.map(JSONValue.double) ?? .null,
            "text": .string(mark.text),
        ])
    }
}

/// The keys of `audit`, in order.
enum AuditFields {
    static var all: [(key: String, path: WritableKeyPath<Report.AuditCounts, UInt64>)] {
        [
            ("received", \.received), ("unique", \.unique), ("duplicates", \.duplicates),
            ("confirmed", \.confirmed), ("acked_not_found", \.ackedNotFound), ("swallowed", \.swallowed),
            ("dry_run", \.dryRun), ("recovered", \.recovered), ("unexpected", \.unexpected),
            ("undecodable", \.undecodable),
        ]
    }
}

extension Report.AuditCounts {
    /// The counts by their names in `report.json`.
    package var named: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: AuditFields.all.map { ($0.key, self[keyPath: $0.path]) })
    }
}
