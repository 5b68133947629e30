import Measurement
import Rendering
import Timebase

/// Distributions by percentiles, as HdrHistogram's plotter draws them: each step to the right is a tenth of
/// the distance to 100 %, so that the tail has as much room as the middle.
struct CurveChart: FramedChart {
    /// A distribution, drawn by its curve and told by its summary where that has the percentile.
    struct Line {
        var name: String
        var tone: String
        var curve: PercentileCurve
        var summary: TrendSummary?

        /// The value at a percentile: that of the table of percentiles, or else of the first step that reaches it.
        func value(_ percentile: Double) -> Double? {
            summary?.value(atPercentile: percentile)
                ?? curve.points.first { $0.percentile >= percentile - 1e-9 }?.milliseconds
        }
    }

    let id: String
    let title: String
    let lines: [Line]
    var frame = ChartFrame.roomy

    private let axis: Axis
    /// The last percentile that has a value of its own, as a distance: 3 for 99.9 %.
    private let reach: Double

    /// - Returns: `nil` where nothing was measured.
    init?(id: String, title: String, lines: [Line]) {
        let lines = lines.filter { !$0.curve.points.isEmpty }
        let count = lines.map(\.curve.totalCount).max() ?? 0
        guard count > 0 else { return nil }
        self.id = id
        self.title = title
        self.lines = lines
        reach = max(1, (DeterministicMath.log(Double(count)) / DeterministicMath.log(10)).rounded(.up))
        axis = Axis(lines.flatMap { $0.curve.points.map(\.milliseconds) }, unit: .time)
    }

    func fitted(_ frame: ChartFrame) -> ChartFrame {
        frame.fitting(labels: axis.ticks.map(axis.tickLabel), legend: lines.map(\.name))
    }

    /// How far to the right a percentile stands: 1 for 90, 2 for 99; 100 at the end.
    private func share(_ percentile: Double) -> Double {
        let rest = 1 - percentile / 100
        let distance = rest > 0 ? -DeterministicMath.log(rest) / DeterministicMath.log(10) : reach
        return min(1, max(0, distance / reach))
    }

    private func x(_ percentile: Double) -> Double { frame.x(share(percentile)) }
    private func y(_ value: Double) -> Double { frame.y(axis.position(value)) }

    var description: String {
        lines.map { line in
            let parts = [50.0, 99, 100].compactMap { percentile in
                line.value(percentile).map { "p(\(Int(percentile))) \(axis.text($0))" }
            }
            return "\(line.name): " + parts.joined(separator: ", ")
        }.joined(separator: "; ") + "."
    }

    func draw(into svg: inout Markup) {
        svg.legend(lines.map { ($0.name, $0.tone) }, axis: axis.title, in: frame)
        svg.rows(axis.ticks.map { (axis.position($0), axis.tickLabel($0)) }, in: frame)
        for step in steps {
            svg.line(x(step.percentile), frame.top, x(step.percentile), frame.floor, "grid")
        }
        svg.columns(steps.map { (share($0.percentile), $0.name) }, "percentile", in: frame)
        for line in lines { path(line.curve, line.tone, into: &svg) }
        if !frame.isCompact { hover(into: &svg) }
    }

    /// The percentiles that have a tick: 0, 90, 99 … as far as there are values.
    private var steps: [(percentile: Double, name: String)] {
        let names = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %", "99.99999 %"]
        return names.enumerated().prefix(Int(reach) + 1).map { index, name in
            (100 * (1 - DeterministicMath.pow(10, -Double(index))), name)
        }
    }

    private func path(_ curve: PercentileCurve, _ tone: String, into svg: inout Markup) {
        // The last point but one says how far to the right the largest value begins.
        let points = curve.points.map { (x: x($0.percentile), y: y($0.milliseconds)) }
        guard points.count > 1 else {
            svg.dot(frame.left, points[0].y, tone)
            return
        }
        let coordinates = { (point: (x: Double, y: Double)) in
            "\(Markup.number(point.x)) \(Markup.number(point.y))"
        }
        svg.empty(
            "path", ["d": "M" + points.map(coordinates).joined(separator: "L"), "class": "line \(tone)"])
    }

    /// Columns that show their numbers under the pointer.
    private func hover(into svg: inout Markup) {
        let percentiles = [0.0, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999]
        for (index, percentile) in percentiles.enumerated() where index == 0 || x(percentile) < frame.end {
            let next = index + 1 < percentiles.count ? min(frame.end, x(percentiles[index + 1])) : frame.end
            let values = lines.map { line in
                "\(line.name) \(line.value(percentile).map(axis.text) ?? "–")"
            }
            svg.hover(
                x(percentile), next - x(percentile),
                "p(\(Numbers.plain(percentile))): " + values.joined(separator: ", "), in: frame)
        }
    }

    var figures: ((inout Markup) -> Void)? {
        let rows = [50.0, 75, 90, 95, 99, 99.9, 99.99, 100].map { percentile in
            ["p(\(Numbers.plain(percentile)))"]
                + lines.map { $0.value(percentile).map(axis.text) ?? "–" }
        }
        return { $0.table(title, ["percentile"] + lines.map(\.name), rows) }
    }
}
