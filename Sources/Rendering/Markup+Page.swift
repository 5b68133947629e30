extension Markup {
    /// A whole page, of one file.
    ///
    /// - Parameters:
    ///   - title: What stands before the program's name in the title.
    ///   - styles: Rules for this page alone, after those that all pages share.
    ///   - hasPolicy: Whether the page itself says what it may load; else the server that it comes from does.
    ///   - more: Adds what else belongs into the head.
    ///   - header: Writes what stands above the main part.
    ///   - footer: What stands below it, in a line.
    ///   - main: Writes the main part.
    package static func page(
        title: String, styles: [StaticString] = [], hasPolicy: Bool = true,
        head more: (inout Markup) -> Void = { _ in }, header: (inout Markup) -> Void, footer: String,
        main: (inout Markup) -> Void
    ) -> [UInt8] {
        var html = Markup()
        html.literal("<!doctype html>\n<html lang=\"en\">\n")
        html.head(title: "\(title) – Beaconswarm", styles: styles, hasPolicy: hasPolicy, more: more)
        html.literal("<body>\n")
        html.element("header", header)
        html.element("main", main)
        html.element("footer", footer)
        html.literal("</body>\n</html>\n")
        return Array(html.text.utf8)
    }

    /// The head of a page that loads nothing and runs nothing.
    private mutating func head(
        title: String, styles: [StaticString], hasPolicy: Bool, more: (inout Markup) -> Void
    ) {
        literal("<head>\n<meta charset=\"utf-8\">\n")
        if hasPolicy {
            literal(
                """
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
                style-src 'nonce-beaconswarm'; base-uri 'none'; form-action 'none'">

                """)
        }
        literal(
            """
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">

            """)
        element("title", title)
        literal("<style nonce=\"beaconswarm\">\n")
        for style in [Stylesheet.text] + styles {
            literal(style)
            literal("\n")
        }
        literal("</style>\n")
        more(&self)
        literal("</head>\n")
    }
}
