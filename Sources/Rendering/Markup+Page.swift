extension Markup {
    /// The head of a page that loads nothing and runs nothing.
    ///
    /// - Parameters:
    ///   - styles: Rules for this page alone, after those that all pages share.
    ///   - hasPolicy: Whether the page itself says what it may load; else the server that it comes from does.
    ///   - more: Adds what else belongs into the head.
    package mutating func head(
        title: String, styles: [StaticString] = [], hasPolicy: Bool = true,
        more: (inout Markup) -> Void = { _ in }
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
