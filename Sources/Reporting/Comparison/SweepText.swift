/// A sweep for people.
package enum SweepText {
    private static let leading = [
        "events_lost", "events_not_kept", "event_freshness.med", "event_freshness.p(95)",
        "freshness_within_1m", "freshness_within_1h",
        "requests_per_device_day", "bytes_per_device_day", "bytes_per_delivered_event", "retry_amplification",
        "peak_to_mean_requests", "events_duplicated",
    ]

    /// What a table shows, the two that are drawn first.
    static func figures(_ sweep: SweepReport) -> [Figure] {
        let own = [sweep.freshness, sweep.cost]
        return own
            + leading.filter { name in !own.contains { $0.name == name } }.compactMap {
                try? Figure.parse($0)
            }
    }

    static func sentence(_ sweep: SweepReport) -> String {
        let axes = sweep.axes.map { "\($0.path): \($0.values.joined(separator: ", "))" }
        let points = Numbers.count(sweep.lab.variants.count, of: "point")
        let seeds = Numbers.count(sweep.lab.seeds.count, of: "seed")
        return "\(points) over \(seeds). " + axes.joined(separator: "; ") + "."
    }

    /// Of each figure that is drawn and that nothing played has samples of: that no front can be told.
    static func missing(_ sweep: SweepReport) -> [String] {
        guard sweep.lab.variants.contains(where: { !$0.cells.isEmpty }) else { return [] }
        let points = sweep.points
        let drawn: [(name: String, means: [Double?])] = [
            (sweep.cost.name, points.map(\.cost)), (sweep.freshness.name, points.map(\.freshness)),
        ]
        return drawn.filter { figure in figure.means.allSatisfy { $0 == nil } }.map { figure in
            "\(figure.name) has no samples in any point: no point can be said to beat another."
        }
    }

    /// The summary, ending with a line feed: the front, cheapest first.
    package static func render(_ sweep: SweepReport, color: Bool, width: Int) -> String {
        let paint = Paint(isOn: color)
        let width = max(80, width)
        let front = sweep.points.filter(\.isOnFront).sorted {
            ($0.cost ?? 0, $0.index) < ($1.cost ?? 0, $1.index)
        }
        var lines = [""]
        let head = "\(Escaping.line(sweep.lab.scenario.name)) · sweep · \(sentence(sweep))"
        lines += Columns.wrapped(Escaping.line(head), width - 2).map { "  \($0)" }
        lines += ["", "  " + paint("█ WHAT NOTHING BEATS in cost, freshness and loss", .bold), ""]
        let cells = [12, 14, 10]
        let name = width - 4 - cells.reduce(0, +)
        func row(_ texts: [String]) -> String {
            "    " + Columns.left(Columns.clipped(texts[0], name - 1), name)
                + zip(texts.dropFirst(), cells).map { Columns.right(Columns.clipped($0, $1 - 1), $1) }
                .joined()
        }
        lines.append(paint(row(["", "cost", "freshness", "lost"]), .dim))
        for point in front {
            lines.append(
                row([
                    Escaping.line(point.name), ComparisonText.value(point.cost, sweep.cost),
                    ComparisonText.value(point.freshness, sweep.freshness),
                    point.loss.map { Numbers.percent($0) } ?? "–",
                ]))
        }
        for note in missing(sweep) {
            lines += Columns.wrapped(Escaping.line(note), width - 4).map { "    " + $0 }
        }
        lines.append("")
        let note = "cost: \(sweep.cost.name); freshness: \(sweep.freshness.name); means over the seeds."
        lines += Columns.wrapped(note, width - 4).map { "    " + paint($0, .dim) }
        return (lines + [""]).joined(separator: "\n") + "\n"
    }
}
