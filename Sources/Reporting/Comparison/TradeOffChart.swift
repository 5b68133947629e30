import Measurement
import Rendering

/// Freshness against cost: a point for each of a grid, loss as its colour, a ring around those that nothing beats.
struct TradeOffChart: FramedChart {
    let id = "trade-off"
    let title = "Freshness against cost"
    let points: [SweepReport.Point]
    let cost: Figure
    let freshness: Figure
    private let axis: Axis
    private let ticks: [Double]

    var frame = ChartFrame.roomy
    let classes = "chart trade"
    /// The table of the page has these figures.
    let figures: ((inout Markup) -> Void)? = nil

    init(_ sweep: SweepReport) {
        points = sweep.points.filter { $0.cost != nil && $0.freshness != nil }
        cost = sweep.cost
        freshness = sweep.freshness
        axis = Axis(
            points.compactMap(\.freshness), unit: sweep.freshness.unit == .milliseconds ? .time : .count)
        ticks = Ticks.linear(upTo: points.compactMap(\.cost).max() ?? 0)
    }

    func fitted(_ frame: ChartFrame) -> ChartFrame {
        var frame = frame.fitting(labels: axis.ticks.map(axis.tickLabel), legend: [])
        frame.top -= 20
        return frame
    }

    var description: String {
        let front = points.filter(\.isOnFront).map(\.name).joined(separator: "; ")
        return "\(points.count) points: \(freshness.name) by \(cost.name). Nothing beats: \(front)."
    }

    private func x(_ value: Double) -> Double {
        frame.x(value / max(ticks.last ?? 1, .leastNormalMagnitude))
    }

    func draw(into svg: inout Markup) {
        svg.label(4, 14, "axis", freshness.name + (axis.isLogarithmic ? ", logarithmic" : ""))
        svg.rows(axis.ticks.map { (axis.position($0), axis.tickLabel($0)) }, in: frame)
        let last = max(ticks.last ?? 1, .leastNormalMagnitude)
        svg.columns(ticks.map { ($0 / last, Numbers.value($0, of: cost)) }, cost.name, in: frame)
        // Those on the front lie on top.
        for point in points.filter({ !$0.isOnFront }) + points.filter(\.isOnFront) { draw(point, into: &svg) }
        label(points.filter(\.isOnFront), in: &svg)
    }

    /// Numbers the points.
    private func label(_ points: [SweepReport.Point], in svg: inout Markup) {
        let labels = points.compactMap { point in
            pixel(point).map { Label(pixel: $0, numbers: [point.index + 1]) }
        }
        for label in TradeOffChart.apart(labels, in: frame) {
            let isRight = label.isRight(in: frame)
            svg.label(
                label.pixel.x + (isRight ? -Label.gap : Label.gap), label.pixel.y - 6,
                isRight ? "number end" : "number", label.text)
        }
    }

    /// The labels of which none lies on another: those that would meet are one, as of points that come to the same.
    ///
    /// - Complexity: O(labels²).
    static func apart(_ labels: [Label], in frame: ChartFrame) -> [Label] {
        var apart: [Label] = []
        for label in labels.sorted(by: { $0.pixel < $1.pixel }) {
            var label = label
            // What grew may meet another one.
            while let index = apart.firstIndex(where: { $0.meets(label, in: frame) }) {
                let other = apart.remove(at: index)
                label = Label(
                    pixel: min(other.pixel, label.pixel), numbers: (other.numbers + label.numbers).sorted())
            }
            apart.append(label)
        }
        return apart
    }

    /// The numbers of points that stand together, beside the one that is furthest left.
    struct Label: Hashable {
        static let gap = 10.0
        private static let height = 13.0
        /// As many numbers as are told; the rest of them is counted.
        private static let numberLimit = 4

        var pixel: Pixel
        var numbers: [Int]

        var text: String {
            let more = numbers.count - Label.numberLimit
            let told = numbers.prefix(Label.numberLimit).map(String.init).joined(separator: ", ")
            return more > 0 ? "\(told), +\(more)" : told
        }

        private var width: Double { Double(text.count) * ChartFrame.characterWidth }

        /// Whether it stands to the left of its point, since there is no room to the right of it.
        func isRight(in frame: ChartFrame) -> Bool { pixel.x + Label.gap + width > frame.width }

        func meets(_ other: Label, in frame: ChartFrame) -> Bool {
            let (own, others) = (span(in: frame), other.span(in: frame))
            return (pixel.y - other.pixel.y).magnitude < Label.height && own.left < others.right
                && others.left < own.right
        }

        private func span(in frame: ChartFrame) -> (left: Double, right: Double) {
            isRight(in: frame)
                ? (pixel.x - Label.gap - width, pixel.x - Label.gap)
                : (pixel.x + Label.gap, pixel.x + Label.gap + width)
        }
    }

    /// Where a point is drawn, to the pixel.
    struct Pixel: Hashable, Comparable {
        let x, y: Double

        static func < (left: Pixel, right: Pixel) -> Bool { (left.x, left.y) < (right.x, right.y) }
    }

    private func pixel(_ point: SweepReport.Point) -> Pixel? {
        guard let cost = point.cost, let freshness = point.freshness else { return nil }
        return Pixel(x: x(cost).rounded(), y: frame.y(axis.position(freshness)).rounded())
    }

    private func draw(_ point: SweepReport.Point, into svg: inout Markup) {
        guard let cost = point.cost, let freshness = point.freshness else { return }
        let (x, y) = (x(cost), frame.y(axis.position(freshness)))
        let ring = (point.isOnFront ? " front" : "") + (point.outcome.failures > 0 ? " failed" : "")
        svg.element("g", ["class": "loss\(TradeOffChart.level(point.loss))\(ring)"]) { svg in
            svg.element("title", TradeOffChart.sentence(point, self.cost, self.freshness))
            svg.empty(
                "circle",
                ["cx": Markup.number(x), "cy": Markup.number(y), "r": point.isOnFront ? "6.5" : "5"])
        }
    }

    static func sentence(_ point: SweepReport.Point, _ cost: Figure, _ freshness: Figure) -> String {
        "\(point.index + 1): \(point.name): \(freshness.name) \(ComparisonText.value(point.freshness, freshness)), "
            + "\(cost.name) \(ComparisonText.value(point.cost, cost)), lost "
            + (point.loss.map { Numbers.percent($0) } ?? "–")
            + (point.outcome.failures > 0 ? ", \(point.outcome.words)" : "")
    }

    /// Bounds of the colours, of all that was captured.
    static let bounds = [0.0001, 0.001, 0.01, 0.1]

    /// Which colour: 0 for next to nothing, up to 4 for more than a tenth.
    static func level(_ loss: Double?) -> Int { bounds.count { (loss ?? 0) > $0 } }
}
