import Measurement
import Timebase

extension ReportJSON {
    /// Reads what ``write(_:pretty:)`` wrote. Distributions come back as their summaries; writing the
    /// report again gives the same bytes.
    ///
    /// - Throws: ``ReportReadError`` naming the key that is missing or wrong.
    package static func read(_ bytes: [UInt8]) throws(ReportReadError) -> Report {
        let root = try ReportNode(bytes, schema: schema)
        var report = try head(root)
        report.pace = max(1, try root.optional("pace")?.integer() ?? 1)
        report.verdict = try choice(root.required("verdict"))
        report.reasons = try root.optional("reasons")?.strings() ?? []
        report.causes = try root.optional("causes")?.strings() ?? []
        report.exitCode = Int32(clamping: try root.optional("exit_code")?.integer() ?? 0)
        report.isInterrupted =
            try root.optional("interrupted")?.boolean() ?? (report.verdict == .interrupted)
        report.isPartial = try root.optional("partial")?.boolean() ?? false
        try readResults(root, into: &report)
        try readExtras(root, into: &report)
        return report
    }

    private static func head(_ root: ReportNode) throws(ReportReadError) -> Report {
        let started = try root.required("started_at")
        guard let startedAt = Instant(text: try started.string()) else {
            throw ReportReadError(key: started.key, message: "expected a time such as 2026-01-05T00:00:00Z")
        }
        return Report(
            toolVersion: try root.required("tool").required("version").string(),
            scenario: try scenario(root.required("scenario")), mode: try choice(root.required("mode")),
            seed: try root.required("seed").unsigned(),
            fingerprint: try root.required("fingerprint").string(),
            startedAt: startedAt, wallSeconds: try root.required("wall_seconds").double(),
            simulatedSeconds: try root.required("simulated_seconds").double(),
            devices: try root.required("devices").integer(),
            devicesStarted: try root.required("devices_started").integer(),
            run: try run(root.required("run")),
            events: try events(root.required("events")))
    }

    private static func readResults(_ root: ReportNode, into report: inout Report) throws(ReportReadError) {
        if let node = try root.optional("audit") {
            var audit = Report.AuditCounts()
            for (key, path) in AuditFields.all { audit[keyPath: path] = try node.required(key).count() }
            if let node = try node.optional("missing") { audit.missing = try missing(node) }
            report.audit = audit
        }
        report.auditNote = try root.optional("audit_note")?.string()
        report.metrics = try metrics(root.required("metrics"))
        for (name, node) in try root.required("populations").members() {
            report.populations.append(try population(name, node))
        }
        for node in try root.required("thresholds").elements() {
            report.thresholds.append(try threshold(node))
        }
        report.generator = try generator(root.required("generator"))
    }

    static func threshold(_ node: ReportNode) throws(ReportReadError) -> Report.ThresholdResult {
        Report.ThresholdResult(
            metric: try node.required("metric").string(),
            expression: try node.required("expression").string(),
            value: try node.optional("value")?.double(), ok: try node.required("ok").boolean(),
            aborted: try node.optional("aborted")?.boolean() ?? false)
    }

    private static func readExtras(_ root: ReportNode, into report: inout Report) throws(ReportReadError) {
        report.answers = try root.optional("answers")?.counts() ?? []
        for node in try root.optional("marks")?.elements() ?? [] {
            report.marks.append(
                Report.Mark(
                    from: try node.required("from_seconds").double(),
                    until: try node.optional("until_seconds")?.double(),
                    text: try node.required("text").string()))
        }
        if let node = try root.optional("series") { report.series = try series(node) }
        for (metric, node) in try root.optional("percentiles")?.members() ?? [] {
            report.curves.append(Report.NamedCurve(metric: metric, curve: try curve(node)))
        }
        for (metric, node) in try root.optional("heatmaps")?.members() ?? [] {
            report.heatMaps.append(try heatMap(metric, node))
        }
        for node in try root.optional("close_ups")?.elements() ?? [] {
            report.closeUps.append(try closeUp(node, marks: report.marks.count))
        }
        for node in try root.optional("unexpected_answers")?.elements() ?? [] {
            report.unexpectedAnswers.append(try answer(node))
        }
        report.warnings = try root.optional("warnings")?.strings() ?? []
    }

    static func choice<Choice: RawRepresentable & CaseIterable>(_ node: ReportNode)
        throws(ReportReadError) -> Choice where Choice.RawValue == String
    {
        let text = try node.string()
        guard let choice = Choice(rawValue: text) else {
            let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ReportReadError(key: node.key, message: "expected one of \(allowed), found \(text)")
        }
        return choice
    }

    static func scenario(_ node: ReportNode) throws(ReportReadError) -> Report.ScenarioReference {
        Report.ScenarioReference(
            name: try node.required("name").string(),
            description: try node.optional("description")?.string() ?? "",
            sha256: try node.required("sha256").string(), overrides: try node.required("overrides").strings(),
            expectsNothingDelivered: try node.optional("expect")?.string()
                == Report.ScenarioReference.nothingDelivered)
    }

    static func run(_ node: ReportNode) throws(ReportReadError) -> Report.RunContext {
        Report.RunContext(
            command: try node.required("command").strings(), host: try node.required("host").string(),
            operatingSystem: try node.optional("operating_system")?.string() ?? "",
            cores: try node.optional("cores")?.integer() ?? 0,
            memoryBytes: try node.optional("memory_bytes")?.unsigned() ?? 0,
            target: try node.optional("target")?.string() ?? "")
    }

    private static func events(_ node: ReportNode) throws(ReportReadError) -> Report.EventCounts {
        var events = Report.EventCounts()
        events.captured = try node.required("captured").count()
        events.delivered = try node.required("delivered").count()
        events.suppressed = try node.required("suppressed").counts()
        events.evicted = try node.required("evicted").counts()
        events.rejected = try node.required("rejected").counts()
        events.lost = try node.required("lost").counts()
        events.pending = try node.required("pending").counts()
        events.balance = Int64(try node.required("balance").integer())
        return events
    }

    private static func metrics(_ node: ReportNode) throws(ReportReadError) -> [Metric] {
        var metrics: [Metric] = []
        for (name, value) in try node.members() { metrics.append(Metric(name, try metric(value))) }
        return metrics
    }

    /// The kind shows in the keys: `avg` a trend, `passes` a rate, `value` a gauge, else a counter.
    private static func metric(_ node: ReportNode) throws(ReportReadError) -> MetricValue {
        if try node.optional("avg") != nil { return .trend(.summary(try trend(node))) }
        if let passes = try node.optional("passes") {
            return .rate(passes: try passes.count(), fails: try node.required("fails").count())
        }
        if let value = try node.optional("value") {
            return .gauge(
                value: try value.double(), minimum: try node.required("min").double(),
                maximum: try node.required("max").double())
        }
        return .counter(
            count: try node.required("count").double(), perSecond: try node.required("rate").double())
    }

    static func trend(_ node: ReportNode) throws(ReportReadError) -> TrendSummary {
        var trend = TrendSummary()
        trend.count = try node.required("count").count()
        trend.minimum = try node.required("min").double()
        trend.average = try node.required("avg").double()
        trend.median = try node.required("med").double()
        trend.maximum = try node.required("max").double()
        trend.p90 = try node.required("p(90)").double()
        trend.p95 = try node.required("p(95)").double()
        trend.p99 = try node.required("p(99)").double()
        trend.p999 = try node.required("p(99.9)").double()
        return trend
    }

    private static func population(_ name: String, _ node: ReportNode) throws(ReportReadError)
        -> Report.Population
    {
        Report.Population(
            name: name, system: try node.optional("system")?.string() ?? "",
            version: try node.optional("version")?.string() ?? "",
            devices: try node.optional("devices")?.integer() ?? 0,
            events: try events(node.required("events")),
            metrics: try metrics(node.required("metrics")))
    }

    private static func generator(_ node: ReportNode) throws(ReportReadError) -> Report.Generator {
        var generator = Report.Generator()
        generator.saturated = try node.required("saturated").boolean()
        generator.scheduleLag = try trend(node.required("schedule_lag"))
        generator.cpuUtilization = try node.required("cpu_utilization").double()
        generator.eventLoops = try node.required("event_loops").integer()
        generator.connectionsOpened = try node.optional("connections_opened")?.count() ?? 0
        generator.connectionsPeak = try node.optional("connections_peak")?.count() ?? 0
        generator.connectionsRecycled = try node.optional("connections_recycled")?.count() ?? 0
        generator.tlsHandshakes = try node.optional("tls_handshakes")?.count() ?? 0
        generator.tlsResumed = try node.optional("tls_resumed")?.count() ?? 0
        for failure in try node.optional("own_failures")?.elements() ?? [] {
            generator.ownFailures.append(
                Report.OwnFailure(
                    name: try failure.required("cause").string(),
                    count: try failure.required("count").count(),
                    text: try failure.required("text").string()))
        }
        return generator
    }
}
