import Accounting
import AppModel
import Testing
import Timebase
import Wire

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, sessions and users")
struct GrowingSessionTests {
    private func types(_ world: GrowingWorld) -> [String] {
        world.finish()
        return world.fates.keys.sorted().compactMap { world.fates[$0] }
            .map { world.system.labels[Int($0.label)].type }
    }

    @Test("VISIT comes first and at once, and not again within 30 s in the background")
    func visit() {
        let world = GrowingWorld(.v3)
        world.act(0, .launch(passive: false))
        #expect(world.uploads.map(\.sequences) == [[0]])
        world.act(0, .enterForeground)
        world.act(1, .enterBackground)
        world.act(30.9, .enterForeground)
        #expect(world.device.sessionCount == 1)
        world.act(40, .enterBackground)
        world.act(70, .enterForeground)
        #expect(world.device.sessionCount == 2)
        #expect(types(world) == ["VISIT", "APP_CLOSED", "APP_CLOSED", "VISIT"])
    }

    @Test(
        "a start in the background begins no session when the user comes, however late, and calls itself FOREGROUND",
        arguments: GrowingRules.Version.allCases)
    func passive(version: GrowingRules.Version) {
        let world = GrowingWorld(version)
        world.act(0, .launch(passive: true))
        world.track(1)
        world.act(5000, .enterForeground)
        #expect(world.device.sessionCount == 1)
        world.track(5001)
        world.act(5002, .enterBackground)
        world.track(5003)
        let states = world.encodedEvents().map { $0.contains(#""appState":"FOREGROUND""#) }
        // VISIT and an event before the user comes, one after, APP_CLOSED and one behind it.
        #expect(states == [true, true, true, false, false])
    }

    @Test("another user begins a session, a logout in between or not; 3.x visits at the first login too")
    func users() {
        for version in GrowingRules.Version.allCases {
            let world = GrowingWorld(version)
            world.startApp()
            world.act(1, .login(account: 1, signUp: false))
            let first = version == .v4 ? 1 : 2
            #expect(world.device.nextSequence == UInt32(first))
            #expect(world.device.sessionCount == 1)
            world.act(2, .login(account: 1, signUp: false), .logout, .login(account: 1, signUp: false))
            #expect(world.device.nextSequence == UInt32(first))
            world.act(3, .logout, .login(account: 2, signUp: true))
            #expect(world.device.sessionCount == 2)
            #expect(world.device.nextSequence == UInt32(first) + 1)
            #expect(types(world).allSatisfy { $0 == "VISIT" })
        }
    }

    @Test("the last user is who was logged in when the process started")
    func restart() {
        let world = GrowingWorld(.v4)
        world.startApp()
        world.act(1, .login(account: 1, signUp: false), .logout, .kill)
        world.act(2, .launch(passive: false), .login(account: 2, signUp: false))
        // Nobody was logged in at the start: the second start's session, and no third one.
        #expect(world.device.sessionCount == 2)
    }

    @Test("a location makes 3.x visit again, once a process")
    func location() {
        let old = GrowingWorld(.v3) { $0.collectsLocation = true }
        old.startApp()
        #expect(types(old) == ["VISIT", "VISIT"])
        let new = GrowingWorld(.v4) { $0.collectsLocation = true }
        new.startApp()
        #expect(types(new) == ["VISIT"])
    }

    @Test("without consent nothing is built, and not even VISIT begins to be")
    func consent() {
        let world = GrowingWorld(.v4) { $0.dataCollectionEnabled = false }
        world.startApp()
        world.track(1, count: 3)
        world.finish()
        #expect(world.sequences(.suppressed(.consent)) == [0, 1, 2])
        #expect(world.uploads.isEmpty)
    }

    @Test("excluded types are not built; VISIT comes before whatever is built first")
    func excluded() {
        let world = GrowingWorld(.v3) { $0.excludedEvents = ["VISIT", "VIEW_CLICK"] }
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.tap(2)
        world.track(3)
        world.finish()
        #expect(Set(world.types(.suppressed(.blacklisted))) == ["VISIT", "VIEW_CLICK"])
        #expect(world.types(.pending(.stored)).contains("CUSTOM"))
    }

    @Test("ids: 3.x counts all events and each type; a suppressed one has none")
    func idsOfOld() {
        let world = GrowingWorld(.v3) { $0.excludedEvents = ["PAGE"] }
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.tap(2, count: 2)
        world.track(3)
        world.tap(4)
        let texts = world.encodedEvents()
        #expect(texts.map { Self.number("globalSequenceId", $0) } == [2, 3, 4, 5])
        #expect(texts.map { Self.number("eventSequenceId", $0) } == [1, 2, 1, 3])
    }

    @Test("ids: 4.x has one count for five types, and 0 for the others")
    func idsOfNew() {
        let world = GrowingWorld(.v4)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.tap(2)
        world.act(3, .login(account: 1, signUp: false), .profile(update: 0, subject: 0))
        world.track(4)
        world.act(5, .enterBackground)
        let texts = world.encodedEvents()
        #expect(texts.map { Self.number("eventSequenceId", $0) } == [2, 0, 3, 0])
        #expect(texts.allSatisfy { !$0.contains("globalSequenceId") })
    }

    @Test("a gap in the ids is as large as what a kill lost")
    func gap() {
        let world = GrowingWorld(.v3)
        world.startApp()
        world.tap(1, count: 7)
        world.act(2, .kill)
        world.act(3, .launch(passive: false), .enterForeground)
        #expect(world.sequences(.lost(.killed)).count == 7)
        #expect(world.encodedEvents().map { Self.number("globalSequenceId", $0) } == [9])
    }

    static func number(_ name: String, _ json: String) -> Int? {
        guard let range = json.firstRange(of: "\"\(name)\":") else { return nil }
        return Int(json[range.upperBound...].prefix { $0.isNumber || $0 == "-" })
    }
}
