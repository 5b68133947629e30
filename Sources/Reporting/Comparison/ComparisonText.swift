import Measurement
import Rendering

/// A comparison on a terminal, and its sentences.
package enum ComparisonText {
    /// The summary, ending with a line feed; no line is longer than `width` (at least 80) columns.
    package static func render(_ comparison: Comparison, color: Bool, width: Int) -> String {
        ComparisonPage(comparison, paint: Paint(isOn: color), width: max(80, width)).text
    }

    /// What it comes to, in one sentence.
    package static func verdict(_ comparison: Comparison) -> String {
        let failed = comparison.gates.filter { $0.outcome == .fails }.map(\.reason)
        if !failed.isEmpty {
            let what = comparison.hasDefaultGates ? "Regression" : "Gate failed"
            return "\(what): \(failed.joined(separator: "; "))."
        }
        if let doubt = doubt(of: comparison) {
            if comparison.isStrict { return "Failed (--strict): it cannot be told whether \(doubt)." }
            let what = comparison.hasDefaultGates ? "No regression is shown" : "No gate failed"
            return "\(what), but it cannot be told whether \(doubt)."
                + (comparison.hasDefaultGates ? notKept(comparison).map { " The \($0)." } ?? "" : "")
        }
        guard comparison.hasDefaultGates else { return "All gates hold." }
        return notKept(comparison).map { "No regression by the default gates, but the \($0)." }
            ?? "No regression."
    }

    /// That the candidate's collector keeps fewer events, which the default gates do not look at; `nil` if it does not.
    private static func notKept(_ comparison: Comparison) -> String? {
        comparison.keepsLess.map { "collector keeps fewer events: \($0.figure.name)\(amount($0))" }
    }

    /// What cannot be told, as the end of a sentence; `nil` if all can.
    private static func doubt(of comparison: Comparison) -> String? {
        let open = comparison.gates.filter { $0.outcome == .cannotTell }
        guard let last = open.last else { return nil }
        // Without gates of the user's own, what matters is that nothing got worse, not how that is written.
        let name = comparison.hasDefaultGates ? \Comparison.GateResult.figure : \Comparison.GateResult.text
        let others = open.dropLast().map { $0[keyPath: name] }.joined(separator: ", ")
        let all = (others.isEmpty ? "" : others + " and ") + last[keyPath: name]
        if comparison.hasDefaultGates { return "\(all) got worse" }
        return "\(all) \(open.count == 1 ? "holds" : "hold")"
    }

    /// What was held against each other: `20 common seeds`, or `5 and 6 runs, unpaired`.
    static func held(_ comparison: Comparison) -> String {
        guard comparison.isPaired else {
            if comparison.base.cells.count == 1, comparison.candidate.cells.count == 1 {
                return "one run each, unpaired"
            }
            return "\(comparison.base.cells.count) and \(comparison.candidate.cells.count) runs, unpaired"
        }
        return Numbers.count(comparison.seeds.count, of: "common seed")
    }

    /// Rows that tell something: not those where both are 0, or both have no samples.
    static func shown(_ comparison: Comparison) -> [Comparison.Row] {
        comparison.rows.filter(tellsSomething)
    }

    private static func tellsSomething(_ row: Comparison.Row) -> Bool {
        let isNothing = row.base == row.candidate && (row.base ?? 0) == 0
        return !isNothing || ComparisonRequest.defaultGates.contains(row.figure.name)
    }

    /// What was left out by ``shown(_:)``; `nil` for nothing.
    static func omitted(_ comparison: Comparison) -> String? {
        let rows = comparison.rows.filter { !tellsSomething($0) }
        let zeros = rows.count { $0.base != nil }
        let unmeasured = rows.count - zeros
        var parts: [String] = []
        if zeros > 0 {
            parts.append(Numbers.count(zeros, of: "figure") + " that \(zeros == 1 ? "is" : "are") 0 in both")
        }
        if unmeasured > 0 {
            parts.append(Numbers.count(unmeasured, of: "figure") + " without samples in both")
        }
        return parts.isEmpty ? nil : "Left out: \(parts.joined(separator: ", "))."
    }

    static func value(_ value: Double?, _ figure: Figure) -> String {
        value.map { Numbers.value($0, of: figure) } ?? "–"
    }

    /// A difference with its sign: points for shares.
    static func signed(_ value: Double, _ figure: Figure) -> String {
        if value == 0 { return "0" }
        let sign = value > 0 ? "+" : "−"
        if figure.isShare, value.magnitude < smallestShare {
            return (value > 0 ? "<" : ">") + sign + "0.001 pt"
        }
        if figure.isShare { return sign + points(value.magnitude) }
        let text = Numbers.value(value.magnitude, of: figure)
        // What rounds to nothing has no direction.
        return text.contains { $0.isNumber && $0 != "0" } ? sign + text : text
    }

    /// A thousandth of a point.
    private static let smallestShare = 0.000_01

    /// A share in points, with at most three decimals.
    private static func points(_ value: Double) -> String {
        Numbers.plain((value * 100_000).rounded() / 1000) + " pt"
    }

    /// `+12 %` of the base; empty for shares and where the base is nothing.
    static func relative(_ row: Comparison.Row) -> String {
        guard !row.figure.isShare, let base = row.base, base != 0, let mean = row.difference?.mean, mean != 0
        else { return "" }
        let ratio = mean / base.magnitude
        return (ratio > 0 ? "+" : "−") + Numbers.percent(ratio.magnitude)
    }

    /// `[−0.1 pt, +0.2 pt]`; empty without an interval.
    static func interval(_ row: Comparison.Row) -> String {
        guard let interval = row.difference?.interval else { return "" }
        return "[\(signed(interval.lowerBound, row.figure)), \(signed(interval.upperBound, row.figure))]"
    }

    /// A verdict, and of how many seeds it is if not of all.
    static func verdict(_ row: Comparison.Row) -> String {
        row.word.rawValue + (row.shortfall.map { ", \($0)" } ?? "")
    }

    /// Behind a verdict: by how much.
    static func amount(_ row: Comparison.Row) -> String {
        guard let difference = row.difference else { return "" }
        let interval = interval(row)
        return " (\(signed(difference.mean, row.figure))" + (interval.isEmpty ? "" : ", 95 % \(interval)")
            + (row.shortfall.map { ", \($0)" } ?? "") + ")"
    }

    static func reason(_ gate: Gate, _ difference: MeanDifference, isPaired: Bool) -> String {
        let text = "\(gate.text): the candidate is \(signed(difference.mean, gate.figure)) from the limit"
        guard let interval = difference.interval else {
            return text + (isPaired ? ", on a single pair" : ", and one run on a side has no interval")
        }
        let (low, high) = (signed(interval.lowerBound, gate.figure), signed(interval.upperBound, gate.figure))
        return text + ", 95 % [\(low), \(high)]"
    }

    /// What differs in the scenarios, a line each.
    package static func lines(_ differences: [ScenarioDifference]) -> [String] {
        differences.map { difference in
            "\(difference.pointer): \(difference.base ?? "not set") → \(difference.candidate ?? "not set")"
        }
    }
}

/// The summary as it grows.
private struct ComparisonPage: TextPage {
    let comparison: Comparison
    let paint: Paint
    let width: Int
    var lines: [String] = []

    init(_ comparison: Comparison, paint: Paint, width: Int) {
        self.comparison = comparison
        self.paint = paint
        self.width = width
        opening()
        differences()
        verdict()
        gates()
        figures()
        list("WARNINGS", comparison.warnings)
        lines.append("")
    }

    private mutating func opening() {
        lines.append("")
        paragraph(
            "\(comparison.base.label) → \(comparison.candidate.label) · \(ComparisonText.held(comparison))",
            "  ")
    }

    private mutating func verdict() {
        lines.append("")
        let failed = comparison.exitCode != 0
        let sign = failed ? paint("✗", .bold, .bad) : paint("✓", .bold, .good)
        let sentence = Columns.wrapped(Escaping.line(ComparisonText.verdict(comparison)), width - 4)
        for (index, line) in sentence.enumerated() {
            lines.append((index == 0 ? "  \(sign) " : "    ") + paint(line, .bold))
        }
    }

    private mutating func differences() {
        let changes = ComparisonText.lines(comparison.differences)
        heading("WHAT DIFFERS")
        for change in changes { paragraph(change, "    ") }
        if changes.isEmpty { paragraph("nothing: the scenarios are the same", "    ") }
    }

    private mutating func gates() {
        heading(comparison.hasDefaultGates ? "GATES (the default ones)" : "GATES")
        for gate in comparison.gates {
            let mark =
                switch gate.outcome {
                case .holds: paint("✓", .good)
                case .fails: paint("✗", .bad)
                case .cannotTell: paint("?", .warn)
                }
            for (index, line) in Columns.wrapped(Escaping.line(gate.reason), width - 6).enumerated() {
                lines.append((index == 0 ? "    \(mark) " : "      ") + line)
            }
        }
    }

    private mutating func figures() {
        heading("FIGURES")
        let rows = ComparisonText.shown(comparison)
        lines += ComparisonTable(rows, paint: paint, width: width - 4).lines.map { "    " + $0 }
        lines.append("")
        if let omitted = ComparisonText.omitted(comparison) { paragraph(omitted, "    ", .dim) }
        paragraph(comparison.method, "    ", .dim)
    }
}
