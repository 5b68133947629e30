import Rendering

/// Two runs of a scenario side by side, as `compare` shows them: those that are picked on the page.
///
/// Without a script nothing can be computed when somebody picks: every pair of the latest runs is in the page, and the style
/// sheet shows the one that is picked.
struct RunPairs {
    /// How many runs can be picked: each pair takes some 25 kB.
    static let limit = 6

    private let runs: [(entry: RunHistory.Entry, side: Comparison.Side)]
    private let older: Int
    private let prefix: String

    /// - Parameters:
    ///   - entries: Runs of one scenario, the oldest first.
    ///   - prefix: Of identifiers, which are unique in a page.
    init(_ entries: [RunHistory.Entry], prefix: String) {
        let comparable = entries.compactMap { entry in entry.side.map { (entry: entry, side: $0) } }
        runs = Array(comparable.suffix(RunPairs.limit))
        older = comparable.count - runs.count
        self.prefix = prefix
    }

    func write(into html: inout Markup) {
        guard runs.count > 1 else { return }
        html.element("h3", "Two runs side by side")
        html.element("div", ["class": "picks"]) { html in
            html.element("p", ["class": "quiet"]) { html in
                html.add("An earlier run as base, and a later one as candidate.")
                guard older > 0 else { return }
                html.add(" The latest \(runs.count) can be picked here; ")
                html.element("code", "beaconswarm compare BASE CANDIDATE")
                html.add(" compares any two.")
            }
            html.element("div", ["class": "two"]) { html in
                choice("base", "b", checked: runs.count - 2, among: 0..<runs.count - 1, into: &html)
                choice("candidate", "c", checked: runs.count - 1, among: 1..<runs.count, into: &html)
            }
            html.element(
                "p", ["class": "pair unordered"],
                "The base has to be an earlier run than the candidate: pick an earlier base, or a later candidate."
            )
            for candidate in runs.indices.reversed() {
                for base in runs.indices where base < candidate { pair(base, candidate, into: &html) }
            }
        }
    }

    private func choice(
        _ title: String, _ letter: String, checked: Int, among range: Range<Int>, into html: inout Markup
    ) {
        html.element("fieldset") { html in
            html.element("legend", title)
            for index in range.reversed() {
                html.element("label") { html in
                    let name = "\(prefix)-\(letter)"
                    if index == checked {
                        html.empty(
                            "input",
                            ["type": "radio", "name": name, "class": "\(letter)\(index)", "checked": ""])
                    } else {
                        html.empty("input", ["type": "radio", "name": name, "class": "\(letter)\(index)"])
                    }
                    html.add(" " + label(of: index))
                }
            }
        }
    }

    /// How a run is called: by the minute in which it began, or, where another one has the same label, by more.
    private func label(of index: Int) -> String {
        let forms: [(RunHistory.Entry) -> String] = [
            { "\($0.when) · \($0.shortCommit) · \($0.word)" },
            { "\($0.whenToTheSecond) · \($0.shortCommit) · \($0.word)" },
        ]
        let own = runs[index].entry
        let telling = forms.first { form in runs.filter { form($0.entry) == form(own) }.count == 1 }
        return telling?(own) ?? "\(forms[1](own)) · \(own.path)"
    }

    private func pair(_ base: Int, _ candidate: Int, into html: inout Markup) {
        let comparison = Comparison(
            base: runs[base].side, candidate: runs[candidate].side, request: ComparisonRequest())
        html.element("div", ["class": "pair p\(base)-\(candidate)"]) { html in
            ComparisonHTML.write(comparison, prefix: "\(prefix)-\(base)-\(candidate)-", into: &html)
        }
    }
}

extension Markup {
    /// A style sheet that shows of all pairs in a `.picks` the one that is picked in it, or that there is none such.
    ///
    /// - Parameter count: How many there are to pick from.
    mutating func pairs(_ count: Int) {
        rules(
            (0..<count).flatMap { base in
                (0..<count).map { candidate in
                    let shown = base < candidate ? ".p\(base)-\(candidate)" : ".unordered"
                    return ".picks:has(.b\(base):checked):has(.c\(candidate):checked) \(shown){display:block}"
                }
            })
    }
}
