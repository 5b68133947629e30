extension AppDescription {
    /// Tabs that an app can have.
    package static let tabLimit = 16
    /// Places among the siblings of a class.
    package static let placeLimit = 1000
    /// Views that a screen's controls can need: so many that indices of 16 bits tell them apart.
    static let viewLimit = 60_000

    func checkNavigation(_ list: inout ProblemList) {
        list.probability(terminationNotice, "/terminationNotice")
        for (index, tab) in tabs.enumerated() {
            list.index(tab, below: screens.count, of: "screen", "/tabs/\(index)")
            list.require(!tabs[..<index].contains(tab), "/tabs/\(index)", "screen \(tab) has a tab already")
        }
        list.require(!tabBarController.isEmpty, "/tabBarController", "is empty")
        let opened = Set(screens.flatMap(\.controls).filter { $0.resolvedKind == .tab }.compactMap(\.opens))
        let count = tabs.isEmpty ? opened.union([startScreen]).count : tabs.count
        list.require(
            count <= AppDescription.tabLimit, "/tabs", "\(count) tabs, more than \(AppDescription.tabLimit)")
    }

    /// Two controls cannot be the same view. Only a tree tells: the next free place depends on all others.
    ///
    /// - Precondition: nothing else is wrong.
    func checkPlaces(_ list: inout ProblemList) {
        for (index, screen) in screens.enumerated() where screen.controls.contains(where: { $0.place != nil })
        {
            let views = ViewTree(of: screen, in: self, tabs: tabs, tab: 0).controls
            for (number, view) in views.enumerated() where screen.controls[number].resolvedKind != .tab {
                guard let first = views.firstIndex(of: view), first != number else { continue }
                list.require(
                    false, "/screens/\(index)/controls/\(number)/place", "control \(first) stands there")
            }
        }
    }

    /// What an app adds to preset events stands beside the properties of all events.
    func checkRemarks(_ list: inout ProblemList) {
        var others = Set(superProperties.flatMap(\.properties).map { $0.key.lowercased() })
        others.formUnion(dynamicSuperProperties.map { $0.key.lowercased() })
        others.insert("bs_id")
        func check(_ rules: [PropertyRule], _ taken: Set<String>, _ path: String) {
            for rule in rules {
                list.require(
                    rule.generator.isAlwaysValid, "\(path)/properties/\(rule.key)",
                    "is no text, number or switch for certain")
                list.require(
                    !taken.contains(rule.key.lowercased()), "\(path)/properties/\(rule.key)",
                    "another property of the same events has the name")
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
        list.require(!screen.viewClass.isEmpty, "\(path)/viewClass", "is empty")
        var views = 100 + screen.parents.count
        for (number, control) in screen.controls.enumerated() {
            check(control, "\(path)/controls/\(number)", &list)
            views += 10 + Int(control.place ?? 0)
            views += control.within.reduce(0) { $0 + 1 + Int($1.place) }
        }
        list.require(
            views <= AppDescription.viewLimit, "\(path)/controls",
            "need up to \(views) views, more than \(AppDescription.viewLimit)")
    }

    private func check(_ control: Control, _ path: String, _ list: inout ProblemList) {
        let kind = control.resolvedKind
        list.require(
            control.segments.isEmpty || kind == .segmentedControl, "\(path)/segments",
            "are of a segmented control, this is a \(kind.rawValue)")
        list.require(
            control.segments.count <= Int(UInt16.max), "\(path)/segments", "has more than 65535 entries")
        if kind == .tab, !tabs.isEmpty, let opens = control.opens, Int(opens) < screens.count {
            list.require(tabs.contains(opens), "\(path)/opens", "screen \(opens) has no tab")
        }
        list.require(
            control.alert == nil || kind == .alertAction, "\(path)/alert",
            "is asked by an alertAction, this is a \(kind.rawValue)")
        list.require(
            Int(control.place ?? 0) < AppDescription.placeLimit, "\(path)/place",
            "\(control.place ?? 0) is not below \(AppDescription.placeLimit)")
        for (index, ancestor) in control.within.enumerated() {
            list.require(!ancestor.className.isEmpty, "\(path)/within/\(index)", "has no class")
            list.require(
                Int(ancestor.place) < AppDescription.placeLimit, "\(path)/within/\(index)",
                "\(ancestor.place) is not below \(AppDescription.placeLimit)")
        }
        list.require(
            control.within.filter(\.isCell).count <= 1, "\(path)/within", "has more than one cell")
    }
}
