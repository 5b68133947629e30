import Measurement
import Rendering

/// `sweep.html`: the trade-off as a picture, and every point in a table that sorts; without network or script.
package enum SweepHTML {
    package static func write(_ sweep: SweepReport) -> [UInt8] {
        Markup.page(
            title: "\(sweep.lab.scenario.name): sweep", styles: [style],
            head: { html in
                let columns = columns(sweep)
                html.orders(columns.map(\.order))
                html.rules(columns.indices.map(chosen))
            },
            header: { html in
                html.element("p", ["class": "eyebrow"], "Beaconswarm · sweep, \(sweep.lab.mode.rawValue)")
                html.element("h1", sweep.lab.scenario.name)
                if !sweep.lab.scenario.description.isEmpty {
                    html.element("p", ["class": "lead"], sweep.lab.scenario.description)
                }
                html.element("p", ["class": "lead"], SweepText.sentence(sweep))
                ComparisonHTML.verdict(
                    LabText.verdict(sweep.lab), sweep.lab.verdict.rawValue, word: LabText.word(sweep.lab),
                    into: &html)
                HTMLWriter().notes("Warnings", sweep.lab.warnings, into: &html)
            }, footer: "Beaconswarm \(sweep.lab.toolVersion) · \(SweepJSON.schema)"
        ) { html in
            picture(sweep, into: &html)
            table(sweep, sorts: true, into: &html)
        }
    }

    static let style: StaticString = """
        .trade circle{stroke:var(--card);stroke-width:1.2}.trade .front circle{stroke:var(--ink);stroke-width:2.2}
        .trade .failed circle{stroke:var(--bad);stroke-width:2.2;stroke-dasharray:3 2}
        .trade .number{font-size:12px;font-weight:650}
        .loss0{fill:var(--delivered)}.loss1{fill:var(--pending)}.loss2{fill:var(--evicted)}
        .loss3{fill:var(--rejected)}.loss4{fill:var(--lost)}.trade text{fill:var(--ink)}
        .charts.one{grid-template-columns:minmax(0,720px)}
        .sorts>input{position:absolute;opacity:0}
        .sorts table,.sorts thead,.sorts tbody{display:block;width:max-content;min-width:100%}
        .sorts tbody{display:flex;flex-direction:column}
        .sorts tr{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(112px,1fr)}
        .sorts tr.front th::before{content:"◉ ";color:var(--good)}
        .sorts tbody th{min-width:0}
        .sorts label{cursor:pointer;text-decoration:underline dotted}
        .sorts .turn{font-size:13.5px;color:var(--quiet)}
        #descending:checked~.scroll tbody{flex-direction:column-reverse}
        td.judged{color:var(--tone);font-weight:620}td.judged.passed{color:inherit;font-weight:inherit}
        #descending:focus-visible~.turn{outline:2px solid var(--delivered)}
        @media print{.sorts .turn{display:none}.sorts table,.sorts thead,.sorts tbody{width:100%}
        .sorts tr{grid-auto-columns:minmax(0,1fr)}}
        """

    /// How the table is sorted by a column, and how its head shows that, and that the keyboard is there.
    private static func chosen(_ column: Int) -> String {
        let head = "~.scroll label[for=sort-\(column)]"
        return "#sort-\(column):checked~.scroll tbody tr{order:var(--s\(column))}"
            + "#sort-\(column):checked\(head){color:var(--ink);font-weight:700;text-decoration:underline}"
            + "#sort-\(column):focus-visible\(head){outline:2px solid var(--delivered);outline-offset:2px}"
    }

    static func picture(_ sweep: SweepReport, into html: inout Markup) {
        HTMLWriter().section("picture", "Freshness against cost", &html) { html in
            html.element(
                "p",
                "A point for each combination, the mean of its seeds. Ringed and numbered: the Pareto front, which no "
                    + "other point beats in cost, freshness and loss at once; in dashes: what did not pass. To the left "
                    + "and below is better."
            )
            for note in SweepText.notes(sweep) { html.element("p", note) }
            html.element("ul", ["class": "key"]) { html in
                let names = ["up to 0.01 % lost", "up to 0.1 %", "up to 1 %", "up to 10 %", "more"]
                for (level, name) in names.enumerated() {
                    html.element("li") { html in
                        html.literal("<svg class=\"swatch\" viewBox=\"0 0 22 10\" aria-hidden=\"true\">")
                        html.rectangle(0, 0, 22, 10, "loss\(level)")
                        html.literal("</svg>")
                        html.add(name)
                    }
                }
            }
            html.element("div", ["class": "charts one"]) { html in TradeOffChart(sweep).write(into: &html) }
        }
    }

    /// A column of the table, with the rank of each row when it is sorted by it.
    private struct Column {
        var name: String
        var cells: [String]
        var order: [Int]
    }

    private static func columns(_ sweep: SweepReport) -> [Column] {
        let points = sweep.points
        let number = Column(
            name: "point", cells: points.map { String($0.index + 1) }, order: Array(points.indices))
        let names = SweepReport.names(of: sweep.axes)
        let axes = sweep.axes.indices.map { axis in
            let values = points.map { $0.values[axis] }
            let positions = values.map { value in
                Double(sweep.axes[axis].values.firstIndex(of: value) ?? 0)
            }
            return Column(name: names[axis], cells: values, order: order(positions))
        }
        let verdict = Column(
            name: "verdict", cells: points.map(\.outcome.words),
            order: order(points.map { Double($0.outcome.failures) }))
        let figures = SweepText.figures(sweep).map { figure in
            let values = sweep.lab.variants.map { sweep.mean(figure, $0) }
            return Column(
                name: figure.name, cells: values.map { ComparisonText.value($0, figure) },
                order: order(values))
        }
        return [number] + axes + [verdict] + figures
    }

    /// The rank of each value in ascending order, those that are missing last.
    private static func order(_ values: [Double?]) -> [Int] {
        let sorted = values.indices.sorted {
            (values[$0] ?? .infinity, $0) < (values[$1] ?? .infinity, $1)
        }
        var ranks = [Int](repeating: 0, count: values.count)
        for (rank, index) in sorted.enumerated() { ranks[index] = rank }
        return ranks
    }

    /// - Parameter sorts: Whether the heads of columns sort; on a page whose style sheet has the orders.
    static func table(_ sweep: SweepReport, sorts: Bool, into html: inout Markup) {
        let columns = columns(sweep)
        HTMLWriter().section("points", "All points", &html) { html in
            if sorts { html.element("p", "Choose the head of a column to sort by it.") }
            html.element("div", ["class": sorts ? "panel sorts" : "panel"]) { html in
                if sorts { choices(columns.count, into: &html) }
                html.scroller("All points", columns: columns.count) { html in
                    html.open("table")
                    html.element("caption", "All points")
                    html.element("thead") { html in
                        html.element("tr") { head(columns, sweep.axes.count + 1, sorts: sorts, into: &$0) }
                    }
                    html.element("tbody") { html in
                        for point in sweep.points { row(point, columns, sweep.axes.count + 1, into: &html) }
                    }
                    html.close("table")
                }
            }
        }
    }

    /// What the style sheet sorts by.
    private static func choices(_ count: Int, into html: inout Markup) {
        for index in 0..<count {
            html.empty("input", ["type": "radio", "name": "sort", "id": "sort-\(index)"])
        }
        html.empty("input", ["type": "checkbox", "id": "descending"])
        html.element("label", ["for": "descending", "class": "turn"], "turn the order round")
    }

    private static func head(_ columns: [Column], _ words: Int, sorts: Bool, into html: inout Markup) {
        for (index, column) in columns.enumerated() {
            html.element("th", ["scope": "col", "class": index <= words ? "w" : "n"]) { html in
                if sorts {
                    html.element("label", ["for": "sort-\(index)"], column.name)
                } else {
                    html.add(column.name)
                }
            }
        }
    }

    /// Of which seeds the points are drawn while simulations are still to come.
    private static func drawn(_ sweep: SweepReport) -> String {
        let seeds = sweep.commonSeeds
        let points = sweep.lab.variants.count { !$0.cells.isEmpty }
        guard !seeds.isEmpty else {
            return points == 0 ? "" : " No point is drawn until all that were begun have a seed in common."
        }
        let means = seeds.count == 1 ? "is seed \(seeds[0])" : "are means of \(seeds.count) seeds"
        return " Drawn \(means), which \(points == 1 ? "the point" : "all \(points) points") played so far "
            + "\(points == 1 ? "has" : "have")."
    }

    /// How far it is.
    static func tiles(_ sweep: SweepReport, into html: inout Markup) {
        let lab = sweep.lab
        let whole = lab.variants.count { $0.cells.count == lab.seeds.count }
        let soFar = lab.goesOn ? " so far" : ""
        html.element("p", ["class": "lead"], SweepText.sentence(sweep) + (lab.goesOn ? drawn(sweep) : ""))
        html.element("dl", ["class": "tiles"]) { html in
            let played = lab.variants.reduce(0) { $0 + $1.cells.count }
            let front = sweep.overCommonSeeds.points.count(where: \.isOnFront)
            let counts = [
                ("Points with all their seeds", "\(whole) of \(lab.variants.count)"),
                ("Simulations", "\(played) of \(lab.variants.count * lab.seeds.count)"),
                ("On the front\(soFar)", "\(front)"),
            ]
            let failing = lab.variants.count { SweepReport.Outcome($0.cells).failures > 0 }
            let bad = failing > 0 ? [("Points that did not pass", "\(failing)")] : []
            for (name, value) in counts + bad {
                html.element("div") { html in
                    html.element("dt", name)
                    html.element("dd", value)
                }
            }
        }
        HTMLWriter().notes("Warnings", lab.warnings, into: &html)
    }

    /// - Parameter words: Columns of words after the first; the last of them is the verdict.
    private static func row(
        _ point: SweepReport.Point, _ columns: [Column], _ words: Int, into html: inout Markup
    ) {
        html.element("tr", ["class": point.isOnFront ? "front" : "inner"]) { html in
            for (index, column) in columns.enumerated() {
                let cell = column.cells[point.index]
                if index == 0 {
                    html.element("th", ["scope": "row"], cell)
                } else if index == words {
                    html.element(
                        "td", ["class": "w judged \(point.outcome.verdict?.rawValue ?? "passed")"], cell)
                } else {
                    html.element("td", ["class": index < words ? "w" : "n"], cell)
                }
            }
        }
    }
}
