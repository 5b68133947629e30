package import AppModel
import DeviceSDK
import Timebase

/// Which calls of UIKit the SDK hooks, and what it makes of them.
///
/// Sources: sa-sdk-ios v1.10.17 (`UIViewController+AutoTrack.m`, `UIApplication+AutoTrack.m`,
/// `SensorsAnalyticsSDK.m` `trackViewScreen:`, `_enableAutoTrack`) and v4.9.1
/// (`UIViewController+SAAutoTrack.m`, `SAAppViewScreenTracker.m`, `UIApplication+SAAutoTrack.m`,
/// `SAAppLifecycle.m`, `Gesture/SAGesturePlugin.m`, `Cell/SACellClickDynamicSubclassPlugin.m`).
///
/// 1.10.17 hooks React Native if it is compiled for it (`SENSORS_ANALYTICS_REACT_NATIVE`), as it is here. It
/// hooks no alerts; 4.9.1 hears of them through the gesture on their views.
package enum SensorsHooks {
    /// The calls that a version hooks.
    package static func table(_ version: SensorsRules.Version) -> HookTable {
        // 1.x hooks an earlier call of the same appearance; the time is that of the appearance all the same.
        let page = HookTable.Row(
            .viewDidAppear, of: "UIViewController", selector: version == .v4 ? nil : "viewWillAppear:",
            reads: "class, title, parent", event: "$AppViewScreen",
            when: "in no container of the app's own, and not on the SDK's list")
        let clicks = version == .v4 ? recentClicks : earlyClicks
        return HookTable(system: "sensors", lifecycle + [page] + clicks)
    }

    private static let lifecycle: [HookTable.Row] = [
        .init(
            .didFinishLaunching, of: "the app's delegate", reads: "nothing: the app starts the SDK",
            event: "$AppStart"),
        .init(
            .didBecomeActive, of: "UIApplication", reads: "nothing", event: "$AppStart",
            when: "after the background"),
        .init(.didEnterBackground, of: "UIApplication", reads: "the time", event: "$AppEnd"),
        .init(
            .uncaughtException, of: "Foundation", reads: "name, reason and stack", event: "AppCrashed",
            when: "and `$AppEnd`"),
    ]

    private static let earlyClicks: [HookTable.Row] = [
        click(.sendAction, of: "UIApplication", when: "but of tabs"),
        click(.gesture, of: "UILabel and UIImageView", selector: "addGestureRecognizer:"),
        click(.didSelectRow, of: "the table's delegate"),
        click(.didSelectItem, of: "the collection's delegate"),
        .init(.setJSResponder, of: "RCTUIManager", reads: "label of the view", event: "$AppClick"),
    ]

    private static let recentClicks: [HookTable.Row] = [
        click(.sendAction, of: "UIApplication"),
        click(.gesture, of: "UIGestureRecognizer"),
        // An alert's buttons have one gesture, on the view around them.
        click(.alertAction, of: "UIGestureRecognizer", selector: gesture),
        click(.alertViewButton, of: "UIGestureRecognizer", selector: gesture),
        click(.actionSheetButton, of: "UIGestureRecognizer", selector: gesture),
        click(.didSelectRow, of: "the table's delegate"),
        click(.didSelectItem, of: "the collection's delegate"),
    ]

    private static let gesture = UIKitCall.Kind.gesture.selector

    private static func click(
        _ call: UIKitCall.Kind, of receiver: String, selector: String? = nil, when condition: String = ""
    ) -> HookTable.Row {
        .init(
            call, of: receiver, selector: selector, reads: "class, text, id, path and row of the view",
            event: "$AppClick", when: condition)
    }

    /// Whether a hooked call is a tap that the SDK reports: no call that a bar's item makes, which is no view,
    /// and of 1.10.17 none of a tab bar's, and gestures of two classes alone.
    static func reports(_ call: UIKitCall, in views: AppViews, _ version: SensorsRules.Version) -> Bool {
        guard let view = call.view else { return false }
        let node = views.node(view)
        switch call {
        case .sendAction: return node.kind.isControl && (version == .v4 || node.kind != .tabButton)
        case .gesture:
            return version == .v4
                ? !ignoresGestures(of: node.className)
                : SensorsElement.earlyGestureType(of: node.className) != nil
        case .setJSResponder: return !["RCTSwitch", "RCTScrollView"].contains(node.className)
        case .didSelectRow, .didSelectItem, .alertAction, .alertViewButton, .actionSheetButton: return true
        default: return false
        }
    }

    /// Of 4.9.1 (`SAAutoTrackResources.m gestureViewBlacklist`): public classes with what inherits from them, by its name,
    /// and private ones by theirs alone (`SAGeneralGestureViewProcessor.m isIgnoreWithView:`).
    private static let ignoredKinds = [
        "PageControl", "TextField", "TextView", "TabBar", "CollectionView", "SearchBar",
    ]
    private static let ignoredClasses: Set<String> = [
        "_UIContextMenuContainerView", "_UIPreviewPlatterView", "UISwitchModernVisualElement",
        "WKContentView", "UIWebBrowserView",
    ]

    private static func ignoresGestures(of className: String) -> Bool {
        let name = ViewNode.withoutModule(className)
        return ignoredClasses.contains(className) || ignoredKinds.contains { name.hasSuffix($0) }
    }

    /// Whether the SDK reports that a controller appears: none of UIKit's own containers, none on its list,
    /// and none in a container of the app's own, which is reported in its place. 4.9.1 knows pages and split
    /// views for containers too.
    static func reports(_ node: ViewNode, in tree: ViewTree, _ version: SensorsRules.Version) -> Bool {
        guard node.kind == .viewController,
            !SensorsIgnoredScreens.ignoresViews(of: node.className, version: version)
        else { return false }
        guard node.parent != ViewNode.none, !tree[node.parent].kind.isContainer else { return true }
        let containers = ["UIPageViewController", "UISplitViewController"]
        return version == .v4 && containers.contains(tree[node.parent].className)
    }
}

/// What the hooks make of UIKit's calls for an app's screens and controls, found out once for a population.
///
/// Of a screen the same controllers appear each time, but for UIKit's own containers, of which none is
/// reported; and a tap on a control always makes the same call. So a device need not let a ``UIKitTrace``
/// make the calls of each action: that takes 8 % more instructions for a wake without uploads, and 32 bytes
/// of each device.
struct SensorsHookedViews {
    /// Everything that `$AppViewScreen` can tell of: the app's screens, then the containers around them.
    private(set) var pages: [Screen]
    /// By screen: those of ``pages`` that are reported when it appears, as a range of ``reported``.
    private var appearances: ContiguousArray<Range<Int>> = []
    private var reported: ContiguousArray<UInt16> = []
    /// By screen and control: whether a tap is a `$AppClick`.
    private var clicks: [[Bool]] = []
    /// Whether each screen is reported as itself alone.
    private(set) var isPlain = true
    private let views: AppViews

    init(views: AppViews, version: SensorsRules.Version) {
        self.views = views
        pages = views.app.screens
        let hooks = SensorsHooks.table(version)
        for screen in views.app.screens.indices.map(UInt16.init) {
            let first = reported.count
            for call in Self.calls(for: [.appear(screen: screen, referrer: nil)], views) {
                guard hooks.contains(call.kind), case .viewDidAppear(let view) = call,
                    SensorsHooks.reports(views.node(view), in: views.tree(of: screen), version)
                else { continue }
                reported.append(page(of: view, views))
            }
            appearances.append(first..<reported.count)
            isPlain = isPlain && reported[first...] == [screen]
            let ignoresTaps = SensorsIgnoredScreens.ignoresTaps(
                on: views.app.screens[Int(screen)].className, version: version)
            clicks.append(
                views.app.screens[Int(screen)].controls.indices.map { control in
                    let tap = UserAction.tap(screen: screen, control: UInt16(control))
                    let calls = Self.calls(for: [.appear(screen: screen, referrer: nil), tap], views)
                    return !ignoresTaps
                        && calls.contains {
                            hooks.contains($0.kind) && SensorsHooks.reports($0, in: views, version)
                        }
                })
        }
    }

    /// What is reported when a screen appears, in UIKit's order: indices in ``pages``.
    @inline(__always)
    func reported(of screen: UInt16) -> Range<Int> { appearances[Int(screen)] }

    @inline(__always)
    subscript(index: Int) -> UInt16 { reported[index] }

    @inline(__always)
    func isClick(_ control: UInt16, on screen: UInt16) -> Bool { clicks[Int(screen)][Int(control)] }

    /// Row and value of a tap, as ``ViewReference/detail`` packs them.
    @inline(__always)
    func tapped(_ control: UInt16, on screen: UInt16, _ draws: RandomStream) -> UInt32 {
        views.reference(ofControl: control, on: screen, draws).detail
    }

    /// The calls that UIKit makes for actions in an app that was launched just now.
    private static func calls(for actions: [UserAction], _ views: AppViews) -> [UIKitCall] {
        var calls: [UIKitCall] = []
        var trace = UIKitTrace()
        for action in [.launch(passive: false)] + actions {
            // No row, value or scroll matters here.
            trace.forEachCall(of: action, in: views, draws: RandomStream(key: 0)) { calls.append($0) }
        }
        return calls
    }

    /// A screen is a page by its number, a container by its class.
    private mutating func page(of view: ViewReference, _ views: AppViews) -> UInt16 {
        if view == views.controller(of: view.screen) { return view.screen }
        let name = views.node(view).className
        let known = pages[views.app.screens.count...].firstIndex { $0.className == name }
        if let known { return UInt16(known) }
        pages.append(Screen(name: name, className: name, title: ""))
        return UInt16(pages.count - 1)
    }
}
