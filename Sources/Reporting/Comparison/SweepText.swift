import Rendering

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

    /// What is to be small, each figure once, with where a point has it.
    private static func goals(_ sweep: SweepReport) -> [(name: String, mean: (SweepReport.Point) -> Double?)]
    {
        let loss = SweepReport.loss
        return [(sweep.cost.name, { $0.cost })]
            + (sweep.freshness.name == sweep.cost.name ? [] : [(sweep.freshness.name, { $0.freshness })])
            + ([sweep.cost.name, sweep.freshness.name].contains(loss) ? [] : [(loss, { $0.loss })])
    }

    /// Of each figure that decides about the front: that no point played has samples of it, and so no front can be
    /// told; or which of them have none, and are left off it.
    static func missing(_ sweep: SweepReport) -> [String] {
        let played = zip(sweep.points, sweep.lab.variants).filter { !$0.1.cells.isEmpty }.map(\.0)
        guard !played.isEmpty else { return [] }
        return goals(sweep).compactMap { goal in
            let without = played.filter { goal.mean($0) == nil }.map(\.name)
            switch without.count {
            case 0: return nil
            case played.count:
                return "\(goal.name) has no samples in any point: no point can be said to beat another."
            default:
                return
                    "\(goal.name) has no samples in \(without.count) of \(Numbers.count(played.count, of: "point")), "
                    + "which nothing can be said to beat and which are left off the front: \(listed(without))."
            }
        }
    }

    /// Points that are judged by some of their seeds, because the others have no samples of what decides.
    static func halfMissing(_ sweep: SweepReport) -> [String] {
        let figures = [sweep.cost, sweep.freshness].prefix(sweep.cost == sweep.freshness ? 1 : 2)
        return figures.compactMap { figure in
            let partly = sweep.lab.variants.compactMap { variant -> String? in
                let count = variant.cells.count { figure.value(in: $0) != nil }
                guard count > 0, count < variant.cells.count else { return nil }
                return "\(variant.name) (\(count) of \(Numbers.count(variant.cells.count, of: "seed")))"
            }
            guard !partly.isEmpty else { return nil }
            return "\(figure.name) is a mean of those seeds alone that have samples of it: \(listed(partly))."
        }
    }

    /// The first six names, and how many more there are.
    private static func listed(_ names: [String]) -> String {
        let more = names.count > 6 ? "; and \(names.count - 6) more" : ""
        return names.prefix(6).joined(separator: "; ") + more
    }

    /// Which points did not pass; `nil` if all did.
    static func failing(_ sweep: SweepReport) -> String? {
        let outcomes = sweep.lab.variants.map { (name: $0.name, outcome: SweepReport.Outcome($0.cells)) }
        let failing = outcomes.filter { $0.outcome.failures > 0 }
        guard !failing.isEmpty else { return nil }
        return "\(failing.count) of \(Numbers.count(outcomes.count, of: "point")) did not pass: "
            + listed(failing.map { "\($0.name) (\($0.outcome.words))" }) + "."
    }

    /// What to know before one takes a point for the best.
    static func notes(_ sweep: SweepReport) -> [String] {
        [caution(sweep)].compactMap(\.self) + missing(sweep) + halfMissing(sweep)
            + [waiting(sweep), notKept(sweep), failing(sweep)].compactMap(\.self)
    }

    /// That the best point may be that of the easiest users; `nil` where nothing but a policy is varied.
    private static func caution(_ sweep: SweepReport) -> String? {
        let foreign = sweep.foreignAxes
        guard !foreign.isEmpty else { return nil }
        return
            "The points are not only another policy (\(foreign.joined(separator: ", "))): those that differ there are "
            + "played by other users or in another world, and may be better for that alone."
    }

    /// That points differ in what never came to an end, which no goal of the front counts: who delivers next to nothing may
    /// do so at once. `nil` if they do not.
    private static func waiting(_ sweep: SweepReport) -> String? {
        let shares = sweep.lab.variants.filter { !$0.cells.isEmpty }.map(\.cells.waitingShare)
        guard let least = shares.min(), let most = shares.max(), most - least > ComparisonRequest.leastShare
        else { return nil }
        return
            "\(Numbers.percent(least)) to \(Numbers.percent(most)) of the events were still waiting when the run ended: "
            + "they count as neither lost nor late, so that a point may look fresh because it delivered little. A "
            + "drain that is longer than the slowest flush tells the points apart."
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
        // What tells points apart may stand at the end of a name, or of a long word of it: all of it is there, over as many
        // lines as it takes.
        func row(_ texts: [String]) -> [String] {
            let lines = Columns.wrapped(texts[0], name - 1).flatMap { Columns.cut($0, name - 1) }
            let figures = zip(texts.dropFirst(), cells).map { Columns.right(Columns.clipped($0, $1 - 1), $1) }
            return [
                "    " + Columns.left(lines.first ?? "", name) + figures.joined()
            ] + lines.dropFirst().map { "      " + $0 }
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
