import Measurement
import Rendering
import Timebase
import Wire

/// `capacity.json`: schema `beaconswarm.capacity/1`. Times are milliseconds and rates per second, unless a
/// key says otherwise.
package enum CapacityJSON {
    package static let schema = "beaconswarm.capacity/1"

    /// Writes a search's result.
    package static func write(_ report: CapacityReport) -> [UInt8] {
        codec.write(report).bytes(.indented()) + [0x0A]
    }

    /// Reads what ``write(_:)`` wrote; writing it again gives the same bytes.
    ///
    /// - Throws: ``ReportReadError`` naming the key that is missing or wrong.
    package static func read(_ bytes: [UInt8]) throws(ReportReadError) -> CapacityReport {
        try codec.read(ReportNode(bytes, schema: schema))
    }

    private static var codec: ReportCodec<CapacityReport> {
        let blank = CapacityReport(
            toolVersion: "", scenario: .blank, mode: .virtual, seed: 0, startedAt: Instant(nanoseconds: 0),
            run: .blank, scaling: .devices, precision: 0, conditions: [])
        return .object(blank, identity + results)
    }

    private static var identity: [ReportField<CapacityReport>] {
        [
            .derived("schema") { _ in .text(schema) },
            ReportField("tool", \.toolVersion, .tool),
            ReportField("scenario", \.scenario, .scenario),
            ReportField("mode", \.mode, .choice),
            ReportField("seed", \.seed, .unsigned),
            ReportField("ending", \.ending, .choice),
            ReportField("ended_by", \.endedBy, .earlyEnd),
            ReportField("exit_code", \.exitCode, .clamped),
            ReportField("reasons", \.reasons, .texts),
            ReportField("by", \.scaling, .choice),
            ReportField("precision", \.precision, .real),
            ReportField("arrival_seconds", \.arrivalSeconds, .real),
            ReportField("max_seconds", \.maxSeconds, .real),
        ]
    }

    private static var results: [ReportField<CapacityReport>] {
        [
            ReportField("holds", \.holds, .level),
            ReportField("breaks", \.breaks, .level),
            .derived("broke_first") { .texts($0.brokeFirst) },
            ReportField("conditions", \.conditions, .list(.condition)),
            ReportField("steps", \.steps, .list(.step)),
            ReportField("started_at", \.startedAt, .time),
            ReportField("wall_seconds", \.wallSeconds, .real),
            ReportField("run", \.run, .run),
            ReportField("warnings", \.warnings, .texts),
            .rare("target_metrics", \.targetMetrics, .targetMetrics),
        ]
    }
}

extension ReportCodec<CapacityReport.Condition> {
    fileprivate static var condition: ReportCodec {
        object(
            CapacityReport.Condition(metric: "", expression: "", origin: .default),
            [
                ReportField("metric", \.metric, .text),
                ReportField("expression", \.expression, .text),
                ReportField("origin", \.origin, .choice),
            ])
    }
}

extension ReportCodec<CapacityReport.Level> {
    fileprivate static var level: ReportCodec {
        object(
            CapacityReport.Level(
                load: 0, devices: 0, trials: 0, trialsInAll: 0, requestsOffered: 0, requestsAnswered: 0,
                eventsOffered: 0, eventsDelivered: 0, durationP99: 0, freshnessP95: 0),
            [
                ReportField("load", \.load, .real),
                ReportField("devices", \.devices, .whole),
                ReportField("trials", \.trials, .whole),
                ReportField("trials_in_all", \.trialsInAll, .whole),
                ReportField("requests_per_second", \.requestsOffered, .real),
                ReportField("answers_per_second", \.requestsAnswered, .real),
                ReportField("events_per_second", \.eventsOffered, .real),
                ReportField("delivered_per_second", \.eventsDelivered, .real),
                ReportField("http_req_duration_p99", \.durationP99, .real),
                ReportField("event_freshness_p95", \.freshnessP95, .real),
            ])
    }
}

extension ReportCodec<CapacityReport.Step> {
    fileprivate static var step: ReportCodec {
        object(
            CapacityReport.Step(
                number: 0, purpose: "", load: 0, devices: 0, warmUpSeconds: 0, windowSeconds: 0),
            [
                ReportField("number", \.number, .whole),
                ReportField("purpose", \.purpose, .text),
                ReportField("load", \.load, .real),
                ReportField("devices", \.devices, .whole),
                .later("seed", \.seed, .unsigned),
                ReportField("warm_up_seconds", \.warmUpSeconds, .real),
                ReportField("window_seconds", \.windowSeconds, .real),
                ReportField("verdict", \.verdict, .choice),
                ReportField("reasons", \.reasons, .texts),
                ReportField("requests", \.requests, .count),
                ReportField("requests_per_second", \.requestsOffered, .real),
                ReportField("answers_per_second", \.requestsAnswered, .real),
                ReportField("retries_per_second", \.retries, .real),
                ReportField("events_per_second", \.eventsOffered, .real),
                ReportField("delivered_per_second", \.eventsDelivered, .real),
                ReportField("http_req_duration", \.duration, .trend),
                ReportField("event_freshness", \.freshness, .trend),
                ReportField("http_req_failed", \.failed, .real),
                ReportField("events_lost", \.lost, .real),
                ReportField("stores_grow_per_second", \.storesGrow, .real),
                ReportField("stores_grow_beyond_per_second", \.storesGrowBeyond, .real),
                .later("close", \.isClose, .boolean),
                ReportField("schedule_lag_p99", \.lagP99, .real),
                ReportField("thresholds", \.thresholds, .list(.threshold)),
                ReportField("notes", \.notes, .texts),
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

    private static func number(_ value: Double) -> String { JSONNode.digits(of: value) }

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
