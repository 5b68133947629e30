import Timebase

// From screen to screen. The orders of calls are those that UIKit makes with animations: of a push
// and a pop the old screen's `viewWillDisappear:` comes before the new one's `viewWillAppear:`, of a
// tab the other way round.
extension UIKitTrace {
    /// How one screen takes the place of another.
    private enum Change {
        case again
        case push
        /// To the screen at that index of the stack.
        case pop(to: UInt8)
        /// To the root of that tab.
        case select(tab: UInt8)
    }

    /// The way from a screen to the next begins.
    mutating func leave(
        _ screen: UInt16, for next: UInt16?, _ views: AppViews, _ body: (UIKitCall) -> Void
    ) {
        leaving = screen
        if let next, depth > 0 {
            begin(next, views, body)
        } else {
            disappear(views, body)
        }
        state.subtract([.hasTapped, .hasSelected])
    }

    /// The next screen is there.
    mutating func arrive(
        at screen: UInt16, _ views: AppViews, _ draws: RandomStream, _ body: (UIKitCall) -> Void
    ) {
        if depth == 0 {
            showFirst(screen, views, body)
        } else if !state.contains(.isChanging) {
            begin(screen, views, body)
        }
        finish(screen, views, draws, body)
    }

    private func change(to next: UInt16, _ views: AppViews) -> Change {
        let ownTab = views.screens[Int(next)].tab
        if ownTab != .max {
            if ownTab != tab { return .select(tab: ownTab) }
            return depth > 1 ? .pop(to: 0) : .again
        }
        var below = Int(depth) - 2
        while below >= 0 {
            if stack[below] == next { return .pop(to: UInt8(below)) }
            below -= 1
        }
        return .push
    }

    private mutating func begin(_ next: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void) {
        let top = stack[Int(depth) - 1]
        if leaving == .max { leaving = top }
        formerDepth = depth
        state.insert(.isChanging)
        state.subtract([.hasLoaded, .changesTab])
        switch change(to: next, views) {
        case .again:
            disappear(views, body)
            appear(next, views, body)
        case .push:
            makeRoom(views, body)
            stack[Int(depth)] = next
            depth += 1
            formerDepth = depth
            load(next, views, body)
            disappear(views, body)
            appear(next, views, body)
        case .pop(let index):
            goBack(to: index, from: top, views, body)
            disappear(views, body)
            appear(next, views, body)
        case .select(let index):
            select(index, next, views, body)
            appear(next, views, body)
            disappear(views, body)
        }
    }

    /// Pops what lies above an index; the lanes stay until the popped screens are let go.
    private mutating func goBack(
        to index: UInt8, from top: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void
    ) {
        let button = views.screens[Int(top)].backButton
        let isOneStep = index + 2 == depth
        if isOneStep && !state.contains(.hasTapped) && button != ViewNode.none {
            body(.shouldPopItem(ViewReference(screen: top, node: button, value: stack[Int(index)])))
        }
        depth = index + 1
    }

    /// A stack that is full lets go of the screen above its root.
    private mutating func makeRoom(_ views: AppViews, _ body: (UIKitCall) -> Void) {
        guard Int(depth) == UIKitTrace.depthLimit else { return }
        release(stack[1], views, body)
        for index in 2..<UIKitTrace.depthLimit { stack[index - 1] = stack[index] }
        depth -= 1
    }

    private mutating func select(
        _ index: UInt8, _ next: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void
    ) {
        if !state.contains(.hasSelected) {
            body(.setSelectedViewController(views.tabController(of: next)))
        }
        state.insert(.changesTab)
        formerRoot = stack[0]
        stack[0] = next
        depth = 1
        tab = index
        loadTab(next, views, body)
    }

    // MARK: Calls for a screen and the controllers around it

    private mutating func showFirst(
        _ screen: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void
    ) {
        let tabBar = ViewReference(screen: screen, node: views.screens[Int(screen)].tabBarController)
        let hasTabBar = tabBar.node != ViewNode.none
        stack[0] = screen
        depth = 1
        formerDepth = 1
        leaving = .max
        tab = views.screens[Int(screen)].tab
        if tab == .max { tab = 0 }
        state.insert([.isChanging, .changesTab])
        if hasTabBar { body(.viewDidLoad(tabBar)) }
        loadTab(screen, views, body)
        if hasTabBar { body(.viewWillAppear(tabBar)) }
        appear(screen, views, body)
        if hasTabBar { body(.viewDidAppear(tabBar)) }
    }

    /// Loads the root of the selected tab, unless it has been shown before.
    private mutating func loadTab(_ screen: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void) {
        state.remove(.hasLoaded)
        let bit: UInt16 = 1 << UInt16(tab)
        guard loadedTabs & bit == 0 else { return }
        loadedTabs |= bit
        let navigation = views.screens[Int(screen)].navigationController
        if navigation != ViewNode.none {
            body(.viewDidLoad(ViewReference(screen: screen, node: navigation)))
        }
        load(screen, views, body)
    }

    private mutating func load(_ screen: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void) {
        state.insert(.hasLoaded)
        views.forEachController(of: screen, inTabOf: nil) { body(.viewDidLoad($0)) }
        let web = views.screens[Int(screen)].webView
        if web != ViewNode.none { body(.webViewDidStart(ViewReference(screen: screen, node: web))) }
    }

    private func appear(_ screen: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void) {
        views.forEachController(of: screen, inTabOf: state.contains(.changesTab) ? screen : nil) {
            body(.viewWillAppear($0))
        }
    }

    private func disappear(_ views: AppViews, _ body: (UIKitCall) -> Void) {
        guard leaving != .max else { return }
        views.forEachController(of: leaving, inTabOf: state.contains(.changesTab) ? formerRoot : nil) {
            body(.viewWillDisappear($0))
        }
    }

    private mutating func finish(
        _ screen: UInt16, _ views: AppViews, _ draws: RandomStream, _ body: (UIKitCall) -> Void
    ) {
        let changesTab = state.contains(.changesTab)
        if leaving != .max {
            views.forEachController(of: leaving, inTabOf: changesTab ? formerRoot : nil) {
                body(.viewDidDisappear($0))
            }
        }
        views.forEachController(of: screen, inTabOf: changesTab ? screen : nil) { body(.viewDidAppear($0)) }
        var index = Int(formerDepth) - 1
        while index >= Int(depth) {
            release(stack[index], views, body)
            index -= 1
        }
        if state.contains(.hasLoaded) { finishLoad(of: screen, views, draws, body) }
        formerDepth = depth
        leaving = .max
        state.subtract([.isChanging, .hasLoaded, .changesTab])
    }

    /// A popped screen is let go; the innermost controller holds no other, so it goes last.
    private func release(_ screen: UInt16, _ views: AppViews, _ body: (UIKitCall) -> Void) {
        views.forEachController(of: screen, inTabOf: nil) { body(.dealloc($0)) }
    }

    private func finishLoad(
        of screen: UInt16, _ views: AppViews, _ draws: RandomStream, _ body: (UIKitCall) -> Void
    ) {
        let table = views.screens[Int(screen)]
        guard table.webView != ViewNode.none else { return }
        let web = ViewReference(screen: screen, node: table.webView)
        var stream = draws.child(Draw.webLoad.rawValue)
        let fails = stream.chance(table.webFailures)
        let number = Int(stream.below(UInt64(WebLoadError.allCases.count)))
        body(fails ? .webViewDidFail(web, error: WebLoadError.allCases[number]) : .webViewDidFinish(web))
    }
}

extension AppViews {
    /// The controllers that come and go with a screen, outermost first: those between it and the
    /// navigation controller, and its own.
    ///
    /// - Parameter root: The root of the tab that comes or goes too: with its navigation controller.
    func forEachController(of screen: UInt16, inTabOf root: UInt16?, _ body: (ViewReference) -> Void) {
        if let root, screens[Int(root)].navigationController != ViewNode.none {
            body(ViewReference(screen: root, node: screens[Int(root)].navigationController))
        }
        for parent in screens[Int(screen)].parents {
            body(ViewReference(screen: screen, node: parents[parent]))
        }
        body(controller(of: screen))
    }

    /// What the tab bar's controller holds for a tab: the navigation controller around its root, or
    /// the root itself.
    func tabController(of screen: UInt16) -> ViewReference {
        let views = screens[Int(screen)]
        var node = views.navigationController
        if node == ViewNode.none { node = views.parents.first.map { parents[$0] } ?? views.controller }
        return ViewReference(screen: screen, node: node)
    }
}
