import Measurement
import Reporting

/// What a load has to keep: the scenario's thresholds as far as they can be asked of a part of a run, or
/// those that are assumed where there is none.
struct CapacityConditions: Sendable {
    let thresholds: [Threshold]
    let usesDefaults: Bool
    /// What was left out, and why.
    let warnings: [String]

    init(_ all: [Threshold]) {
        var kept: [Threshold] = []
        var warnings: [String] = []
        for threshold in all {
            if let reason = CapacityConditions.obstacle(threshold) {
                warnings.append(
                    "\(threshold.qualifiedMetric) \(threshold.expression): left out, since \(reason)")
            } else {
                kept.append(threshold)
            }
        }
        usesDefaults = kept.isEmpty
        thresholds = kept.isEmpty ? Threshold.assumedOfLoads : kept
        if usesDefaults {
            let text = thresholds.map { "\($0.metric) \($0.expression)" }.joined(separator: ", ")
            warnings.append("no threshold of the scenario can be asked of a load; a load has to keep \(text)")
        }
        self.warnings = warnings
    }

    /// Why a threshold cannot be asked of a step; `nil` if it can.
    private static func obstacle(_ threshold: Threshold) -> String? {
        if threshold.aggregation == .count { return "a count depends on the length of the run" }
        if threshold.metric == "events_duplicated" { return "it is known after an audit only" }
        let isCounter = MetricCatalogue.entry(threshold.metric)?.kind == .counter
        let isUpperBound = threshold.comparison == .less || threshold.comparison == .atMost
        if isCounter, threshold.metric == "events_captured" || !isUpperBound {
            return "it says how much is offered, not how well it goes"
        }
        return nil
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
                expression: "do not grow by more than 2 % of those captured",
                origin: .steadiness),
        ]
    }
}
