import Rendering

/// One chart over the time of the run, with the timeline's faults shaded.
struct TimeChart: FramedChart {
    /// What a line shows of each interval.
    struct Measure {
        var name: String
        /// The class that colours it.
        var tone: String
        /// `nil` where there were no samples.
        var value: (Report.SeriesPoint) -> Double?
        /// The least and the greatest within an interval, drawn as a band; `nil` where there were no samples.
        var spread: ((Report.SeriesPoint) -> Report.Spread?)?

        init(
            name: String, tone: String, value: @escaping (Report.SeriesPoint) -> Double?,
            spread: ((Report.SeriesPoint) -> Report.Spread?)? = nil
        ) {
            self.name = name
            self.tone = tone
            self.value = value
            self.spread = spread
        }
    }

    struct Line {
        var name: String
        var tone: String
        var values: [Double?]
        /// Empty where nothing is known but the values.
        var spreads: [Report.Spread?]

        /// Whether a band has anything to show.
        var hasBand: Bool { spreads.contains { $0.map { $0.high > $0.low } ?? false } }
    }

    let id: String
    let title: String
    let lines: [Line]
    let axis: Axis
    let points: [Report.SeriesPoint]
    let marks: [Report.Mark]
    let scale: TimeScale
    /// Whether values are of the moments at which intervals begin, and not of the whole of them.
    let isOfMoments: Bool
    var frame = ChartFrame.roomy

    /// The most points that show their numbers under the pointer.
    private static let hoverLimit = 160

    init(
        id: String, title: String, unit: Axis.Unit, points: [Report.SeriesPoint], marks: [Report.Mark],
        lines: [Measure], scale: TimeScale = .elapsed, isOfMoments: Bool = false
    ) {
        self.id = id
        self.title = title
        self.points = points
        self.marks = marks
        self.scale = scale
        self.isOfMoments = isOfMoments
        self.lines = lines.map { line in
            Line(
                name: line.name, tone: line.tone, values: points.map(line.value),
                spreads: line.spread.map { points.map($0) } ?? [])
        }
        let spreads = self.lines.flatMap { line in line.spreads.compactMap { $0 } }
        axis = Axis(
            lines: self.lines.map { $0.values.compactMap { $0 } },
            // What lies below nothing has to have room too; what does not is beneath no line.
            peaks: spreads.map(\.high) + spreads.map(\.low).filter { $0 < 0 }, unit: unit)
    }

    /// Whether there is anything to draw.
    var hasSamples: Bool { lines.contains { $0.values.contains { $0 != nil } } }

    /// Seconds at which the horizontal axis begins, and those that it spans.
    var from: Double {
        let first = points.first?.second ?? 0
        // What begins a moment after 0 begins there: its axis has that label.
        return first > 0 && first < end / 1000 ? 0 : first
    }
    private var end: Double { points.last.map { $0.second + $0.seconds } ?? 0 }
    private var span: Double { max(end - from, 0.001) }

    private func x(_ second: Double) -> Double { frame.x((second - from) / span) }

    /// What is not nothing is never drawn as nothing.
    private func y(_ value: Double) -> Double {
        let y = frame.y(axis.position(value))
        return value > 0 ? min(y, frame.floor - 1.5) : y
    }

    func fitted(_ frame: ChartFrame) -> ChartFrame {
        frame.fitting(labels: axis.ticks.map(axis.tickLabel), legend: lines.map(\.name))
    }

    var description: String {
        let peaks = lines.map { line in
            let values = line.values.compactMap { $0 }
            let low = (values + line.spreads.compactMap { $0?.low }).min() ?? 0
            let high = (values + line.spreads.compactMap { $0?.high }).max() ?? 0
            return "\(line.name): \(axis.text(low)) to \(axis.text(high))"
        }
        return "Over \(Numbers.duration(seconds: span)). " + peaks.joined(separator: "; ") + "."
    }

    func draw(into svg: inout Markup) {
        svg.legend(lines.map { ($0.name, $0.tone) }, axis: axis.title, in: frame)
        shade(into: &svg)
        svg.rows(axis.ticks.map { (axis.position($0), axis.tickLabel($0)) }, in: frame)
        let ticks = scale.ticks(from: from, to: from + span)
        svg.columns(ticks.map { (($0.second - from) / span, $0.label) }, scale.title, in: frame)
        for line in lines { band(line, into: &svg) }
        for line in lines { path(line, into: &svg) }
        if !frame.isCompact { hover(into: &svg) }
    }

    private func shade(into svg: inout Markup) {
        var free = 0.0
        let end = from + span
        for (index, mark) in marks.enumerated() where mark.from <= end && (mark.until ?? mark.from) >= from {
            let start = x(mark.from)
            if let until = mark.until {
                svg.rectangle(
                    start, frame.top, max(x(until), start + 2) - start, frame.floor - frame.top, "mark")
            }
            if mark.from >= from { svg.line(start, frame.top, start, frame.floor, "edge") }
            let next = marks.dropFirst(index + 1).first { $0.from > mark.from }.map { x($0.from) }
            let room = (next ?? frame.width) - start - 6
            let whole = "\(index + 1) \(Escaping.line(mark.text))"
            let text = Double(whole.count) * 5.9 <= room ? whole : "\(index + 1)"
            let length = Double(text.count) * 5.9
            let left = min(max(start + 3, free), frame.width - length)
            guard left >= free else { continue }
            svg.label(left, frame.top - 4, "note", text)
            free = left + length + 4
        }
    }

    /// From the least to the greatest of each interval, where they differ anywhere; broken where there were no samples.
    private func band(_ line: Line, into svg: inout Markup) {
        guard line.hasBand else { return }
        var path = ""
        var upper = ""
        var lower = ""
        for (point, spread) in zip(points, line.spreads) {
            guard let spread else {
                path += upper.isEmpty ? "" : upper + lower + "Z"
                (upper, lower) = ("", "")
                continue
            }
            let (start, end) = (x(point.second), x(point.second + point.seconds))
            let (low, high) = (Markup.number(y(spread.low)), Markup.number(y(spread.high)))
            upper += "\(upper.isEmpty ? "M" : "L")\(Markup.number(start)) \(high)H\(Markup.number(end))"
            lower = "L\(Markup.number(end)) \(low)H\(Markup.number(start))" + lower
        }
        path += upper.isEmpty ? "" : upper + lower + "Z"
        svg.empty("path", ["d": path, "class": "band \(line.tone)"])
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
            let point = points[index]
            let center = x(isOfMoments ? point.second : point.second + point.seconds / 2)
            if !open && (index + 1 == line.values.count || line.values[index + 1] == nil) {
                svg.dot(center, y(value), line.tone)
                continue
            }
            path += (open ? "L" : "M") + "\(Markup.number(center)) \(Markup.number(y(value)))"
            open = true
        }
        if !path.isEmpty { svg.empty("path", ["d": path, "class": "line \(line.tone)"]) }
    }

    private func hover(into svg: inout Markup) {
        let size = max(1, (points.count + TimeChart.hoverLimit - 1) / TimeChart.hoverLimit)
        for first in stride(from: 0, to: points.count, by: size) {
            let range = first..<min(first + size, points.count)
            let (start, last) = (points[first], points[range.upperBound - 1])
            let texts = lines.map { "\($0.name) \(text(of: $0, in: range))" }
            svg.hover(
                x(start.second), x(last.second + last.seconds) - x(start.second),
                "\(scale.label(start.second)): " + texts.joined(separator: ", "), in: frame)
        }
    }

    /// The value of an interval, or the largest of several, and the extremes where they tell more.
    private func text(of line: Line, in range: Range<Int>) -> String {
        guard let value = line.values[range].compactMap({ $0 }).max() else { return "–" }
        guard !line.spreads.isEmpty else { return axis.text(value) }
        let low = line.spreads[range].compactMap { $0?.low }.min() ?? value
        let high = line.spreads[range].compactMap { $0?.high }.max() ?? value
        return high > low
            ? "\(axis.text(value)) (\(axis.text(low)) to \(axis.text(high)))" : axis.text(value)
    }

    /// Points of one row of the table.
    private var rowSize: Int { max(1, (points.count + 39) / 40) }

    /// Whether a row has more than one value of a line.
    private var hasJoinedRows: Bool { rowSize > 1 || lines.contains(where: \.hasBand) }

    private static let ofJoinedRows = "the largest value in each interval"

    var figuresTitle: String { hasJoinedRows ? "Table: \(TimeChart.ofJoinedRows)" : "Table" }

    /// At most forty rows, the largest value of each line in each.
    var figures: ((inout Markup) -> Void)? {
        let rows = stride(from: 0, to: points.count, by: rowSize).map { start in
            let range = start..<min(start + rowSize, points.count)
            let cells = lines.map { line -> String in
                let peaks = line.spreads.isEmpty ? [] : line.spreads[range].compactMap { $0?.high }
                return (line.values[range].compactMap { $0 } + peaks).max().map(axis.text) ?? "–"
            }
            return [scale.label(points[start].second)] + cells
        }
        let caption = hasJoinedRows ? "\(title), \(TimeChart.ofJoinedRows)" : title
        let when = isOfMoments && !hasJoinedRows ? "at" : "from"
        return { $0.table(caption, [when] + lines.map(\.name), rows) }
    }
}
