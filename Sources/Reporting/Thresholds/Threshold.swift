package import Measurement
package import Timebase

/// A bound on a metric in k6's grammar, such as `http_req_duration{population:ios}: p(95)<250`.
package struct Threshold: Hashable, Sendable {
    /// What is asked of the metric.
    package enum Aggregation: Hashable, Sendable {
        case average, minimum, median, maximum, count, rate, value
        /// 0…100.
        case percentile(Double)
    }

    /// How the value has to stand to the bound.
    package enum Comparison: String, CaseIterable, Sendable {
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
        case equal = "=="
        case unequal = "!="

        /// Whether `value` stands so to `bound`; never for what is not a number.
        package func holds(_ value: Double, _ bound: Double) -> Bool {
            switch self {
            case .less: value < bound
            case .atMost: value <= bound
            case .greater: value > bound
            case .atLeast: value >= bound
            case .equal: value == bound
            case .unequal: value < bound || value > bound
            }
        }
    }

    /// The metric's name without the tag.
    package var metric: String
    /// The population that the tag names; `nil` for the whole fleet.
    package var population: String?
    /// The entry of the timeline that the tag names; `nil` for the whole run.
    package var entry: String?
    /// The expression as written.
    package var expression: String
    package var aggregation: Aggregation
    package var comparison: Comparison
    package var bound: Double
    /// Whether the run ends early once the bound is broken.
    package var abortOnFail = false
    /// How long after the start of the run the first evaluation waits; `nil` for none.
    package var delayAbortEval: Interval?

    /// The metric with its tag, as reports name it.
    package var qualifiedMetric: String {
        if let entry { return "\(metric){entry:\(entry)}" }
        return population.map { "\(metric){population:\($0)}" } ?? metric
    }

    /// The value that the bound is held against; `nil` where the metric has no samples, or where a
    /// summary is left that does not hold this percentile.
    package func value(in metrics: [Metric]) -> Double? {
        guard let found = metrics.first(where: { $0.name == metric }) else { return nil }
        switch found.value {
        case .trend(let trend): return value(of: trend)
        case .counter(let count, let perSecond): return aggregation == .rate ? perSecond : count
        case .rate(let passes, let fails): return MetricCatalogue.share(passes: passes, fails: fails)
        case .gauge(let value, _, _): return value
        }
    }

    private func value(of trend: Trend) -> Double? {
        if case .percentile(let percentile) = aggregation {
            return trend.summary.count == 0 ? nil : trend.value(atPercentile: percentile)
        }
        let summary = trend.summary
        guard summary.count > 0 else { return nil }
        switch aggregation {
        case .average: return summary.average
        case .minimum: return summary.minimum
        case .median: return summary.median
        case .maximum: return summary.maximum
        case .count: return Double(summary.count)
        default: return nil
        }
    }

    /// Holds the threshold against the fleet's metrics, or those of the population or the entry it names. A metric
    /// without samples fails, with no value.
    package func evaluate(
        overall: [Metric], populations: [(name: String, metrics: [Metric])],
        entries: [(name: String, metrics: [Metric])] = []
    ) -> Report.ThresholdResult {
        func found(_ name: String, _ parts: [(name: String, metrics: [Metric])]) -> [Metric] {
            parts.first { $0.name == name }?.metrics ?? []
        }
        let metrics =
            entry.map { found($0, entries) } ?? population.map { found($0, populations) } ?? overall
        let value = value(in: metrics)
        return Report.ThresholdResult(
            metric: qualifiedMetric, expression: expression, value: value,
            ok: value.map { comparison.holds($0, bound) } ?? false)
    }
}
