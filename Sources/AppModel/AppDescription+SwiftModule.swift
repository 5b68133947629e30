extension AppDescription {
    /// The same app with its own classes in a Swift module: `NSStringFromClass` tells
    /// `Shop.HomeViewController` then. Classes of UIKit, WebKit, Foundation and React Native, and names
    /// with a module already, stay as they are.
    package func ofSwift(module: String) -> AppDescription {
        mappingClassNames { name in
            let isForeign = ["UI", "_UI", "WK", "NS", "RCT"].contains { name.hasPrefix($0) }
            return isForeign || name.isEmpty || name.contains(".") ? name : "\(module).\(name)"
        }
    }

    /// The app with each name of a class replaced by another.
    package func mappingClassNames(_ name: (String) -> String) -> AppDescription {
        var app = self
        app.appDelegate = name(appDelegate)
        app.tabBarController = name(tabBarController)
        app.navigationController = name(navigationController)
        app.screens = screens.map { screen in
            var screen = screen
            screen.className = name(screen.className)
            screen.viewClass = name(screen.viewClass)
            screen.parents = screen.parents.map(name)
            if let webView = screen.web?.viewClass { screen.web?.viewClass = name(webView) }
            screen.controls = screen.controls.map { control in
                var control = control
                control.className = name(control.className)
                control.target = name(control.target)
                for index in control.within.indices {
                    control.within[index].className = name(control.within[index].className)
                }
                return control
            }
            return screen
        }
        return app
    }
}
