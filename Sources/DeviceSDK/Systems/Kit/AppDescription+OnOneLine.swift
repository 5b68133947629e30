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
        var app = self
        app.versions = versions.map(line)
        app.appDelegate = line(appDelegate)
        app.tabBarController = line(tabBarController)
        app.navigationController = line(navigationController)
        app.screens = screens.map { screen in
            var screen = screen
            screen.className = line(screen.className)
            screen.viewClass = line(screen.viewClass)
            screen.parents = screen.parents.map(line)
            screen.controls = screen.controls.map { control in
                var control = control
                control.className = line(control.className)
                control.target = line(control.target)
                control.action = line(control.action)
                control.label = line(control.label)
                control.segments = control.segments.map(line)
                for index in control.within.indices {
                    control.within[index].className = line(control.within[index].className)
                }
                return control
            }
            return screen
        }
        return app
    }
}
