import Accounting
import Measurement
import Rendering
import Timebase

/// `summary.md`: what a pull request or a chat needs to see.
package struct MarkdownWriter: ReportWriter {
    package static let format = "md"
    package static let fileName = "summary.md"
    package init() {}

    package func render(_ report: Report) -> [UInt8] {
        let report = report.summarised
        var text = "# \(Escaping.markdown(report.scenario.name)): \(report.headline)\n\n"
        for note in [report.paceNote, report.warmUpNote].compactMap(\.self) {
            text += "> \(Escaping.markdown(note))\n\n"
        }
        if let first = report.reasons.first { text += "**\(Escaping.markdown(first))**\n\n" }
        text += MarkdownWriter.list(Array(report.reasons.dropFirst()))
        text += MarkdownWriter.opening(report)
        text += MarkdownWriter.ledger(report)
        text += MarkdownWriter.thresholds(report)
        text += MarkdownWriter.audit(report)
        text += MarkdownWriter.metrics(report)
        text += MarkdownWriter.populations(report)
        text += MarkdownWriter.entries(report)
        text += MarkdownWriter.answers(report)
        if !report.warnings.isEmpty { text += "## Warnings\n\n" + MarkdownWriter.list(report.warnings) }
        text += MarkdownWriter.run(report)
        return Array(text.utf8)
    }

    /// A share that is safe in Markdown: `<0.01 %` would begin a tag.
    private static func share(_ part: UInt64, of whole: UInt64) -> String {
        Escaping.markdown(Numbers.percent(part, of: whole))
    }

    /// A list; nothing where there are no items.
    static func list(_ items: [String]) -> String {
        items.isEmpty ? "" : items.map { "- \(Escaping.markdown($0))\n" }.joined() + "\n"
    }

    /// A command as a block of code.
    static func fenced(_ command: String) -> String {
        var fence = "```"
        while command.contains(fence) { fence += "`" }
        return "\(fence)sh\n\(command)\n\(fence)\n"
    }

    /// A table; cells are Markdown already. The columns in `numbers` stand to the right.
    static func table(_ header: [String], numbers: Set<Int>, _ rows: [[String]]) -> String {
        let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |\n" }
        let rule = header.indices.map { numbers.contains($0) ? "---:" : "---" }
        return line(header) + line(rule) + rows.map(line).joined() + "\n"
    }

    private static func opening(_ report: Report) -> String {
        let world = report.mode == .live ? "live" : "virtual"
        let time = Numbers.duration(seconds: report.simulatedSeconds)
        let target = Escaping.markdown(report.run.targetInWords)
        return "\(Numbers.devices(report.devices)), \(time) \(world), seed \(report.seed), "
            + "started \(report.startedAt.text), against \(target).\n\n"
    }

    private static func ledger(_ report: Report) -> String {
        let total = report.events.captured
        var rows = [["**captured**", Numbers.count(total), ""]]
        for fate in report.events.fates {
            rows.append([fate.fate.rawValue, Numbers.count(fate.count), share(fate.count, of: total)])
            for cause in fate.causes {
                let name = "&emsp;\(Escaping.markdown(cause.name))"
                rows.append([name, Numbers.count(cause.count), share(cause.count, of: total)])
            }
        }
        rows.append(["**balance**", String(report.events.balance), ""])
        return "## Ledger\n\n" + table(["fate", "events", "share"], numbers: [1, 2], rows)
    }

    private static func thresholds(_ report: Report) -> String {
        guard !report.thresholds.isEmpty else { return "" }
        let rows = report.thresholds.map { result in
            [
                report.isPartial ? result.ok ? "holds so far" : "broken so far" : result.ok ? "✓" : "✗",
                Escaping.markdown(result.metric), Escaping.markdown(result.expression),
                Escaping.markdown(Numbers.observed(result)),
            ]
        }
        return "## Thresholds\n\n" + table(["", "metric", "has to keep", "was"], numbers: [3], rows)
    }

    private static func audit(_ report: Report) -> String {
        var text = "## Audit\n\n"
        if let note = report.auditNote { text += Escaping.markdown(note) + "\n\n" }
        guard let audit = report.audit else {
            guard report.auditNote == nil else { return text }
            return text + Escaping.markdown(report.noAuditNote) + "\n\n"
        }
        let rows = AuditFields.all.map { field in
            [
                Escaping.markdown(field.key), Numbers.count(audit[keyPath: field.path]),
                AuditFields.meaning(field.key),
            ]
        }
        text += table(["count", "events", "meaning"], numbers: [1], rows)
        let lines = report.missingLines
        guard !lines.isEmpty else { return text }
        return text + "Where the missing events are:\n\n"
            + table(
                ["place", "events", "meaning"], numbers: [1],
                lines.map { line in
                    let indent = String(repeating: "&emsp;", count: line.level)
                    return [
                        indent + Escaping.markdown(line.name), Numbers.count(line.count),
                        Escaping.markdown(line.meaning),
                    ]
                })
    }

    private static func metrics(_ report: Report) -> String {
        guard !report.metrics.isEmpty else { return "" }
        let rows = report.metrics.map { metric in
            [Escaping.markdown(metric.name), Escaping.markdown(MetricText.line(metric))]
        }
        return "## Metrics\n\n" + table(["metric", "value"], numbers: [], rows)
            + Escaping.markdown(report.durationNote) + "\n\n"
    }

    private static func populations(_ report: Report) -> String {
        guard !report.populations.isEmpty else { return "" }
        let rows = report.populations.map { population in
            let time = { (name: String) in
                population.metrics.trend(name).map { Numbers.duration(milliseconds: $0.p95) } ?? "–"
            }
            return [
                Escaping.markdown(population.name),
                Escaping.markdown("\(population.system) \(population.version)"),
                Numbers.count(population.devices), Numbers.count(population.events.captured),
                share(population.events.delivered, of: population.events.captured),
                share(population.events.gone, of: population.events.captured), time("event_freshness"),
                time("http_req_duration"),
            ]
        }
        let header = [
            "population", "system", "devices", "captured", "delivered", "gone for good", "freshness p(95)",
            "request p(95)",
        ]
        return "## Populations\n\n" + table(header, numbers: [2, 3, 4, 5, 6, 7], rows)
            + (report.pairingNote.map { Escaping.markdown($0) + "\n\n" } ?? "")
    }

    private static func entries(_ report: Report) -> String {
        guard !report.entries.isEmpty else { return "" }
        let rows = EntryFigures.rows(of: report).map { $0.map { Escaping.markdown($0) } }
        return "## Timeline\n\n"
            + table(EntryFigures.header, numbers: EntryFigures.numbers, rows)
            + (EntryFigures.note(report).map { $0 + "\n\n" } ?? "")
    }

    private static func answers(_ report: Report) -> String {
        guard !report.answers.isEmpty else { return "" }
        let total = report.answers.reduce(0) { $0 + $1.count }
        let rows = report.answers.map {
            [Escaping.markdown($0.name), Numbers.count($0.count), share($0.count, of: total)]
        }
        let first = report.firstFailedAnswer.map {
            "The first that failed: \(Escaping.markdown(Escaping.line($0.text)))\n\n"
        }
        return "## Answers\n\n" + table(["answer", "uploads", "share"], numbers: [1, 2], rows)
            + (first ?? "")
    }

    private static func run(_ report: Report) -> String {
        let facts = RunFacts.of(report).filter { !$0.value.isEmpty }.map {
            [$0.name, Escaping.markdown($0.value)]
        }
        return "## How to run it again\n\n\(fenced(report.repeatCommand.text))\n"
            + table(["", ""], numbers: [], facts)
    }
}
