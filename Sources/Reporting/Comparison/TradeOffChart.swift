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
        svg.columns(ticks.map { ($0 / last, Numbers.value($0, cost.unit)) }, cost.name, in: frame)
        // Those on the front lie on top.
        for point in points.filter({ !$0.isOnFront }) + points.filter(\.isOnFront) { draw(point, into: &svg) }
        label(points.filter(\.isOnFront), in: &svg)
    }

    /// Numbers the points. Those that come to the same share a label: one over the other could not be read.
    private func label(_ points: [SweepReport.Point], in svg: inout Markup) {
        let numbered = points.map { point in (pixel: pixel(point), number: point.index + 1) }
        for pixel in Set(numbered.compactMap(\.pixel)).sorted(by: { ($0.x, $0.y) < ($1.x, $1.y) }) {
            let numbers = numbered.filter { $0.pixel == pixel }.map { String($0.number) }
            let isRight = pixel.x > frame.end - 24
            svg.label(
                pixel.x + (isRight ? -10 : 10), pixel.y - 6, isRight ? "number end" : "number",
                numbers.joined(separator: ", "))
        }
    }

    /// Where a point is drawn, to the pixel.
    private struct Pixel: Hashable { let x, y: Double }

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
