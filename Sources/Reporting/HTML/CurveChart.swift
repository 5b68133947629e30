import Measurement
import Timebase

/// Distributions by percentiles, as HdrHistogram's plotter draws them: each step to the right is a tenth of
/// the distance to 100 %, so that the tail has as much room as the middle.
struct CurveChart {
    let id: String
    let title: String
    let lines: [(name: String, tone: String, curve: PercentileCurve)]

    private static let width = 470.0
    private static let height = 250.0
    private static let left = 58.0
    private static let right = 32.0
    private static let top = 46.0
    private static let bottom = 38.0

    private let axis: Axis
    /// The last percentile that has a value of its own, as a distance: 3 for 99.9 %.
    private let reach: Double

    /// - Returns: `nil` where nothing was measured.
    init?(id: String, title: String, lines: [(name: String, tone: String, curve: PercentileCurve)]) {
        let lines = lines.filter { !$0.curve.points.isEmpty }
        let count = lines.map(\.curve.totalCount).max() ?? 0
        guard count > 0 else { return nil }
        self.id = id
        self.title = title
        self.lines = lines
        reach = max(1, (DeterministicMath.log(Double(count)) / DeterministicMath.log(10)).rounded(.up))
        axis = Axis(lines.flatMap { $0.curve.points.map(\.milliseconds) }, unit: .time)
    }

    /// How far to the right a percentile stands: 1 for 90, 2 for 99; 100 at the end.
    private func x(_ percentile: Double) -> Double {
        let rest = 1 - percentile / 100
        let distance = rest > 0 ? -DeterministicMath.log(rest) / DeterministicMath.log(10) : reach
        let width = CurveChart.width - CurveChart.left - CurveChart.right
        return CurveChart.left + min(1, max(0, distance / reach)) * width
    }

    private func y(_ value: Double) -> Double {
        let height = CurveChart.height - CurveChart.top - CurveChart.bottom
        return CurveChart.top + (1 - axis.position(value)) * height
    }

    private var description: String {
        lines.map { line in
            let parts = [50.0, 99, 100].compactMap { percentile in
                CurveChart.value(percentile, line.curve).map { "p(\(Int(percentile))) \(axis.text($0))" }
            }
            return "\(line.name): " + parts.joined(separator: ", ")
        }.joined(separator: "; ") + "."
    }

    /// The value at a percentile, by the first step that reaches it.
    private static func value(_ percentile: Double, _ curve: PercentileCurve) -> Double? {
        curve.points.first { $0.percentile >= percentile - 1e-9 }?.milliseconds
    }

    func write(into html: inout Markup) {
        html.chart(
            id, width: CurveChart.width, height: CurveChart.height, title: title, description: description,
            drawing: { svg in
                svg.legend(lines.map { ($0.name, $0.tone) }, from: CurveChart.left, axis: axis.title)
                grid(into: &svg)
                for line in lines { path(line.curve, line.tone, into: &svg) }
                hover(into: &svg)
            }, table: table(into:))
    }

    /// The percentiles that have a tick: 0, 90, 99 … as far as there are values.
    private var steps: [(percentile: Double, name: String)] {
        let names = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %", "99.99999 %"]
        return names.enumerated().prefix(Int(reach) + 1).map { index, name in
            (100 * (1 - DeterministicMath.pow(10, -Double(index))), name)
        }
    }

    private func grid(into svg: inout Markup) {
        let end = CurveChart.width - CurveChart.right
        let bottom = CurveChart.height - CurveChart.bottom
        for tick in axis.ticks {
            svg.line(CurveChart.left, y(tick), end, y(tick), "grid")
            svg.label(CurveChart.left - 6, y(tick) + 4, "axis end", axis.tickLabel(tick))
        }
        for (index, step) in steps.enumerated() {
            svg.line(x(step.percentile), CurveChart.top, x(step.percentile), bottom, "grid")
            // Names grow by a nine: beyond six, those far to the right would run into each other.
            guard steps.count <= 6 || index < 4 || (steps.count - index) % 2 == 1 else { continue }
            svg.label(x(step.percentile), bottom + 17, "axis middle", step.name)
        }
        svg.label((CurveChart.left + end) / 2, bottom + 33, "axis middle", "percentile")
    }

    private func path(_ curve: PercentileCurve, _ tone: String, into svg: inout Markup) {
        // The last point but one says how far to the right the largest value begins.
        let points = curve.points.map { (x: x($0.percentile), y: y($0.milliseconds)) }
        guard points.count > 1 else {
            svg.dot(CurveChart.left, points[0].y, tone)
            return
        }
        let place = { (point: (x: Double, y: Double)) in
            "\(Markup.number(point.x)) \(Markup.number(point.y))"
        }
        svg.empty(
            "path", ["d": "M" + points.map(place).joined(separator: "L"), "class": "line \(tone)"])
    }

    /// Columns that show their numbers under the pointer.
    private func hover(into svg: inout Markup) {
        let percentiles = [0.0, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999]
        let end = CurveChart.width - CurveChart.right
        for (index, percentile) in percentiles.enumerated() where index == 0 || x(percentile) < end {
            let next = index + 1 < percentiles.count ? min(end, x(percentiles[index + 1])) : end
            svg.element(
                "rect",
                [
                    "x": Markup.number(x(percentile)), "y": Markup.number(CurveChart.top),
                    "width": Markup.number(max(1, next - x(percentile))),
                    "height": Markup.number(CurveChart.height - CurveChart.top - CurveChart.bottom),
                    "class": "hover",
                ]
            ) { svg in
                let values = lines.map { line in
                    "\(line.name) \(CurveChart.value(percentile, line.curve).map(axis.text) ?? "–")"
                }
                svg.element("title", "p(\(Numbers.plain(percentile))): " + values.joined(separator: ", "))
            }
        }
    }

    private func table(into html: inout Markup) {
        let rows = [50.0, 75, 90, 95, 99, 99.9, 99.99, 100].map { percentile in
            ["p(\(Numbers.plain(percentile)))"]
                + lines.map { CurveChart.value(percentile, $0.curve).map(axis.text) ?? "–" }
        }
        html.table(title, ["percentile"] + lines.map(\.name), rows)
    }
}
