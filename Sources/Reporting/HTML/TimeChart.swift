/// One chart over the time of the run, with the timeline's faults shaded.
struct TimeChart {
    struct Line {
        var name: String
        /// The class that colours it.
        var tone: String
        /// `nil` where there were no samples.
        var values: [Double?]
    }

    var id: String
    var title: String
    var lines: [Line]
    var axis: Axis
    let points: [Report.SeriesPoint]
    let marks: [Report.Mark]

    private static let width = 470.0
    private static let height = 226.0
    private static let left = 58.0
    private static let right = 12.0
    private static let top = 46.0
    private static let bottom = 38.0

    init(
        id: String, title: String, unit: Axis.Unit, points: [Report.SeriesPoint], marks: [Report.Mark],
        lines: [(name: String, tone: String, value: (Report.SeriesPoint) -> Double?)]
    ) {
        self.id = id
        self.title = title
        self.points = points
        self.marks = marks
        self.lines = lines.map { line in
            Line(name: line.name, tone: line.tone, values: points.map(line.value))
        }
        axis = Axis(self.lines.flatMap { $0.values.compactMap { $0 } }, unit: unit)
    }

    /// Whether there is anything to draw.
    var hasSamples: Bool { lines.contains { $0.values.contains { $0 != nil } } }

    /// Seconds that the horizontal axis spans.
    private var span: Double { max(points.last.map { $0.second + $0.seconds } ?? 0, 0.001) }

    private func x(_ second: Double) -> Double {
        TimeChart.left + min(1, max(0, second / span)) * (TimeChart.width - TimeChart.left - TimeChart.right)
    }

    private func y(_ value: Double) -> Double {
        let height = TimeChart.height - TimeChart.top - TimeChart.bottom
        return TimeChart.top + (1 - axis.position(value)) * height
    }

    private var description: String {
        let peaks = lines.map { line in
            let values = line.values.compactMap { $0 }
            return "\(line.name): \(axis.text(values.min() ?? 0)) to \(axis.text(values.max() ?? 0))"
        }
        return "Over \(Numbers.duration(seconds: span)). " + peaks.joined(separator: "; ") + "."
    }

    func write(into html: inout Markup) {
        html.chart(
            id, width: TimeChart.width, height: TimeChart.height, title: title, description: description,
            drawing: { svg in
                svg.legend(lines.map { ($0.name, $0.tone) }, from: TimeChart.left, axis: axis.title)
                shade(into: &svg)
                grid(into: &svg)
                for line in lines { path(line, into: &svg) }
                hover(into: &svg)
            }, table: table(into:))
    }

    private func shade(into svg: inout Markup) {
        let bottom = TimeChart.height - TimeChart.bottom
        var free = 0.0
        for (index, mark) in marks.enumerated() where mark.from <= span {
            let start = x(mark.from)
            let end = mark.until.map { max(x($0), start + 2) } ?? start
            if mark.until != nil {
                svg.rectangle(start, TimeChart.top, end - start, bottom - TimeChart.top, "mark")
            }
            svg.line(start, TimeChart.top, start, bottom, "edge")
            let next = marks.dropFirst(index + 1).first { $0.from > mark.from }.map { x($0.from) }
            let room = (next ?? TimeChart.width) - start - 6
            let whole = "\(index + 1) \(Escaping.line(mark.text))"
            let text = Double(whole.count) * 5.9 <= room ? whole : "\(index + 1)"
            let place = max(start + 3, free)
            svg.label(place, TimeChart.top - 3, "note", text)
            free = place + Double(text.count) * 5.9 + 4
        }
    }

    private func grid(into svg: inout Markup) {
        let end = TimeChart.width - TimeChart.right
        let bottom = TimeChart.height - TimeChart.bottom
        for tick in axis.ticks {
            svg.line(TimeChart.left, y(tick), end, y(tick), "grid")
            svg.label(TimeChart.left - 6, y(tick) + 4, "axis end", axis.tickLabel(tick))
        }
        for tick in Ticks.clock(upTo: span) {
            svg.line(x(tick), bottom, x(tick), bottom + 4, "grid")
            svg.label(x(tick), bottom + 17, "axis middle", Ticks.clockLabel(tick))
        }
        svg.label((TimeChart.left + end) / 2, bottom + 33, "axis middle", "time since the start")
    }

    /// The line, broken where there were no samples; a sample alone is a dot.
    private func path(_ line: Line, into svg: inout Markup) {
        var path = ""
        var open = false
        for (index, value) in line.values.enumerated() {
            guard let value else {
                open = false
                continue
            }
            let center = x(points[index].second + points[index].seconds / 2)
            if !open && (index + 1 == line.values.count || line.values[index + 1] == nil) {
                svg.dot(center, y(value), line.tone)
                continue
            }
            path += (open ? "L" : "M") + "\(Markup.number(center)) \(Markup.number(y(value)))"
            open = true
        }
        if !path.isEmpty { svg.empty("path", ["d": path, "class": "line \(line.tone)"]) }
    }

    /// Columns that show their numbers under the pointer.
    private func hover(into svg: inout Markup) {
        let height = TimeChart.height - TimeChart.top - TimeChart.bottom
        for (index, point) in points.enumerated() {
            let start = x(point.second)
            svg.element(
                "rect",
                [
                    "x": Markup.number(start), "y": Markup.number(TimeChart.top),
                    "width": Markup.number(max(1, x(point.second + point.seconds) - start)),
                    "height": Markup.number(height), "class": "hover",
                ]
            ) { svg in
                let values = lines.map { "\($0.name) \($0.values[index].map(axis.text) ?? "–")" }
                svg.element("title", "\(Ticks.clockLabel(point.second)): " + values.joined(separator: ", "))
            }
        }
    }

    /// At most forty rows, the largest value of each line in each.
    private func table(into html: inout Markup) {
        let size = max(1, (points.count + 39) / 40)
        let rows = stride(from: 0, to: points.count, by: size).map { start in
            let range = start..<min(start + size, points.count)
            let cells = lines.map { line in
                line.values[range].compactMap { $0 }.max().map(axis.text) ?? "–"
            }
            return [Ticks.clockLabel(points[start].second)] + cells
        }
        let caption = size == 1 ? title : "\(title), the largest value in each interval"
        html.table(caption, ["from"] + lines.map(\.name), rows)
    }
}
