import AppModel

extension AppDescription {
    /// The app as Kit's logs can hold it: a line for each row, in which nothing is escaped. The SDK itself writes a
    /// title's line breaks, and no reader can tell what follows them from a row.
    var onOneLine: AppDescription {
        func line(_ text: String) -> String {
            guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
            let characters = text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }
            return String(String.UnicodeScalarView(characters))
        }
        var app = mappingClassNames(line)
        app.versions = versions.map(line)
        for screen in app.screens.indices {
            for control in app.screens[screen].controls.indices {
                let written = app.screens[screen].controls[control]
                app.screens[screen].controls[control].action = line(written.action)
                app.screens[screen].controls[control].label = line(written.label)
                app.screens[screen].controls[control].segments = written.segments.map(line)
            }
        }
        return app
    }
}
