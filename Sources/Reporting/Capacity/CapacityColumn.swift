import Measurement
import Rendering

/// A figure of steps that is worth a column: what a load had to keep, then what else tells how it went.
struct CapacityColumn: Sendable {
    /// Short enough to stand above figures.
    let name: String
    /// `nil` where the step had no samples.
    let value: @Sendable (CapacityReport.Step) -> Double?
    /// A figure in its own unit.
    let text: @Sendable (Double) -> String
    let isTime: Bool

    func cell(_ step: CapacityReport.Step) -> String { value(step).map(text) ?? "–" }

    /// The columns of a search: its conditions, the growth of stores, and the latency where no condition asks for it.
    static func all(_ report: CapacityReport) -> [CapacityColumn] {
        var columns = conditions(report)
        let asksForLatency = report.conditions.contains { $0.metric.hasPrefix("http_req_duration") }
        if !asksForLatency { columns.append(latency) }
        return columns + [stores]
    }

    /// What was judged first: the condition that broke at the load that breaks, else the first there is; where
    /// something else than a condition broke, the growth of stores.
    static func leading(_ report: CapacityReport) -> CapacityColumn {
        guard breaking(report) != nil else { return conditions(report).first ?? latency }
        return broken(report) ?? stores
    }

    /// The condition that broke first at the load that breaks; `nil` where none did.
    static func broken(_ report: CapacityReport) -> CapacityColumn? {
        guard let result = breaking(report)?.thresholds.first(where: { !$0.ok }) else { return nil }
        let name = name(result.metric, result.expression)
        return conditions(report).first { $0.name == name }
    }

    private static func breaking(_ report: CapacityReport) -> CapacityReport.Step? {
        report.steps.first { $0.load == report.breaks?.load && $0.verdict == .broke }
    }

    private static func conditions(_ report: CapacityReport) -> [CapacityColumn] {
        var columns: [CapacityColumn] = []
        for condition in report.conditions where condition.origin != .steadiness {
            let name = name(condition.metric, condition.expression)
            guard !columns.contains(where: { $0.name == name }) else { continue }
            columns.append(column(name, condition))
        }
        return columns
    }

    private static func column(_ name: String, _ condition: CapacityReport.Condition) -> CapacityColumn {
        let (metric, expression) = (condition.metric, condition.expression)
        let entry = MetricCatalogue.entry(String(metric.prefix { $0 != "{" }))
        return CapacityColumn(
            name: name,
            value: { step in
                step.thresholds.first { $0.metric == metric && $0.expression == expression }?.value
            },
            text: { value in
                Numbers.shortened(
                    Report.ThresholdResult(metric: metric, expression: expression, value: value, ok: true))
            }, isTime: Numbers.isTime(entry, expression))
    }

    private static let latency = CapacityColumn(
        name: "request p(99)", value: { $0.duration.count > 0 ? $0.duration.p99 : nil },
        text: { Numbers.duration(milliseconds: $0) }, isTime: true)

    /// Beyond the growth with a collector without limits, where that was compared.
    static let stores = CapacityColumn(
        name: "stores", value: { $0.isOfTarget ? $0.storesGrowBeyond ?? $0.storesGrow : nil },
        text: {
            ($0 >= 0.05 ? "+" : "")
                + Numbers.fixed($0.magnitude < 0.05 ? 0 : $0, $0.magnitude < 1000 ? 1 : 0) + "/s"
        },
        isTime: false)

    /// A metric and what is asked of it, in as few words as tell it from others: `failed`, `request p(95)`, `fresh p(50)`,
    /// `lost{ios}`.
    private static func name(_ metric: String, _ expression: String) -> String {
        let base = String(metric.prefix { $0 != "{" })
        let tag = metric.dropFirst(base.count).replacing("{population:", with: "{")
        let asked = String(expression.prefix { !"<>=!".contains($0) }.filter { $0 != " " })
        let short =
            switch base {
            case "http_req_failed": "failed"
            case "events_lost": "lost"
            case "http_req_duration": "request \(asked)"
            case "event_freshness": "fresh \(asked)"
            default: base.hasPrefix("freshness_within_") ? base : "\(base) \(asked)"
            }
        return short + tag
    }
}
