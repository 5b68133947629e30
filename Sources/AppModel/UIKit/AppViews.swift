/// The views of all screens of an app: what the devices of a population share.
///
/// Immutable, made once per population.
package final class AppViews: Sendable {
    package let app: AppDescription
    /// By screen.
    package let trees: [ViewTree]
    /// The screens of the tab bar in order; empty for an app without one.
    package let tabs: [UInt16]
    /// By screen.
    let screens: ContiguousArray<ScreenViews>
    /// The controls of all screens one after another.
    let controls: ContiguousArray<ControlViews>
    /// ``ViewTree/parents`` of all screens one after another.
    let parents: ContiguousArray<UInt16>

    /// Builds the trees.
    ///
    /// - Precondition: ``AppDescription/problems()`` is empty.
    /// - Complexity: O(n²) in the views of a screen.
    package init(app: AppDescription) {
        self.app = app
        let tabs = AppViews.tabs(of: app)
        self.tabs = tabs
        let homes = AppViews.homeTabs(of: app, tabs)
        trees = app.screens.indices.map {
            ViewTree(of: app.screens[$0], in: app, tabs: tabs, tab: homes[$0])
        }
        screens = AppViews.screenTables(of: app, trees, tabs: tabs)
        controls = AppViews.controlTables(of: app, trees)
        parents = ContiguousArray(trees.flatMap(\.parents))
    }

    package func tree(of screen: UInt16) -> ViewTree { trees[Int(screen)] }

    package func node(_ view: ViewReference) -> ViewNode { trees[Int(view.screen)][view.node] }

    /// The view controller of a screen.
    package func controller(of screen: UInt16) -> ViewReference {
        ViewReference(screen: screen, node: screens[Int(screen)].controller)
    }

    /// What the app says, else what its tabs open, from left to right, with the start screen if a
    /// tab leads back to it or none does.
    private static func tabs(of app: AppDescription) -> [UInt16] {
        if !app.tabs.isEmpty { return app.tabs }
        var tabs: [(x: Int, screen: UInt16)] = []
        for control in app.screens.lazy.flatMap(\.controls) where control.resolvedKind == .tab {
            guard let screen = control.opens, !tabs.contains(where: { $0.screen == screen }) else { continue }
            tabs.append((control.frame.x, screen))
        }
        guard !tabs.isEmpty else { return [] }
        if !tabs.contains(where: { $0.screen == app.startScreen }) { tabs.append((.min, app.startScreen)) }
        return tabs.enumerated().sorted { ($0.element.x, $0.offset) < ($1.element.x, $1.offset) }
            .map(\.element.screen)
    }

    /// The tab in which each screen is shown most simply: its own, or the one whose root is the fewest
    /// steps away; the first of several, and for screens that no tab leads to.
    private static func homeTabs(of app: AppDescription, _ tabs: [UInt16]) -> [UInt16] {
        var homes = [UInt16?](repeating: nil, count: app.screens.count)
        for (tab, root) in tabs.enumerated() { homes[Int(root)] = UInt16(tab) }
        var reached = tabs
        while !reached.isEmpty {
            var next: [UInt16] = []
            for screen in reached {
                let screenAt = app.screens[Int(screen)]
                let leadsTo = screenAt.transitions.map(\.screen) + screenAt.controls.compactMap(\.opens)
                for target in leadsTo where homes[Int(target)] == nil {
                    homes[Int(target)] = homes[Int(screen)]
                    next.append(target)
                }
            }
            reached = next
        }
        return homes.map { $0 ?? 0 }
    }
}
