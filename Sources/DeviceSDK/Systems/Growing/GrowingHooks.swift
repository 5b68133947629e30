package import AppModel
import DeviceSDK

/// Which calls of UIKit the SDK hooks, and what it makes of them.
///
/// Sources: growingio-sdk-ios-autotracker 3.2.1 and 4.11.0, `GrowingRealAutotracker.m addAutoTrackSwizzles`,
/// `UIApplication+GrowingAutotracker.m`, `GrowingSession.m`, `GrowingPageManager.m`.
package enum GrowingHooks {
    /// The calls that a shell hooks. The lifecycle is every shell's; the rest is the autotracker's.
    package static func table(_ rules: GrowingRules) -> HookTable {
        let isAutotracker = rules.shell == .autotracker && rules.autotrack.enabled
        return HookTable(system: "growing", lifecycle + (isAutotracker ? autotracker(rules) : []))
    }

    private static let lifecycle: [HookTable.Row] = [
        .init(
            .didFinishLaunching, of: "the app's delegate", reads: "nothing: the app starts the SDK",
            event: "VISIT"),
        .init(
            .didBecomeActive, of: "UIApplication", reads: "the time since it resigned", event: "VISIT",
            when: "after the session's interval"),
        .init(.willResignActive, of: "UIApplication", reads: "the time"),
        .init(.didEnterBackground, of: "UIApplication", reads: "the time", event: "APP_CLOSED"),
        .init(.willTerminate, of: "UIApplication", reads: "nothing: waits for the SDK's thread"),
    ]

    private static func autotracker(_ rules: GrowingRules) -> [HookTable.Row] {
        let page = rules.isVersion4 ? "of pages that the app listed" : "but of alerts"
        return [
            .init(
                .viewDidAppear, of: "UIViewController", reads: "class, title, parents", event: "PAGE",
                when: page),
            .init(
                .sendAction, of: "UIApplication", reads: "class, path, index and text of the sender",
                event: "VIEW_CLICK", when: "for touches, and of switches and steppers whatever the event"),
            .init(
                .sendAction, of: "UISegmentedControl", selector: "addTarget:action:forControlEvents:",
                reads: "the segment chosen", event: "VIEW_CLICK"),
            .init(
                .sendAction, of: rules.isVersion4 ? "UISlider, UITextField, UITextView" : "UITextField",
                selector: "UITextFieldTextDidEndEditingNotification",
                reads: "path and text", event: "VIEW_CHANGE"),
            .init(
                .didSelectRow, of: "the table's delegate", reads: "path and row of the cell",
                event: "VIEW_CLICK"),
            .init(
                .didSelectItem, of: "the collection's delegate", reads: "path and item of the cell",
                event: "VIEW_CLICK"),
            .init(
                .gesture, of: "UITapGestureRecognizer", reads: "path and text of the view",
                event: "VIEW_CLICK"),
            alert(.alertAction), alert(.alertViewButton), alert(.actionSheetButton),
        ]
    }

    /// All three kinds of alerts are made of a `UIAlertController`, which the SDK hooks.
    private static func alert(_ call: UIKitCall.Kind) -> HookTable.Row {
        .init(
            call, of: "UIAlertController",
            selector: "_dismissAnimated:triggeringAction:triggeredByPopoverDimmingView:dismissCompletion:",
            reads: "path and text of the button", event: "VIEW_CLICK")
    }
}

/// What a call of UIKit makes the SDK do.
enum GrowingCapture: Hashable {
    case page(ViewReference)
    case click(ViewReference)
    case change(ViewReference)
    /// Something happened to the app.
    case lifecycle(Lifecycle)

    enum Lifecycle: Hashable {
        case launch, becomeActive, resignActive, enterBackground, terminate
    }

    /// - Returns: `nil` for calls that the SDK does nothing with.
    init?(_ call: UIKitCall, views: AppViews, hooks: HookTable, isVersion4: Bool) {
        guard hooks.contains(call.kind) else { return nil }
        switch call {
        case .didFinishLaunching: self = .lifecycle(.launch)
        case .didBecomeActive: self = .lifecycle(.becomeActive)
        case .willResignActive: self = .lifecycle(.resignActive)
        case .didEnterBackground: self = .lifecycle(.enterBackground)
        case .willTerminate: self = .lifecycle(.terminate)
        // Alerts are on the SDK's list of private controllers.
        case .viewDidAppear(let view) where views.node(view).kind != .alertController: self = .page(view)
        case .didSelectRow(let view), .didSelectItem(let view), .alertAction(let view),
            .alertViewButton(let view), .actionSheetButton(let view):
            self = .click(view)
        case .gesture(let view):
            guard let capture = Self.touch(of: view, views, isVersion4) else { return nil }
            self = capture
        case .sendAction(let view, let isTouch):
            guard let capture = Self.action(of: view, isTouch: isTouch, views, isVersion4) else { return nil }
            self = capture
        default: return nil
        }
    }

    /// `growing_trackAction:to:from:forEvent:`. Items of bars are no views, and their views have come before
    /// them; segmented controls come by a target of the SDK's own.
    private static func action(
        of view: ViewReference, isTouch: Bool, _ views: AppViews, _ isVersion4: Bool
    ) -> GrowingCapture? {
        let node = views.node(view)
        switch node.kind {
        case .barItem, .tabItem: return nil
        case .segmentedControl, .toggle, .stepper: return .click(view)
        case .slider where isVersion4: return isTouch ? .change(view) : nil
        default: return isTouch ? touch(of: view, views, isVersion4) : nil
        }
    }

    /// A touch of a view that its class alone tells from others. Those of an input are no clicks: its end is told by
    /// a notification, of which 3.x hears for text fields, and 4.x for text views too.
    private static func touch(
        of view: ViewReference, _ views: AppViews, _ isVersion4: Bool
    ) -> GrowingCapture? {
        let name = views.node(view).plainClassName
        if name.hasSuffix("TextView") { return isVersion4 ? .change(view) : nil }
        return name.hasSuffix("TextField") || name.hasSuffix("SearchBar") ? .change(view) : .click(view)
    }
}
