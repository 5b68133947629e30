/// A row of a table with a bar.
package struct Bar {
    package var cells: [String]
    /// Classes with shares 0…1, from the left.
    package var parts: [(tone: String, share: Double)]

    package init(cells: [String], parts: [(tone: String, share: Double)]) {
        (self.cells, self.parts) = (cells, parts)
    }
}

extension Markup {
    /// A table with bars, picture and numbers in one; the bars stand in the column `picture`.
    package mutating func bars(_ caption: String, _ header: [String], picture: Int, _ bars: [Bar]) {
        scroller(caption, columns: header.count) { html in
            html.open("table")
            html.element("caption", caption)
            html.element("thead") { html in
                html.element("tr") { html in
                    for (index, cell) in header.enumerated() {
                        let words = index == 0 || index == picture
                        html.element("th", ["scope": "col", "class": words ? "w" : "n"], cell)
                    }
                }
            }
            html.element("tbody") { html in
                for bar in bars { html.row(bar, picture: picture) }
            }
            html.close("table")
        }
    }

    private mutating func row(_ bar: Bar, picture: Int) {
        element("tr") { html in
            for (index, cell) in bar.cells.enumerated() {
                if index == picture { html.element("td") { html in html.drawing(of: bar) } }
                if index == 0 {
                    html.element("th", ["scope": "row"], cell)
                } else {
                    html.element("td", ["class": "n"], cell)
                }
            }
            if picture >= bar.cells.count { html.element("td") { html in html.drawing(of: bar) } }
        }
    }

    /// The bar, a least width for parts that are not nothing.
    private mutating func drawing(of bar: Bar) {
        literal(
            "<svg class=\"bar\" viewBox=\"0 0 200 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\">")
        rectangle(0, 0, 200, 12, "rest")
        var widths = bar.parts.map { $0.share > 0 ? max(1.5, $0.share * 200) : 0 }
        let excess = widths.reduce(0, +) - 200
        if excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) {
            widths[widest] -= excess
        }
        var x = 0.0
        for (part, width) in zip(bar.parts, widths) where width > 0 {
            rectangle(x, 0, width, 12, part.tone)
            x += width
        }
        literal("</svg>")
    }
}
