import Accounting
import AppModel
import Foundation
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// 4.9.1: events that travel at once and with their like alone.
@Suite("Sensors 4.9.1, instant events")
struct InstantEventTests {
    private func world(_ change: (inout SensorsRules) -> Void = { _ in }) -> ManualWorld {
        let world = ManualWorld(.v4) {
            $0.upload.instant = ["BuyGoods"]
            change(&$0)
        }
        world.startApp()
        return world
    }

    private func view(_ world: ManualWorld, _ seconds: Double, count: Int = 1) {
        for _ in 0..<count { world.act(seconds, .appear(screen: 0, referrer: nil)) }
    }

    private func isInstant(_ world: ManualWorld, _ request: OutgoingRequest) -> Bool {
        world.encode(request).body.hasSuffix("&instant_event=true")
    }

    @Test("an instant event leaves at once and alone, and the form says so; the others wait for the timer")
    func atOnce() throws {
        let world = world()
        view(world, 1)
        world.track(2)
        #expect(world.uploadedSequences == [[0], [2]])
        let request = try #require(world.open.first)
        #expect(isInstant(world, request))
        world.answer(200, at: 3)
        #expect(world.stored == [1])
        world.run(to: 15)
        #expect(world.uploadedSequences.last == [1])
        #expect(!isInstant(world, try #require(world.open.first)))
    }

    @Test("a timer sends what is instant first, then the rest, whatever became of the first")
    func timer() throws {
        for status: UInt16 in [200, 503] {
            let world = world { $0.upload.batch = 2 }
            view(world, 1)
            world.track(2, count: 2)
            world.fail(.reset, at: 3, upload: 1)
            world.fail(.reset, at: 3, upload: 2)
            view(world, 4)
            world.run(to: 15)
            #expect(world.uploadedSequences.last == [2, 3])
            #expect(isInstant(world, try #require(world.open.first)))
            world.answer(status, at: 16)
            #expect(world.uploadedSequences.last == [1, 4])
            #expect(!isInstant(world, try #require(world.open.first)))
            #expect(world.stored == (status == 200 ? [1, 4] : [1, 2, 3, 4]))
        }
    }

    @Test("what fills the store asks for the like of the event that filled it")
    func bulk() {
        let world = world { $0.upload.flushBulkSize = 3 }
        world.track(1)
        world.fail(.reset, at: 1.5)
        view(world, 2, count: 3)
        // Four idle rows: the last is a view.
        #expect(world.uploadedSequences.last == [2, 3, 4])
    }

    @Test("a sign-up takes the rows along that are not instant")
    func signUp() {
        let world = world()
        world.track(1)
        world.fail(.reset, at: 1.5)
        view(world, 2)
        world.act(3, .login(account: 1, signUp: true))
        #expect(world.uploadedSequences.last == [2, 3])
    }

    @Test("in debug mode each event asks for its like, one a request")
    func debug() {
        let world = ManualWorld(.v4) {
            $0.upload.instant = ["BuyGoods"]
            $0.debugMode = .debugAndTrack
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1)
        view(world, 2)
        while world.open.contains(where: { $0.number.kind == .upload }) { world.answer(200, at: 3) }
        #expect(world.uploadedSequences == [[0], [1], [2]])
    }

    @Test("what waits in memory goes with whichever flush comes first")
    func memory() throws {
        let world = world { $0.storage.insertFailureChance = 1 }
        view(world, 1)
        world.track(2)
        #expect(world.uploadedSequences.last == [1, 2], "the list in memory knows no kinds")
        #expect(isInstant(world, try #require(world.open.first)))
    }

    @Test("events of pages and those of 1.x are not instant")
    func others() {
        let page = ManualWorld(.v4) { $0.upload.instant = ["FromPage"] }
        page.startApp()
        page.act(1, .appear(screen: 1, referrer: nil), .web(event: AppDescription.fromPage, subject: 0))
        #expect(page.uploads.count == 1)
        let early = ManualWorld(.v1) { $0.upload.instant = ["BuyGoods"] }
        early.startApp()
        early.track(1)
        #expect(early.uploads.isEmpty)
    }
}

@Suite("Sensors, bodies that cannot be built")
struct BodyFailureTests {
    @Test("1.10.17 deletes the rows unsent and goes on; 4.9.1 leaves them until the next start")
    func giveUp() {
        let early = ManualWorld(.v1) {
            $0.upload.bodyFailureChance = 1
            $0.upload.flushBulkSize = 60
        }
        early.act(0, .launch(passive: false), .enterForeground)
        early.track(1, count: 59)
        #expect(early.uploads.isEmpty && early.stored.isEmpty)
        #expect(early.sequences(.lost(.clearedUnsent)) == Array(0..<60))
        early.track(2)
        #expect(early.stored == [60], "the next event waits for the next flush")

        let recent = ManualWorld(.v4) { $0.upload.bodyFailureChance = 1 }
        recent.act(0, .launch(passive: false), .enterForeground)
        #expect(recent.uploads.isEmpty && recent.stored == [0])
        #expect(recent.device.store.idleCount == 0)
        recent.run(to: 40)
        #expect(recent.fates.isEmpty && recent.uploads.isEmpty)
        recent.act(50, .kill)
        recent.act(60, .launch(passive: true))
        #expect(recent.device.store.idleCount == recent.stored.count)
    }

    @Test("half of the bodies: what is not lost arrives, and nothing is counted twice")
    func half() {
        let world = ManualWorld(.v1) {
            $0.upload.bodyFailureChance = 0.5
            $0.upload.batch = 1
        }
        world.act(0, .launch(passive: false), .enterForeground)
        world.track(1, count: 99)
        while world.open.contains(where: { $0.number.kind == .upload }) { world.answer(200, at: 2) }
        let lost = world.sequences(.lost(.clearedUnsent)), delivered = world.sequences(.delivered)
        #expect(lost.count + delivered.count == 100 && lost.count > 20 && delivered.count > 20)
        #expect(world.stored.isEmpty)
    }
}

@Suite("Sensors, screens of the platform and what apps add")
struct ScreenRemarkTests {
    private static var app: AppDescription {
        var app = AppDescription.forTests
        app.screens[1].className = "UIImagePickerController"
        app.screens[1].controls = [
            Control(className: "UIButton", action: "pick:", target: "Picker", label: "Pick")
        ]
        app.screens[0].properties = [PropertyRule("area", .constant(.string("front")))]
        app.screens[0].controls[0].properties = [
            PropertyRule("campaign", .choice([.string("a"), .number(7)], WeightedChoice(weights: [1, 1])))
        ]
        return app
    }

    private func events(_ version: SensorsRules.Version) throws -> [[String: Any]] {
        let world = ManualWorld(version, app: Self.app) { $0.upload.networks = [] }
        world.act(0, .launch(passive: false), .enterForeground)
        world.act(1, .appear(screen: 0, referrer: nil))
        world.act(2, .tap(screen: 0, control: 0))
        world.act(3, .appear(screen: 1, referrer: 0))
        world.act(4, .tap(screen: 1, control: 0))
        world.act(5, .appear(screen: 0, referrer: 1))
        var records: [EventRecord] = []
        world.device.store.rows.forEach { records.append($0) }
        return try records.map { record in
            let json = world.system.encoder.content(
                record, epoch: world.device.epochs[record.epoch], world.device)
            return try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
        }
    }

    @Test(
        "controllers of the platform are not views, and in 4.9.1 taps on them are none",
        arguments: SensorsRules.Version.allCases)
    func ignored(version: SensorsRules.Version) throws {
        let names = try events(version).map { $0["event"] as? String ?? "" }
        let start = ["$AppStart", "$AppViewScreen", "$AppClick"]
        #expect(names == start + (version == .v4 ? ["$AppViewScreen"] : ["$AppClick", "$AppViewScreen"]))
        // The referrer is the last one that was tracked: the screen itself.
        let last = try #require(try events(version).last?["properties"] as? [String: Any])
        #expect(last["$referrer"] as? String == (version == .v4 ? "HomeViewController" : nil))
    }

    @Test(
        "lists differ by version",
        arguments: [("UITableViewController", true, false), ("UISplitViewController", false, true)])
    func lists(name: String, early: Bool, recent: Bool) {
        #expect(SensorsIgnoredScreens.ignoresViews(of: name, version: .v1) == early)
        #expect(SensorsIgnoredScreens.ignoresViews(of: name, version: .v4) == recent)
        #expect(!SensorsIgnoredScreens.ignoresTaps(on: name, version: .v1))
        #expect(!SensorsIgnoredScreens.ignoresViews(of: "HomeViewController", version: .v4))
        #expect(!SensorsIgnoredScreens.ignoresTaps(on: "UIAlertController", version: .v4))
        #expect(SensorsIgnoredScreens.ignoresViews(of: "UIAlertController", version: .v4))
    }

    @Test(
        "views tell what the controller adds, taps what the view adds, in 4.9.1 the controller too",
        arguments: SensorsRules.Version.allCases)
    func remarks(version: SensorsRules.Version) throws {
        let events = try events(version)
        let view = try #require(events[1]["properties"] as? [String: Any])
        #expect(view["area"] as? String == "front" && view["campaign"] == nil)
        let tap = try #require(events[2]["properties"] as? [String: Any])
        #expect(tap["area"] as? String == (version == .v4 ? "front" : nil))
        #expect(tap["campaign"] as? String == "a" || tap["campaign"] as? Int == 7)
        let start = try #require(events[0]["properties"] as? [String: Any])
        #expect(start["area"] == nil)
    }
}
