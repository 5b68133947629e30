import Measurement
import Rendering
import Timebase

/// A distribution over time: time to the right, latency upwards on a logarithmic scale, the darker the more.
struct HeatMapChart: FramedChart {
    let id: String
    let title: String
    /// What is counted.
    let noun: String
    let map: HeatMap
    let marks: [Report.Mark]
    let scale: TimeScale

    var frame = ChartFrame.roomy

    private static let levels = 6
    /// How far a fault's number may stand from its line.
    private static let reach = 30.0
    /// The least factor between the ends of the axis: values that are all alike are a line, not a wall.
    private static let leastFactor = 16.0

    private let low: Double
    private let high: Double
    private let ticks: [Double]
    private let peak: UInt64

    /// - Returns: `nil` for a map without a picture.
    init?(
        id: String, title: String, noun: String, map: HeatMap, marks: [Report.Mark],
        scale: TimeScale = .elapsed
    ) {
        guard let low = map.bounds.first, let high = map.bounds.last, low > 0, high > low, high.isFinite,
            map.columnSeconds > 0, map.columnSeconds.isFinite,
            let peak = map.columns.flatMap({ $0 }).max(), peak > 0
        else { return nil }
        self.id = id
        self.title = title
        self.noun = noun
        self.map = map
        self.marks = marks
        self.scale = scale
        self.peak = peak
        let margin = max(1, HeatMapChart.leastFactor / (high / low)).squareRoot()
        self.low = low / margin
        self.high = high * margin
        ticks = Ticks.within(low / margin, high * margin)
    }

    private var span: Double { Double(map.columns.count) * map.columnSeconds }

    private func x(_ second: Double) -> Double { frame.x(second / span) }

    /// 0…1.
    private func position(_ milliseconds: Double) -> Double {
        let first = DeterministicMath.log(low)
        let share = (DeterministicMath.log(milliseconds) - first) / (DeterministicMath.log(high) - first)
        return min(1, max(0, share))
    }

    private func y(_ milliseconds: Double) -> Double { frame.y(position(milliseconds)) }

    func fitted(_ frame: ChartFrame) -> ChartFrame {
        frame.fitting(labels: ticks.map { Numbers.duration(milliseconds: $0) }, legend: [])
    }

    /// 1 for a single value to ``levels`` for the peak, by the logarithm.
    private func level(_ count: UInt64) -> Int {
        guard peak > 1 else { return HeatMapChart.levels }
        let share = DeterministicMath.log(Double(count)) / DeterministicMath.log(Double(peak))
        return 1 + Int((share * Double(HeatMapChart.levels - 1)).rounded())
    }

    var description: String {
        let total = map.columns.reduce(0) { $1.reduce($0, +) }
        return "\(Numbers.count(total, of: noun)) over \(Numbers.duration(seconds: span)), from "
            + "\(Numbers.duration(milliseconds: map.bounds[0])) to "
            + "\(Numbers.duration(milliseconds: map.bounds[map.bounds.count - 1])); "
            + "at most \(Numbers.count(peak)) in one cell of \(Numbers.duration(seconds: map.columnSeconds))."
    }

    func draw(into svg: inout Markup) {
        legend(into: &svg)
        svg.rows(ticks.map { (position($0), Numbers.duration(milliseconds: $0)) }, in: frame)
        svg.columns(
            scale.ticks(from: 0, to: span).map { ($0.second / span, $0.label) }, scale.title, in: frame)
        if frame.isCompact {
            fields(into: &svg)
        } else {
            for (index, column) in map.columns.enumerated() { cells(column, at: index, into: &svg) }
        }
        edges(into: &svg)
    }

    private func legend(into svg: inout Markup) {
        svg.label(4, 34, "axis", "time, logarithmic")
        let most = "\(Numbers.count(peak, of: noun)) in \(Numbers.duration(seconds: map.columnSeconds))"
        let start = frame.isCompact ? 4 : frame.left
        svg.label(start, 16, "legend", "1")
        for level in 1...HeatMapChart.levels {
            svg.rectangle(start + 12 + Double(level - 1) * 16, 6, 15, 11, "heat h\(level)")
        }
        let end = start + 12 + Double(HeatMapChart.levels) * 16 + 5
        svg.label(end, 16, "legend", most)
    }

    /// Where a cell stands.
    private func rectangle(_ column: Int, _ row: Int) -> (x: Double, y: Double, width: Double, height: Double)
    {
        let from = Double(column) * map.columnSeconds
        let start = x(from)
        let top = y(map.bounds[row + 1])
        return (
            start, top, max(0.6, x(from + map.columnSeconds) - start - 0.3),
            max(0.6, y(map.bounds[row]) - top - 0.3)
        )
    }

    private func cells(_ column: [UInt64], at index: Int, into svg: inout Markup) {
        let from = Double(index) * map.columnSeconds
        for (row, count) in column.enumerated() where count > 0 {
            let cell = rectangle(index, row)
            svg.element(
                "rect",
                [
                    "x": Markup.number(cell.x), "y": Markup.number(cell.y),
                    "width": Markup.number(cell.width), "height": Markup.number(cell.height),
                    "class": "heat h\(level(count))",
                ]
            ) { svg in
                let low = Numbers.duration(milliseconds: map.bounds[row])
                let high = Numbers.duration(milliseconds: map.bounds[row + 1])
                svg.element(
                    "title", "\(scale.label(from)), \(low) to \(high): \(Numbers.count(count, of: noun))")
            }
        }
    }

    /// The same in one path for each level, where no pointer asks for numbers.
    private func fields(into svg: inout Markup) {
        var paths = [String](repeating: "", count: HeatMapChart.levels + 1)
        for (index, column) in map.columns.enumerated() {
            for (row, count) in column.enumerated() where count > 0 {
                let cell = rectangle(index, row)
                let number = Markup.number
                paths[level(count)] +=
                    "M\(number(cell.x)) \(number(cell.y))h\(number(cell.width))v\(number(cell.height))"
                    + "h-\(number(cell.width))z"
            }
        }
        for (level, path) in paths.enumerated() where !path.isEmpty {
            svg.empty("path", ["d": path, "class": "heat h\(level)"])
        }
    }

    /// Where the timeline's entries begin, by their numbers.
    private func edges(into svg: inout Markup) {
        let inside = marks.enumerated().filter { $0.element.from >= 0 && $0.element.from <= span }
            .sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }
        var free = 0.0
        for (index, mark) in inside {
            svg.line(x(mark.from), frame.top, x(mark.from), frame.floor, "edge")
            let number = String(index + 1)
            // A number moves aside for the one before, but not so far that it seems to belong elsewhere.
            let left = max(x(mark.from) + 3, free)
            let end = left + Double(number.count) * 5.9
            guard left <= x(mark.from) + 3 + HeatMapChart.reach, end <= frame.width else { continue }
            svg.label(left, frame.top - 4, "note", number)
            free = end + 4
        }
    }

    /// The whole run by range, the longest times first.
    var figures: ((inout Markup) -> Void)? {
        let totals = (0..<(map.bounds.count - 1)).map { row in
            map.columns.reduce(UInt64(0)) { $0 + ($1.isEmpty ? 0 : $1[row]) }
        }
        let all = totals.reduce(0, +)
        let rows = totals.indices.reversed().filter { totals[$0] > 0 }.map { row in
            [
                "\(Numbers.duration(milliseconds: map.bounds[row])) to "
                    + Numbers.duration(milliseconds: map.bounds[row + 1]),
                Numbers.count(totals[row]), Numbers.percent(totals[row], of: all),
            ]
        }
        return { $0.table("\(title), the whole run", ["range", noun + "s", "share"], rows) }
    }
}
