extension ViewTree {
    /// Builds the tree of a screen.
    ///
    /// - Parameters:
    ///   - tabs: The screens of the tab bar in order; empty for an app without one.
    ///   - tab: The tab in which the screen is shown.
    init(of screen: Screen, in app: AppDescription, tabs: [UInt16], tab: UInt16) {
        if !tabs.isEmpty {
            tabBarController = add(.tabBarController, app.tabBarController, in: ViewNode.none)
        }
        if !app.navigationController.isEmpty {
            navigationController = add(.navigationController, app.navigationController, in: tabBarController)
            nodes[Int(navigationController)].classIndex = tab
            nodes[Int(navigationController)].siblingIndex = tab
        }
        var parent = navigationController == ViewNode.none ? tabBarController : navigationController
        for name in screen.parents {
            parent = add(.viewController, name, in: parent)
            parents.append(parent)
        }
        controller = add(.viewController, screen.className, in: parent)
        nodes[Int(controller)].title = screen.title
        let kind = ViewKind(ofViewClass: screen.viewClass)
        let view = add(
            kind == .plain && screen.viewClass.hasPrefix("RCT") ? .reactView : kind, screen.viewClass,
            in: controller)
        if let web = screen.web { webView = add(.webView, web.viewClass, in: view) }
        if navigationController != ViewNode.none {
            let bar = bars(of: navigationController, "UINavigationBar")
            backButton = add(.backButton, "_UINavigationItemButtonView", in: bar)
        }
        for (index, control) in screen.controls.enumerated() {
            add(control, UInt16(index), in: view, tabs: tabs)
        }
    }

    /// Adds a node, or takes the place of a sibling that was only there to be counted.
    ///
    /// - Parameter classIndex: The index among the siblings of its class; `nil` for the next.
    @discardableResult
    private mutating func add(
        _ kind: ViewKind, _ className: String, in parent: UInt16, at classIndex: UInt16? = nil
    ) -> UInt16 {
        let siblings = nodes.indices.filter { nodes[$0].parent == parent && parent != ViewNode.none }
        let ofClass = siblings.filter { nodes[$0].className == className }
        if let classIndex, Int(classIndex) < ofClass.count {
            nodes[ofClass[Int(classIndex)]].kind = kind
            return UInt16(ofClass[Int(classIndex)])
        }
        var counted = ofClass.count
        var all = siblings.count
        while counted < Int(classIndex ?? 0) {
            // Siblings that must be there for the index to be what it is.
            append(.plain, className, parent, counted, all)
            counted += 1
            all += 1
        }
        return append(kind, className, parent, counted, all)
    }

    @discardableResult
    private mutating func append(
        _ kind: ViewKind, _ className: String, _ parent: UInt16, _ classIndex: Int, _ siblingIndex: Int
    ) -> UInt16 {
        var node = ViewNode(
            kind, className, parent: parent, classIndex: UInt16(classIndex),
            siblingIndex: UInt16(siblingIndex))
        if parent != ViewNode.none {
            node.cell = self[parent].cell
            node.section = self[parent].section
        }
        nodes.append(node)
        return UInt16(nodes.count - 1)
    }

    /// The view in which a container has its bar: UIKit's own classes.
    private mutating func bars(of controller: UInt16, _ bar: String) -> UInt16 {
        let layout = add(.plain, "UILayoutContainerView", in: controller, at: 0)
        return add(.plain, bar, in: layout, at: 0)
    }

    // MARK: Controls

    private mutating func add(_ control: Control, _ index: UInt16, in view: UInt16, tabs: [UInt16]) {
        let kind = ViewKind(control.resolvedKind)
        var item = ViewNode.none
        let node: UInt16
        switch kind {
        case .barButton where navigationController != ViewNode.none:
            let bar = bars(of: navigationController, "UINavigationBar")
            node = add(kind, "_UIButtonBarButton", in: bar, at: control.classIndex)
            item = add(.barItem, "UIBarButtonItem", in: node)
        case .tabButton where tabBarController != ViewNode.none:
            let classIndex = control.opens.flatMap { tabs.firstIndex(of: $0) } ?? Int(control.classIndex ?? 0)
            let bar = bars(of: tabBarController, "UITabBar")
            node = add(kind, "UITabBarButton", in: bar, at: UInt16(classIndex))
            item = add(.tabItem, "UITabBarItem", in: node)
        case .alertAction: node = addAction(of: control)
        default: node = addContent(control, kind, in: view)
        }
        describe(node, as: control, index)
        if item != ViewNode.none { describe(item: item, of: node, as: control) }
        controls.append(node)
        items.append(item)
    }

    /// A view in the screen's own view.
    private mutating func addContent(_ control: Control, _ kind: ViewKind, in view: UInt16) -> UInt16 {
        var parent = view
        for ancestor in ancestors(of: control, kind) {
            let ancestorKind: ViewKind =
                ancestor.isCell
                ? (ancestor.className.contains("Collection") ? .collectionCell : .tableCell)
                : ViewKind(ofViewClass: ancestor.className)
            parent = addAncestor(ancestor, ancestorKind, in: parent)
            if ancestor.isCell { enterCell(parent, control) }
        }
        let node = add(kind, control.className, in: parent, at: control.classIndex)
        if kind == .tableCell || kind == .collectionCell { enterCell(node, control) }
        return node
    }

    /// An ancestor that stands already is shared.
    private mutating func addAncestor(
        _ ancestor: Control.Ancestor, _ kind: ViewKind, in parent: UInt16
    ) -> UInt16 {
        let standing = nodes.indices.filter {
            nodes[$0].parent == parent && nodes[$0].className == ancestor.className
        }
        if Int(ancestor.classIndex) < standing.count {
            let found = standing[Int(ancestor.classIndex)]
            if nodes[found].kind == .plain { nodes[found].kind = kind }
            return UInt16(found)
        }
        return add(kind, ancestor.className, in: parent, at: ancestor.classIndex)
    }

    private mutating func enterCell(_ node: UInt16, _ control: Control) {
        nodes[Int(node)].cell = node
        nodes[Int(node)].section = control.position?.section ?? 0
    }

    /// What the app says; else the list of a row, and the target of an action if that is a view.
    private func ancestors(of control: Control, _ kind: ViewKind) -> [Control.Ancestor] {
        if !control.within.isEmpty { return control.within }
        switch kind {
        case .tableCell: return [Control.Ancestor("UITableView")]
        case .collectionCell: return [Control.Ancestor("UICollectionView")]
        default: break
        }
        let target = ViewNode.withoutModule(control.target)
        let isView = ["View", "Toolbar", "Bar"].contains { target.hasSuffix($0) }
        return isView && control.target != control.className ? [Control.Ancestor(control.target)] : []
    }

    /// The classes between an alert's controller and its buttons, as they are since iOS 10.
    private static let alertViews = [
        "_UIAlertControllerView", "UIView", "_UIAlertControllerInterfaceActionGroupView", "UIView",
        "_UIInterfaceActionRepresentationsSequenceView", "_UIInterfaceActionSeparatableSequenceView",
        "UIStackView",
    ]

    private mutating func addAction(of control: Control) -> UInt16 {
        let title = control.alert?.title ?? ""
        // One alert for all buttons that name the same texts.
        let standing = nodes.indices.first {
            nodes[$0].kind == .alertController && nodes[$0].title == title
                && nodes[$0].identifier == control.alert?.message ?? ""
        }
        var parent: UInt16
        if let standing {
            parent = UInt16(standing)
        } else {
            parent = add(.alertController, "UIAlertController", in: controller)
            nodes[Int(parent)].title = title
            nodes[Int(parent)].identifier = control.alert?.message ?? ""
        }
        for name in ViewTree.alertViews { parent = add(.plain, name, in: parent, at: 0) }
        parent = add(
            .plain, "_UIInterfaceActionCustomViewRepresentationView", in: parent, at: control.classIndex)
        return add(.alertAction, "_UIAlertControllerActionView", in: parent)
    }

    private mutating func describe(_ node: UInt16, as control: Control, _ index: UInt16) {
        var view = self[node]
        view.tag = control.tag
        view.frame = control.frame
        view.title = control.label
        view.identifier = control.identifier
        view.action = control.action
        view.target = control.target
        view.control = index
        nodes[Int(node)] = view
    }

    /// The item sends the app's action; its view sends UIKit's own to the bar.
    private mutating func describe(item: UInt16, of node: UInt16, as control: Control) {
        nodes[Int(item)].title = control.label
        nodes[Int(item)].identifier = control.identifier
        nodes[Int(item)].tag = control.tag
        nodes[Int(item)].control = self[node].control
        if self[node].kind == .tabButton {
            nodes[Int(item)].action = "_tabBarItemClicked:"
            nodes[Int(item)].target = self[tabBarController].className
            nodes[Int(node)].action = "_sendAction:withEvent:"
            nodes[Int(node)].target = "UITabBar"
        } else {
            nodes[Int(item)].action = control.action
            nodes[Int(item)].target = control.target
            nodes[Int(node)].action = "_invoke:forEvent:"
            nodes[Int(node)].target = "_UIButtonBarTargetAction"
        }
    }
}
