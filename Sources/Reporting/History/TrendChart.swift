import Measurement
import Rendering

/// A figure over the runs of a scenario: a point for each, in its verdict's colour.
struct TrendChart: FramedChart {
    let id: String
    let figure: Figure
    let entries: [RunHistory.Entry]
    private let axis: Axis

    var frame = ChartFrame.roomy
    let classes = "chart trend"
    /// The table of the section has these figures.
    let figures: ((inout Markup) -> Void)? = nil

    /// - Parameter entries: The oldest first.
    init(_ figure: Figure, of entries: [RunHistory.Entry], id: String) {
        self.id = id
        self.figure = figure
        self.entries = entries
        let values = entries.compactMap { $0.value(figure) }
        axis = Axis(values, unit: figure.unit == .milliseconds ? .time : .count)
    }

    var title: String { figure.name + (axis.isLogarithmic ? ", logarithmic" : "") }

    var description: String {
        let told = entries.map { "\($0.when) \($0.text(figure))" }
        return "\(figure.name) of \(entries.count) runs: \(told.joined(separator: "; "))."
    }

    private var ticks: [(share: Double, text: String)] {
        axis.ticks.map { value in
            let text =
                value == 0 || figure.unit == .milliseconds
                ? axis.tickLabel(value) : Numbers.value(value, of: figure)
            return (axis.position(value), text)
        }
    }

    func fitted(_ frame: ChartFrame) -> ChartFrame {
        var frame = frame.fitting(labels: ticks.map(\.text), legend: [])
        frame.top -= 40
        return frame
    }

    /// Where the run of an index stands, from the left.
    private func x(_ index: Int) -> Double {
        frame.x((Double(index) + 0.5) / Double(max(1, entries.count)))
    }

    func draw(into svg: inout Markup) {
        svg.rows(ticks, in: frame)
        let labels = entries.enumerated().map { index, entry in (x(index), String(entry.when.dropFirst(5))) }
        for label in Labels.beneath(labels, in: frame) {
            svg.label(label.x, frame.floor + 17, "axis middle", label.text)
        }
        svg.label(
            (frame.left + frame.end) / 2, frame.floor + 33, "axis middle", "runs, the latest at the right")
        let points = entries.enumerated().map { index, entry in
            entry.value(figure).map { (x: x(index), y: frame.y(axis.position($0))) }
        }
        // What is missing leaves a gap.
        for (from, to) in zip(points, points.dropFirst()) {
            if let from, let to { svg.line(from.x, from.y, to.x, to.y, "line g") }
        }
        let step = (frame.end - frame.left) / Double(max(1, entries.count))
        for (index, entry) in entries.enumerated() {
            if let point = points[index] {
                svg.dot(point.x, point.y, "of-\(entry.isPartial ? "interrupted" : entry.verdict.rawValue)")
            }
            let told = "\(entry.when), \(entry.shortCommit): \(entry.text(figure)), \(entry.word)"
            svg.hover(x(index) - step / 2, step, told, in: frame)
        }
    }
}
