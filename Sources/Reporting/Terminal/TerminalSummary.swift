import Accounting
import Measurement
import Rendering

/// The summary at the end of a run, in k6's manner, with the ledger on top.
package enum TerminalSummary {
    /// The whole text, ending with a line feed; no line is longer than `width` (at least 40) columns.
    package static func render(_ report: Report, color: Bool, width: Int) -> String {
        var page = TerminalPage(report: report.summarised, paint: Paint(isOn: color), width: max(40, width))
        page.opening()
        page.ledger()
        page.audit()
        page.thresholds()
        page.metrics()
        page.populations()
        page.answers()
        page.list("WARNINGS", report.warnings)
        page.closing()
        return page.text
    }
}

/// The summary as it grows.
struct TerminalPage: TextPage {
    let report: Report
    let paint: Paint
    let width: Int
    /// Columns of a row of the ledger: its indent, name, count and share.
    let columns: (indent: String, name: Int, count: Int, share: Int)
    var lines: [String] = []

    init(report: Report, paint: Paint, width: Int) {
        self.report = report
        self.paint = paint
        self.width = width
        guard width < 60 else {
            columns = ("    ", 24, 14, 10)
            return
        }
        let count = max(8, Numbers.count(report.events.captured).count + 1)
        columns = ("  ", width - 4 - count - 9, count, 9)
    }

    /// Narrow terminals have other columns, and figures under their names.
    var isNarrow: Bool { width < 60 }

    /// A name with its count, and its share of a whole where one is given.
    private func row(_ name: String, _ count: String, share: String? = nil) -> String {
        Columns.leader(name, columns.name) + Columns.right(count, columns.count)
            + (share.map { Columns.right($0, columns.share) } ?? "")
    }

    /// Sentences over as many lines as they need, those after the first set in.
    mutating func sentence(_ text: String, mark: String, _ tone: Paint.Tone? = nil) {
        let indent = 2 + mark.count
        let wrapped = Columns.wrapped(Escaping.line(text), width - indent)
        for (index, line) in wrapped.enumerated() {
            let start = index == 0 ? "  " + mark : String(repeating: " ", count: indent)
            for (number, part) in Columns.cut(line, width - indent).enumerated() {
                lines.append(
                    (number == 0 ? start : String(repeating: " ", count: indent))
                        + (tone.map { paint(part, $0) } ?? part))
            }
        }
    }

    mutating func opening() {
        for note in [report.paceNote, report.warmUpNote].compactMap(\.self) {
            lines.append("")
            sentence(note, mark: "", .warn)
        }
        let time = Numbers.duration(seconds: report.simulatedSeconds)
        let facts = [
            Escaping.line(report.scenario.name), report.mode.rawValue,
            Numbers.devices(report.devices), time,
            "seed \(report.seed)",
        ]
        lines.append("")
        sentence(facts.joined(separator: " · "), mark: "")
        lines.append("")
        let word = report.headline.uppercased()
        let (sign, tone): (String, Paint.Tone) =
            switch report.verdict {
            case .passed: ("✓", .good)
            case .failed: ("✗", .bad)
            case .invalid: ("!", .warn)
            case .interrupted: ("■", .warn)
            }
        lines.append("  " + paint("\(sign) \(word)", .bold, tone))
        for (index, reason) in report.reasons.enumerated() {
            sentence(reason, mark: "  ", index == 0 ? nil : .dim)
        }
    }

    mutating func ledger() {
        heading("LEDGER")
        let total = report.events.captured
        lines.append(columns.indent + row("captured", Numbers.count(total)))
        for fate in report.events.fates {
            row(fate.fate.rawValue, fate.count, of: total, Paint.tone(fate.fate))
            for cause in fate.causes { subrow(cause, of: total) }
        }
        let balance = report.events.balance
        let mark = balance == 0 ? paint("✓", .good) : paint("✗", .bad)
        lines.append(columns.indent + row("balance", String(balance)) + "  " + mark)
    }

    private mutating func row(_ name: String, _ count: UInt64, of total: UInt64, _ tone: Paint.Tone) {
        let share = total == 0 ? 0 : Double(count) / Double(total)
        let room = isNarrow ? 0 : min(40, width - 56)
        let blocks = count == 0 ? 0 : max(1, Int((share * Double(room)).rounded()))
        let name = isNarrow ? name : "  " + name
        let text = columns.indent + row(name, Numbers.count(count), share: Numbers.percent(count, of: total))
        let bar = room == 0 ? "" : "  " + paint(String(repeating: "█", count: min(room, blocks)), tone)
        lines.append(text + (count == 0 ? "" : bar))
    }

    private mutating func subrow(_ cause: Report.NamedCount, of total: UInt64) {
        let text = row(
            (isNarrow ? "  " : "    ") + Escaping.line(cause.name), Numbers.count(cause.count),
            share: Numbers.percent(cause.count, of: total))
        lines.append(columns.indent + paint(text, .dim))
    }

    mutating func audit() {
        heading("AUDIT")
        guard let audit = report.audit else {
            sentence(report.auditNote ?? report.noAuditNote, mark: "  ")
            return
        }
        if let note = report.auditNote { sentence(note, mark: "  ", .dim) }
        for (key, path) in AuditFields.all {
            let count = audit[keyPath: path]
            let mustBeZero = key == "acked_not_found" || key == "unexpected"
            guard count > 0 || mustBeZero || key == "received" || key == "confirmed" else { continue }
            let mark = mustBeZero ? "  " + (count == 0 ? paint("✓", .good) : paint("✗", .bad)) : ""
            lines.append(columns.indent + row(key, Numbers.count(count)) + mark)
        }
        missing()
    }

    /// Where the events are that the store lacks.
    private mutating func missing() {
        let missing = report.missingLines
        if !missing.isEmpty { lines.append("") }
        for line in missing {
            let indent = String(repeating: "  ", count: line.level)
            let text =
                Columns.leader(indent + Escaping.line(line.name), isNarrow ? columns.name + 6 : 30)
                + Columns.right(Numbers.count(line.count), 8)
            lines.append(columns.indent + (line.level > 1 ? paint(text, .dim) : text))
        }
    }

    mutating func thresholds() {
        guard !report.thresholds.isEmpty else { return }
        heading("THRESHOLDS")
        var last: String?
        for result in report.thresholds {
            if result.metric != last {
                lines.append("    " + Columns.shortened(Escaping.line(result.metric), width - 4))
                last = result.metric
            }
            let was = result.value == nil ? "had no samples" : "was \(Numbers.observed(result))"
            let text = "'\(Escaping.line(result.expression))' \(was)"
            let mark = result.ok ? paint("✓", .good) : paint("✗", .bad)
            let state = result.value == nil ? "" : result.ok ? ", holds" : ", broken"
            let more = report.isPartial ? state + " so far" : result.aborted ? ", ended the run" : ""
            lines.append(
                "    \(report.isPartial ? "…" : mark) " + Columns.clipped(text + more, width - 6))
        }
    }

    mutating func metrics() {
        guard !report.metrics.isEmpty else { return }
        heading("TOTAL RESULTS")
        let http = report.metrics.filter { $0.name.hasPrefix("http_") }
        let network = report.metrics.filter { $0.name.hasPrefix("data_") }
        let fleet = report.metrics.filter { !$0.name.hasPrefix("http_") && !$0.name.hasPrefix("data_") }
        for (title, group) in [("FLEET", fleet), ("HTTP", http), ("NETWORK", network)] where !group.isEmpty {
            lines.append(columns.indent + paint(title, .bold))
            for metric in group { line(metric) }
            if title == "FLEET", let note = report.prefilledNote { sentence(note, mark: "  ", .dim) }
            if title == "HTTP" { sentence(report.durationNote, mark: "  ", .dim) }
            lines.append("")
        }
        lines.removeLast()
    }

    /// Figures in columns; what does not fit goes on under them.
    private mutating func line(_ metric: Metric) {
        var name = Columns.leader(Escaping.line(metric.name), 26)
        if isNarrow {
            lines.append("  " + Columns.clipped(Escaping.line(metric.name), width - 2))
            name = ""
        }
        var line = "    " + name
        var used = 4 + name.count
        for part in MetricText.parts(metric) where width >= 125 || part.name != "p(99)" {
            let text = part.name.isEmpty ? part.text : "\(part.name)=\(part.text)"
            let column =
                Columns.left(text, part.name.isEmpty ? max(text.count + 2, 11) : part.name.count + 8) + " "
            if used + text.count > width {
                lines.append(trimmed(line))
                line = String(repeating: " ", count: 4 + name.count)
                used = line.count
            }
            let value = paint(part.text, .info)
            line += (part.name.isEmpty ? "" : part.name + "=") + value
            line += String(repeating: " ", count: column.count - text.count)
            used += column.count
        }
        lines.append(trimmed(line))
    }

    private func trimmed(_ text: String) -> String {
        var text = Substring(text)
        while text.last == " " { text = text.dropLast() }
        return String(text)
    }

    mutating func answers() {
        guard !report.answers.isEmpty else { return }
        heading("ANSWERS")
        let total = report.answers.reduce(0) { $0 + $1.count }
        for answer in report.answers {
            let text = row(
                Escaping.line(answer.name), Numbers.count(answer.count),
                share: Numbers.percent(answer.count, of: total))
            lines.append(columns.indent + text)
        }
        guard let first = report.firstFailedAnswer else { return }
        lines.append("")
        sentence("The first that failed: \(first.text)", mark: "  ")
    }

    mutating func list(_ title: String, _ items: [String]) {
        guard !items.isEmpty else { return }
        heading(title)
        for item in items { sentence(item, mark: "  - ") }
    }

    mutating func closing() {
        heading("RUN AGAIN")
        command(report.repeatCommand)
        lines.append("")
    }
}
