/// What charts with one picture and a table of the same figures have in common.
extension Markup {
    /// A figure: its title, the picture, and the table that can be opened below.
    mutating func chart(
        _ id: String, width: Double, height: Double, title: String, description: String,
        drawing: (inout Markup) -> Void, table: (inout Markup) -> Void
    ) {
        element("figure") { html in
            html.element("figcaption", title)
            html.drawing(
                id, width: width, height: height, title: title, description: description, classes: "chart",
                drawing)
            html.element("details") { html in
                html.element("summary", "Table")
                table(&html)
            }
        }
    }

    /// The names of lines, each behind a piece of its own, from left to right; below them the axis' title.
    mutating func legend(_ lines: [(name: String, tone: String)], from left: Double, axis title: String) {
        var x = left
        for (name, tone) in lines {
            line(x, 12, x + 18, 12, "line \(tone)")
            label(x + 23, 16, "legend", name)
            x += 23 + Double(name.count) * 6.9 + 16
        }
        label(4, 34, "axis", title)
    }
}
