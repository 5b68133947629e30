import Measurement
import Timebase

extension CapacityJSON {
    /// Reads what ``write(_:)`` wrote; writing it again gives the same bytes.
    ///
    /// - Throws: ``ReportReadError`` naming the key that is missing or wrong.
    package static func read(_ bytes: [UInt8]) throws(ReportReadError) -> CapacityReport {
        let root = try ReportNode(bytes, schema: schema)
        var report = try head(root)
        report.ending = try ReportJSON.choice(root.required("ending"))
        report.exitCode = Int32(clamping: try root.required("exit_code").integer())
        report.reasons = try root.required("reasons").strings()
        report.arrivalSeconds = try root.optional("arrival_seconds")?.double()
        report.maxSeconds = try root.optional("max_seconds")?.double()
        report.holds = try root.optional("holds").map(level)
        report.breaks = try root.optional("breaks").map(level)
        for node in try root.required("steps").elements() { report.steps.append(try step(node)) }
        report.warnings = try root.required("warnings").strings()
        return report
    }

    private static func head(_ root: ReportNode) throws(ReportReadError) -> CapacityReport {
        let started = try root.required("started_at")
        guard let startedAt = Instant(text: try started.string()) else {
            throw ReportReadError(key: started.key, message: "expected a time such as 2026-01-05T00:00:00Z")
        }
        var conditions: [CapacityReport.Condition] = []
        for node in try root.required("conditions").elements() {
            conditions.append(
                CapacityReport.Condition(
                    metric: try node.required("metric").string(),
                    expression: try node.required("expression").string(),
                    origin: try ReportJSON.choice(node.required("origin"))))
        }
        return CapacityReport(
            toolVersion: try root.required("tool").required("version").string(),
            scenario: try ReportJSON.scenario(root.required("scenario")),
            mode: try ReportJSON.choice(root.required("mode")), seed: try root.required("seed").unsigned(),
            startedAt: startedAt, wallSeconds: try root.required("wall_seconds").double(),
            run: try ReportJSON.run(root.required("run")),
            scaling: try ReportJSON.choice(root.required("by")),
            precision: try root.required("precision").double(), conditions: conditions)
    }

    private static func level(_ node: ReportNode) throws(ReportReadError) -> CapacityReport.Level {
        CapacityReport.Level(
            load: try node.required("load").double(), devices: try node.required("devices").integer(),
            trials: try node.required("trials").integer(),
            trialsInAll: try node.required("trials_in_all").integer(),
            requestsOffered: try node.required("requests_per_second").double(),
            requestsAnswered: try node.required("answers_per_second").double(),
            eventsOffered: try node.required("events_per_second").double(),
            eventsDelivered: try node.required("delivered_per_second").double(),
            durationP99: try node.required("http_req_duration_p99").double(),
            freshnessP95: try node.required("event_freshness_p95").double())
    }

    private static func step(_ node: ReportNode) throws(ReportReadError) -> CapacityReport.Step {
        var step = CapacityReport.Step(
            number: try node.required("number").integer(), purpose: try node.required("purpose").string(),
            load: try node.required("load").double(), devices: try node.required("devices").integer(),
            warmUpSeconds: try node.required("warm_up_seconds").double(),
            windowSeconds: try node.required("window_seconds").double())
        step.seed = try node.optional("seed")?.unsigned() ?? 0
        step.verdict = try ReportJSON.choice(node.required("verdict"))
        step.reasons = try node.required("reasons").strings()
        step.requests = try node.required("requests").count()
        step.requestsOffered = try node.required("requests_per_second").double()
        step.requestsAnswered = try node.required("answers_per_second").double()
        step.retries = try node.required("retries_per_second").double()
        step.eventsOffered = try node.required("events_per_second").double()
        step.eventsDelivered = try node.required("delivered_per_second").double()
        step.duration = try ReportJSON.trend(node.required("http_req_duration"))
        step.freshness = try ReportJSON.trend(node.required("event_freshness"))
        step.failed = try node.optional("http_req_failed")?.double()
        step.lost = try node.optional("events_lost")?.double()
        step.storesGrow = try node.required("stores_grow_per_second").double()
        step.storesGrowBeyond = try node.optional("stores_grow_beyond_per_second")?.double()
        step.isClose = try node.optional("close")?.boolean() ?? false
        step.lagP99 = try node.required("schedule_lag_p99").double()
        for result in try node.required("thresholds").elements() {
            step.thresholds.append(try ReportJSON.threshold(result))
        }
        step.notes = try node.required("notes").strings()
        return step
    }
}
