import Measurement
import Rendering
import Timebase

/// Distributions of times side by side on one logarithmic axis: extremes, the middle and the tail.
struct PercentileChart {
    struct Geometry {
        var id: String
        var classes: String
        var width: Double
        /// Where the axis begins; with 0 names stand above their rows.
        var left: Double
        var row: Double

        static let wide = Geometry(id: "percentiles-wide", classes: "wide", width: 960, left: 210, row: 30)
        static let narrow = Geometry(
            id: "percentiles-narrow", classes: "narrow", width: 360, left: 0, row: 44)
    }

    /// Room for the label of a tick, such as `100 ms`.
    private static let labelWidth = 46.0
    /// Room before the first tick for what took no time.
    private static let zeroWidth = 50.0

    private let rows: [(name: String, trend: TrendSummary)]
    /// Those of the logarithmic axis.
    let ticks: [Double]
    /// Whether anything took no time: a logarithmic axis has no place for that, so it stands before its beginning.
    private let hasZero: Bool

    /// - Returns: `nil` where no time was measured.
    init?(_ metrics: [Metric]) {
        rows = MetricCatalogue.all.filter { $0.kind == .trend && $0.unit == .milliseconds }.compactMap {
            entry in
            metrics.trend(entry.name).map { (entry.name, $0) }
        }
        guard !rows.isEmpty else { return nil }
        let low = rows.map { $0.trend.minimum }.filter { $0 > 0 }.min() ?? 1
        let high = rows.map { $0.trend.maximum }.max() ?? 1
        ticks = Ticks.times(from: max(low, 0.01), to: max(high, 0.1))
        hasZero = rows.contains { $0.trend.count > 0 && $0.trend.minimum <= 0 }
    }

    func x(_ value: Double, _ geometry: Geometry) -> Double {
        let zero = geometry.left + 14
        guard value > 0 else { return zero }
        let left = zero + (hasZero ? PercentileChart.zeroWidth : 0)
        let right = geometry.width - 24
        guard let first = ticks.first, let last = ticks.last else { return left }
        let low = DeterministicMath.log(first)
        let share = (DeterministicMath.log(max(value, first)) - low) / (DeterministicMath.log(last) - low)
        return left + min(1, share) * (right - left)
    }

    private var description: String {
        rows.map { name, trend in
            "\(name): median \(Numbers.duration(milliseconds: trend.median)), "
                + "95 % within \(Numbers.duration(milliseconds: trend.p95)), "
                + "longest \(Numbers.duration(milliseconds: trend.maximum))"
        }.joined(separator: "; ") + "."
    }

    func write(_ geometry: Geometry, into html: inout Markup) {
        let top = 34.0
        let bottom = top + Double(rows.count) * geometry.row
        html.drawing(
            geometry.id, width: geometry.width, height: bottom + 40, title: "Percentiles of times",
            description: description, classes: "chart percentiles \(geometry.classes)"
        ) { svg in
            legend(geometry, into: &svg)
            let values = (hasZero ? [0.0] : []) + ticks
            for tick in values { svg.line(x(tick, geometry), top, x(tick, geometry), bottom, "grid") }
            // A week and the day before it stand close together on such an axis.
            let positions = values.map { x($0, geometry) }
            for index in Labels.apart(positions, PercentileChart.labelWidth) {
                let text = values[index] > 0 ? Numbers.duration(milliseconds: values[index]) : "0"
                svg.label(positions[index], bottom + 16, "axis middle", text)
            }
            svg.label((geometry.left + geometry.width) / 2, bottom + 34, "axis middle", "time, logarithmic")
            for (index, row) in rows.enumerated() {
                let middle = top + (Double(index) + (geometry.left == 0 ? 0.7 : 0.5)) * geometry.row
                write(row.name, row.trend, middle, geometry, into: &svg)
            }
        }
    }

    private func legend(_ geometry: Geometry, into svg: inout Markup) {
        var at = geometry.left + 14
        let tone = "p-time"
        svg.line(at, 12, at + 20, 12, "span \(tone)")
        svg.label(at + 26, 16, "legend", "min–max")
        at += 92
        svg.line(at, 12, at + 20, 12, "core \(tone)")
        svg.label(at + 26, 16, "legend", "med–p(95)")
        at += 106
        circle(at + 4, 12, into: &svg)
        svg.label(at + 14, 16, "legend", "med")
        at += 48
        svg.line(at + 4, 5, at + 4, 19, "tick \(tone)")
        svg.label(at + 12, 16, "legend", "p(99)")
    }

    private func circle(_ x: Double, _ y: Double, into svg: inout Markup) {
        svg.empty(
            "circle", ["cx": Markup.number(x), "cy": Markup.number(y), "r": "4.5", "class": "dot p-time"])
    }

    private func write(
        _ name: String, _ trend: TrendSummary, _ y: Double, _ geometry: Geometry, into svg: inout Markup
    ) {
        let tone = name == "event_freshness" ? "p-fresh" : "p-time"
        if geometry.left == 0 {
            svg.label(14, y - 13, "legend", name)
        } else {
            svg.label(geometry.left - 4, y + 4, "legend end", name)
        }
        svg.line(x(trend.minimum, geometry), y, x(trend.maximum, geometry), y, "span \(tone)")
        svg.line(x(trend.median, geometry), y, x(trend.p95, geometry), y, "core \(tone)")
        svg.line(x(trend.p99, geometry), y - 7, x(trend.p99, geometry), y + 7, "tick \(tone)")
        svg.element(
            "circle",
            [
                "cx": Markup.number(x(trend.median, geometry)), "cy": Markup.number(y), "r": "4.5",
                "class": "dot \(tone)",
            ]
        ) { svg in
            svg.element("title", "\(name): median \(Numbers.duration(milliseconds: trend.median))")
        }
    }

    /// The same numbers for those who cannot see the picture.
    func table(into html: inout Markup) {
        let time = { (value: Double) in Numbers.duration(milliseconds: value) }
        let cells = rows.map { name, trend in
            [
                name, Numbers.count(trend.count), time(trend.minimum), time(trend.average),
                time(trend.median),
                time(trend.p90), time(trend.p95), time(trend.p99), time(trend.p999), time(trend.maximum),
            ]
        }
        let header = ["metric", "count", "min", "avg", "med", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"]
        html.table("Percentiles of times", header, cells)
    }
}
