import TestSupport
import Testing
import Timebase

@testable import AppModel

/// A device whose calls are read like a transcript: `viewDidAppear: Home`.
private struct Transcript {
    var trace = UIKitTrace()
    let views: AppViews
    var draws = RandomStream(key: 1)

    init(_ app: AppDescription) { views = AppViews(app: app) }

    mutating func calls(_ action: UserAction) -> [UIKitCall] {
        var calls: [UIKitCall] = []
        trace.forEachCall(of: action, in: views, draws: draws) { calls.append($0) }
        return calls
    }

    /// Selectors without "viewWill…" where nothing is concerned; classes without "ViewController".
    mutating func act(_ actions: UserAction...) -> [String] {
        actions.flatMap { calls($0) }.map { call in
            guard let view = call.view else { return call.selector }
            let name = views.node(view).className.replacing("ViewController", with: "")
            return "\(call.selector) \(name)"
        }
    }

    mutating func start(_ screen: UInt16 = 0) {
        _ = act(.launch(passive: false), .enterForeground, .appear(screen: screen, referrer: nil))
    }

    /// From one screen to another.
    mutating func go(_ from: UInt16, _ to: UInt16) -> [String] {
        act(.disappear(screen: from, next: to), .appear(screen: to, referrer: from))
    }
}

@Suite("The calls that UIKit makes")
struct UIKitTraceTests {
    /// Home and Cart are tabs; Detail and Reviews are pushed.
    private func shop() -> AppDescription {
        var result = app(
            screen(
                "HomeViewController",
                [
                    Control("UITableViewCell").with {
                        $0.position = .init(section: 0, rows: 40)
                        $0.opens = 2
                    },
                    Control("UITabBarButton").with {
                        $0.opens = 1
                        $0.frame.x = 90
                    },
                ]), screen("CartViewController", [Control("UIButton").with { $0.opens = 0 }]),
            screen("DetailViewController", [Control("UIButton").with { $0.opens = 3 }], title: "Detail"),
            screen("ReviewsViewController", [Control("UIButton").with { $0.opens = 2 }]))
        result.crashReasons = ["NSRangeException"]
        return result
    }

    @Test("a cold start: the application, then the containers around the first screen")
    func coldStart() {
        var device = Transcript(shop())
        #expect(
            device.act(.launch(passive: false), .enterForeground)
                == ["application:didFinishLaunchingWithOptions:", "applicationDidBecomeActive:"])
        #expect(
            device.act(.appear(screen: 0, referrer: nil)) == [
                "viewDidLoad UITabBarController", "viewDidLoad UINavigationController", "viewDidLoad Home",
                "viewWillAppear: UITabBarController", "viewWillAppear: UINavigationController",
                "viewWillAppear: Home", "viewDidAppear: UITabBarController",
                "viewDidAppear: UINavigationController", "viewDidAppear: Home",
            ])
    }

    @Test("a passive start, and the user who comes later")
    func passiveStart() {
        var device = Transcript(shop())
        #expect(device.calls(.launch(passive: true)) == [.didFinishLaunching(inBackground: true)])
        #expect(device.calls(.enterForeground) == [.willEnterForeground, .didBecomeActive])
    }

    @Test("a push begins with the tap's animation and ends with viewDidAppear:")
    func push() {
        var device = Transcript(shop())
        device.start()
        #expect(
            device.act(.tap(screen: 0, control: 0)) == ["tableView:didSelectRowAtIndexPath: UITableViewCell"])
        #expect(
            device.act(.disappear(screen: 0, next: 2))
                == ["viewDidLoad Detail", "viewWillDisappear: Home", "viewWillAppear: Detail"])
        #expect(device.trace.screen == 2)
        #expect(
            device.act(.appear(screen: 2, referrer: 0))
                == ["viewDidDisappear: Home", "viewDidAppear: Detail"])
    }

    @Test("the back button pops, and what was popped is let go")
    func back() {
        var device = Transcript(shop())
        device.start()
        _ = device.go(0, 2)
        _ = device.go(2, 3)
        #expect(
            device.go(3, 2) == [
                "navigationBar:shouldPopItem: _UINavigationItemButtonView", "viewWillDisappear: Reviews",
                "viewWillAppear: Detail", "viewDidDisappear: Reviews", "viewDidAppear: Detail",
                "dealloc Reviews",
            ])
    }

    @Test("the back button shows the title of the screen that it leads to")
    func backTitle() {
        var device = Transcript(shop())
        device.start()
        _ = device.go(0, 2)
        _ = device.go(2, 3)
        let calls = device.calls(.disappear(screen: 3, next: 2))
        let button = calls.first { $0.kind == .shouldPopItem }?.view
        #expect(button.map { device.views.title($0) } == "Detail")
    }

    @Test("the app's own button pops without the back button")
    func popByTap() {
        var device = Transcript(shop())
        device.start()
        _ = device.go(0, 2)
        _ = device.go(2, 3)
        _ = device.act(.tap(screen: 3, control: 0))
        let calls = device.go(3, 2)
        #expect(calls.first == "viewWillDisappear: Reviews")
        #expect(calls.last == "dealloc Reviews")
    }

    @Test("a screen further down pops all above it, from the top")
    func popToRoot() {
        var device = Transcript(shop())
        device.start()
        _ = device.go(0, 2)
        _ = device.go(2, 3)
        let calls = device.go(3, 0)
        #expect(!calls.contains { $0.hasPrefix("navigationBar:") })
        #expect(calls.suffix(2) == ["dealloc Reviews", "dealloc Detail"])
        #expect(device.trace.screen == 0)
    }

    @Test("a tab is sent, selected, loaded once; the tab that is left goes back to its root")
    func tabs() {
        var device = Transcript(shop())
        device.start()
        _ = device.go(0, 2)
        _ = device.go(2, 0)
        #expect(
            device.act(.tap(screen: 0, control: 1)) == [
                "sendAction:to:from:forEvent: UITabBarButton", "sendAction:to:from:forEvent: UITabBarItem",
                "setSelectedViewController: UINavigationController",
            ])
        #expect(
            device.go(0, 1) == [
                "viewDidLoad UINavigationController", "viewDidLoad Cart",
                "viewWillAppear: UINavigationController", "viewWillAppear: Cart",
                "viewWillDisappear: UINavigationController", "viewWillDisappear: Home",
                "viewDidDisappear: UINavigationController", "viewDidDisappear: Home",
                "viewDidAppear: UINavigationController", "viewDidAppear: Cart",
            ])
        _ = device.go(1, 2)
        #expect(device.trace.tab == 1)
        let calls = device.go(2, 0)
        #expect(calls.first == "setSelectedViewController: UINavigationController")
        #expect(!calls.contains { $0.hasPrefix("viewDidLoad") })
        #expect(calls.last == "dealloc Detail")
    }

    @Test("a screen that follows itself is pushed, a tab's root only shown again")
    func again() {
        var device = Transcript(shop())
        device.start()
        #expect(
            device.go(0, 0) == [
                "viewWillDisappear: Home", "viewWillAppear: Home", "viewDidDisappear: Home",
                "viewDidAppear: Home",
            ])
        _ = device.go(0, 2)
        #expect(device.go(2, 2).first == "viewDidLoad Detail")
    }

    @Test("a stack that is full lets go of the screen above its root")
    func fullStack() {
        var described = AppDescription(name: "deep")
        described.screens = (0..<12).map { screen("V\($0)") }
        var device = Transcript(described)
        device.start()
        for screen in 1..<UInt16(UIKitTrace.depthLimit) { _ = device.go(screen - 1, screen) }
        #expect(device.go(7, 8).first == "dealloc V1")
        // It can be pushed again; the one below is still there.
        #expect(device.go(8, 7).contains("dealloc V8"))
        #expect(device.go(7, 1).contains("viewDidLoad V1"))
    }

    @Test("the background and back: nothing for view controllers")
    func background() {
        var device = Transcript(shop())
        device.start()
        #expect(
            device.act(.enterBackground, .enterForeground) == [
                "applicationWillResignActive:", "applicationDidEnterBackground:",
                "applicationWillEnterForeground:", "applicationDidBecomeActive:",
            ])
        #expect(device.trace.screen == 0)
    }

    @Test("a kill calls nothing, a crash the handler; then everything loads anew")
    func ends() {
        var device = Transcript(shop())
        device.start()
        #expect(device.calls(.kill) == [])
        #expect(device.act(.tap(screen: 0, control: 0), .enterBackground) == [])
        device.start()
        #expect(device.calls(.crash(reason: 0)) == [.uncaughtException(reason: 0)])
        _ = device.act(.launch(passive: false), .enterForeground)
        #expect(device.act(.appear(screen: 0, referrer: nil)).first == "viewDidLoad UITabBarController")
    }

    @Test("the end in the background is announced to apps that run there, in the share that is set")
    func announcedEnd() {
        var described = shop()
        described.terminationNotice = 0.25
        var device = Transcript(described)
        var announced = 0
        for key in 0..<1000 {
            device.draws = RandomStream(key: UInt64(key))
            device.start()
            #expect(device.calls(.kill) == [], "in the foreground")
            device.start()
            _ = device.calls(.enterBackground)
            if device.calls(.kill) == [.willTerminate] { announced += 1 }
        }
        // Four standard deviations of a binomial distribution.
        #expect(abs(announced - 250) < 55)
    }

    @Test("the row is the stream's next number, as it is for every system")
    func rows() {
        var device = Transcript(shop())
        device.start()
        for key in 0..<50 {
            device.draws = RandomStream(key: UInt64(key))
            var stream = device.draws
            let row = UInt16(stream.below(40))
            #expect(device.calls(.tap(screen: 0, control: 0)).first?.view?.row == row)
        }
    }

    @Test("controls, gestures, React Native: each its own call, and switches without touches")
    func controls() {
        let controls = [
            Control("UIButton"), Control("UISwitch"), Control("UIStepper"), Control("UISlider"),
            Control("BannerView"), Control("RCTView"), Control("UIBarButtonItem"),
        ]
        var device = Transcript(app(screen("HomeViewController", controls)))
        device.start()
        let calls = controls.indices.map { device.calls(.tap(screen: 0, control: UInt16($0))) }
        #expect(
            calls.map { $0.map(\.kind) } == [
                [.sendAction], [.sendAction], [.sendAction], [.sendAction], [.gesture], [.setJSResponder],
                [.sendAction, .sendAction],
            ])
        let touches = calls.prefix(4).map { calls -> Bool? in
            guard case .sendAction(_, let isTouch) = calls[0] else { return nil }
            return isTouch
        }
        #expect(touches == [true, false, false, true])
        #expect(device.trace.screen == 0)
    }

    @Test("an alert comes, goes, then its handler runs; the screen stays")
    func alert() {
        let answer = Control("UIAlertAction", label: "OK").with { $0.alert = .init(title: "?", message: "") }
        var device = Transcript(app(screen("HomeViewController", [answer])))
        device.start()
        #expect(
            device.act(.tap(screen: 0, control: 0))
                == [
                    "viewDidLoad UIAlertController", "viewWillAppear: UIAlertController",
                    "viewDidAppear: UIAlertController", "viewWillDisappear: UIAlertController",
                    "viewDidDisappear: UIAlertController",
                    "actionWithTitle:style:handler: _UIAlertControllerActionView",
                    "dealloc UIAlertController",
                ].map { $0.replacing("ViewController", with: "") })
    }

    @Test(
        "the delegates of older alerts are told while the alert is there",
        arguments: [
            (Control.Alert.Style.alertView, "alertView:clickedButtonAtIndex:"),
            (.actionSheet, "actionSheet:clickedButtonAtIndex:"),
        ])
    func olderAlerts(style: Control.Alert.Style, selector: String) {
        let answer = Control("UIAlertAction", label: "OK").with {
            $0.alert = .init(title: "?", message: "")
            $0.alert?.style = style
        }
        var device = Transcript(app(screen("HomeViewController", [answer])))
        device.start()
        #expect(
            device.act(.tap(screen: 0, control: 0)) == [
                "viewDidLoad UIAlertController", "viewWillAppear: UIAlertController",
                "viewDidAppear: UIAlertController", "\(selector) _UIAlertControllerActionView",
                "viewWillDisappear: UIAlertController", "viewDidDisappear: UIAlertController",
                "dealloc UIAlertController",
            ])
    }

    @Test("a list that users scroll is scrolled before a row is tapped")
    func scroll() {
        var described = shop()
        var habit = Screen.Scroll(chance: 1)
        habit.flick = 1
        habit.toTop = 1
        described.screens[0].scroll = habit
        var device = Transcript(described)
        device.start()
        #expect(
            device.act(.tap(screen: 0, control: 0)) == [
                "scrollViewWillEndDragging:withVelocity:targetContentOffset: UITableView",
                "scrollViewDidEndDragging:willDecelerate: UITableView",
                "scrollViewDidEndDecelerating: UITableView", "scrollViewDidScrollToTop: UITableView",
                "tableView:didSelectRowAtIndexPath: UITableViewCell",
            ])
        // What is not in a scroll view does not scroll.
        #expect(device.calls(.tap(screen: 0, control: 1)).map(\.kind).first == .sendAction)
        described.screens[0].scroll = Screen.Scroll(chance: 0)
        device = Transcript(described)
        device.start()
        #expect(device.calls(.tap(screen: 0, control: 0)).map(\.kind) == [.didSelectRow])
    }

    @Test("a web view loads with its screen; a share fails, a WKWebView tells nobody")
    func web() {
        var described = app(screen("HomeViewController"), screen("WebViewController"))
        described.screens[1].web = Screen.WebPage(url: "https://example.com")
        var device = Transcript(described)
        device.start()
        #expect(
            device.go(0, 1) == [
                "viewDidLoad Web", "webViewDidStartLoad: UIWebView", "viewWillDisappear: Home",
                "viewWillAppear: Web", "viewDidDisappear: Home", "viewDidAppear: Web",
                "webViewDidFinishLoad: UIWebView",
            ])
        described.screens[1].web?.failures = 1
        device = Transcript(described)
        device.start()
        #expect(device.go(0, 1).last == "webView:didFailLoadWithError: UIWebView")
        described.screens[1].web?.viewClass = "WKWebView"
        device = Transcript(described)
        device.start()
        #expect(!device.go(0, 1).contains { $0.contains("WebView") && !$0.hasSuffix(" Web") })
    }

    @Test("controllers around a screen come and go with it")
    func parents() {
        var described = app(screen("HomeViewController"), screen("PageViewController"))
        described.screens[1].parents = ["UIPageViewController"]
        var device = Transcript(described)
        device.start()
        #expect(
            device.go(0, 1) == [
                "viewDidLoad UIPage", "viewDidLoad Page", "viewWillDisappear: Home", "viewWillAppear: UIPage",
                "viewWillAppear: Page", "viewDidDisappear: Home", "viewDidAppear: UIPage",
                "viewDidAppear: Page",
            ])
        #expect(device.go(1, 0).suffix(2) == ["dealloc UIPage", "dealloc Page"])
    }

    @Test("an appearance without a disappearance before it makes all the calls at once")
    func appearAlone() {
        var device = Transcript(shop())
        device.start()
        #expect(
            device.act(.appear(screen: 2, referrer: 0)) == [
                "viewDidLoad Detail", "viewWillDisappear: Home", "viewWillAppear: Detail",
                "viewDidDisappear: Home", "viewDidAppear: Detail",
            ])
    }
}
