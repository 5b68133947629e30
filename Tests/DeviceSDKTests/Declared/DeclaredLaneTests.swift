import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Several ways of events to the collector.
@Suite("Described SDKs, lanes")
struct DeclaredLaneTests {
    private static func sdk(_ groups: String, lane: String = "") -> String {
        """
        {"name": "own-ios", "identity": {"login": "distinctId", "logout": "clearUser"},
         "upload": {"flushBulkSize": "none", "flushInterval": "10s", "batch": 2\(groups)},
         "request": {"path": "/track", "query": {"v": "1"}, "headers": {"X-Kind": "main"}, "body": "{{events}}"},
         "lanes": {"people": {"request": {"path": "/people", "body": {"rows": "{{events}}"}}, "tag": "/id",
                              "common": {"who": "{{distinctId}}", "at": "{{time|ms}}"}\(lane)}},
         "answers": [["2xx", "delivered"], ["*", "retry"]],
         "events": {"tag": "/more/bs_id", "common": {"name": "{{name}}", "more": {}},
                    "business": {"name": "{{event}}"}, "foreground": {"name": "back"},
                    "login": {"name": "login", "lane": "people", "fields": {"what": "login"}},
                    "logout": {"name": "logout", "lane": "people", "fields": {"what": "logout"}}}}
        """
    }

    private func signInAndOut(_ world: DeclaredWorld, at seconds: Double, times: Int) {
        for _ in 0..<times {
            world.act(seconds, .login(account: 1, signUp: false))
            world.act(seconds, .logout)
        }
    }

    @Test("a flush takes one lane after the other, each with its own requests")
    func order() throws {
        let world = try DeclaredWorld(Self.sdk(""))
        world.startApp()
        world.track(1, count: 3)
        signInAndOut(world, at: 2, times: 1)
        world.track(3)
        world.run(to: 10)
        for second in [11.0, 12, 13] { world.answer(200, at: second) }
        #expect(world.uploads.map(\.head.path) == ["/track?v=1", "/track?v=1", "/people?v=1"])
        #expect(world.counts == [2, 2, 2])
        #expect(world.uploads.allSatisfy { $0.head.headerLines.contains("X-Kind: main") }, "as the main one")
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4, 5] && world.stored == [])
        let people = try #require(world.json(2)["rows"]?.elements)
        #expect(people.map { $0["what"]?.string } == ["login", "logout"])
        #expect(people.map { $0["id"]?.string } == ["17-3", "17-4"])
        #expect(people.allSatisfy { $0["who"] != nil && $0["name"] == nil }, "an envelope of their own")
    }

    @Test("each lane has its requests after a trigger; a lane that fails is left for the next one")
    func failures() throws {
        let world = try DeclaredWorld(Self.sdk(#", "maxBatchesPerFlush": 1"#))
        world.startApp()
        world.track(1, count: 3)
        signInAndOut(world, at: 2, times: 2)
        world.run(to: 10)
        world.answer(503, at: 11)
        world.answer(200, at: 12)
        #expect(world.uploads.map(\.head.path) == ["/track?v=1", "/people?v=1"])
        #expect(world.sequences(.delivered) == [3, 4])
        world.run(to: 20)
        world.answer(200, at: 21)
        world.answer(200, at: 22)
        #expect(world.sequences(.delivered) == [0, 1, 3, 4, 5, 6] && world.stored == [2])
    }

    @Test("a wait that begins with a failure holds up all lanes")
    func waits() throws {
        let json = Self.sdk("").replacing(
            #""answers""#,
            with: #""retry": {"backoff": {"shape": "constant", "initial": "15s"}}, "answers""#)
        let world = try DeclaredWorld(json)
        world.startApp()
        world.track(1)
        signInAndOut(world, at: 2, times: 1)
        world.run(to: 10)
        world.answer(503, at: 11)
        world.run(to: 25)
        #expect(world.counts == [1])
        world.run(to: 30)
        world.answer(200, at: 31)
        world.answer(200, at: 32)
        #expect(world.counts == [1, 1, 2])
    }

    @Test(
        "a configuration turns the batch of a lane that has none of its own", arguments: [nil, 1] as [Int?])
    func turnedBatch(own: Int?) throws {
        let json = Self.sdk("", lane: own.map { #", "batch": \#($0)"# } ?? "").replacing(
            #""answers""#,
            with: #""config": [{"path": "/settings", "apply": {"/batch": "batch"}}], "answers""#)
        let world = try DeclaredWorld(json)
        world.startApp()
        world.answerFetch(200, #"{"batch": 4}"#, at: 1)
        signInAndOut(world, at: 2, times: 2)
        world.run(to: 10)
        #expect(world.counts == (own == nil ? [4] : [1]))
    }

    @Test("events of somebody unknown may wait for a login")
    func waitsForLogin() throws {
        let json = Self.sdk("", lane: #", "waitsFor": "login""#).replacing(
            #""foreground": {"name": "back"}"#, with: #""screen": {"name": "seen", "lane": "people"}"#)
        let world = try DeclaredWorld(json)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.track(2)
        world.run(to: 10)
        world.answer(200, at: 11)
        #expect(world.counts == [1] && world.stored == [0])
        world.act(12, .login(account: 1, signUp: false))
        world.run(to: 20)
        world.answer(200, at: 21)
        #expect(world.counts == [1, 2] && world.stored == [])
    }

    @Test("Mixpanel: changes of people go their own way, once it is known whose they are")
    func mixpanel() throws {
        let world = try DeclaredWorld(#"{"preset": "mixpanel-ios"}"#)
        world.startApp()
        world.track(1)
        world.act(2, .profile(update: 0, subject: 0))
        world.run(to: 60)
        world.answer(200, at: 61)
        #expect(world.uploads.map(\.head.path) == ["/track/?ip=1"])
        world.act(62, .login(account: 1, signUp: false))
        world.run(to: 120)
        world.answer(200, at: 121)
        world.answer(200, at: 122)
        #expect(world.uploads.map(\.head.path) == ["/track/?ip=1", "/track/?ip=1", "/engage/?ip=1"])
        #expect(world.stored == [])
        // They are told whose they are when they are sent, and all else is of their capture.
        let person = try #require(try world.json(2).elements?.first)
        #expect(person["$distinct_id"]?.string?.hasPrefix("user-") == true)
        #expect(person["$user_id"] == nil && person["$device_id"] != nil)
    }
}
