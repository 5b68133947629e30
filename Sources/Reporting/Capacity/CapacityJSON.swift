import Measurement
import Timebase

/// `capacity.json`: schema `beaconswarm.capacity/1`. Times are milliseconds and rates per second, unless a
/// key says otherwise.
package enum CapacityJSON {
    package static let schema = "beaconswarm.capacity/1"

    /// Writes a search's result.
    package static func write(_ report: CapacityReport) -> [UInt8] {
        JSONText.write(value(of: report))
    }

    private static func value(of report: CapacityReport) -> JSONValue {
        .members([
            "schema": .string(schema),
            "tool": .members(["name": .string("beaconswarm"), "version": .string(report.toolVersion)]),
            "scenario": ReportJSON.value(of: report.scenario),
            "mode": .string(report.mode.rawValue),
            "seed": .unsigned(report.seed),
            "ending": .string(report.ending.rawValue),
            "exit_code": .integer(Int64(report.exitCode)),
            "reasons": strings(report.reasons),
            "by": .string(report.scaling.rawValue),
            "precision": .double(report.precision),
            "arrival_seconds": report.arrivalSeconds.map(JSONValue.double) ?? .null,
            "max_seconds": report.maxSeconds.map(JSONValue.double) ?? .null,
            "holds": report.holds.map(level) ?? .null,
            "breaks": report.breaks.map(level) ?? .null,
            "broke_first": strings(report.brokeFirst),
            "conditions": .array(report.conditions.map(condition)),
            "steps": .array(report.steps.map(step)),
            "started_at": .string(report.startedAt.text),
            "wall_seconds": .double(report.wallSeconds),
            "run": ReportJSON.value(of: report.run),
            "warnings": strings(report.warnings),
        ])
    }

    private static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    private static func condition(_ condition: CapacityReport.Condition) -> JSONValue {
        .members([
            "metric": .string(condition.metric), "expression": .string(condition.expression),
            "origin": .string(condition.origin.rawValue),
        ])
    }

    private static func level(_ level: CapacityReport.Level) -> JSONValue {
        .members([
            "load": .double(level.load), "devices": .integer(Int64(level.devices)),
            "trials": .integer(Int64(level.trials)), "trials_in_all": .integer(Int64(level.trialsInAll)),
            "requests_per_second": .double(level.requestsOffered),
            "answers_per_second": .double(level.requestsAnswered),
            "events_per_second": .double(level.eventsOffered),
            "delivered_per_second": .double(level.eventsDelivered),
            "http_req_duration_p99": .double(level.durationP99),
            "event_freshness_p95": .double(level.freshnessP95),
        ])
    }

    private static func step(_ step: CapacityReport.Step) -> JSONValue {
        .members([
            "number": .integer(Int64(step.number)), "purpose": .string(step.purpose),
            "load": .double(step.load), "devices": .integer(Int64(step.devices)),
            "seed": .unsigned(step.seed),
            "warm_up_seconds": .double(step.warmUpSeconds), "window_seconds": .double(step.windowSeconds),
            "verdict": .string(step.verdict.rawValue), "reasons": strings(step.reasons),
            "requests": .unsigned(step.requests),
            "requests_per_second": .double(step.requestsOffered),
            "answers_per_second": .double(step.requestsAnswered),
            "retries_per_second": .double(step.retries),
            "events_per_second": .double(step.eventsOffered),
            "delivered_per_second": .double(step.eventsDelivered),
            "http_req_duration": ReportJSON.value(of: .trend(.summary(step.duration))),
            "event_freshness": ReportJSON.value(of: .trend(.summary(step.freshness))),
            "http_req_failed": step.failed.map(JSONValue.double) ?? .null,
            "events_lost": step.lost.map(JSONValue.double) ?? .null,
            "stores_grow_per_second": .double(step.storesGrow),
            "stores_grow_beyond_per_second": step.storesGrowBeyond.map(JSONValue.double) ?? .null,
            "close": .boolean(step.isClose),
            "schedule_lag_p99": .double(step.lagP99),
            "thresholds": .array(step.thresholds.map { ReportJSON.value(of: $0) }),
            "notes": strings(step.notes),
        ])
    }
}

/// `steps.csv` (RFC 4180): one row for each step, in the order in which they were played.
package enum CapacityCSV {
    private static let columns: [(name: String, value: @Sendable (CapacityReport.Step) -> String)] = [
        ("step", { String($0.number) }), ("purpose", { Escaping.csv($0.purpose) }),
        ("verdict", { $0.verdict.rawValue }), ("load", { number($0.load) }),
        ("devices", { String($0.devices) }), ("warm_up_seconds", { number($0.warmUpSeconds) }),
        ("window_seconds", { number($0.windowSeconds) }), ("requests", { String($0.requests) }),
        ("requests_per_second", { number($0.requestsOffered) }),
        ("answers_per_second", { number($0.requestsAnswered) }),
        ("retries_per_second", { number($0.retries) }),
        ("events_per_second", { number($0.eventsOffered) }),
        ("delivered_per_second", { number($0.eventsDelivered) }),
        ("duration_p50_ms", { time($0.duration, \.median) }),
        ("duration_p95_ms", { time($0.duration, \.p95) }),
        ("duration_p99_ms", { time($0.duration, \.p99) }),
        ("freshness_p50_ms", { time($0.freshness, \.median) }),
        ("freshness_p95_ms", { time($0.freshness, \.p95) }),
        ("failed", { $0.failed.map(number) ?? "" }), ("lost", { $0.lost.map(number) ?? "" }),
        ("stores_grow_per_second", { number($0.storesGrow) }),
        ("stores_grow_beyond_per_second", { $0.storesGrowBeyond.map(number) ?? "" }),
        ("thresholds", { Escaping.csv(thresholds($0)) }),
        ("lag_p99_ms", { number($0.lagP99) }),
        ("reasons", { Escaping.csv($0.reasons.joined(separator: " ")) }),
    ]

    /// What each condition was held against: `http_req_failed rate<0.01: 0.002; …`.
    private static func thresholds(_ step: CapacityReport.Step) -> String {
        step.thresholds.map { "\($0.metric) \($0.expression): \($0.value.map(number) ?? "")" }
            .joined(separator: "; ")
    }

    private static func number(_ value: Double) -> String { JSONWriter.text(of: value) }

    /// Empty without samples.
    private static func time(_ trend: TrendSummary, _ value: KeyPath<TrendSummary, Double>) -> String {
        trend.count > 0 ? number(trend[keyPath: value]) : ""
    }

    /// The whole file.
    package static func write(_ report: CapacityReport) -> [UInt8] {
        let rows = [columns.map(\.name)] + report.steps.map { step in columns.map { $0.value(step) } }
        return Array(rows.map { $0.joined(separator: ",") + "\r\n" }.joined().utf8)
    }
}
