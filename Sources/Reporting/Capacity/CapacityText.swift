import Measurement

/// A search for people: a line per step while it goes on, and the summary at its end.
package enum CapacityText {
    /// The column heads of ``line(_:color:)``.
    package static let header =
        "step  " + Columns.right("load", 9) + Columns.right("req/s", 10) + Columns.right("events/s", 10)
        + Columns.right("p(99)", 10) + Columns.right("fresh p(95)", 13) + Columns.right("failed", 10)
        + Columns.right("lost", 10) + "  verdict"

    /// A step that is over, in one line.
    package static func line(_ step: CapacityReport.Step, scaling: CapacityReport.Scaling, color: Bool)
        -> String
    {
        let paint = Paint(isOn: color)
        let columns =
            Columns.left(Columns.right(String(step.number), 4), 6)
            + Columns.right(load(step.load, scaling), 9)
            + Columns.right(Numbers.short(step.requestsOffered), 10)
            + Columns.right(Numbers.short(step.eventsOffered), 10)
            + Columns.right(time(step.duration, \.p99), 10) + Columns.right(time(step.freshness, \.p95), 13)
            + Columns.right(share(step.failed), 10) + Columns.right(share(step.lost), 10)
        return columns + "  " + verdict(step, paint)
    }

    private static func verdict(_ step: CapacityReport.Step, _ paint: Paint) -> String {
        let why = step.reasons.first.map { ": " + Escaping.line($0) } ?? ""
        let more = step.reasons.count > 1 ? " (and \(step.reasons.count - 1) more)" : ""
        switch step.verdict {
        case .held: return paint("✓ holds", .good)
        case .broke: return paint("✗ breaks", .bad) + why + more
        case .generatorLimited: return paint("! generator", .warn) + why
        case .cut: return paint("■ cut", .warn)
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

    static func share(_ share: Double?) -> String { share.map { Numbers.percent($0) } ?? "–" }

    /// `198 req/s (396 events/s, 99 devices)`.
    package static func level(_ level: CapacityReport.Level, _ scaling: CapacityReport.Scaling) -> String {
        let noun = level.devices == 1 ? "device" : "devices"
        let factor = scaling == .rate ? " at \(load(level.load, scaling)) the scenario's rate" : ""
        return "\(rate(level.requestsOffered)) req/s (\(rate(level.eventsOffered)) events/s, "
            + "\(Numbers.count(level.devices)) \(noun)\(factor))"
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
private struct CapacityPage {
    let report: CapacityReport
    let paint: Paint
    let width: Int
    private var lines: [String] = []

    init(report: CapacityReport, paint: Paint, width: Int) {
        self.report = report
        self.paint = paint
        self.width = width
        opening()
        picture()
        list("CONDITIONS", report.conditions.map(CapacityPage.condition))
        list("WARNINGS", report.warnings)
        heading("RUN AGAIN")
        paragraph(report.repeatCommand, "    ", .dim)
        lines.append("")
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private mutating func heading(_ text: String) { lines += ["", "  " + paint("█ " + text, .bold), ""] }

    private mutating func paragraph(_ text: String, _ mark: String, _ tone: Paint.Tone? = nil) {
        let indent = String(repeating: " ", count: mark.count)
        for (index, line) in Columns.wrapped(Escaping.line(text), width - mark.count).enumerated() {
            lines.append((index == 0 ? mark : indent) + (tone.map { paint(line, $0) } ?? line))
        }
    }

    private mutating func list(_ title: String, _ items: [String]) {
        guard !items.isEmpty else { return }
        heading(title)
        for item in items { paragraph(item, "    - ") }
    }

    private mutating func opening() {
        let facts = [
            Escaping.line(report.scenario.name), "capacity", report.mode.rawValue, "seed \(report.seed)",
            "\(report.steps.count) steps", Numbers.duration(seconds: report.wallSeconds),
        ]
        lines += ["", "  " + Columns.clipped(facts.joined(separator: " · "), width - 2), ""]
        let (sign, tone): (String, Paint.Tone) =
            switch report.ending {
            case .knee, .maximum: report.exitCode == 0 ? ("✓", .good) : ("✗", .bad)
            case .floor, .unsettled: ("✗", .bad)
            case .generator: ("!", .warn)
            case .interrupted: ("■", .warn)
            }
        for (index, reason) in report.reasons.enumerated() {
            if index == 0 {
                lines.append("  " + paint(sign, .bold, tone) + " " + paint(Escaping.line(reason), .bold))
            } else {
                paragraph(reason, "    ")
            }
        }
    }

    /// A row for each step by its load, with a bar for the latency; the knee is a line between them.
    private mutating func picture() {
        let steps = report.steps.filter { $0.verdict != .cut }
        guard !steps.isEmpty else { return }
        heading("RATE AGAINST LATENCY, FRESHNESS AND LOSS")
        let bar = max(8, width - 73)
        let head =
            Columns.right("req/s", 12) + Columns.right("events/s", 10) + "     "
            + Columns.left("p(99) of a request", bar + 10) + Columns.right("fresh p(95)", 12)
            + Columns.right("failed", 10) + Columns.right("lost", 10)
        lines.append("  " + paint(Columns.clipped(head, width - 2), .dim))
        let scale = BarScale(steps.map(\.duration).filter { $0.count > 0 }.map(\.p99))
        var kneeIsDue = report.breaks != nil
        for step in steps.sorted(by: { ($0.load, $0.number) < ($1.load, $1.number) }) {
            if kneeIsDue, let breaks = report.breaks, step.load >= breaks.load {
                kneeIsDue = false
                let mark = report.ending == .knee ? " knee " : " breaks from here "
                let rule = "──" + mark
                lines.append(
                    "  " + paint(rule + String(repeating: "─", count: width - 2 - rule.count), .bold))
            }
            lines.append("  " + row(step, scale, bar))
        }
    }

    private func row(_ step: CapacityReport.Step, _ scale: BarScale, _ width: Int) -> String {
        let sign =
            switch step.verdict {
            case .held: paint("✓", .good)
            case .broke: paint("✗", .bad)
            case .generatorLimited, .cut: paint("!", .warn)
            }
        let bar = step.duration.count > 0 ? scale.bar(step.duration.p99, width) : ""
        return Columns.right(Numbers.short(step.requestsOffered), 12)
            + Columns.right(Numbers.short(step.eventsOffered), 10) + "  " + sign
            + Columns.right(CapacityText.time(step.duration, \.p99), 10) + " "
            + paint(Columns.left(bar, width), .blue)
            + Columns.right(CapacityText.time(step.freshness, \.p95), 12)
            + Columns.right(CapacityText.share(step.failed), 10)
            + Columns.right(CapacityText.share(step.lost), 10)
    }

    private static func condition(_ condition: CapacityReport.Condition) -> String {
        "\(condition.metric) \(condition.expression)"
            + (condition.origin == .default ? " (the scenario asks for nothing)" : "")
    }
}

/// The length of bars: on a logarithmic scale where the values spread far.
private struct BarScale {
    private let axis: Axis

    init(_ values: [Double]) { axis = Axis(values, unit: .time) }

    /// Eighths of a character, so that small differences show.
    func bar(_ value: Double, _ width: Int) -> String {
        let eighths = Int((axis.position(value) * Double(width * 8)).rounded())
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let bar = String(repeating: "█", count: eighths / 8) + rest
        return bar.isEmpty ? "▏" : bar
    }
}
