import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, what is captured")
struct HookTests {
    /// Names of what is in the store, oldest first.
    private func storedNames(_ world: ManualWorld) -> [String] {
        var names: [String] = []
        world.device.store.rows.forEach { names.append(world.system.labels[Int($0.template)].name) }
        return names
    }

    private func flags(_ world: ManualWorld, _ sequence: UInt32) -> SensorsEventFlags {
        SensorsEventFlags(rawValue: world.device.store.record(sequence)?.flags ?? 0)
    }

    /// A world whose collector never lets a row go.
    private func keeper(_ version: SensorsRules.Version) -> ManualWorld {
        ManualWorld(version) {
            $0.upload.networks = []
            $0.upload.triesWithoutNetwork = false
        }
    }

    @Test(
        "a day's life: start, view, tap, end, return", arguments: [SensorsRules.Version.v1, .v4])
    func session(version: SensorsRules.Version) {
        let world = keeper(version)
        world.act(0, .launch(passive: false))
        world.act(0.4, .enterForeground)
        world.act(1, .appear(screen: 0, referrer: nil))
        world.act(2, .tap(screen: 0, control: 0))
        world.act(12.4, .enterBackground)
        world.act(60, .enterForeground)
        #expect(
            storedNames(world) == ["$AppStart", "$AppViewScreen", "$AppClick", "$AppEnd", "$AppStart"])
        #expect(flags(world, 0).isSuperset(of: [.firstTime, .firstDay]))
        #expect(flags(world, 4).contains(.resumed))
        #expect(!flags(world, 4).contains(.firstTime))
        // 1.x counts from becoming active, 4.x from the start of the process.
        #expect(flags(world, 3).contains(.timed))
        #expect(world.device.store.record(3)?.detail == (version == .v1 ? 12_000 : 12_400))
        #expect(world.device.store.record(1)?.control == .max)
    }

    @Test("a passive start, and the user who comes later", arguments: [SensorsRules.Version.v1, .v4])
    func passiveStart(version: SensorsRules.Version) {
        let world = keeper(version)
        world.act(0, .launch(passive: true))
        world.track(1)
        #expect(!world.device.isForeground)
        world.act(10, .enterForeground)
        world.track(11)
        #expect(storedNames(world) == ["$AppStartPassively", "BuyGoods", "$AppStart", "BuyGoods"])
        let epochs = (0..<4).compactMap { world.device.store.record($0)?.epoch }
        #expect(epochs.map { world.device.epochs[$0].startedPassively } == [true, true, false, false])
        #expect(flags(world, 2).contains(.resumed))
    }

    @Test("the first day ends at the local midnight")
    func firstDay() {
        // The run starts at 08:00 in the devices' zone.
        let world = keeper(.v1)
        world.startApp()
        world.track(16 * 3600 - 1)
        world.track(16 * 3600)
        #expect(flags(world, 1).contains(.firstDay))
        #expect(!flags(world, 2).contains(.firstDay))
    }

    @Test("the first day ends at the midnight of the device's own clock")
    func firstDayByOwnClock() {
        let world = ManualWorld(.v4) {
            $0.upload.networks = []
            $0.clockSkew = .hours(9)
        }
        let skew = world.system.plan.clockSkew(index: Int(world.device.index)).fractionalSeconds
        #expect(abs(skew) > 3600)
        // The run starts at 08:00 in the devices' zone.
        let midnight = (16 * 3600 - skew + 86_400).truncatingRemainder(dividingBy: 86_400)
        #expect(midnight > 60 && midnight < 86_400 - 60)
        world.startApp()
        world.track(midnight - 1)
        world.track(midnight + 1)
        #expect(flags(world, 1).contains(.firstDay))
        #expect(!flags(world, 2).contains(.firstDay))
    }

    @Test("switches of the app suppress, and the events keep their numbers")
    func localSwitches() {
        let world = ManualWorld(.v1) {
            $0.autoTrack.click = false
            $0.autoTrack.viewScreen = false
        }
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil), .tap(screen: 0, control: 0))
        world.track(2)
        #expect(world.names(.suppressed(.autotrackOff)) == ["$AppViewScreen", "$AppClick"])
        #expect(world.stored == [0, 3])
    }

    @Test("a second tap on the same view within 0.1 s is nothing in 4.9.1 and an event in 1.10.17")
    func repeatedTap() {
        for (version, taps) in [(SensorsRules.Version.v1, 5), (.v4, 4)] {
            let world = keeper(version)
            world.startApp()
            world.act(1, .tap(screen: 0, control: 0))
            world.act(1.099, .tap(screen: 0, control: 0))
            world.act(1.1, .tap(screen: 0, control: 0))
            // Rows of a list are not asked.
            world.act(1.2, .tap(screen: 0, control: 1))
            world.act(1.25, .tap(screen: 0, control: 1))
            #expect(storedNames(world).filter { $0 == "$AppClick" }.count == taps)
            #expect(Int(world.device.nextSequence) == taps + 1)
            #expect((world.device.store.record(UInt32(taps))?.detail ?? .max) < 9)
        }
    }

    @Test("a bad name drops the event in 1.10.17 only")
    func invalid() {
        for (version, isInvalid) in [(SensorsRules.Version.v1, true), (.v4, false)] {
            let world = keeper(version)
            world.startApp()
            world.act(1, .business(event: AppDescription.badName, subject: 0))
            #expect(world.fate(1) == (isInvalid ? .suppressed(.invalid) : nil))
        }
    }

    @Test("login flushes at once with the new id; the same login again is nothing; logout is silent")
    func login() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.act(1, .login(account: 7, signUp: true))
        #expect(world.uploadedSequences == [[0, 1]])
        #expect(storedNames(world) == ["$AppStart", "$SignUp"])
        let epochs = (0..<2).compactMap { world.device.store.record($0)?.epoch }
        #expect(epochs.map { world.device.epochs[$0].account } == [nil, 7])
        world.act(2, .login(account: 7, signUp: false), .logout)
        #expect(world.device.nextSequence == 2)
        #expect(world.device.epochs.current.account == nil)
        world.act(3, .login(account: 7, signUp: false))
        #expect(world.device.nextSequence == 3)
    }

    @Test("a timed event counts the time in the foreground alone")
    func timedEvent() {
        let world = keeper(.v4)
        world.startApp()
        world.act(10, .beginTimed(event: AppDescription.video))
        world.act(13, .enterBackground)
        world.act(100, .enterForeground)
        world.act(101.5, .business(event: AppDescription.video, subject: 42))
        world.act(102, .business(event: AppDescription.video, subject: 43))
        let video = world.device.store.record(3)
        #expect(video?.detail == 4500)
        #expect(video?.control == 42)
        #expect(flags(world, 3).contains(.timed))
        #expect(world.device.store.record(4)?.detail == 43)
        #expect(!flags(world, 4).contains(.timed))
    }

    @Test("a day and more is no duration: 1.x leaves it out, 4.x writes 0")
    func longDuration() {
        for version in [SensorsRules.Version.v1, .v4] {
            let world = keeper(version)
            world.startApp()
            world.act(1, .beginTimed(event: AppDescription.video))
            world.act(86_401, .business(event: AppDescription.video, subject: 5))
            #expect(flags(world, 1).contains(.timed) == (version == .v4))
            #expect(world.device.store.record(1)?.detail == (version == .v4 ? 0 : 5))
        }
    }

    @Test("pages send over the bridge from their own screen only")
    func web() {
        let world = keeper(.v4)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil), .web(event: AppDescription.fromPage, subject: 1))
        world.act(2, .appear(screen: 1, referrer: 0), .web(event: AppDescription.fromPage, subject: 2))
        #expect(storedNames(world) == ["$AppStart", "$AppViewScreen", "$AppViewScreen", "FromPage"])
        #expect(world.device.store.record(2)?.control == 0)
    }

    @Test("1.10.17: a screen without a URL has no referrer and is none; the last one with a URL is")
    func referrers() {
        var app = AppDescription.forTests
        var other = app.screens[0]
        other.name = "other"
        app.screens.append(other)
        app.screens[0].url = "app://home"
        app.screens[2].url = "app://other"
        let world = ManualWorld(.v1, app: app) { $0.upload.networks = [] }
        world.startApp()
        var before: UInt16?
        for (second, screen) in [UInt16(0), 1, 2, 2, 0].enumerated() {
            world.act(Double(second + 1), .appear(screen: screen, referrer: before))
            before = screen
        }
        world.act(10, .kill, .launch(passive: false), .enterForeground)
        world.act(11, .appear(screen: 2, referrer: nil))
        let views = (1...7).compactMap { world.device.store.record($0) }
            .filter { $0.template == SensorsTemplates.viewScreen }
        #expect(views.map(\.screen) == [0, 1, 2, 2, 0, 2])
        #expect(views.map(\.control) == [.max, .max, 0, 2, 2, .max])
    }

    @Test("items came after 1.10.17; profiles did not")
    func items() {
        for (version, count) in [(SensorsRules.Version.v1, UInt32(2)), (.v4, 3)] {
            let world = keeper(version)
            world.startApp()
            world.act(1, .profile(update: 0, subject: 0), .item(update: 0, subject: 0))
            #expect(world.device.nextSequence == count)
        }
    }

    @Test("a crash is on disk before the process is gone, unless the queue is blocked")
    func crash() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.act(1, .crash(reason: 0))
        #expect(storedNames(world) == ["$AppStart", "AppCrashed", "$AppEnd"])
        #expect(flags(world, 2).contains(.crashed))
        #expect(world.deaths == 1)
        world.act(5, .launch(passive: false), .enterForeground)
        world.run(to: 20)
        world.act(21, .crash(reason: 0))
        #expect(world.names(.lost(.killed)) == ["AppCrashed", "$AppEnd"])
    }

    @Test("events carry what was true when they happened; what nothing refers to is forgotten")
    func epochs() {
        let world = ManualWorld(.v1)
        world.startApp()
        world.act(1, .registerSuperProperties(group: 0))
        world.setNetwork(.cellular4G, at: 2)
        world.track(3)
        world.act(4, .kill, .updateApp(version: 1), .launch(passive: false))
        let entries = (0..<3).compactMap { world.device.store.record($0)?.epoch }
            .map { world.device.epochs[$0] }
        #expect(entries.map(\.superGroups) == [0, 1, 1])
        #expect(entries.map(\.network) == [.wifi, .cellular4G, .cellular4G])
        #expect(entries.map(\.appVersion) == [0, 0, 1])
        #expect(world.device.epochs.count == 3)
        world.act(5, .enterForeground)
        world.run(to: 20)
        world.answer(200, at: 21)
        #expect(world.device.epochs.count == 1)
    }
}
