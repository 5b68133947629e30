import Rendering

/// The runs of a folder, a line each.
package enum RunHistoryText {
    /// The list, ending with a line feed.
    package static func render(_ history: RunHistory, color: Bool) -> String {
        guard !history.entries.isEmpty else { return "no runs in \(history.folder)\n" }
        let paint = Paint(isOn: color)
        let header = ["began (UTC)", "verdict", "scenario", "kind", "commit"] + history.figures.map(\.name)
        let rows = history.entries.map { cells($0, history.figures) }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            zip(cells, widths).enumerated().map { index, cell in
                index < 5 ? Columns.left(cell.0, cell.1) : Columns.right(cell.0, cell.1)
            }.joined(separator: "  ")
        }
        var text = paint(line(header) + "  folder", .dim) + "\n"
        for (entry, row) in zip(history.entries, rows) {
            text += line(row).replacing(
                entry.word, with: paint(entry.word, tone(entry)), maxReplacements: 1)
            text += "  \(Escaping.line(entry.path))\n"
        }
        return text
    }

    private static func cells(_ entry: RunHistory.Entry, _ figures: [Figure]) -> [String] {
        [
            entry.when, entry.word, Columns.clipped(Escaping.line(entry.scenario.name), 28),
            entry.kind.rawValue, Escaping.line(entry.shortCommit),
        ] + figures.map(entry.text)
    }

    private static func tone(_ entry: RunHistory.Entry) -> Paint.Tone {
        if entry.isPartial { return .warn }
        switch entry.verdict {
        case .passed: return .good
        case .failed: return .bad
        case .invalid, .interrupted: return .warn
        }
    }
}
