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

    /// Which points did not pass; `nil` if all did.
    static func failing(_ sweep: SweepReport) -> String? {
        let outcomes = sweep.lab.variants.map { (name: $0.name, outcome: SweepReport.Outcome($0.cells)) }
        let failing = outcomes.filter { $0.outcome.failures > 0 }
        guard !failing.isEmpty else { return nil }
        let names = failing.prefix(6).map { "\($0.name) (\($0.outcome.words))" }
        let more = failing.count > names.count ? "; and \(failing.count - names.count) more" : ""
        return "\(failing.count) of \(Numbers.count(outcomes.count, of: "point")) did not pass: "
            + names.joined(separator: "; ") + more + "."
    }

    /// What to know before one takes a point for the best.
    static func notes(_ sweep: SweepReport) -> [String] {
        [caution(sweep)].compactMap(\.self) + missing(sweep)
            + [notKept(sweep), failing(sweep)].compactMap(\.self)
    }

    /// That the best point may be that of the easiest users; `nil` where nothing but a policy is varied.
    private static func caution(_ sweep: SweepReport) -> String? {
        let foreign = sweep.foreignAxes
        guard !foreign.isEmpty else { return nil }
        return
            "The points are not only another policy (\(foreign.joined(separator: ", "))): those that differ there are "
            + "played by other users or in another world, and may be better for that alone."
    }

    /// That points differ in what no goal of the front counts; `nil` if they do not, or if it is a goal.
    private static func notKept(_ sweep: SweepReport) -> String? {
        let name = CostMeasures.notKept.name
        guard ![sweep.cost.name, sweep.freshness.name].contains(name), let figure = try? Figure.parse(name)
        else { return nil }
        let shares = sweep.lab.variants.compactMap { sweep.mean(figure, $0) }
        guard let least = shares.min(), let most = shares.max(), most - least > ComparisonRequest.leastShare
        else { return nil }
        return
            "\(name) is \(Numbers.percent(least)) to \(Numbers.percent(most)): events that the collector acknowledged "
            + "without keeping them count as delivered here. --cost \(name) makes them a goal."
    }

    /// The summary, ending with a line feed: whether all passed, and the front.
    package static func render(_ sweep: SweepReport, color: Bool, width: Int) -> String {
        let paint = Paint(isOn: color)
        let width = max(80, width)
        var lines = [""]
        let head = "\(Escaping.line(sweep.lab.scenario.name)) · sweep · \(sentence(sweep))"
        lines += Columns.wrapped(Escaping.line(head), width - 2).map { "  \($0)" }
        lines += [""] + LabText.verdictLines(sweep.lab, paint, width)
        lines += ["", "  " + paint("█ WHAT NOTHING BEATS in cost, freshness and loss", .bold), ""]
        lines += front(sweep, paint, width)
        for note in notes(sweep) {
            lines += Columns.wrapped(Escaping.line(note), width - 4).map { "    " + $0 }
        }
        lines.append("")
        let marks = failing(sweep) == nil ? "" : "; \(mark): did not pass"
        let note =
            "cost: \(sweep.cost.name); freshness: \(sweep.freshness.name); means over the seeds\(marks)."
        lines += Columns.wrapped(note, width - 4).map { "    " + paint($0, .dim) }
        return (lines + [""]).joined(separator: "\n") + "\n"
    }

    /// Before the names of points that did not pass.
    private static let mark = "✗"

    /// A head, and the front, cheapest first.
    private static func front(_ sweep: SweepReport, _ paint: Paint, _ width: Int) -> [String] {
        let front = sweep.points.filter(\.isOnFront).sorted {
            ($0.cost ?? 0, $0.index) < ($1.cost ?? 0, $1.index)
        }
        let cells = [12, 14, 10]
        let name = width - 4 - cells.reduce(0, +)
        // What tells points apart may stand at the end of a name: a long one takes several lines.
        func row(_ texts: [String]) -> [String] {
            let lines = texts[0].isEmpty ? [""] : Columns.wrapped(texts[0], name - 1)
            let figures = zip(texts.dropFirst(), cells).map { Columns.right(Columns.clipped($0, $1 - 1), $1) }
            return [
                "    " + Columns.left(Columns.clipped(lines.first ?? "", name - 1), name) + figures.joined()
            ] + lines.dropFirst().map { "      " + Columns.clipped($0, width - 6) }
        }
        return row(["", "cost", "freshness", "lost"]).map { paint($0, .dim) }
            + front.flatMap { point in
                row([
                    (point.outcome.failures > 0 ? "\(mark) " : "") + Escaping.line(point.name),
                    ComparisonText.value(point.cost, sweep.cost),
                    ComparisonText.value(point.freshness, sweep.freshness),
                    point.loss.map { Numbers.percent($0) } ?? "–",
                ])
            }
    }
}
