import Measurement
import Rendering

/// Several simulations, or live runs, for people: the means of each variant, and what they are against the scenario itself.
package enum LabText {
    /// What an overview shows of each variant.
    private static let leading = [
        "events_captured", "events_lost", "events_not_kept", "event_freshness.med", "event_freshness.p(95)",
        "freshness_within_1m", "freshness_within_1h", "events_duplicated", "http_reqs", "http_req_failed",
        "retries", "data_sent",
        "requests_per_device_day", "bytes_per_delivered_event", "peak_to_mean_requests",
    ]
    /// The same where a real collector was measured.
    private static let leadingLive = [
        "events_captured", "events_lost", "events_not_kept", "http_reqs", "http_req_failed",
        "http_req_duration.med",
        "http_req_duration.p(95)", "http_req_duration.p(99)", "event_freshness.med", "event_freshness.p(95)",
        "events_duplicated", "retries", "data_sent",
    ]

    static func word(_ report: LabReport) -> String {
        let word = report.verdict.rawValue.prefix(1).uppercased() + report.verdict.rawValue.dropFirst()
        return word + (report.exitCode == 0 ? "" : " (exit code \(report.exitCode))")
    }

    /// What came of the simulations as such.
    package static func verdict(_ report: LabReport) -> String {
        let cells = report.variants.flatMap { variant in variant.cells.map { (variant.name, $0) } }
        let bad = cells.filter { $0.1.exitCode != 0 }
        let end = rest(report)
        guard
            let first = bad.max(by: {
                VerdictRules.weight(of: $0.1.exitCode) < VerdictRules.weight(of: $1.1.exitCode)
            })
        else { return "\(runs(cells.count, report)) passed.\(end)" }
        let why = first.1.reason.map { ": \($0)" } ?? "."
        return "\(bad.count) of \(runs(cells.count, report)) did not pass; \(first.0), seed \(first.1.seed): "
            + "\(first.1.verdict.rawValue), exit code \(first.1.exitCode)\(why)\(end)"
    }

    /// What there is not, and why; nothing of what is whole.
    private static func rest(_ report: LabReport) -> String {
        guard report.isPartial else { return "" }
        if let missing = report.missingParts { return " \(missing)" }
        guard
            report.unfinished != nil
                || report.variants.contains(where: { $0.cells.count < report.seeds.count })
        else {
            return " The series was broken off before its report was written."
        }
        return " The rest is missing: the series was broken off.\(unfinished(report))"
    }

    /// Which run has results that nobody sees here, and why.
    private static func unfinished(_ report: LabReport) -> String {
        guard let run = report.unfinished else { return "" }
        return " The run that was under way (\(run.variant), seed \(run.seed)) is kept as interrupted: "
            + "no figure counts it, and nothing is compared with it."
    }

    private static func runs(_ count: Int, _ report: LabReport) -> String {
        Numbers.count(count, of: report.mode == .live ? "live run" : "simulation")
    }

    static func sentence(_ report: LabReport) -> String {
        let isWhole = report.variants.allSatisfy { $0.cells.count == report.seeds.count }
        let seeds =
            report.seeds.count == 1
            ? "seed \(report.seeds.first ?? 0)"
            : isWhole
                ? "the mean of \(report.seeds.count) seeds"
                : "the mean of those of \(report.seeds.count) seeds that were played"
        guard report.mode == .live else {
            let others = report.variants.map(\.name).filter { !report.foreignChanges(of: $0).isEmpty }
            let same = "played by the same users, doing the same at the same times on the same networks"
            return
                (others.isEmpty
                ? "Each variant is \(same)."
                : "Variants that change nothing but the policy are \(same). \(others.joined(separator: ", ")) "
                    + "\(others.count == 1 ? "changes" : "change") more than that.")
                + " Shown is \(seeds)."
        }
        let targets = report.variants.compactMap { variant in
            variant.target.map { "\(variant.name) is \($0)" }
        }
        return (targets.isEmpty ? "" : "The runs took turns: \(targets.joined(separator: ", ")). ")
            + "Shown is \(seeds)."
    }

    /// The mean of each variant, a row for each figure that any has.
    static func rows(_ report: LabReport) -> [[String]] {
        (report.mode == .live ? leadingLive : leading).compactMap { name in
            guard let figure = try? Figure.parse(name) else { return nil }
            let means = report.variants.map { variant -> Double? in
                let values = variant.cells.compactMap { figure.value(in: $0) }
                return values.isEmpty ? nil : MeanDifference(values).mean
            }
            guard means.contains(where: { $0 != nil }) else { return nil }
            return [name] + means.map { ComparisonText.value($0, figure) }
        }
    }

    /// The summary, ending with a line feed; no line is longer than `width` (at least 80) columns but for names of
    /// figures.
    package static func render(_ report: LabReport, comparisons: [Comparison], color: Bool, width: Int)
        -> String
    {
        let paint = Paint(isOn: color)
        let width = max(80, width)
        var lines = ["", "  " + Columns.clipped(head(report), width - 2), ""]
        lines += verdictLines(report, paint, width)
        let heading = report.mode == .live ? "█ RUNS" : "█ VARIANTS"
        lines += ["", "  " + paint(heading, .bold), ""] + table(report, paint, width)
        if !comparisons.isEmpty {
            lines += ["", "  " + paint("█ AGAINST \(Escaping.line(report.baseName))", .bold), ""]
            for comparison in comparisons {
                let words = summary(comparison)
                for (index, line) in Columns.wrapped(Escaping.line(words), width - 6).enumerated() {
                    lines.append((index == 0 ? "    - " : "      ") + line)
                }
            }
        }
        return (lines + [""]).joined(separator: "\n") + "\n"
    }

    /// The verdict behind its sign.
    static func verdictLines(_ report: LabReport, _ paint: Paint, _ width: Int) -> [String] {
        let sign = report.exitCode == 0 ? paint("✓", .bold, .good) : paint("✗", .bold, .bad)
        return Columns.wrapped(Escaping.line(verdict(report)), width - 4).enumerated().map { index, line in
            (index == 0 ? "  \(sign) " : "    ") + paint(line, .bold)
        }
    }

    private static func head(_ report: LabReport) -> String {
        let cells = report.variants.reduce(0) { $0 + $1.cells.count }
        return [
            Escaping.line(report.scenario.name), report.mode.rawValue,
            Numbers.count(report.variants.count, of: "variant"),
            Numbers.count(report.seeds.count, of: "seed"), runs(cells, report),
        ]
        .joined(separator: " · ")
    }

    /// As many variants side by side as there is room for; the others follow below.
    private static func table(_ report: LabReport, _ paint: Paint, _ width: Int) -> [String] {
        let names = report.variants.map { Escaping.line($0.name) }
        let first = 28
        let cell = max(14, min(24, (names.map(\.count).max() ?? 0) + 2))
        // Names may differ at their ends alone.
        let rows = [[""] + names.map { Columns.shortened($0, cell - 1) }] + rows(report)
        let perBlock = max(1, (width - 4 - first) / cell)
        var lines: [String] = []
        for start in stride(from: 1, through: report.variants.count, by: perBlock) {
            let columns = start..<min(start + perBlock, report.variants.count + 1)
            if start > 1 { lines.append("") }
            for (index, row) in rows.enumerated() {
                let text =
                    Columns.left(row[0], first)
                    + columns.map { Columns.right(Columns.clipped(Escaping.line(row[$0]), cell - 1), cell) }
                    .joined()
                lines.append("    " + (index == 0 ? paint(text, .dim) : text))
            }
        }
        return lines
    }

    /// What is worse, better, other and open of a variant: all that is not the same.
    package static func summary(_ comparison: Comparison) -> String {
        func list(_ word: Comparison.Word) -> String? {
            let rows = comparison.rows.filter { $0.word == word }
            guard !rows.isEmpty else { return nil }
            let shown = rows.prefix(6).map { row in
                let relative = ComparisonText.relative(row)
                let amount = row.difference.map { ComparisonText.signed($0.mean, row.figure) } ?? ""
                let seeds = row.shortfall.map { " (\($0))" } ?? ""
                return "\(row.figure.name) \(relative.isEmpty ? amount : relative)\(seeds)"
            }
            let more = rows.count > 6 ? " and \(rows.count - 6) more" : ""
            return "\(word.rawValue): \(shown.joined(separator: ", "))\(more)"
        }
        func number(of word: Comparison.Word) -> String? {
            let rows = comparison.rows.count { $0.word == word }
            return rows > 0 ? Numbers.count(rows, of: "figure") : nil
        }
        let parts = [
            list(.worse), list(.better), list(.higher), list(.lower),
            number(of: .cannotTell).map { "cannot tell of \($0)" },
            number(of: .refused).map { "\($0) refused" },
        ]
        let text = parts.compactMap { $0 }.joined(separator: "; ")
        let caution = comparison.differences.foreignWords.map { "not only another policy (\($0)): " } ?? ""
        return
            "\(comparison.candidate.variant): \(caution)\(text.isEmpty ? "the same in every figure" : text)"
    }
}
