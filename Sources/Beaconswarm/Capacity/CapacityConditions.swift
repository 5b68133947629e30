import Measurement
import Reporting

/// What a load has to keep: the scenario's thresholds as far as they can be asked of a part of a run, or
/// those that are assumed where there is none.
struct CapacityConditions: Sendable {
    let thresholds: [Threshold]
    let usesDefaults: Bool
    /// What was left out, and why.
    let warnings: [String]

    /// - Parameters:
    ///   - control: A load against a collector without limits: what it does not keep cannot be asked of any load.
    ///   - populations: The names by which thresholds know them.
    init(_ all: [Threshold], control: MeasuringWindow? = nil, populations: [String] = []) {
        var kept: [Threshold] = []
        var warnings: [String] = []
        for threshold in all {
            let reason =
                CapacityConditions.obstacle(threshold)
                ?? control.flatMap { CapacityConditions.obstacle(threshold, $0, populations) }
            if let reason {
                warnings.append(
                    "\(threshold.qualifiedMetric) \(threshold.expression): left out, since \(reason)")
            } else {
                kept.append(threshold)
            }
        }
        usesDefaults = kept.isEmpty
        thresholds = kept.isEmpty ? Threshold.assumedOfLoads : kept
        // A scenario that asks for nothing has nothing left out: the conditions themselves say what applies.
        if usesDefaults, !all.isEmpty {
            let text = thresholds.map { "\($0.metric) \($0.expression)" }.joined(separator: ", ")
            warnings.append("no threshold of the scenario can be asked of a load; a load has to keep \(text)")
        }
        self.warnings = warnings
    }

    /// Why a threshold cannot be asked of a step; `nil` if it can.
    private static func obstacle(_ threshold: Threshold) -> String? {
        if threshold.aggregation == .count { return "a count depends on the length of the run" }
        if threshold.entry != nil { return "a step is a steady load, without what happens in a run" }
        if threshold.metric == "events_duplicated" { return "it is known after an audit only" }
        let isCounter = MetricCatalogue.entry(threshold.metric)?.kind == .counter
        let isUpperBound = threshold.comparison == .less || threshold.comparison == .atMost
        if isCounter, threshold.metric == "events_captured" || !isUpperBound {
            return "it says how much is offered, not how well it goes"
        }
        return nil
    }

    /// Why a threshold says nothing of a target; `nil` if it may.
    private static func obstacle(
        _ threshold: Threshold, _ control: MeasuringWindow, _ populations: [String]
    ) -> String? {
        let result = evaluate([threshold], control, populations)[0]
        // A world without sockets has no samples of connections.
        guard !result.ok, result.value != nil else { return nil }
        return
            "a collector without limits does not keep it either: there it is \(CapacityText.observed(result))"
    }

    /// Holds the conditions against a window.
    func evaluate(_ window: MeasuringWindow, _ populations: [String]) -> [Report.ThresholdResult] {
        Self.evaluate(thresholds, window, populations)
    }

    private static func evaluate(
        _ thresholds: [Threshold], _ window: MeasuringWindow, _ populations: [String]
    ) -> [Report.ThresholdResult] {
        let overall = window.total.metricsOfTarget(seconds: window.seconds)
        let each = zip(populations, window.populations).map { name, record in
            (name: name, metrics: record.metricsOfTarget(seconds: window.seconds))
        }
        return thresholds.map { $0.evaluate(overall: overall, populations: each) }
    }

    /// For the report: also what makes a load a steady one.
    var described: [CapacityReport.Condition] {
        thresholds.map {
            CapacityReport.Condition(
                metric: $0.qualifiedMetric, expression: $0.expression,
                origin: usesDefaults ? .default : .scenario)
        } + [
            CapacityReport.Condition(
                metric: "requests answered", expression: ">= 99 % of those offered", origin: .steadiness),
            CapacityReport.Condition(
                metric: "events stored on devices",
                expression: "grow by no more than 2 % of those captured beyond what the same users store "
                    + "with a collector without limits",
                origin: .steadiness),
        ]
    }
}

extension PopulationRecord {
    /// The metrics without the uploads that ended with their app's process: the slower the answers, the more of them
    /// there are, but no target refused them.
    func metricsOfTarget(seconds: Double) -> [Metric] {
        metrics(seconds: seconds).map { metric in
            guard metric.name == "http_req_failed", case .rate(let failed, let well) = metric.value else {
                return metric
            }
            return Metric(metric.name, .rate(passes: failed - min(failed, abandonedRequests), fails: well))
        }
    }
}
