import Measurement
import Rendering

extension TerminalPage {
    /// Each population in a row, where there are several.
    mutating func populations() {
        guard report.populations.count > 1 else { return }
        heading("POPULATIONS")
        defer { if let note = report.pairingNote { sentence(note, mark: "  ", .dim) } }
        guard !isNarrow else { return populationsBelow() }
        // A narrow terminal shows shares and freshness only.
        let hidden = width < 84 ? 2 : 0
        let row = { (cells: [String]) in
            let shown = cells.dropFirst(hidden)
            return shown.dropLast().map { Columns.right($0, 12) }.joined()
                + Columns.right(shown.last ?? "", 14)
        }
        let header = ["devices", "captured", "delivered", "gone", "fresh p(95)"]
        let space = max(12, width - 6 - (header.count - hidden) * 12)
        lines.append("    " + paint(Columns.left("", space) + row(header), .dim))
        for population in report.populations {
            let events = population.events
            let fresh = population.metrics.trend("event_freshness")
            let cells = [
                Numbers.count(population.devices), Numbers.count(events.captured),
                Numbers.percent(events.delivered, of: events.captured),
                Numbers.percent(events.gone, of: events.captured),
                fresh.map { Numbers.duration(milliseconds: $0.p95) } ?? "–",
            ]
            let name = Columns.left(Columns.shortened(Escaping.line(population.name), space - 1), space)
            lines.append("    " + name + row(cells))
        }
    }

    /// For terminals without room for a table.
    private mutating func populationsBelow() {
        for population in report.populations {
            let events = population.events
            let fresh = population.metrics.trend("event_freshness")
            lines.append("  " + Columns.shortened(Escaping.line(population.name), width - 2))
            let facts = [
                Numbers.devices(population.devices),
                "\(Numbers.percent(events.delivered, of: events.captured)) delivered",
                "\(Numbers.percent(events.gone, of: events.captured)) gone",
                "fresh p(95) \(fresh.map { Numbers.duration(milliseconds: $0.p95) } ?? "–")",
            ]
            sentence(facts.joined(separator: ", "), mark: "  ", .dim)
        }
    }
}
