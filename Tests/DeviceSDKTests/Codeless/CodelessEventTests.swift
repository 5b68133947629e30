import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import CodelessSDK
@testable import DeviceSDK

@Suite("Codeless SDK, events")
struct CodelessEventTests {
    /// The events of some actions, read back from the part that the timer takes.
    private func events(
        app: AppDescription = .codelessForTests, _ actions: [UserAction],
        change: (inout CodelessRules) -> Void = { _ in }
    ) -> [CodelessBatch.Event] {
        let world = CodelessWorld(app: app) {
            $0.upload.flushBulkSize = 1000
            $0.upload.batch = 1000
            change(&$0)
        }
        world.startApp()
        for action in actions { world.act(1, action) }
        world.run(to: 31)
        return world.uploads.isEmpty ? [] : world.batch(0).events
    }

    @Test("the life of a page: its four events, with its class")
    func pages() {
        let events = events([
            .appear(screen: 0, referrer: nil), .disappear(screen: 0, next: 1),
            .appear(screen: 1, referrer: 0),
            .disappear(screen: 1, next: 0), .appear(screen: 0, referrer: 1),
        ]).filter { $0.view == nil }
        #expect(
            events.map { "\($0.name) \($0.pageName)" } == [
                "PageCreate HomeViewController", "PageShow HomeViewController",
                "PageCreate PageViewController", "PageHide HomeViewController",
                "PageShow PageViewController", "PageHide PageViewController", "PageShow HomeViewController",
                "PageDestory PageViewController",
            ])
    }

    @Test("a button: page, class, path, frame, title, and the MD5 of the path")
    func button() throws {
        let event = try #require(events([.tap(screen: 0, control: 0)]).first)
        #expect(event.name == "ButtonClick")
        #expect(event.time == ManualWorld.start.milliseconds + 1000)
        #expect(event.pageName == "HomeViewController")
        #expect(event.bsID == "17-0")
        let path = "HomeViewController-UIView-UIButton & 0-0-0"
        #expect(
            event.view
                == CodelessBatch.View(
                    className: "UIButton", path: path, frame: "{{10, 20}, {100, 44}}", title: "Buy",
                    id: MD5.hexadecimal(of: path)))
        #expect(event.indexPath == "" && event.url == "" && event.alertTitle == "")
    }

    @Test("a row: its index path, and the row in the view's path")
    func row() throws {
        let event = try #require(events([.tap(screen: 0, control: AppDescription.row)]).first)
        #expect(event.name == "ListItemClick")
        let parts = event.indexPath.split(separator: ":").compactMap { Int($0) }
        #expect(parts.count == 2 && parts.first == 2 && (0..<5).contains(parts.last ?? -1))
        #expect(event.view?.path.hasSuffix("-" + event.indexPath) == true)
        #expect(event.view?.id == MD5.hexadecimal(of: event.view?.path ?? ""))
    }

    @Test("the viewId of the published path")
    func publishedID() throws {
        var product = Control(
            className: "HYGHallProductView", action: "tapProduct:", target: "Hall", label: "")
        product.kind = .gesture
        product.classIndex = 1
        product.position = Control.Position(section: 0, rows: 9)
        var table = Control.Ancestor("HYGHallProductTableView")
        table.classIndex = 1
        var cell = Control.Ancestor("HYGHallProductCell")
        cell.isCell = true
        product.within = [
            table, Control.Ancestor("UITableViewWrapperView"), cell,
            Control.Ancestor("UITableViewCellContentView"),
        ]
        var app = AppDescription.codelessForTests
        app.screens[0].className = "HYGHallSlideViewController"
        app.screens[0].viewClass = "UIScrollView"
        app.screens[0].controls = [product]
        // Which row is hit is drawn: the published one is the third.
        let views = events(app: app, (0..<60).map { _ in .tap(screen: 0, control: 0) }).compactMap(\.view)
        let path =
            "HYGHallSlideViewController-UIScrollView-HYGHallProductTableView-UITableViewWrapperView-"
            + "HYGHallProductCell-UITableViewCellContentView-HYGHallProductView & 0-0-1-0-0:2-0-1"
        let published = try #require(views.first { $0.path == path })
        // By Python's hashlib.
        #expect(published.id == "9939498b21974f4b1abea0cd493fecf8")
        #expect(views.filter { $0.path != path }.allSatisfy { $0.id != published.id })
    }

    @Test("gestures and React Native")
    func gestures() {
        let events = events([
            .tap(screen: 0, control: AppDescription.gesture), .tap(screen: 0, control: AppDescription.react),
        ])
        #expect(events.map(\.name) == ["ViewTap", "RNViewTap"])
        #expect(events.map { $0.view?.className } == ["BannerView", "RCTView"])
    }

    @Test("an alert: title, message, and the page below it; the alert's own pages come and go around it")
    func alerts() throws {
        let events = events([
            .appear(screen: 0, referrer: nil), .tap(screen: 0, control: AppDescription.alert),
        ])
        let alert = try #require(events.first { $0.name == "AlertClick" })
        #expect(alert.pageName == "HomeViewController")
        #expect(alert.alertTitle == "Delete?")
        #expect(alert.alertMessage == "There is no way back.")
        #expect(alert.view?.title == "OK")
        #expect(events.contains { $0.name == "PageShow" && $0.pageName == "UIAlertController" })
    }

    @Test("UIAlertView and UIActionSheet tell their delegates", arguments: Control.Alert.Style.allCases)
    func alertStyles(style: Control.Alert.Style) {
        var app = AppDescription.codelessForTests
        app.screens[0].controls[Int(AppDescription.alert)].alert?.style = style
        let alerts = events(app: app, [.tap(screen: 0, control: AppDescription.alert)]).filter {
            $0.name == "AlertClick"
        }
        #expect(alerts.map(\.alertTitle) == ["Delete?"])
        #expect(alerts.map(\.pageName) == ["HomeViewController"])
    }

    @Test("bars: one event for a tap, on the page that is shown")
    func bars() {
        var app = AppDescription.codelessForTests
        app.navigationController = "UINavigationController"
        var bar = Control(className: "UIBarButtonItem", action: "share:", target: "Home", label: "Share")
        bar.kind = .barButton
        app.screens[0].controls.append(bar)
        let events = events(
            app: app,
            [
                .appear(screen: 0, referrer: nil), .tap(screen: 0, control: 6),
                .disappear(screen: 0, next: 1), .appear(screen: 1, referrer: 0),
                .disappear(screen: 1, next: 0), .appear(screen: 0, referrer: 1),
            ]
        ).filter { $0.name == "ButtonClick" }
        // The back button that UIKit adds is the second.
        #expect(events.map(\.pageName) == ["HomeViewController", "PageViewController"])
        #expect(events.allSatisfy { $0.view?.path.isEmpty == false })
        #expect(events.last?.view?.title == "Home")
        #expect(events.last?.view?.frame == "", "nothing says where UIKit puts it")
    }

    @Test("web views: url and error")
    func web() {
        var app = AppDescription.codelessForTests
        var loads = events(app: app, [.appear(screen: 1, referrer: nil)]).filter { $0.url != "" }
        #expect(loads.map(\.name) == ["WebViewStart", "WebViewFinish"])
        #expect(
            loads.allSatisfy { $0.url == "https://example.com/" && $0.error == "" && $0.view?.frame == "" })
        app.screens[1].web?.failures = 1
        loads = events(app: app, [.appear(screen: 1, referrer: nil)]).filter { $0.url != "" }
        #expect(loads.map(\.name) == ["WebViewStart", "WebViewFail"])
        #expect(loads.last?.error.hasPrefix("Error Domain=NSURLErrorDomain Code=-1") == true)
    }

    @Test("scrolls: one event for the end of each")
    func scrolls() {
        var app = AppDescription.codelessForTests
        app.screens[0].scroll = Screen.Scroll(chance: 1)
        app.screens[0].scroll?.toTop = 0
        for flick in [0.0, 1] {
            app.screens[0].scroll?.flick = flick
            let events = events(app: app, [.tap(screen: 0, control: AppDescription.row)])
            #expect(events.map(\.name) == ["Scroll", "ListItemClick"], "flick \(flick)")
            #expect(events.first?.view?.frame == "")
        }
    }

    @Test("groups of hooks can be switched off")
    func groups() {
        let actions: [UserAction] = [
            .appear(screen: 1, referrer: nil), .tap(screen: 0, control: 0),
        ]
        let all = Set(events(actions).map(\.name))
        #expect(all == ["PageCreate", "PageShow", "WebViewStart", "WebViewFinish", "ButtonClick"])
        let pages = Set(events(actions) { $0.autoTrack.pages = false }.map(\.name))
        #expect(pages == ["WebViewStart", "WebViewFinish", "ButtonClick"])
        let rest = events(actions) {
            $0.autoTrack.clicks = false
            $0.autoTrack.webViews = false
        }
        #expect(Set(rest.map(\.name)) == ["PageCreate", "PageShow"])
    }

    @Test("calls of the app are not captured: the SDK has no API for events")
    func noAPI() {
        let events = events([
            .business(event: 0, subject: 0), .login(account: 0, signUp: true), .web(event: 3, subject: 0),
            .profile(update: 0, subject: 0), .item(update: 0, subject: 0), .logout,
        ])
        #expect(events.isEmpty)
    }

    @Test("the batch: key, device, an eventsID of 32 digits in body and header")
    func batch() {
        let world = CodelessWorld()
        world.startApp()
        world.tap(1, count: 20)
        let (first, second) = (world.batch(0), world.batch(1))
        #expect(first.appKey == "key 1")
        #expect(first.deviceID == second.deviceID)
        #expect(first.deviceID.count == 36)
        #expect(first.eventsID != second.eventsID)
        #expect(first.eventsID.count == 32 && first.eventsID.allSatisfy(\.isHexDigit))
        let head = world.uploads[0].head
        #expect(head.path == "/codeless/v1/events")
        #expect(
            head.headerLines
                == "Content-Type: application/x-protobuf\r\nX-Env: test\r\nX-Events-Id: \(first.eventsID)\r\n"
        )
    }

    @Test("a session lasts over short absences, and ends with the process")
    func sessions() {
        let world = CodelessWorld { $0.upload.flushBulkSize = 1 }
        world.startApp()
        world.tap(1)
        world.act(2, .enterBackground)
        world.act(31, .enterForeground)
        world.tap(32)
        world.act(33, .enterBackground)
        world.act(64, .enterForeground)
        world.tap(65)
        world.act(66, .kill)
        world.act(67, .enterForeground)
        world.tap(68)
        let sessions = (0..<4).map { world.batch($0).events[0].sessionID }
        #expect(sessions[0] == sessions[1])
        #expect(Set(sessions).count == 3)
        #expect(sessions.allSatisfy { $0.count == 32 })
    }

    @Test("without ids an event is known by what it tells")
    func naturalKey() {
        let world = CodelessWorld(tagged: false)
        world.startApp()
        world.tap(1, count: 10)
        world.answer(200, at: 2)
        let (batch, event) = (world.batch(0), world.batch(0).events[0])
        #expect(event.bsID == "")
        let text = [
            batch.deviceID, event.sessionID, "ButtonClick", String(event.time), "HomeViewController",
            event.view?.id ?? "", "", "",
        ].joined(separator: "\u{1F}")
        let hash = WireBuffer(text).withUnsafeBytes { Hash128($0) }
        #expect(world.fates[0]?.naturalKey == NaturalKey(high: hash.high, low: hash.low))
    }

    @Test("the table of hooks names every event that the SDK has")
    func hooks() {
        let table = CodelessSystem.hooks
        let events = Set(table.rows.map(\.event)).subtracting([""])
        #expect(events == Set(CodelessTemplate.allCases.map(\.name)))
        #expect(table.contains(.willTerminate) && table.contains(.uncaughtException))
        #expect(!table.contains(.viewDidAppear))
    }
}
