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

    /// The observed value of a threshold with its unit, exactly where the few digits of a time or a share would not
    /// tell it from the bound.
    static func observed(_ result: Report.ThresholdResult) -> String {
        let text = shortened(result)
        guard let value = result.value, let bound = bound(of: result), value != bound else { return text }
        var other = result
        other.value = bound
        let exact = exact(value, besides: bound)
        // What is rounded to other digits is so on its own side.
        guard shortened(other) == text, exact != text else { return text }
        return "\(text) (\(exact)\(isTime(entry(of: result), result.expression) ? " ms" : ""))"
    }

    /// The observed value of a threshold with its unit, in a few digits: for columns.
    static func shortened(_ result: Report.ThresholdResult) -> String {
        guard let value = result.value else { return "no samples" }
        let entry = entry(of: result)
        if isTime(entry, result.expression) { return duration(milliseconds: value) }
        return entry?.unit == .share ? percent(value) : exact(value, besides: bound(of: result))
    }

    private static func entry(of result: Report.ThresholdResult) -> MetricCatalogue.Entry? {
        MetricCatalogue.entry(String(result.metric.prefix { $0 != "{" }))
    }

    /// What the value of a threshold is held against; `nil` for an expression that cannot be read.
    static func bound(of result: Report.ThresholdResult) -> Double? {
        try? Threshold.parse(metric: result.metric, expression: result.expression).bound
    }
}
