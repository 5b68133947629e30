import Measurement
import Rendering

extension Numbers {
    /// A number in a metric's own unit.
    static func value(_ value: Double, _ unit: MetricCatalogue.Unit?) -> String {
        switch unit {
        case .milliseconds: duration(milliseconds: value)
        case .bytes: bytes(value)
        case .share: percent(value)
        default: short(value)
        }
    }

    /// A value of a figure, or how far two of them are apart, in its unit: rates of counters by the second.
    static func value(_ value: Double, of figure: Figure) -> String {
        self.value(value, figure.unit) + (figure.isPerSecond ? "/s" : "")
    }

    /// Whether the value of a threshold is a time, in milliseconds.
    static func isTime(_ metric: MetricCatalogue.Entry?, _ expression: String) -> Bool {
        metric?.unit == .milliseconds && !expression.drop { $0.isWhitespace }.hasPrefix("count")
    }

    /// The observed value of a threshold with its unit.
    static func observed(_ result: Report.ThresholdResult) -> String {
        guard let value = result.value else { return "no samples" }
        let entry = MetricCatalogue.entry(String(result.metric.prefix { $0 != "{" }))
        if isTime(entry, result.expression) { return duration(milliseconds: value) }
        return entry?.unit == .share ? percent(value) : exact(value, besides: bound(of: result))
    }

    /// What the value of a threshold is held against; `nil` for an expression that cannot be read.
    static func bound(of result: Report.ThresholdResult) -> Double? {
        try? Threshold.parse(metric: result.metric, expression: result.expression).bound
    }
}
