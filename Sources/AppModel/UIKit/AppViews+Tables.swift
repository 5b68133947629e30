/// What a trace needs to know of a screen, without references.
struct ScreenViews: Sendable {
    var controller: UInt16
    var navigationController: UInt16
    var tabBarController: UInt16
    var backButton: UInt16
    /// The web view, if its delegate is told of loads.
    var webView = ViewNode.none
    /// Its part of ``AppViews/parents``.
    var parents: Range<Int>
    /// The index of its first control in ``AppViews/controls``.
    var firstControl: Int
    /// The index of its tab; `.max` for a screen that is pushed.
    var tab = UInt8.max
    var webFailures = 0.0
    var scroll = Screen.Scroll(chance: 0)
}

/// What a trace needs to know of a control, without references.
struct ControlViews: Sendable {
    var kind: ViewKind
    var node: UInt16
    /// The bar's item behind the view.
    var item: UInt16
    /// The alert's controller.
    var alert = ViewNode.none
    var alertStyle = Control.Alert.Style.alertController
    /// The scroll view around it.
    var scroller = ViewNode.none
    /// The screen that a tap opens; `.max` for none.
    var opens: UInt16
    /// Rows to choose from; 0 for a control outside of lists.
    var rows: UInt16
    /// How many values it can be set to; 0 for a control that has none.
    var values: UInt16

    init(_ control: Control, node: UInt16, item: UInt16, in tree: ViewTree) {
        kind = tree[node].kind
        self.node = node
        self.item = item
        if kind == .alertAction {
            alert = tree.nearest(node) { $0.kind == .alertController }
            alertStyle = control.alert?.style ?? .alertController
        }
        scroller = tree.nearest(node) { $0.kind.scrolls }
        opens = control.opens ?? .max
        rows = control.position?.rows ?? 0
        values = ControlViews.valueCount(of: kind, control)
    }

    /// A slider's 1001 are the thousandths of its range, a stepper's 101 the default range of `UIStepper`.
    private static func valueCount(of kind: ViewKind, _ control: Control) -> UInt16 {
        switch kind {
        case .segmentedControl: UInt16(max(1, control.segments.count))
        case .slider: 1001
        case .toggle: 2
        case .stepper: 101
        default: 0
        }
    }
}

extension AppViews {
    static func screenTables(
        of app: AppDescription, _ trees: [ViewTree], tabs: [UInt16]
    ) -> ContiguousArray<ScreenViews> {
        var parents = 0
        var controls = 0
        return ContiguousArray(
            zip(app.screens, trees).enumerated().map { index, pair in
                let (screen, tree) = pair
                var views = ScreenViews(
                    controller: tree.controller, navigationController: tree.navigationController,
                    tabBarController: tree.tabBarController, backButton: tree.backButton,
                    parents: parents..<parents + tree.parents.count, firstControl: controls)
                parents += tree.parents.count
                controls += screen.controls.count
                if let tab = tabs.firstIndex(of: UInt16(index)) { views.tab = UInt8(tab) }
                // The loads of a WKWebView are told to a delegate of another protocol.
                if let web = screen.web, web.viewClass != "WKWebView" {
                    views.webView = tree.webView
                    views.webFailures = web.failures
                }
                if let scroll = screen.scroll { views.scroll = scroll }
                return views
            })
    }

    static func controlTables(
        of app: AppDescription, _ trees: [ViewTree]
    ) -> ContiguousArray<ControlViews> {
        var tables = ContiguousArray<ControlViews>()
        for (screen, tree) in zip(app.screens, trees) {
            for (index, control) in screen.controls.enumerated() {
                tables.append(
                    ControlViews(control, node: tree.controls[index], item: tree.items[index], in: tree))
            }
        }
        return tables
    }
}
