import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import TrackingSDK

@Suite("TrackingSDK, events")
struct TrackingSDKEventTests {
    /// 2019-04-24T12:36:37.123Z, the moment of the published example.
    private static let moment = Instant(milliseconds: 1_556_107_397_123)

    @Test("the published example's body, byte for byte")
    func golden() {
        let world = TrackingSDKWorld(start: Self.moment, tagged: false)
        world.act(-1, .launch(passive: false), .enterForeground)
        world.answer(200, at: -0.5)
        world.act(0, .appear(screen: 0, referrer: nil))
        #expect(
            world.uploads.last?.text
                == #"[{"event_name":"PageView","parameters":{"page":"HomeViewController"},"#
                + #""timestamp":1556107397.123}]"#)
    }

    @Test("the three automatic events and a business event, with the harness's ids")
    func events() {
        let world = TrackingSDKWorld(start: Self.moment)
        world.act(0, .updateApp(version: 1), .launch(passive: true), .enterForeground)
        world.act(0.25, .appear(screen: 0, referrer: nil))
        world.act(0.5, .tap(screen: 0, control: 0))
        world.track(1)
        let expected = [
            #"{"event_name":"AppLaunch","parameters":{"version":"1.1.0","bs_id":"17-0"},"timestamp":1556107397.123}"#,
            #"{"event_name":"PageView","parameters":{"page":"HomeViewController","bs_id":"17-1"},"timestamp":1556107397.373}"#,
            #"{"event_name":"ButtonClick","parameters":{"action":"buy:","target":"Home","bs_id":"17-2"},"timestamp":1556107397.623}"#,
            #"{"event_name":"BuyGoods","parameters":{"bs_id":"17-3"},"timestamp":1556107398.123}"#,
        ]
        #expect(world.uploads.last?.text == "[" + expected.joined(separator: ",") + "]")
        #expect(
            world.system.labels.prefix(4).map(\.name) == ["AppLaunch", "PageView", "ButtonClick", "BuyGoods"])
    }

    @Test("parameters of every kind, as NSJSONSerialization writes them, the same in each request")
    func parameters() throws {
        var app = AppDescription.plainForTests
        app.events[0].properties = [
            PropertyRule("text", .constant(.string("a/b \"c\""))),
            PropertyRule("price", .constant(.number(9.5))),
            PropertyRule("isVersion4", .constant(.bool(true))), PropertyRule("nothing", .constant(.null)),
            PropertyRule("tags", .constant(.list([.string("x"), .number(2)]))), PropertyRule("at", .date),
            PropertyRule("n", .counter(prefix: nil)),
            PropertyRule("draw", .number(.uniform(0, 1000), decimals: 2)),
        ]
        let world = TrackingSDKWorld(start: Self.moment, app: app)
        world.startApp()
        world.track(1)
        let body = try #require(world.uploads.last?.text)
        #expect(
            body.hasPrefix(
                #"[{"event_name":"BuyGoods","parameters":{"text":"a\/b \"c\"","price":9.5,"isVersion4":true,"#
                    + #""nothing":null,"tags":["x",2],"at":1556107398.123,"n":1,"draw":"#))
        #expect(body.hasSuffix(#","bs_id":"17-1"},"timestamp":1556107398.123}]"#))
        world.track(2)
        // The event is in the second body with the values of its capture.
        #expect(world.uploads.last?.text.hasPrefix(body.dropLast(1)) == true)
    }

    @Test("the device's clock is in the timestamp, not in the planned time of capture")
    func clock() throws {
        let world = TrackingSDKWorld(start: Self.moment) { $0.clockSkew = .seconds(100) }
        world.startApp()
        let skew = world.system.plan.clockSkew(index: 0)
        #expect(skew != .zero)
        #expect(world.fates[0]?.capturedAt == Self.moment)
        let parser = JSONParser()
        let seconds = try world.uploads[0].body.withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { Array($0.elements)[0]["timestamp"]?.double }
        }
        #expect(abs((seconds ?? 0) - (Self.moment + skew - Instant(nanoseconds: 0)).fractionalSeconds) < 1e-5)
    }

    @Test("hooks: two methods, and neither looks at who calls")
    func hooks() {
        #expect(
            TrackingSDKSystem.hooks.rows.map(\.selector) == ["viewDidAppear:", "sendAction:to:forEvent:"])
        var app = AppDescription.forTests
        var bar = Control(className: "UIBarButtonItem", action: "share:", target: "Home", label: "Share")
        bar.kind = .barButton
        var toggle = Control(className: "UISwitch", action: "mute:", target: "Home", label: "")
        toggle.kind = .toggle
        app.screens[0].controls += [bar, toggle]
        let world = TrackingSDKWorld(app: app)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        #expect(world.trackedNames == ["AppLaunch", "PageView", "PageView"])
        #expect(world.uploads.last?.text.contains(#""page":"UINavigationController""#) == true)
        // A row is selected by the table's delegate: no action is sent.
        world.act(2, .tap(screen: 0, control: 1))
        // A switch sends its action without an event.
        world.act(3, .tap(screen: 0, control: 3))
        #expect(world.trackedNames.count == 3)
        // A bar's button sends to the bar; its item then sends past the hook.
        world.act(4, .tap(screen: 0, control: 2))
        #expect(world.trackedNames == ["AppLaunch", "PageView", "PageView", "ButtonClick"])
        #expect(world.uploads.last?.text.contains("share:") == false)
    }

    @Test("a hook calls the original first: the app's own event precedes ButtonClick and PageView")
    func originalFirst() {
        let world = TrackingSDKWorld(app: .forTests)
        world.startApp()
        // The app's code is in the innermost controller; the one around it has no say.
        world.act(1, .appear(screen: 0, referrer: nil), .business(event: 0, subject: 3))
        #expect(world.trackedNames == ["AppLaunch", "PageView", "BuyGoods", "PageView"])
        let text = world.uploads.last?.text ?? ""
        let last = text.split(separator: "},{").last ?? ""
        #expect(last.contains(#""page":"HomeViewController""#), "\(text)")
        while !world.openUploads.isEmpty { world.answer(500, at: 1) }
        world.act(
            2, .tap(screen: 0, control: 0), .beginTimed(event: 2), .business(event: 0, subject: 3),
            .profile(update: 0, subject: 0), .business(event: 0, subject: 4))
        #expect(world.trackedNames.suffix(3) == ["BuyGoods", "BuyGoods", "ButtonClick"])
        while !world.openUploads.isEmpty { world.answer(500, at: 2) }
        // Nothing of the app's: at once.
        world.act(3, .tap(screen: 0, control: 0))
        #expect(world.trackedNames.suffix(2) == ["ButtonClick", "ButtonClick"])
        #expect(world.device.held == nil)
    }

    @Test("an app that dies in a control's action never comes back to the hook")
    func diesInOriginal() {
        let world = TrackingSDKWorld()
        world.startApp()
        let now = world.time(1)
        var effects = DeviceEffects()
        world.system.perform(
            PlannedAction(at: now, action: .tap(screen: 0, control: 0), isAnswered: true),
            on: &world.device, effects: &effects)
        #expect(world.device.nextSequence == 1)
        world.act(1, .crash(reason: 0))
        #expect(world.device.nextSequence == 1 && world.device.held == nil)
        world.act(2, .launch(passive: false))
        #expect(world.device.nextSequence == 2)
    }

    @Test("as the printed code has it, an action without an event counts as a touch")
    func withoutEvent() {
        var app = AppDescription.plainForTests
        var toggle = Control(className: "UISwitch", action: "mute:", target: "Home", label: "")
        toggle.kind = .toggle
        app.screens[0].controls += [toggle]
        let world = TrackingSDKWorld(app: app) { $0.autoTrack.withoutEvent = true }
        world.startApp()
        world.act(1, .tap(screen: 0, control: 2))
        #expect(world.trackedNames == ["AppLaunch", "ButtonClick"])
    }

    @Test("switches of the hooks, and calls that the SDK has not")
    func switches() {
        let world = TrackingSDKWorld {
            $0.autoTrack.pageView = false
            $0.autoTrack.buttonClick = false
        }
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil), .tap(screen: 0, control: 0))
        world.act(2, .login(account: 1, signUp: true), .profile(update: 0, subject: 0), .logout)
        world.act(3, .item(update: 0, subject: 0), .registerSuperProperties(group: 0), .beginTimed(event: 2))
        world.act(4, .appear(screen: 1, referrer: 0), .web(event: 3, subject: 0))
        #expect(world.device.nextSequence == 1)
    }

    @Test("nothing happens without a process; a user who opens the app starts one")
    func process() {
        let world = TrackingSDKWorld()
        world.act(0, .appear(screen: 0, referrer: nil), .business(event: 0, subject: 0), .enterBackground)
        #expect(world.device.nextSequence == 0)
        world.act(1, .enterForeground)
        #expect(world.trackedNames == ["AppLaunch"])
        #expect(world.device.isForeground)
        world.act(2, .enterBackground)
        #expect(!world.device.isForeground)
        // A launch of a process that lives is a new process.
        world.act(3, .launch(passive: false))
        #expect(world.deaths == 1)
        #expect(world.device.nextSequence == 2)
    }

    @Test("events from before the run are in the file, thirty seconds apart")
    func prefill() {
        let world = TrackingSDKWorld { $0.storage.prefill = 3 }
        #expect(world.stored == [0, 1, 2])
        #expect(world.uploads.isEmpty)
        world.act(0, .launch(passive: false))
        #expect(world.uploadedSequences == [[0, 1, 2, 3]])
        world.answer(200, at: 1)
        let times = (0..<3).compactMap { world.fates[$0]?.capturedAt }
        #expect(times == [-90, -60, -30].map { world.time($0) })
    }

    @Test("without ids an event is known by name, time and parameters in any order")
    func naturalKey() throws {
        var app = AppDescription.plainForTests
        app.events[0].properties = [
            PropertyRule("b", .constant(.number(1))), PropertyRule("a", .constant(.string("x/y"))),
        ]
        let world = TrackingSDKWorld(start: Self.moment, tagged: false, app: app)
        world.startApp()
        world.track(1)
        world.answer(200, at: 2)
        let text = "BuyGoods\u{1F}1556107398.123\u{1F},\"a\":\"x/y\",\"b\":1"
        let hash = WireBuffer(text).withUnsafeBytes { Hash128($0) }
        #expect(world.fates[1]?.naturalKey == NaturalKey(high: hash.high, low: hash.low))
    }
}

extension ManualDevice where System == TrackingSDKSystem {
    /// Names of all events that the device has or had, by the bodies that it sent.
    var trackedNames: [String] {
        var names: [UInt32: String] = [:]
        for upload in uploads {
            for event in upload.text.split(separator: "{\"event_name\":\"").dropFirst() {
                guard let sequence = Self.sequences(in: String(event)).first else { continue }
                names[sequence] = String(event.prefix { $0 != "\"" })
            }
        }
        return names.sorted { $0.key < $1.key }.map(\.value)
    }
}
