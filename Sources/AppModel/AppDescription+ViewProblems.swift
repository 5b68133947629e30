extension AppDescription {
    /// Tabs that an app can have.
    package static let tabLimit = 16
    /// Indices among the siblings of a class.
    package static let classIndexLimit = 1000
    /// Views that a screen's controls can need: so many that indices of 16 bits tell them apart.
    static let viewLimit = 60_000

    func checkNavigation(_ list: inout ProblemList) {
        list.probability(terminationNotice, "/terminationNotice")
        for (index, tab) in tabs.enumerated() {
            list.index(tab, below: screens.count, of: "screen", "/tabs/\(index)")
            list.require(
                !tabs[..<index].contains(tab), "/tabs/\(index)", found: "a second tab for \(named(tab))",
                allowed: "one tab for each screen")
        }
        list.text(tabBarController, "/tabBarController")
        let opened = Set(screens.flatMap(\.controls).filter { $0.resolvedKind == .tab }.compactMap(\.opens))
        let count = tabs.isEmpty ? opened.union([startScreen]).count : tabs.count
        list.number(count, 0...AppDescription.tabLimit, of: "tabs", "/tabs")
    }

    /// A screen as messages call it.
    private func named(_ screen: UInt16) -> String {
        Int(screen) < screens.count ? "\"\(screens[Int(screen)].name)\"" : "screen \(screen)"
    }

    /// Two controls cannot be the same view. Only a tree tells: the next free index depends on all others.
    ///
    /// - Precondition: nothing else is wrong.
    func checkClassIndices(_ list: inout ProblemList) {
        for (index, screen) in screens.enumerated()
        where screen.controls.contains(where: { $0.classIndex != nil }) {
            let views = ViewTree(of: screen, in: self, tabs: tabs, tab: 0).controls
            for (number, view) in views.enumerated() where screen.controls[number].resolvedKind != .tab {
                guard let first = views.firstIndex(of: view), first != number else { continue }
                let other = screen.controls[first]
                list.require(
                    false, "/screens/\(index)/controls/\(number)/place",
                    found: "the place of \"\(other.action.isEmpty ? other.identifier : other.action)\"",
                    allowed: "a place where no other control stands")
            }
        }
    }

    /// What an app adds to preset events stands beside the properties of all events.
    func checkRemarks(_ list: inout ProblemList) {
        var others = Set(superProperties.flatMap(\.properties).map { $0.key.lowercased() })
        others.formUnion(dynamicSuperProperties.map { $0.key.lowercased() })
        others.insert("bs_id")
        func check(_ rules: [PropertyRule], _ taken: Set<String>, _ path: String) {
            for (index, rule) in rules.enumerated() {
                list.require(
                    rule.generator.isAlwaysValid, "\(path)/properties/\(index)",
                    found: "what is no text, number or switch for certain",
                    allowed: "constant, choice, zipf or number, of texts, numbers and switches")
                list.require(
                    !taken.contains(rule.key.lowercased()), "\(path)/properties/\(index)",
                    found: "\"\(rule.key)\", which the same events have from elsewhere",
                    allowed: "a name that no other property of these events has, in whatever case")
            }
        }
        for (index, screen) in screens.enumerated() {
            check(screen.properties, others, "/screens/\(index)")
            let own = others.union(screen.properties.map { $0.key.lowercased() })
            for (number, control) in screen.controls.enumerated() {
                check(control.properties, own, "/screens/\(index)/controls/\(number)")
            }
        }
    }

    func checkViews(of screen: Screen, _ path: String, _ list: inout ProblemList) {
        if let scroll = screen.scroll {
            list.probability(scroll.chance, "\(path)/scroll/chance")
            list.probability(scroll.flick, "\(path)/scroll/flick")
            list.probability(scroll.toTop, "\(path)/scroll/toTop")
        }
        if let web = screen.web { list.probability(web.failures, "\(path)/web/failures") }
        list.text(screen.viewClass, "\(path)/viewClass")
        var views = 100 + screen.parents.count
        for (number, control) in screen.controls.enumerated() {
            check(control, "\(path)/controls/\(number)", &list)
            views += 10 + Int(control.classIndex ?? 0)
            views += control.within.reduce(0) { $0 + 1 + Int($1.classIndex) }
        }
        list.number(
            views, 0...AppDescription.viewLimit, of: "views that the controls can need", "\(path)/controls")
    }

    private func check(_ control: Control, _ path: String, _ list: inout ProblemList) {
        let kind = control.resolvedKind
        list.require(
            control.segments.isEmpty || kind == .segmentedControl, "\(path)/segments",
            found: "segments of a \(kind.rawValue)",
            allowed: "segments of a \(Control.Kind.segmentedControl.rawValue) alone")
        list.number(control.segments.count, 0...Int(UInt16.max), of: "segments", "\(path)/segments")
        if kind == .tab, !tabs.isEmpty, let opens = control.opens, Int(opens) < screens.count {
            list.require(
                tabs.contains(opens), "\(path)/opens", found: "\(named(opens)), which has no tab",
                allowed: "a screen of the app's \"tabs\"")
        }
        list.require(
            control.alert == nil || kind == .alertAction, "\(path)/alert",
            found: "an alert of a \(kind.rawValue)",
            allowed: "an alert of an \(Control.Kind.alertAction.rawValue) alone")
        let classIndices = 0...AppDescription.classIndexLimit - 1
        list.number(Int(control.classIndex ?? 0), classIndices, "\(path)/place")
        for (index, ancestor) in control.within.enumerated() {
            list.text(ancestor.className, "\(path)/within/\(index)")
            list.number(Int(ancestor.classIndex), classIndices, "\(path)/within/\(index)")
        }
        let cells = control.within.count(where: \.isCell)
        list.number(cells, 0...1, of: "cells around a control", "\(path)/within")
    }
}
