import Measurement

/// What monitoring systems get of a run that goes on: all that `report --format prometheus` has, the latest interval, and
/// k6's names for what means the same there.
package enum LiveMetrics {
    /// Prometheus's text format 0.0.4.
    package static func exposition(of report: Report) -> [UInt8] { Array(families(of: report).text.utf8) }

    /// How far the work is; nothing where nobody can say.
    ///
    /// - Parameter share: 0…1.
    package static func exposition(progress share: Double?) -> [UInt8] {
        var text = Exposition()
        addProgress(share, to: &text)
        return Array(text.text.utf8)
    }

    static func addProgress(_ share: Double?, to text: inout Exposition) {
        guard let share else { return }
        text.single("beaconswarm_progress_ratio", .gauge, "How much of the work is done.", share)
    }

    static func families(of report: Report) -> Exposition {
        let report = report.summarised
        var text = Exposition()
        PrometheusWriter.write(report, into: &text)
        answers(of: report, into: &text)
        recent(report.series, into: &text)
        k6(report, into: &text)
        return text
    }

    /// Of what is measured, as all metrics are: of counters of two spans of time no share could be made.
    private static func answers(of report: Report, into text: inout Exposition) {
        let name = "beaconswarm_answers_total"
        text.family(
            name, .counter, "Uploads by HTTP status, or by what went wrong without one.", isComplete: true)
        for answer in report.measuredAnswers ?? report.answers {
            text.sample(name, [("answer", answer.name)], Double(answer.count))
        }
        let delivered = Double(report.measuredDeliveries ?? report.events.delivered)
        text.single("beaconswarm_events_delivered_total", .counter, "Events delivered.", delivered)
        if let failed = report.metrics.rate("http_req_failed") {
            text.single(
                "beaconswarm_http_reqs_failed_total", .counter,
                "Uploads without an answer that the SDK takes as success.", Double(failed.passes))
        }
    }

    // MARK: - The latest interval

    /// Percentiles over a whole run move ever more slowly, so those of the latest interval stand beside them.
    private static func recent(_ series: [Report.SeriesPoint], into text: inout Exposition) {
        typealias Point = Report.SeriesPoint
        func latest(_ path: KeyPath<Point, Double>) -> Double? {
            series.last { $0[keyPath: path] > 0 }?[keyPath: path]
        }
        // Not `quantile`: that label is for summaries alone.
        func percentiles(_ name: String, _ help: String, _ all: [(String, KeyPath<Point, Double>)]) {
            let known = all.compactMap { percentile, path in latest(path).map { (percentile, $0) } }
            text.family(name, .gauge, help, unless: known.isEmpty)
            for (percentile, value) in known {
                text.sample(name, [("percentile", percentile)], value / 1000)
            }
        }
        percentiles(
            "beaconswarm_recent_http_req_duration_seconds",
            "Upload time, planned start to last byte, in the latest interval with answers.",
            [("50", \.durationP50), ("95", \.durationP95), ("99", \.durationP99)])
        percentiles(
            "beaconswarm_recent_event_freshness_seconds",
            "Event freshness in the latest interval with deliveries.",
            [("50", \.freshnessP50), ("95", \.freshnessP95)])
        percentiles(
            "beaconswarm_recent_schedule_lag_seconds",
            "How late the generator was in the latest interval with work.", [("99", \.lagP99)])
        guard let last = series.last else { return }
        text.single(
            "beaconswarm_connections", .gauge, "Connections of devices that are open.",
            Double(last.connections))
    }

    // MARK: - k6's names

    /// k6's Prometheus output names, for dashboards that know them. Its `http_req_duration` has no wait for a connection
    /// in it, and is what is called `http_req_service` here.
    private static func k6(_ report: Report, into text: inout Exposition) {
        for name in ["http_reqs", "data_sent", "data_received"] {
            guard let counter = report.metrics.counter(name) else { continue }
            text.single("k6_\(name)_total", .counter, "As k6 counts it.", counter.count)
        }
        if let failed = report.metrics.rate("http_req_failed") {
            text.single(
                "k6_http_req_failed_rate", .gauge, "Share of failed uploads, 0 to 1.", failed.share)
        }
        let active = report.series.last?.devicesActive ?? 0
        text.single("k6_vus", .gauge, "Devices whose app is in use.", Double(active))
        text.single("k6_vus_max", .gauge, "Devices of the fleet.", Double(report.devices))
        let trends = [("http_req_duration", "http_req_service")] + sameTrends.map { ($0, $0) }
        for (theirs, ours) in trends {
            guard let trend = report.metrics.trend(ours), trend.count > 0 else { continue }
            let stats = [
                ("min", trend.minimum), ("avg", trend.average), ("med", trend.median),
                ("max", trend.maximum), ("p90", trend.p90), ("p95", trend.p95), ("p99", trend.p99),
            ]
            for (stat, value) in stats {
                text.single("k6_\(theirs)_\(stat)", .gauge, "Seconds; \(ours).", value / 1000)
            }
        }
    }

    private static let sameTrends = [
        "http_req_blocked", "http_req_connecting", "http_req_tls_handshaking", "http_req_sending",
        "http_req_waiting", "http_req_receiving",
    ]
}
