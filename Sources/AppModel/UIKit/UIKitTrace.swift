package import Timebase

/// What UIKit knows of one device's app: turns each user action into the calls that UIKit makes, in
/// its order.
///
/// 32 bytes without references: the screens on the navigation stack and which tabs have been shown.
/// The tables are in the ``AppViews`` that the population shares. Nothing is drawn but from the
/// stream that is handed in.
///
/// What the actions leave open is decided like this:
/// - A screen of the tab bar is shown by selecting its tab, and a tab that is left goes back to its
///   root. Any other screen is pushed; if it lies on the stack already, those above it are popped.
///   Leaving the top screen for the one right below it without a tap on a control is the back button.
/// - `viewWillDisappear:`, `viewDidLoad` and `viewWillAppear:` come when the way to the next screen
///   begins (``UserAction/disappear(screen:next:)``); `viewDidDisappear:`, `viewDidAppear:` and
///   `dealloc` when it has been gone (``UserAction/appear(screen:referrer:)``).
/// - The background and the way back to the foreground call nothing on view controllers.
/// - Controllers around a screen load and appear before it, as far as they were not there.
/// - A web view starts to load when its screen is loaded, and ends when the screen has appeared.
/// - A kill calls nothing, but for the share that ``AppDescription/terminationNotice`` says.
package struct UIKitTrace: Hashable, Sendable {
    /// The screens of the selected tab, its root first; lanes from ``depth`` on are being popped.
    var stack = SIMD8<UInt16>(repeating: .max)
    /// Screens on the stack; 0 before the first is shown.
    var depth: UInt8 = 0
    /// ``depth`` before the change that is under way.
    var formerDepth: UInt8 = 0
    /// The screen that is being left.
    var leaving = UInt16.max
    /// The root of the stack that is being left.
    var formerRoot = UInt16.max
    /// A bit for each tab whose root is loaded.
    var loadedTabs: UInt16 = 0
    /// The index of the selected tab; 0 in an app without tabs.
    var tab: UInt8 = 0
    var state: State = []

    struct State: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let isRunning = State(rawValue: 1 << 0)
        static let isInBackground = State(rawValue: 1 << 1)
        /// The way to another screen has begun.
        static let isChanging = State(rawValue: 1 << 2)
        /// The last tap opens a screen.
        static let hasTapped = State(rawValue: 1 << 3)
        /// The last tap selected a tab.
        static let hasSelected = State(rawValue: 1 << 4)
        /// The screen that is coming was loaded just now.
        static let hasLoaded = State(rawValue: 1 << 5)
        /// The tab is changing, and its controller with it.
        static let changesTab = State(rawValue: 1 << 6)
    }

    /// Screens that a stack remembers; beyond them the one above the root is let go.
    static let depthLimit = 8

    package init() {}

    /// The screen shown; `nil` before the first.
    package var screen: UInt16? { depth > 0 ? stack[Int(depth) - 1] : nil }

    /// Gives the calls that UIKit makes for an action to `body`, in order.
    ///
    /// - Parameters:
    ///   - draws: Where rows, values of controls, scrolls and failures are drawn from; each kind from
    ///     a place of its own, and the row as the stream's next number. With the `screens` stream's
    ///     child of the device's next sequence, the row is the one that every other system's device
    ///     draws for an event of that sequence.
    /// - Complexity: O(1), but for the depth of the stack where screens are popped.
    package mutating func forEachCall(
        of action: UserAction, in views: AppViews, draws: RandomStream, _ body: (UIKitCall) -> Void
    ) {
        switch action {
        case .launch(let passive): launch(inBackground: passive, body)
        case .enterForeground: enterForeground(body)
        case .enterBackground where state.contains(.isRunning):
            body(.willResignActive)
            body(.didEnterBackground)
            state.insert(.isInBackground)
        case .kill:
            if state.isSuperset(of: [.isRunning, .isInBackground]), isAnnounced(views, draws) {
                body(.willTerminate)
            }
            self = UIKitTrace()
        case .crash(let reason):
            if state.contains(.isRunning) { body(.uncaughtException(reason: reason)) }
            self = UIKitTrace()
        case .disappear(let screen, let next) where state.contains(.isRunning):
            leave(screen, for: next, views, body)
        case .appear(let screen, _) where state.contains(.isRunning):
            arrive(at: screen, views, draws, body)
        case .tap(let screen, let control) where state.contains(.isRunning):
            tap(screen, control, views, draws, body)
        default: break
        }
    }

    private mutating func launch(inBackground: Bool, _ body: (UIKitCall) -> Void) {
        self = UIKitTrace()
        state = inBackground ? [.isRunning, .isInBackground] : .isRunning
        body(.didFinishLaunching(inBackground: inBackground))
    }

    /// Of a process that is gone, the user starts a new one.
    private mutating func enterForeground(_ body: (UIKitCall) -> Void) {
        if !state.contains(.isRunning) { launch(inBackground: false, body) }
        if state.contains(.isInBackground) { body(.willEnterForeground) }
        state.remove(.isInBackground)
        body(.didBecomeActive)
    }

    private func isAnnounced(_ views: AppViews, _ draws: RandomStream) -> Bool {
        var stream = draws.child(Draw.notice.rawValue)
        return stream.chance(views.app.terminationNotice)
    }

    /// The places that draws other than the row come from.
    enum Draw: UInt64 {
        case value = 1, scroll, notice, webLoad
    }
}
