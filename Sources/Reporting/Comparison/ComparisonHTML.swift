import Measurement
import Rendering

/// Comparisons as a page: one file without network or script, for laptop and phone, light and dark.
package enum ComparisonHTML {
    /// Two policies side by side.
    package static func write(_ comparison: Comparison) -> [UInt8] {
        page(
            title: "\(comparison.base.label) → \(comparison.candidate.label)", eyebrow: "comparison",
            lead: comparison.candidate.scenario.description, version: comparison.candidate.toolVersion
        ) { html in
            opening(comparison, into: &html)
        } content: { html in
            content(comparison, prefix: "", into: &html)
        }
    }

    /// The same as part of another page, below a heading of the third level. Nobody asked for this very pair, so that there
    /// is no verdict on two that `compare` refuses.
    ///
    /// - Parameter prefix: Of identifiers, which are unique in a page.
    static func write(_ comparison: Comparison, prefix: String, into html: inout Markup) {
        if comparison.differences.foreign.isEmpty {
            opening(comparison, heading: "h4", into: &html)
        } else {
            verdict(
                "The scenarios differ in more than their policies: other users, or another world.",
                "interrupted",
                word: "No verdict", into: &html)
            HTMLWriter().notes("Warnings", comparison.warnings, heading: "h4", into: &html)
        }
        content(comparison, prefix: prefix, heading: "h4", into: &html)
    }

    /// A run of variants: each held against the scenario itself.
    ///
    /// - Parameter comparisons: One for each variant but `base`; none if there is only that.
    package static func write(_ report: LabReport, comparisons: [Comparison]) -> [UInt8] {
        page(
            title: report.scenario.name,
            eyebrow: report.mode == .live ? "live runs" : "variants, \(report.mode.rawValue)",
            lead: report.scenario.description, version: report.toolVersion
        ) { html in
            verdict(LabText.verdict(report), report.verdict.rawValue, word: LabText.word(report), into: &html)
            HTMLWriter().notes("Warnings", report.warnings, into: &html)
        } content: { html in
            content(report, comparisons: comparisons, into: &html)
        }
    }

    static func content(_ report: LabReport, comparisons: [Comparison], into html: inout Markup) {
        overview(report, into: &html)
        for (index, comparison) in comparisons.enumerated() {
            HTMLWriter().section(
                "variant-\(index)", "\(comparison.base.variant) → \(comparison.candidate.variant)", &html
            ) { html in opening(comparison, goesOn: report.goesOn, heading: "h3", into: &html) }
            content(comparison, prefix: "v\(index)-", heading: "h3", into: &html)
        }
    }

    /// How far the runs of variants are, or what they came to.
    static func standing(_ report: LabReport, into html: inout Markup) {
        let played = report.variants.reduce(0) { $0 + $1.cells.count }
        let all = report.variants.count * report.seeds.count
        if !report.goesOn {
            verdict(LabText.verdict(report), report.verdict.rawValue, word: LabText.word(report), into: &html)
        } else {
            html.element(
                "p", ["class": "lead"],
                "\(played) of \(all) runs have ended. This is what they came to so far.")
        }
        HTMLWriter().notes("Warnings", report.warnings, into: &html)
    }

    private static func page(
        title: String, eyebrow: String, lead: String, version: String, opening: (inout Markup) -> Void,
        content: (inout Markup) -> Void
    ) -> [UInt8] {
        Markup.page(
            title: title, styles: [style],
            header: { html in
                html.element("p", ["class": "eyebrow"], "Beaconswarm · \(eyebrow)")
                html.element("h1", title)
                if !lead.isEmpty { html.element("p", ["class": "lead"], lead) }
                opening(&html)
            }, footer: "Beaconswarm \(version)", main: content)
    }

    /// Rules for comparisons, wherever they stand.
    static let style: StaticString = """
        .word-worse{color:var(--bad);font-weight:620}.word-better{color:var(--good);font-weight:620}
        .word-open{color:var(--warn)}.word-same{color:var(--quiet)}
        .words td,.words th{white-space:nowrap}
        .forest{width:100px;height:14px}.forest .zero{stroke:var(--quiet);stroke-width:1}
        .forest .band{fill:var(--rule);stroke:none;fill-opacity:1}
        .forest .reach{stroke:var(--c);stroke-width:2}.forest circle{fill:var(--c)}
        .forest.worse{--c:var(--bad)}.forest.better{--c:var(--good)}.forest.open{--c:var(--warn)}
        .forest.same{--c:var(--quiet)}
        main .verdict{margin-top:12px}
        """

    /// - Parameters:
    ///   - goesOn: Whether runs are still to come: what holds so far may not hold at the end.
    ///   - heading: The element of the heading of warnings, where it stands in a section.
    private static func opening(
        _ comparison: Comparison, goesOn: Bool = false, heading: StaticString? = nil, into html: inout Markup
    ) {
        let holds = comparison.exitCode == 0
        let text = ComparisonText.verdict(comparison)
        if goesOn {
            verdict(
                "So far: \(text)", holds ? "going" : "failed",
                word: holds ? "Holds so far" : "Does not hold so far", into: &html)
        } else {
            let word = holds ? "Passed" : "Failed (exit code \(comparison.exitCode))"
            verdict(text, holds ? "passed" : "failed", word: word, into: &html)
        }
        HTMLWriter().notes("Warnings", comparison.warnings, heading: heading, into: &html)
    }

    static func verdict(_ text: String, _ tone: String, word: String, into html: inout Markup) {
        html.element("div", ["class": "verdict \(tone)"]) { html in
            html.element("p", ["class": "word"], word)
            html.element("p", ["class": "why"], text)
        }
    }

    /// - Parameter heading: The element of the headings.
    private static func content(
        _ comparison: Comparison, prefix: String, heading: StaticString = "h2", into html: inout Markup
    ) {
        HTMLWriter().section("\(prefix)differences", "What differs", heading: heading, &html) { html in
            let lines = ComparisonText.lines(comparison.differences)
            html.element("ul", ["class": "notes"]) { html in
                for line in lines.isEmpty ? ["Nothing: the scenarios are the same."] : lines {
                    html.element("li") { html in html.element("code", line) }
                }
            }
        }
        HTMLWriter().section(
            "\(prefix)gates", comparison.hasDefaultGates ? "Gates (the default ones)" : "Gates",
            heading: heading,
            &html
        ) { html in
            html.element("ul", ["class": "notes"]) { html in
                for gate in comparison.gates { html.element("li", "\(sign(gate.outcome)) \(gate.reason)") }
            }
        }
        figures(comparison, prefix: prefix, heading: heading, into: &html)
    }

    private static func sign(_ outcome: Comparison.GateResult.Outcome) -> String {
        switch outcome {
        case .holds: "✓"
        case .fails: "✗"
        case .cannotTell: "?"
        }
    }

    private static func figures(
        _ comparison: Comparison, prefix: String, heading: StaticString, into html: inout Markup
    ) {
        HTMLWriter().section("\(prefix)figures", "Figures", heading: heading, &html) { html in
            html.element("p", comparison.method)
            // The verdict is what the page is opened for: beside the name, since the last columns may need scrolling.
            let header = ["figure", "verdict", "base", "candidate", "difference", "95 %", ""]
            html.element("div", ["class": "panel words"]) { html in
                html.scroller("Figures", columns: header.count) { html in
                    html.open("table")
                    html.element("caption", "Figures")
                    html.element("thead") { html in
                        html.element("tr") { html in
                            for (index, cell) in header.enumerated() {
                                html.element(
                                    "th", ["scope": "col", "class": (2...5).contains(index) ? "n" : "w"], cell
                                )
                            }
                        }
                    }
                    html.element("tbody") { html in
                        for row in ComparisonText.shown(comparison) { self.row(row, into: &html) }
                    }
                    html.close("table")
                }
                if let omitted = ComparisonText.omitted(comparison) {
                    html.element("p", ["class": "quiet"], omitted)
                }
            }
        }
    }

    private static func row(_ row: Comparison.Row, into html: inout Markup) {
        let relative = ComparisonText.relative(row)
        let difference = row.difference.map { ComparisonText.signed($0.mean, row.figure) } ?? ""
        html.element("tr") { html in
            html.element("th", ["scope": "row"]) { html in html.breakable(row.figure.name) }
            html.element("td", ["class": "w word-\(tone(row.word))"], ComparisonText.verdict(row))
            let cells = [
                ComparisonText.value(row.base, row.figure), ComparisonText.value(row.candidate, row.figure),
                difference + (relative.isEmpty ? "" : " (\(relative))"), ComparisonText.interval(row),
            ]
            for cell in cells { html.element("td", ["class": "n"], cell) }
            html.element("td", ["class": "w"]) { html in forest(row, into: &html) }
        }
    }

    private static func tone(_ word: Comparison.Word) -> String {
        switch word {
        case .worse: "worse"
        case .better: "better"
        case .cannotTell, .refused: "open"
        case .same, .higher, .lower: "same"
        }
    }

    /// The interval around its mean, zero in the middle, and shaded what would not matter.
    private static func forest(_ row: Comparison.Row, into html: inout Markup) {
        guard let difference = row.difference, difference.mean.isFinite, row.leastEffect > 0 else { return }
        let interval = difference.interval ?? difference.mean...difference.mean
        let reach = max(
            row.leastEffect * 2, interval.lowerBound.magnitude, interval.upperBound.magnitude)
        func x(_ value: Double) -> Double { 60 + value / reach * 56 }
        html.open(
            "svg", ["class": "forest \(tone(row.word))", "viewBox": "0 0 120 14", "aria-hidden": "true"])
        html.rectangle(x(-row.leastEffect), 1, x(row.leastEffect) - x(-row.leastEffect), 12, "band")
        html.line(60, 0, 60, 14, "zero")
        html.line(x(interval.lowerBound), 7, x(interval.upperBound), 7, "reach")
        html.empty("circle", ["cx": Markup.number(x(difference.mean)), "cy": "7", "r": "3"])
        html.close("svg")
    }

    /// The means of all variants, those figures that matter most.
    private static func overview(_ report: LabReport, into html: inout Markup) {
        HTMLWriter().section("variants", "Variants", &html) { html in
            html.element("p", LabText.sentence(report))
            html.element("div", ["class": "panel"]) { html in
                html.table("Variants", ["figure"] + report.variants.map(\.name), LabText.rows(report))
            }
        }
    }
}
