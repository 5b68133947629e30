/// A call that UIKit makes and that an SDK can hook, with the view or view controller concerned.
///
/// What a hook reads from the view (class, title, frame, path …) is in the ``AppViews`` of the
/// population; a call holds indices only.
package enum UIKitCall: Hashable, Sendable {
    // MARK: UIViewController. Containers (navigation and tab bar controllers) and alerts are view
    // controllers too: `AppViews.node(_:).kind` tells them apart.

    case viewDidLoad(ViewReference)
    case viewWillAppear(ViewReference)
    case viewDidAppear(ViewReference)
    case viewWillDisappear(ViewReference)
    case viewDidDisappear(ViewReference)
    case dealloc(ViewReference)

    // MARK: Controls, bars and gestures

    /// `-[UIApplication sendAction:to:from:forEvent:]`. If the sender is a `UIControl`, as it is
    /// unless the view's kind is `barItem` or `tabItem`, the call has come through
    /// `-[UIControl sendAction:to:forEvent:]`.
    ///
    /// `isTouch` is whether the `UIEvent` is one of touches: it is `nil` for switches and steppers,
    /// which act on gestures and timers.
    case sendAction(ViewReference, isTouch: Bool)
    /// The view is the view controller that is selected now, a container if tabs have one.
    case setSelectedViewController(ViewReference)
    case didSelectRow(ViewReference)
    case didSelectItem(ViewReference)
    /// A gesture recognizer calls its target's action.
    case gesture(ViewReference)
    /// The back button that UIKit itself adds was tapped.
    case shouldPopItem(ViewReference)
    /// The handler of a `UIAlertAction` runs: after the alert has gone.
    case alertAction(ViewReference)
    /// `alertView:clickedButtonAtIndex:`, and the same of an action sheet, to its delegate: while it is
    /// still there.
    case alertViewButton(ViewReference)
    case actionSheetButton(ViewReference)
    /// React Native finds out which of its views a touch is for.
    case setJSResponder(ViewReference)

    // MARK: Scroll views and web views, to their delegates

    case willEndDragging(ViewReference)
    case didEndDragging(ViewReference, decelerates: Bool)
    case didEndDecelerating(ViewReference)
    case didScrollToTop(ViewReference)
    case webViewDidStart(ViewReference)
    case webViewDidFinish(ViewReference)
    /// `error` is an index into ``WebLoadError``'s cases.
    case webViewDidFail(ViewReference, error: WebLoadError)

    // MARK: The application

    case didFinishLaunching(inBackground: Bool)
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case willEnterForeground
    case willTerminate
    /// The handler of `NSSetUncaughtExceptionHandler`; `reason` points into
    /// ``AppDescription/crashReasons``.
    case uncaughtException(reason: UInt16)
}

extension UIKitCall {
    /// Which call it is, whatever it concerns.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case viewDidLoad, viewWillAppear, viewDidAppear, viewWillDisappear, viewDidDisappear, dealloc
        case sendAction, setSelectedViewController, didSelectRow, didSelectItem, gesture, shouldPopItem
        case alertAction, alertViewButton, actionSheetButton, setJSResponder
        case willEndDragging, didEndDragging, didEndDecelerating, didScrollToTop
        case webViewDidStart, webViewDidFinish, webViewDidFail
        case didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground
        case willEnterForeground, willTerminate, uncaughtException

        /// The selector that a hook replaces. For gestures, the action itself is the app's
        /// (``ViewNode/action``): a hook learns of it where it is registered, and so for alerts.
        package var selector: String {
            switch self {
            case .viewDidLoad: "viewDidLoad"
            case .viewWillAppear: "viewWillAppear:"
            case .viewDidAppear: "viewDidAppear:"
            case .viewWillDisappear: "viewWillDisappear:"
            case .viewDidDisappear: "viewDidDisappear:"
            case .dealloc: "dealloc"
            case .sendAction: "sendAction:to:from:forEvent:"
            case .setSelectedViewController: "setSelectedViewController:"
            case .didSelectRow: "tableView:didSelectRowAtIndexPath:"
            case .didSelectItem: "collectionView:didSelectItemAtIndexPath:"
            case .gesture: "initWithTarget:action:"
            case .shouldPopItem: "navigationBar:shouldPopItem:"
            case .alertAction: "actionWithTitle:style:handler:"
            case .alertViewButton: "alertView:clickedButtonAtIndex:"
            case .actionSheetButton: "actionSheet:clickedButtonAtIndex:"
            case .setJSResponder: "setJSResponder:blockNativeResponder:"
            case .willEndDragging: "scrollViewWillEndDragging:withVelocity:targetContentOffset:"
            case .didEndDragging: "scrollViewDidEndDragging:willDecelerate:"
            case .didEndDecelerating: "scrollViewDidEndDecelerating:"
            case .didScrollToTop: "scrollViewDidScrollToTop:"
            case .webViewDidStart: "webViewDidStartLoad:"
            case .webViewDidFinish: "webViewDidFinishLoad:"
            case .webViewDidFail: "webView:didFailLoadWithError:"
            case .didFinishLaunching: "application:didFinishLaunchingWithOptions:"
            case .didBecomeActive: "applicationDidBecomeActive:"
            case .willResignActive: "applicationWillResignActive:"
            case .didEnterBackground: "applicationDidEnterBackground:"
            case .willEnterForeground: "applicationWillEnterForeground:"
            case .willTerminate: "applicationWillTerminate:"
            case .uncaughtException: "NSSetUncaughtExceptionHandler"
            }
        }
    }

    package var kind: Kind { parts.kind }

    /// The view or view controller concerned; `nil` for calls to the application.
    package var view: ViewReference? { parts.view }

    /// See ``Kind/selector``.
    package var selector: String { kind.selector }

    private var parts: (kind: Kind, view: ViewReference?) {
        switch self {
        case .viewDidLoad(let view): (.viewDidLoad, view)
        case .viewWillAppear(let view): (.viewWillAppear, view)
        case .viewDidAppear(let view): (.viewDidAppear, view)
        case .viewWillDisappear(let view): (.viewWillDisappear, view)
        case .viewDidDisappear(let view): (.viewDidDisappear, view)
        case .dealloc(let view): (.dealloc, view)
        case .sendAction(let view, _): (.sendAction, view)
        case .setSelectedViewController(let view): (.setSelectedViewController, view)
        case .didSelectRow(let view): (.didSelectRow, view)
        case .didSelectItem(let view): (.didSelectItem, view)
        case .gesture(let view): (.gesture, view)
        case .shouldPopItem(let view): (.shouldPopItem, view)
        case .alertAction(let view): (.alertAction, view)
        case .alertViewButton(let view): (.alertViewButton, view)
        case .actionSheetButton(let view): (.actionSheetButton, view)
        case .setJSResponder(let view): (.setJSResponder, view)
        case .willEndDragging(let view): (.willEndDragging, view)
        case .didEndDragging(let view, _): (.didEndDragging, view)
        case .didEndDecelerating(let view): (.didEndDecelerating, view)
        case .didScrollToTop(let view): (.didScrollToTop, view)
        case .webViewDidStart(let view): (.webViewDidStart, view)
        case .webViewDidFinish(let view): (.webViewDidFinish, view)
        case .webViewDidFail(let view, _): (.webViewDidFail, view)
        case .didFinishLaunching: (.didFinishLaunching, nil)
        case .didBecomeActive: (.didBecomeActive, nil)
        case .willResignActive: (.willResignActive, nil)
        case .didEnterBackground: (.didEnterBackground, nil)
        case .willEnterForeground: (.willEnterForeground, nil)
        case .willTerminate: (.willTerminate, nil)
        case .uncaughtException: (.uncaughtException, nil)
        }
    }
}

/// Why a web view's page did not load: the errors of `NSURLErrorDomain` that phones see most.
package enum WebLoadError: UInt8, CaseIterable, Sendable {
    case timedOut, cannotFindHost, notConnected

    /// As `NSError` describes itself.
    package var text: String {
        switch self {
        case .timedOut:
            "Error Domain=NSURLErrorDomain Code=-1001 \"The request timed out.\""
        case .cannotFindHost:
            "Error Domain=NSURLErrorDomain Code=-1003 \"A server with the specified hostname could not be found.\""
        case .notConnected:
            "Error Domain=NSURLErrorDomain Code=-1009 \"The Internet connection appears to be offline.\""
        }
    }
}
