import Measurement
import Rendering

/// A search for people: a line per step while it goes on, and the summary at its end.
package enum CapacityText {
    /// Columns that a line has room for.
    private static let columnLimit = 3

    private static func columns(_ report: CapacityReport) -> [CapacityColumn] {
        let all = CapacityColumn.all(report)
        return Array(all.dropLast().prefix(columnLimit)) + all.suffix(1)
    }

    private static func width(_ column: CapacityColumn) -> Int { max(9, column.name.count + 2) }

    /// The column heads of ``line(_:of:range:color:)``.
    package static func header(_ report: CapacityReport) -> String {
        "step  " + Columns.right("load", 9) + Columns.right("req/s", 10) + Columns.right("events/s", 10)
            + columns(report).map { Columns.right($0.name, width($0)) }.joined()
            + Columns.right("so far", 14) + "  verdict"
    }

    /// A step that is over, in one line.
    ///
    /// - Parameter range: The loads that the limit lies between by now.
    package static func line(
        _ step: CapacityReport.Step, of report: CapacityReport, range: String, color: Bool
    ) -> String {
        let paint = Paint(isOn: color)
        let figures =
            Columns.left(Columns.right(String(step.number), 4), 6)
            + Columns.right(load(step.load, report.scaling), 9)
            + Columns.right(Numbers.short(step.requestsOffered), 10)
            + Columns.right(Numbers.short(step.eventsOffered), 10)
            + columns(report).map { Columns.right($0.cell(step), width($0)) }.joined()
            + Columns.right(range, 14)
        return figures + "  " + verdict(step, paint)
    }

    private static func verdict(_ step: CapacityReport.Step, _ paint: Paint) -> String {
        let why = step.reasons.first.map { ": " + Escaping.line($0) } ?? ""
        let more = step.reasons.count > 1 ? " (and \(step.reasons.count - 1) more)" : ""
        switch step.verdict {
        case .held: return paint("✓ holds", .good) + (step.isClose ? ", but close to its bound" : "")
        case .broke: return paint("✗ breaks", .bad) + why + more
        case .generatorLimited: return paint("! generator", .warn) + why
        case .cut: return paint("■ cut", .warn)
        case .unreachable: return paint("! gone", .warn) + why
        }
    }

    /// A load in its unit: `1,200` devices or `1.5×` the scenario's rate.
    package static func load(_ load: Double, _ scaling: CapacityReport.Scaling) -> String {
        switch scaling {
        case .devices: Numbers.fixed(load, 0)
        case .rate: Numbers.plain(load) + "×"
        }
    }

    static func time(_ trend: TrendSummary, _ value: KeyPath<TrendSummary, Double>) -> String {
        trend.count > 0 ? Numbers.duration(milliseconds: trend[keyPath: value]) : "–"
    }

    package static func share(_ share: Double?) -> String { share.map { Numbers.percent($0) } ?? "–" }

    /// The value that a condition was held against, in its own unit.
    package static func observed(_ result: Report.ThresholdResult) -> String { Numbers.observed(result) }

    /// `198 req/s (396 events/s, 99 devices)`.
    package static func level(_ level: CapacityReport.Level, _ scaling: CapacityReport.Scaling) -> String {
        let factor = scaling == .rate ? " at \(load(level.load, scaling)) the scenario's rate" : ""
        return "\(rate(level.requestsOffered)) req/s (\(rate(level.eventsOffered)) events/s, "
            + "\(Numbers.devices(level.devices))\(factor))"
    }

    /// `1 step`, `12 steps`.
    package static func steps(_ count: Int) -> String { Numbers.count(count, of: "step") }

    /// What a number of devices means, where it means so many within a time.
    package static func meaning(_ report: CapacityReport) -> String? {
        report.arrivalSeconds.map {
            "A load of N devices: so many open the app within \(Numbers.duration(seconds: $0)), evenly, and use it as "
                + "they do."
        }
    }

    /// Four digits where it matters: a knee is known to a few per cent.
    static func rate(_ value: Double) -> String {
        value >= 1000 ? Numbers.fixed(value, 0) : value >= 10 ? Numbers.fixed(value, 1) : Numbers.short(value)
    }

    /// The summary, ending with a line feed; no line is longer than `width` (at least 80) columns.
    package static func summary(_ report: CapacityReport, color: Bool, width: Int) -> String {
        CapacityPage(report: report, paint: Paint(isOn: color), width: max(80, width)).text
    }
}

/// The summary as it grows.
private struct CapacityPage: TextPage {
    let report: CapacityReport
    let paint: Paint
    let width: Int
    var lines: [String] = []

    init(report: CapacityReport, paint: Paint, width: Int) {
        self.report = report
        self.paint = paint
        self.width = width
        opening()
        picture()
        list("CONDITIONS", report.conditions.map(CapacityPage.condition))
        list("WARNINGS", report.warnings)
        heading("RUN AGAIN")
        self.command(report.repeatCommand)
        if let command = report.playCommand {
            heading("THE LOAD THAT HOLDS, ALONE")
            self.command(command)
        }
        lines.append("")
    }

    private mutating func opening() {
        let facts = [
            Escaping.line(report.scenario.name), "capacity", report.mode.rawValue, "seed \(report.seed)",
            CapacityText.steps(report.steps.count), Numbers.duration(seconds: report.wallSeconds),
        ]
        lines += ["", "  " + Columns.clipped(facts.joined(separator: " · "), width - 2), ""]
        let (sign, tone): (String, Paint.Tone) =
            switch report.ending {
            case .knee, .maximum: report.exitCode == 0 ? ("✓", .good) : ("✗", .bad)
            case .time: report.exitCode == 0 ? ("✓", .good) : ("✗", .bad)
            case .floor, .unsettled: ("✗", .bad)
            case .generator, .stopped, .unreachable: ("!", .warn)
            case .interrupted: ("■", .warn)
            }
        for (index, reason) in report.reasons.enumerated() {
            guard index == 0 else {
                paragraph(reason, "    ")
                continue
            }
            for (number, line) in Columns.wrapped(Escaping.line(reason), width - 4).enumerated() {
                lines.append((number == 0 ? "  \(paint(sign, .bold, tone)) " : "    ") + paint(line, .bold))
            }
        }
    }

    /// A row for each step by its load, with a bar for what was judged first; the knee is a line between them.
    private mutating func picture() {
        let steps = report.steps.filter { $0.verdict != .cut }
        guard !steps.isEmpty else { return }
        let leading = CapacityColumn.leading(report)
        // Without a bar, a row takes 45 columns besides its indent.
        var room = width - 47 - 8
        let others = CapacityColumn.all(report).filter { $0.name != leading.name }.prefix(2)
            .prefix {
                room -= CapacityPage.width($0)
                return room >= 0
            }
        heading("THE STEPS BY THEIR LOAD")
        let bar = width - 47 - others.reduce(0) { $0 + CapacityPage.width($1) }
        let head =
            Columns.right("load", 12) + Columns.right("req/s", 10) + Columns.right("events/s", 10) + "  "
            + Columns.left(Columns.shortened(leading.name, bar + 11), bar + 11)
            + others.map(CapacityPage.head).joined()
        lines.append("  " + paint(head, .dim))
        let scale = BarScale(steps.compactMap(leading.value), isTime: leading.isTime)
        var kneeIsDue = report.breaks != nil
        for step in steps.sorted(by: { ($0.load, $0.number) < ($1.load, $1.number) }) {
            if kneeIsDue, let breaks = report.breaks, step.load >= breaks.load {
                kneeIsDue = false
                let mark = report.ending == .knee ? " knee " : " breaks from here "
                let rule = "──" + mark
                lines.append(
                    "  " + paint(rule + String(repeating: "─", count: width - 2 - rule.count), .bold))
            }
            let cells = others.map { Columns.right($0.cell(step), CapacityPage.width($0)) }.joined()
            lines.append("  " + row(step, leading, scale, bar) + cells)
        }
    }

    private static func width(_ column: CapacityColumn) -> Int { max(10, min(18, column.name.count + 2)) }

    private static func head(_ column: CapacityColumn) -> String {
        let width = width(column)
        return Columns.right(Columns.shortened(column.name, width - 2), width)
    }

    private func row(_ step: CapacityReport.Step, _ leading: CapacityColumn, _ scale: BarScale, _ width: Int)
        -> String
    {
        let sign =
            switch step.verdict {
            case .held: paint("✓", .good)
            case .broke: paint("✗", .bad)
            case .generatorLimited, .cut, .unreachable: paint("!", .warn)
            }
        let bar = leading.value(step).map { scale.bar($0, width) } ?? ""
        return Columns.right(CapacityText.load(step.load, report.scaling), 12)
            + Columns.right(Numbers.short(step.requestsOffered), 10)
            + Columns.right(Numbers.short(step.eventsOffered), 10) + " " + sign
            + Columns.right(leading.cell(step), 10) + " " + paint(Columns.left(bar, width), .blue)
    }

    private static func condition(_ condition: CapacityReport.Condition) -> String {
        "\(condition.metric) \(condition.expression)"
            + (condition.origin == .default ? " (the scenario asks for nothing)" : "")
    }
}

/// The length of bars: on a logarithmic scale where the values spread far.
private struct BarScale {
    private let axis: Axis

    init(_ values: [Double], isTime: Bool) {
        axis = Axis(values.map { max(0, $0) }, unit: isTime ? .time : .count)
    }

    /// Eighths of a character, so that small differences show.
    func bar(_ value: Double, _ width: Int) -> String {
        let eighths = Int((axis.position(value) * Double(width * 8)).rounded())
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let bar = String(repeating: "█", count: eighths / 8) + rest
        return bar.isEmpty ? "▏" : bar
    }
}
