/// Where a chart's picture has its axes: each chart is drawn for a screen with room and for a phone, with
/// text of the same size on both, and the style sheet shows one of them.
package struct ChartFrame {
    /// Added to identifiers, which are unique in a page.
    package let suffix: String
    /// The class by which the style sheet chooses.
    package let name: String
    package let width: Double
    package let height: Double
    /// The axis' left end: at least that far from the border, and farther where labels are long.
    package var left: Double
    package let right: Double
    /// The upper end; what stands above grows with the legend.
    package var top: Double
    package let bottom: Double

    /// Half of a page of a laptop.
    package static let roomy = ChartFrame(
        suffix: "", name: "roomy", width: 470, height: 250, left: 46, right: 14, top: 58, bottom: 38)
    /// A phone of 390 points, less what stands around a figure.
    package static let compact = ChartFrame(
        suffix: "-s", name: "compact", width: 330, height: 240, left: 40, right: 12, top: 58, bottom: 38)

    /// Pixels that a character of a label takes; digits are as wide as that.
    package static let characterWidth = 6.9

    package var isCompact: Bool { name == "compact" }
    package var end: Double { width - right }
    package var floor: Double { height - bottom }

    /// How far down a share 0…1 of the axis lies.
    package func y(_ share: Double) -> Double { top + (1 - share) * (floor - top) }

    /// How far to the right a share 0…1 of the axis lies.
    package func x(_ share: Double) -> Double { left + min(1, max(0, share)) * (end - left) }

    /// Room for labels at the left, and for the rows of a legend.
    package func fitting(labels: [String], legend names: [String]) -> ChartFrame {
        var frame = self
        let longest = Double(labels.map(\.count).max() ?? 0) * ChartFrame.characterWidth
        frame.left = max(left, longest + 12)
        let rows = Legend.positions(names, in: frame).last?.row ?? 0
        frame.top += Double(rows) * Legend.rowHeight
        return frame
    }
}

/// The names of a chart's lines, over as many rows as they need.
enum Legend {
    package static let rowHeight = 18.0

    package static func positions(_ names: [String], in frame: ChartFrame) -> [(x: Double, row: Int)] {
        let start = frame.isCompact ? 4 : frame.left
        var x = start
        var row = 0
        return names.map { name in
            let width = 23 + Double(name.count) * ChartFrame.characterWidth
            if x > start, x + width > frame.width {
                x = start
                row += 1
            }
            defer { x += width + 16 }
            return (x, row)
        }
    }
}

/// Which of several labels stand where, so that none covers another.
package enum Labels {
    /// The indices of positions that are at least `distance` apart, in ascending order; the last always stays,
    /// and the first where there is room for both.
    package static func apart(_ positions: [Double], _ distance: Double) -> [Int] {
        var kept: [Int] = []
        for (index, position) in positions.enumerated() {
            if let last = kept.last, abs(position - positions[last]) < distance { continue }
            kept.append(index)
        }
        guard let last = positions.indices.last, kept.last != last else { return kept }
        while kept.count > 1, let before = kept.last, abs(positions[last] - positions[before]) < distance {
            kept.removeLast()
        }
        // The first and the last at the same position: one is enough.
        if kept.count == 1, abs(positions[last] - positions[kept[0]]) < distance { return kept }
        return kept + [last]
    }

    /// Labels beneath an axis: those that fit between their neighbours, moved in from the border.
    package static func beneath(
        _ labels: [(x: Double, text: String)], in frame: ChartFrame
    ) -> [(x: Double, text: String)] {
        var free = -Double.infinity
        return labels.compactMap { label in
            let half = Double(label.text.count) * ChartFrame.characterWidth / 2
            let x = min(frame.width - half - 1, max(half + 1, label.x))
            guard x - half >= free else { return nil }
            free = x + half + 6
            return (x, label.text)
        }
    }
}

/// A chart that is drawn once for each frame.
package protocol FramedChart {
    var id: String { get }
    var title: String { get }
    var frame: ChartFrame { get set }
    /// What a screen reader speaks.
    var description: String { get }
    /// More classes of the picture.
    var classes: String { get }
    /// The frame with room for this chart's labels.
    func fitted(_ frame: ChartFrame) -> ChartFrame
    func draw(into svg: inout Markup)
    /// The same figures to read; `nil` where another table of the page has them.
    var figures: ((inout Markup) -> Void)? { get }
    /// What is chosen to see them.
    var figuresTitle: String { get }
}

extension FramedChart {
    package var classes: String { "chart" }
    package var figuresTitle: String { "Table" }

    package func write(into html: inout Markup) {
        html.element("figure") { html in
            html.element("figcaption", title)
            for frame in [ChartFrame.roomy, .compact] {
                var chart = self
                chart.frame = fitted(frame)
                html.drawing(
                    id + frame.suffix, width: frame.width, height: chart.frame.height, title: title,
                    description: description, classes: "\(classes) \(frame.name)", chart.draw)
            }
            if let figures {
                html.element("details") { html in
                    html.element("summary", figuresTitle)
                    figures(&html)
                }
            }
        }
    }
}

extension Markup {
    /// The names of lines, each behind a stroke of its own; below them the axis' title.
    package mutating func legend(
        _ lines: [(name: String, tone: String)], axis title: String, in frame: ChartFrame
    ) {
        let positions = Legend.positions(lines.map(\.name), in: frame)
        for (line, position) in zip(lines, positions) {
            let y = 12 + Double(position.row) * Legend.rowHeight
            self.line(position.x, y, position.x + 18, y, "line \(line.tone)")
            label(position.x + 23, y + 4, "legend", line.name)
        }
        let rows = positions.last?.row ?? 0
        label(4, 34 + Double(rows) * Legend.rowHeight, "axis", title)
    }

    /// The lines of a vertical axis, and the labels that there is room for.
    package mutating func rows(_ ticks: [(share: Double, text: String)], in frame: ChartFrame) {
        let heights = ticks.map { frame.y($0.share) }
        for height in heights { line(frame.left, height, frame.end, height, "grid") }
        for index in Labels.apart(heights, 15) {
            label(frame.left - 6, heights[index] + 4, "axis end", ticks[index].text)
        }
    }

    /// Labels and their marks beneath a horizontal axis, and its title.
    package mutating func columns(
        _ ticks: [(share: Double, text: String)], _ title: String, in frame: ChartFrame
    ) {
        for tick in ticks {
            line(frame.x(tick.share), frame.floor, frame.x(tick.share), frame.floor + 4, "grid")
        }
        for label in Labels.beneath(ticks.map { (frame.x($0.share), $0.text) }, in: frame) {
            self.label(label.x, frame.floor + 17, "axis middle", label.text)
        }
        label((frame.left + frame.end) / 2, frame.floor + 33, "axis middle", title)
    }

    /// A point that shows its numbers under the pointer.
    package mutating func hover(_ x: Double, _ width: Double, _ text: String, in frame: ChartFrame) {
        element(
            "rect",
            [
                "x": Markup.number(x), "y": Markup.number(frame.top),
                "width": Markup.number(max(1, width)), "height": Markup.number(frame.floor - frame.top),
                "class": "hover",
            ]
        ) { $0.element("title", text) }
    }
}
