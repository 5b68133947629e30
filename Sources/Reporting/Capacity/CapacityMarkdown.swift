import Measurement
import Rendering

/// `summary.md` of a search: what a pull request or a chat needs to see.
package enum CapacityMarkdown {
    /// The whole file.
    package static func write(_ report: CapacityReport) -> [UInt8] {
        var text = "# \(Escaping.markdown(report.scenario.name)): capacity\n\n"
        if let first = report.reasons.first { text += "**\(Escaping.markdown(first))**\n\n" }
        text += MarkdownWriter.list(Array(report.reasons.dropFirst()))
        text +=
            "Against \(Escaping.markdown(report.run.targetInWords)), \(report.mode.rawValue), "
        text +=
            "seed \(report.seed), \(CapacityText.steps(report.steps.count)) in \(Numbers.duration(seconds: report.wallSeconds)).\n\n"
        if let meaning = CapacityText.meaning(report) { text += "\(meaning)\n\n" }
        text += "## Steps by load\n\n" + steps(report)
        text += "## Conditions for a load\n\n"
        text += MarkdownWriter.list(report.conditions.map { "\($0.metric) \($0.expression)" })
        if !report.warnings.isEmpty { text += "## Warnings\n\n" + MarkdownWriter.list(report.warnings) }
        text += "## How to run it again\n\n" + MarkdownWriter.fenced(report.repeatCommand.text)
        if let command = report.playCommand {
            text += "\nThe load that holds, alone:\n\n" + MarkdownWriter.fenced(command.text)
        }
        return Array(text.utf8)
    }

    private static func steps(_ report: CapacityReport) -> String {
        let columns = CapacityColumn.all(report)
        let header =
            ["", "load", "req/s", "events/s", "delivered/s"] + columns.map { Escaping.markdown($0.name) } + [
                "why"
            ]
        let rows = report.steps.sorted { ($0.load, $0.number) < ($1.load, $1.number) }.map { step in
            [
                CapacityChart.sign(step.verdict),
                CapacityText.load(step.load, report.scaling), Numbers.short(step.requestsOffered),
                Numbers.short(step.eventsOffered), Numbers.short(step.eventsDelivered),
            ] + columns.map { Escaping.markdown($0.cell(step)) }
                + [Escaping.markdown(step.reasons.joined(separator: " "))]
        }
        let legend = report.steps.isEmpty ? "" : "\(Escaping.markdown(CapacityChart.legend(report)))\n\n"
        return MarkdownWriter.table(header, numbers: Set(1..<header.count - 1), rows) + legend
    }
}
