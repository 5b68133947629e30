package import AppModel
import DeviceSDK

extension KitSystem {
    /// The methods that Kit's categories replace. None looks at who calls, so navigation and tab bar
    /// controllers and alerts have rows too, and a bar button or a tab is a control of UIKit's own.
    package static let hooks = HookTable(
        system: "kit",
        [
            HookTable.Row(
                .didFinishLaunching, of: "the app's delegate", reads: "class of the delegate", event: "0"),
            HookTable.Row(
                .viewWillAppear, of: "UIViewController", reads: "class of the view controller", event: "1"),
            HookTable.Row(
                .viewWillDisappear, of: "UIViewController", reads: "class of the view controller",
                event: "2"),
            HookTable.Row(
                .setSelectedViewController, of: "UITabBarController",
                reads: "class of the selected view controller", event: "3"),
            HookTable.Row(
                .sendAction, of: "UIControl", selector: "sendAction:to:forEvent:",
                reads: "class, class of the target, selector, tag, frame, title or value", event: "100–105"),
        ])

    /// The kind of row that a call makes, and the view that it tells of; `nil` for none.
    func row(of call: UIKitCall) -> (template: KitTemplate, view: ViewReference)? {
        switch call {
        case .viewWillAppear(let view): (.appear, view)
        case .viewWillDisappear(let view): (.disappear, view)
        case .setSelectedViewController(let view): (.tab, view)
        case .sendAction(let view, _): row(ofSender: view)
        default: nil
        }
    }

    /// An item of a bar is no control: its action goes to the application without this method.
    private func row(ofSender view: ViewReference) -> (template: KitTemplate, view: ViewReference)? {
        let kind = views.node(view).before11.kind
        return kind.isControl ? (KitTemplate(kind), view) : nil
    }
}
