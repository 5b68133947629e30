import Accounting
import Measurement
import Rendering
import Wire

/// Prometheus's text format 0.0.4, times in seconds: for a textfile collector or a push gateway.
///
/// The fleet and each population stand under names of their own (`beaconswarm_…` and
/// `beaconswarm_population_…`), so that a sum over labels counts nothing twice.
package struct PrometheusWriter: ReportWriter {
    package static let format = "prometheus"
    package static let fileName = "metrics.prom"
    package init() {}

    package func render(_ report: Report) -> [UInt8] {
        var text = Exposition()
        PrometheusWriter.write(report, into: &text)
        return Array(text.text.utf8)
    }

    /// Everything that is told of a run.
    static func write(_ report: Report, into text: inout Exposition) {
        PrometheusWriter.run(report, into: &text)
        PrometheusWriter.events([([], report.events)], prefix: "beaconswarm_", into: &text)
        let populations = report.populations.map { ([("population", $0.name)], $0.events) }
        PrometheusWriter.events(populations, prefix: "beaconswarm_population_", into: &text)
        for entry in MetricCatalogue.all {
            PrometheusWriter.metric(entry, [([], report.metrics)], prefix: "beaconswarm_", into: &text)
            let each = report.populations.map { ([("population", $0.name)], $0.metrics) }
            PrometheusWriter.metric(entry, each, prefix: "beaconswarm_population_", into: &text)
        }
    }

    private typealias Labels = [(String, String)]

    private static func run(_ report: Report, into text: inout Exposition) {
        text.family("beaconswarm_run_info", .gauge, "What was run.", isComplete: true)
        text.sample(
            "beaconswarm_run_info",
            [
                ("scenario", report.scenario.name), ("mode", report.mode.rawValue),
                ("seed", String(report.seed)),
                ("version", report.toolVersion),
                ("verdict", report.isPartial ? "unfinished" : report.verdict.rawValue),
            ], 1)
        if !report.isPartial {
            text.family("beaconswarm_exit_code", .gauge, "The run's exit code; 0 is a pass.")
            text.sample("beaconswarm_exit_code", [], Double(report.exitCode))
        }
        values(report, into: &text)
        audit(report.audit, into: &text)
        // Nothing is judged before a run is over.
        thresholds(report.isPartial ? [] : report.thresholds, into: &text)
    }

    private static func values(_ report: Report, into text: inout Exposition) {
        // Told at the end of a live run alone; 0 would say that its generator kept its schedule.
        let saturated: Double? = report.lacksEndFigures ? nil : report.generator.saturated ? 1.0 : 0.0
        let values: [(String, String, Double?)] = [
            ("devices", "Devices of the fleet.", Double(report.devices)),
            ("simulated_seconds", "Length of the run on its own clock.", report.simulatedSeconds),
            ("wall_seconds", "Length of the run on the wall clock.", report.wallSeconds),
            (
                "events_balance", "Captured less all fates; 0 unless the books are wrong.",
                Double(report.events.balance)
            ),
            ("generator_saturated", "1 if the generator could not keep its schedule.", saturated),
            (
                "generator_lag_p99_seconds", "The generator's lag at the 99th percentile.",
                report.generator.scheduleLag.p99 / 1000
            ),
        ]
        for case (let name, let help, let value?) in values {
            text.family("beaconswarm_\(name)", .gauge, help)
            text.sample("beaconswarm_\(name)", [], value)
        }
    }

    private static func audit(_ audit: Report.AuditCounts?, into text: inout Exposition) {
        text.family("beaconswarm_audit_events", .gauge, "What the collector holds.", unless: audit == nil)
        guard let audit else { return }
        for (key, path) in AuditFields.all {
            text.sample("beaconswarm_audit_events", [("count", key)], Double(audit[keyPath: path]))
        }
    }

    private static func thresholds(_ thresholds: [Report.ThresholdResult], into text: inout Exposition) {
        text.family(
            "beaconswarm_threshold_ok", .gauge, "1 if the threshold held.", unless: thresholds.isEmpty)
        // A threshold that is written twice is one sample: a series must not appear twice.
        for (index, result) in thresholds.enumerated()
        where !thresholds[..<index].contains(where: {
            $0.metric == result.metric && $0.expression == result.expression
        }) {
            let labels = [("metric", result.metric), ("expression", result.expression)]
            text.sample("beaconswarm_threshold_ok", labels, result.ok ? 1 : 0)
        }
    }

    private static func events(
        _ all: [(Labels, Report.EventCounts)], prefix: String, into text: inout Exposition
    ) {
        let name = prefix + "events"
        text.family(name, .gauge, "Events by fate and cause.", isComplete: true, unless: all.isEmpty)
        for (labels, events) in all {
            text.sample(name, labels + [("fate", "delivered"), ("cause", "")], Double(events.delivered))
            for fate in events.fates {
                for cause in fate.causes {
                    let more = [("fate", fate.fate.rawValue), ("cause", cause.name)]
                    text.sample(name, labels + more, Double(cause.count))
                }
            }
        }
    }

    private static func metric(
        _ entry: MetricCatalogue.Entry, _ all: [(labels: Labels, metrics: [Metric])], prefix: String,
        into text: inout Exposition
    ) {
        let found = all.compactMap { item in
            item.metrics.first { $0.name == entry.name }.map { (item.labels, $0.value) }
        }
        let suffix =
            switch (entry.kind, entry.unit) {
            case (.counter, .bytes): "_bytes_total"
            case (.counter, _): "_total"
            case (.trend, .milliseconds): "_seconds"
            case (.rate, _): "_ratio"
            default: ""
            }
        let name = prefix + entry.name + suffix
        let type: Exposition.Kind =
            entry.kind == .trend ? .summary : entry.kind == .counter ? .counter : .gauge
        text.family(name, type, entry.summary, unless: found.isEmpty)
        for (labels, value) in found { sample(name, labels, value, entry, into: &text) }
    }

    private static func sample(
        _ name: String, _ labels: Labels, _ value: MetricValue, _ entry: MetricCatalogue.Entry,
        into text: inout Exposition
    ) {
        switch value {
        case .counter(let count, _): text.sample(name, labels, count)
        case .gauge(let value, _, _): text.sample(name, labels, value)
        case .rate(let passes, let fails):
            if let share = MetricCatalogue.share(passes: passes, fails: fails) {
                text.sample(name, labels, share)
            }
        case .trend(let trend):
            let summary = trend.summary
            let scale = entry.unit == .milliseconds ? 1000.0 : 1
            let quantiles = [
                ("0.5", summary.median), ("0.9", summary.p90), ("0.95", summary.p95), ("0.99", summary.p99),
                ("0.999", summary.p999),
            ]
            for (quantile, value) in quantiles where summary.count > 0 {
                text.sample(name, labels + [("quantile", quantile)], value / scale)
            }
            text.sample(name + "_sum", labels, summary.average * Double(summary.count) / scale)
            text.sample(name + "_count", labels, Double(summary.count))
        }
    }
}
