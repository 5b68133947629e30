package import AppModel
import DeviceSDK

extension TrackingSDKSystem {
    /// The two swizzled methods of the text. Everything else the app tracks itself: its launch
    /// (`AppLaunch`, with its version) and its business events.
    ///
    /// Neither hook looks at who calls: `PageView` comes for navigation and tab bar controllers and for
    /// alerts too, and a bar button or a tab sends its view's action to the bar.
    package static let hooks = HookTable(
        system: "trackingsdk",
        [
            HookTable.Row(
                .viewDidAppear, of: "UIViewController", reads: "class of the view controller",
                event: "PageView"),
            HookTable.Row(
                .sendAction, of: "UIControl", selector: "sendAction:to:forEvent:",
                reads: "selector of the action, class of its target", event: "ButtonClick",
                when: "for touches"),
        ])

    /// The event that a hook makes of a call; `nil` for none.
    func event(of call: UIKitCall) -> TrackingSDKEvent? {
        guard Self.hooks.contains(call.kind) else { return nil }
        switch call {
        case .viewDidAppear(let view) where rules.autoTrack.pageView:
            return TrackingSDKEvent(TrackingSDKTemplates.pageView, view: view)
        case .sendAction(let view, let isTouch) where rules.autoTrack.buttonClick:
            // An item of a bar is no control: its action goes to the application without this method.
            guard views.node(view).kind.isControl, isTouch || rules.autoTrack.withoutEvent else {
                return nil
            }
            return TrackingSDKEvent(TrackingSDKTemplates.buttonClick, view: view)
        default: return nil
        }
    }
}

/// The parameters of what the hooks make, rendered once for each view.
struct TrackingSDKViewParameters: Sendable {
    /// By screen and node: the members of `PageView`, and of `ButtonClick`; empty for nodes that have none.
    private let pages: [[[UInt8]]]
    private let clicks: [[[UInt8]]]

    init(views: AppViews) {
        pages = views.trees.map { tree in
            tree.nodes.map { node in
                guard node.kind.isController else { return [] }
                return TrackingSDKEncoder.members(["page": node.className])
            }
        }
        clicks = views.trees.map { tree in
            tree.nodes.map { node in
                guard node.kind.isControl else { return [] }
                return TrackingSDKEncoder.members(["action": node.action, "target": node.target])
            }
        }
    }

    /// The members of a `PageView`.
    func page(_ record: EventRecord) -> [UInt8] { pages[Int(record.screen)][Int(record.control)] }

    /// The members of a `ButtonClick`.
    func click(_ record: EventRecord) -> [UInt8] { clicks[Int(record.screen)][Int(record.control)] }
}
