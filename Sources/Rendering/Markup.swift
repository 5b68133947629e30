/// A growing text of HTML or XML into which nothing from outside gets unescaped: names of elements
/// and attributes are literals of this program, and every other text is escaped on its way in.
package struct Markup {
    package typealias Attributes = KeyValuePairs<StaticString, String>

    package private(set) var text = ""

    package init() {}

    /// A literal of this program, as it is.
    package mutating func literal(_ literal: StaticString) { text += literal.description }

    /// Text, escaped.
    package mutating func add(_ content: String) { text += Escaping.markup(content) }

    /// A metric's name, escaped, which may go on in another line before what it is per and before its conditions.
    package mutating func breakable(_ name: String) {
        var rest = name[...]
        while let next = ["{", "_per_"].compactMap({ rest.dropFirst().firstRange(of: $0)?.lowerBound }).min()
        {
            add(String(rest[..<next]))
            empty("wbr")
            rest = rest[next...]
        }
        add(String(rest))
    }

    package mutating func open(_ name: StaticString, _ attributes: Attributes = [:]) {
        text += "<"
        text += name.description
        write(attributes)
        text += ">"
    }

    package mutating func close(_ name: StaticString) {
        text += "</"
        text += name.description
        text += ">\n"
    }

    /// An element without content.
    package mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) {
        text += "<"
        text += name.description
        write(attributes)
        text += "/>"
    }

    /// An element with text alone.
    package mutating func element(_ name: StaticString, _ attributes: Attributes, _ content: String) {
        open(name, attributes)
        add(content)
        close(name)
    }

    /// An element with what `content` adds.
    package mutating func element(
        _ name: StaticString, _ attributes: Attributes, _ content: (inout Markup) -> Void
    ) {
        open(name, attributes)
        content(&self)
        close(name)
    }

    /// An element with text and no attributes.
    package mutating func element(_ name: StaticString, _ content: String) { element(name, [:], content) }

    /// An element without attributes.
    package mutating func element(_ name: StaticString, _ content: (inout Markup) -> Void) {
        element(name, [:], content)
    }

    /// A style sheet that tells each row of a table its rank for each order: variables `--s0`, `--s1`, …
    ///
    /// - Parameter orders: For each order, the rank of each row.
    package mutating func orders(_ orders: [[Int]]) {
        rules(
            (orders.first ?? []).indices.map { row in
                let ranks = orders.enumerated().map { "--s\($0):\($1[row])" }.joined(separator: ";")
                return ".sorts tbody tr:nth-child(\(row + 1)){\(ranks)}"
            })
    }

    /// A style sheet of rules that are made of this program's own words and numbers alone.
    package mutating func rules(_ rules: [String]) {
        text += "<style nonce=\"beaconswarm\">\n"
        for rule in rules { text += rule + "\n" }
        text += "</style>\n"
    }

    private mutating func write(_ attributes: Attributes) {
        for (name, value) in attributes {
            text += " "
            text += name.description
            text += "=\""
            text += Escaping.markup(value)
            text += "\""
        }
    }
}

extension Markup {
    /// A table that scrolls sideways where the screen is narrow. The first column heads its row;
    /// the others hold numbers unless `words` names them.
    package mutating func table(
        _ caption: String, _ header: [String], _ rows: [[String]], words: Set<Int> = []
    ) {
        scroller(caption, columns: header.count) { html in
            html.open("table")
            html.element("caption", caption)
            html.element("thead") { html in
                html.element("tr") { html in
                    for (index, cell) in header.enumerated() {
                        html.element(
                            "th", ["scope": "col", "class": index == 0 || words.contains(index) ? "w" : "n"],
                            cell)
                    }
                }
            }
            html.element("tbody") { html in
                for row in rows { html.row(row, words: words) }
            }
            html.close("table")
        }
    }

    /// A region that scrolls sideways where the screen is narrow. The style sheet shows that there is more,
    /// and says so where there are many columns.
    package mutating func scroller(
        _ caption: String, columns: Int, classes: String = "", _ content: (inout Markup) -> Void
    ) {
        let many = columns > 4 ? " many" : ""
        element(
            "div",
            [
                "class": classes + "scroll" + many, "role": "region", "tabindex": "0", "aria-label": caption,
            ], content)
    }

    private mutating func row(_ cells: [String], words: Set<Int>) {
        element("tr") { html in
            for (index, cell) in cells.enumerated() {
                if index == 0 {
                    html.element("th", ["scope": "row"], cell)
                } else {
                    html.element("td", ["class": words.contains(index) ? "w" : "n"], cell)
                }
            }
        }
    }

    /// A drawing with the title and description that a screen reader speaks.
    package mutating func drawing(
        _ id: String, width: Double, height: Double, title: String, description: String, classes: String,
        _ content: (inout Markup) -> Void
    ) {
        let box = "0 0 \(Markup.number(width)) \(Markup.number(height))"
        open(
            "svg",
            [
                "class": classes, "viewBox": box, "role": "img", "aria-labelledby": "\(id)-t \(id)-d",
                "preserveAspectRatio": "xMidYMid meet",
            ])
        element("title", ["id": "\(id)-t"], title)
        element("desc", ["id": "\(id)-d"], description)
        content(&self)
        close("svg")
    }

    /// A coordinate with one decimal.
    package static func number(_ value: Double) -> String {
        let text = Numbers.fixed(value, 1)
        return value.magnitude < 999 ? text : text.filter { $0 != "," }
    }

    /// Text in a drawing.
    package mutating func label(_ x: Double, _ y: Double, _ classes: String, _ content: String) {
        element("text", ["x": Markup.number(x), "y": Markup.number(y), "class": classes], content)
    }

    package mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ classes: String
    ) {
        empty(
            "rect",
            [
                "x": Markup.number(x), "y": Markup.number(y), "width": Markup.number(max(0, width)),
                "height": Markup.number(max(0, height)), "class": classes,
            ])
    }

    /// A point that stands alone.
    package mutating func dot(_ x: Double, _ y: Double, _ tone: String) {
        empty(
            "circle",
            ["cx": Markup.number(x), "cy": Markup.number(y), "r": "3.5", "class": "dot \(tone)"])
    }

    package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ classes: String) {
        empty(
            "line",
            [
                "x1": Markup.number(x1), "y1": Markup.number(y1), "x2": Markup.number(x2),
                "y2": Markup.number(y2), "class": classes,
            ])
    }
}
