import Measurement
import Reporting
import Scenario

/// Conditions on shares with a bound that no share can have: who writes 5 for 5 % has a condition that decides nothing.
enum ThresholdBounds {
    static func warnings(_ thresholds: [Threshold], of document: ScenarioDocument) -> [ScenarioWarning] {
        zip(thresholds, document.thresholds).compactMap { threshold, written in
            guard MetricCatalogue.entry(threshold.metric)?.kind == .rate,
                threshold.bound < 0 || threshold.bound > 1
            else { return nil }
            // Of such a bound all shares are on one side.
            let verdict = threshold.comparison.holds(0, threshold.bound) ? "always" : "never"
            return ScenarioWarning(
                pointer: written.pointer,
                text:
                    "no share is below 0 or above 1 (0.05 is 5 %): \"\(written.expression)\" \(verdict) holds"
            )
        }
    }
}
