import Rendering

/// The runs of a folder as a page: one file without network or script, for laptop and phone, light and dark.
package enum RunHistoryHTML {
    /// By which the page tells what it is, so that it may be made anew in its own place.
    package static let mark = "beaconswarm.runs/1"

    /// The whole file.
    package static func write(_ history: RunHistory, toolVersion: String) -> [UInt8] {
        let groups = history.groups
        return Markup.page(
            title: "Runs in \(history.folder)", styles: [ComparisonHTML.style, style],
            head: { html in html.pairs(RunPairs.limit) },
            header: { html in
                html.element("p", ["class": "eyebrow"], "Beaconswarm · runs")
                html.element("h1", history.folder)
                html.element("p", ["class": "lead"], sentence(history, groups))
            }, footer: "Beaconswarm \(toolVersion) · \(mark)"
        ) { html in
            for (index, group) in groups.enumerated() {
                section(group, history.figures, prefix: "g\(index)", into: &html)
            }
            others(history.others, into: &html)
        }
    }

    private static let style: StaticString = """
        .of-passed{--c:var(--good)}.of-failed{--c:var(--bad)}.of-invalid{--c:var(--warn)}
        .of-interrupted{--c:var(--quiet)}
        .trend .g{stroke-dasharray:none}
        .was-passed{color:var(--good)}.was-failed{color:var(--bad)}
        .was-invalid,.was-interrupted{color:var(--warn)}
        .was-passed,.was-failed,.was-invalid,.was-interrupted{font-weight:620;white-space:nowrap}
        .whole{white-space:nowrap}
        .changed{font-weight:400;color:var(--quiet)}
        .picks fieldset{border:1px solid var(--rule);border-radius:10px;margin:0 0 12px;padding:10px 14px}
        .picks legend{font-size:13px;color:var(--quiet)}
        .picks label{display:block;font-size:14px}
        .picks .two{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:0 16px}
        .pair{display:none}.pair>section{padding-top:14px}
        """

    private static func sentence(_ history: RunHistory, _ groups: [RunHistory.Group]) -> String {
        guard !history.entries.isEmpty else { return "There are no runs here." }
        let runs = Numbers.count(history.entries.count, of: "run")
        // One that was played both live and in virtual time has two groups.
        let scenarios = Numbers.count(Set(groups.map(\.name)).count, of: "scenario")
        return "\(runs), those of \(scenarios) as trends. Times are UTC."
    }

    private static func section(
        _ group: RunHistory.Group, _ figures: [Figure], prefix: String, into html: inout Markup
    ) {
        HTMLWriter().section(prefix, "\(group.name), \(group.kind.rawValue)", &html) { html in
            if let last = group.entries.last, !last.scenario.description.isEmpty {
                html.element("p", last.scenario.description)
            }
            // A single point is no trend.
            if group.entries.count > 1 {
                html.element("div", ["class": "charts"]) { html in
                    for (index, figure) in figures.enumerated() {
                        TrendChart(figure, of: group.entries, id: "\(prefix)-f\(index)").write(into: &html)
                    }
                }
            }
            table(group.entries, figures, into: &html)
            RunPairs(group.entries, prefix: prefix).write(into: &html)
        }
    }

    /// The latest first, as people look for it.
    private static func table(
        _ entries: [RunHistory.Entry], _ figures: [Figure], into html: inout Markup
    ) {
        let header = ["run", "verdict", "commit"] + figures.map(\.name) + ["folder"]
        html.element("div", ["class": "panel"]) { html in
            html.scroller("Runs", columns: header.count) { html in
                html.open("table")
                html.element("caption", "Runs")
                html.element("thead") { html in
                    html.element("tr") { html in
                        for (index, cell) in header.enumerated() {
                            let isWord = index < 3 || index == header.count - 1
                            html.element("th", ["scope": "col", "class": isWord ? "w" : "n"], cell)
                        }
                    }
                }
                html.element("tbody") { html in
                    for index in entries.indices.reversed() {
                        row(entries[index], after: index > 0 ? entries[index - 1] : nil, figures, into: &html)
                    }
                }
                html.close("table")
            }
        }
    }

    private static func row(
        _ entry: RunHistory.Entry, after earlier: RunHistory.Entry?, _ figures: [Figure],
        into html: inout Markup
    ) {
        html.element("tr") { html in
            html.element("th", ["scope": "row"]) { html in
                page(of: entry, into: &html)
                if let earlier, entry.differs(from: earlier) {
                    html.element("div", ["class": "changed"], "the scenario or its options changed")
                }
            }
            html.element("td", ["class": "w"]) { html in verdict(entry, after: earlier, into: &html) }
            html.element("td", ["class": "w whole"], entry.shortCommit)
            for figure in figures { html.element("td", ["class": "n"], entry.text(figure)) }
            html.element("td", ["class": "w"]) { html in html.element("code", entry.path) }
        }
    }

    private static func page(of entry: RunHistory.Entry, into html: inout Markup) {
        if let link = entry.link {
            html.element("a", ["class": "whole", "href": link], entry.when)
        } else {
            html.add(entry.when)
        }
    }

    /// Its verdict, and what that of the run before was if it is another.
    private static func verdict(
        _ entry: RunHistory.Entry, after earlier: RunHistory.Entry?, into html: inout Markup
    ) {
        if let earlier, earlier.verdict != entry.verdict, !entry.isPartial, !earlier.isPartial {
            html.element("span", ["class": "changed"], "\(earlier.verdict.rawValue) → ")
        }
        let tone = entry.isPartial ? "interrupted" : entry.verdict.rawValue
        html.element("span", ["class": "was-\(tone)"], entry.word)
    }

    private static func others(_ entries: [RunHistory.Entry], into html: inout Markup) {
        guard !entries.isEmpty else { return }
        HTMLWriter().section("others", "Runs with variants, and searches for a capacity", &html) { html in
            html.element("div", ["class": "panel"]) { html in
                html.element("ul", ["class": "notes"]) { html in
                    for entry in entries.reversed() {
                        html.element("li") { html in
                            page(of: entry, into: &html)
                            html.add(" \(entry.scenario.name), \(entry.kind.rawValue): ")
                            verdict(entry, after: nil, into: &html)
                            html.add(" ")
                            html.element("code", entry.path)
                        }
                    }
                }
            }
        }
    }
}
