import Measurement
import Timebase

/// A distribution over time: time to the right, latency upwards on a logarithmic scale, the darker the more.
struct HeatMapChart {
    let id: String
    let title: String
    /// What is counted.
    let noun: String
    let map: HeatMap
    let marks: [Report.Mark]

    private static let width = 470.0
    private static let height = 250.0
    private static let left = 58.0
    private static let right = 12.0
    private static let top = 46.0
    private static let bottom = 38.0
    private static let levels = 6
    /// How far a fault's number may stand from its line.
    private static let reach = 30.0

    private let ticks: [Double]
    private let peak: UInt64

    /// - Returns: `nil` for a map without a picture.
    init?(id: String, title: String, noun: String, map: HeatMap, marks: [Report.Mark]) {
        guard let low = map.bounds.first, let high = map.bounds.last, low > 0, high > low, high.isFinite,
            map.columnSeconds > 0, map.columnSeconds.isFinite,
            let peak = map.columns.flatMap({ $0 }).max(), peak > 0
        else { return nil }
        self.id = id
        self.title = title
        self.noun = noun
        self.map = map
        self.marks = marks
        self.peak = peak
        let inside = Ticks.times(from: max(low, 0.001), to: high).filter { $0 >= low && $0 <= high }
        ticks = inside.count > 1 ? inside : [low] + inside + [high]
    }

    private var span: Double { Double(map.columns.count) * map.columnSeconds }

    private func x(_ second: Double) -> Double {
        let width = HeatMapChart.width - HeatMapChart.left - HeatMapChart.right
        return HeatMapChart.left + min(1, max(0, second / span)) * width
    }

    private func y(_ milliseconds: Double) -> Double {
        let low = DeterministicMath.log(map.bounds[0])
        let high = DeterministicMath.log(map.bounds[map.bounds.count - 1])
        let place = (DeterministicMath.log(milliseconds) - low) / (high - low)
        let height = HeatMapChart.height - HeatMapChart.top - HeatMapChart.bottom
        return HeatMapChart.top + (1 - min(1, max(0, place))) * height
    }

    /// 1 for a single value to ``levels`` for the peak, by the logarithm.
    private func level(_ count: UInt64) -> Int {
        guard peak > 1 else { return HeatMapChart.levels }
        let share = DeterministicMath.log(Double(count)) / DeterministicMath.log(Double(peak))
        return 1 + Int((share * Double(HeatMapChart.levels - 1)).rounded())
    }

    private var description: String {
        let total = map.columns.reduce(0) { $1.reduce($0, +) }
        return "\(Numbers.count(total)) \(noun) over \(Numbers.duration(seconds: span)), from "
            + "\(Numbers.duration(milliseconds: map.bounds[0])) to "
            + "\(Numbers.duration(milliseconds: map.bounds[map.bounds.count - 1])); "
            + "at most \(Numbers.count(peak)) in one cell of \(Numbers.duration(seconds: map.columnSeconds))."
    }

    func write(into html: inout Markup) {
        html.chart(
            id, width: HeatMapChart.width, height: HeatMapChart.height, title: title,
            description: description,
            drawing: { svg in
                legend(into: &svg)
                grid(into: &svg)
                for (index, column) in map.columns.enumerated() { cells(column, at: index, into: &svg) }
                edges(into: &svg)
            }, table: table(into:))
    }

    private func legend(into svg: inout Markup) {
        svg.label(4, 34, "axis", "time, logarithmic")
        let each = " \(noun) in \(Numbers.duration(seconds: map.columnSeconds))"
        svg.label(HeatMapChart.left, 16, "legend", "1")
        for level in 1...HeatMapChart.levels {
            svg.rectangle(HeatMapChart.left + 12 + Double(level - 1) * 16, 6, 15, 11, "heat h\(level)")
        }
        let end = HeatMapChart.left + 12 + Double(HeatMapChart.levels) * 16 + 5
        svg.label(end, 16, "legend", Numbers.count(peak) + each)
    }

    private func grid(into svg: inout Markup) {
        let end = HeatMapChart.width - HeatMapChart.right
        let bottom = HeatMapChart.height - HeatMapChart.bottom
        for tick in ticks {
            svg.line(HeatMapChart.left, y(tick), end, y(tick), "grid")
            svg.label(
                HeatMapChart.left - 6, y(tick) + 4, "axis end", Numbers.duration(milliseconds: tick))
        }
        for tick in Ticks.clock(upTo: span) {
            svg.line(x(tick), bottom, x(tick), bottom + 4, "grid")
            svg.label(x(tick), bottom + 17, "axis middle", Ticks.clockLabel(tick))
        }
        svg.label((HeatMapChart.left + end) / 2, bottom + 33, "axis middle", "time since the start")
    }

    private func cells(_ column: [UInt64], at index: Int, into svg: inout Markup) {
        let from = Double(index) * map.columnSeconds
        let start = x(from)
        let width = max(0.6, x(from + map.columnSeconds) - start - 0.3)
        for (row, count) in column.enumerated() where count > 0 {
            let top = y(map.bounds[row + 1])
            svg.element(
                "rect",
                [
                    "x": Markup.number(start), "y": Markup.number(top), "width": Markup.number(width),
                    "height": Markup.number(max(0.6, y(map.bounds[row]) - top - 0.3)),
                    "class": "heat h\(level(count))",
                ]
            ) { svg in
                let low = Numbers.duration(milliseconds: map.bounds[row])
                let high = Numbers.duration(milliseconds: map.bounds[row + 1])
                svg.element(
                    "title", "\(Ticks.clockLabel(from)), \(low) to \(high): \(Numbers.count(count)) \(noun)")
            }
        }
    }

    /// Where the timeline's entries begin, by their numbers.
    private func edges(into svg: inout Markup) {
        let bottom = HeatMapChart.height - HeatMapChart.bottom
        let inside = marks.enumerated().filter { $0.element.from >= 0 && $0.element.from <= span }
            .sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }
        var free = 0.0
        for (index, mark) in inside {
            svg.line(x(mark.from), HeatMapChart.top, x(mark.from), bottom, "edge")
            let number = String(index + 1)
            // A number moves aside for the one before, but not so far that it seems to belong elsewhere.
            let place = max(x(mark.from) + 3, free)
            let end = place + Double(number.count) * 5.9
            guard place <= x(mark.from) + 3 + HeatMapChart.reach, end <= HeatMapChart.width else { continue }
            svg.label(place, HeatMapChart.top - 3, "note", number)
            free = end + 4
        }
    }

    /// The whole run by range, the longest times first.
    private func table(into html: inout Markup) {
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
        html.table("\(title), the whole run", ["range", noun, "share"], rows)
    }
}
