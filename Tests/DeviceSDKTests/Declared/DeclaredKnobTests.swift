import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Knobs that no preset has, one by one, by hand.
@Suite("Described SDKs, knobs")
struct DeclaredKnobTests {
    /// A plain SDK that captures business events and starts, with some groups of its own.
    private static func sdk(_ groups: String, events: String = "") -> String {
        """
        {"name": "own-ios", \(groups),
         "request": {"path": "/own", "body": "{{events}}"},
         "events": {"tag": "/bs_id", "common": {"name": "{{name}}", "time": "{{time|us}}"},
                    "business": {"name": "{{event}}"}\(events)}}
        """
    }

    @Test("flushes beside each other take rows that no request carries, and go on by themselves")
    func overlap() throws {
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "upload": {"flushBulkSize": 2, "countOf": "idle", "flushInterval": "none", "batch": 2, "overlaps": true,
                           "concurrency": 10, "maxBatchesPerFlush": 2},
                "answers": [["2xx", "delivered"], ["*", "keep"]]
                """))
        world.startApp()
        world.track(1, count: 5)
        #expect(world.counts == [2, 2], "the fifth event alone is not enough")
        world.answer(200, at: 2, upload: 1)
        #expect(world.counts == [2, 2, 1], "the second flush may send one more")
        world.answer(200, at: 3, upload: 2)
        world.answer(503, at: 4, upload: 0)
        #expect(world.counts == [2, 2, 1], "rows that stay would come first again")
        #expect(world.sequences(.delivered) == [2, 3, 4])
        #expect(world.stored == [0, 1])
        world.track(5)
        #expect(world.counts == [2, 2, 1, 2], "three idle rows")
    }

    @Test("what an answer lists is dropped, and a flush goes on with what stays")
    func dropListed() throws {
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "upload": {"flushBulkSize": 4, "flushInterval": "none", "batch": 4},
                "answers": [["2xx", "delivered"], ["422", "dropListed", ["/failed/*/index"]], ["*", "keep"]],
                "retry": {"backoff": {"shape": "constant", "initial": "10s"}}
                """))
        func refuse(_ body: String, at seconds: Double) {
            world.end(
                with: .answered(status: 422, body: Array(body.utf8), retryAfter: nil), at: seconds,
                where: { $0.number.kind == .upload })
        }
        world.startApp()
        world.track(1, count: 4)
        refuse(#"{"failed": [{"index": 1}, {"index": 3}, {"index": 99}]}"#, at: 2)
        #expect(world.sequences(.rejected(status: 422)) == [1, 3])
        #expect(world.counts == [4, 2], "the flush goes on")
        refuse("oops", at: 3)
        #expect(world.stored == [0, 2] && world.device.failures == 1)
        world.track(4, count: 5)
        #expect(world.counts == [4, 2], "a list of nothing is a failure, after which it waits")
        world.track(13)
        #expect(world.counts == [4, 2, 4])
    }

    /// Requests beside each other, of which each takes all rows along.
    private static func takingAll(answers: String) throws -> DeclaredWorld {
        try DeclaredWorld(
            sdk(
                """
                "upload": {"flushBulkSize": 1, "flushInterval": "none", "batch": "all", "maxBatchesPerFlush": 1,
                           "overlaps": true, "takes": "all", "concurrency": 10},
                "answers": \(answers)
                """))
    }

    @Test("requests that take all rows carry them twice; what came meanwhile is cleared unsent")
    func takesAll() throws {
        let world = try Self.takingAll(answers: #"[["200", "deliveredClear"], ["*", "keep"]]"#)
        world.startApp()
        world.track(1, count: 3)
        #expect(world.counts == [1, 2, 3])
        world.answer(503, at: 2, upload: 2)
        world.answer(200, at: 3, upload: 0)
        // The second is still carried, so its fate waits; the third is gone.
        #expect(world.sequences(.delivered) == [0])
        #expect(world.sequences(.lost(.clearedUnsent)) == [2])
        world.answer(200, at: 4, upload: 1)
        #expect(world.sequences(.delivered) == [0, 1])
    }

    @Test("what is acknowledged waits for requests without a socket that carry it, too")
    func takesAllBeyondSockets() throws {
        let world = try Self.takingAll(answers: #"[["2xx", "delivered"], ["*", "keep"]]"#)
        world.startApp()
        world.track(1, count: 6)
        #expect(world.counts == [1, 2, 3, 4], "two more wait for sockets")
        world.answer(200, at: 2, upload: 3)
        #expect(world.counts == [1, 2, 3, 4, 5])
        #expect(
            world.stored == [4, 5] && world.sequences(.delivered) == [], "the last is still to carry all")
        world.answer(503, at: 3, upload: 0)
        #expect(world.counts == [1, 2, 3, 4, 5, 6])
        var carried = CarriedEvents()
        _ = world.system.carry(
            RequestNumber(kind: .upload, number: 5), of: &world.device, at: world.now, into: &carried)
        #expect(Array(carried.attempts) == [6, 5, 4, 3, 2, 1], "this one counted")
        let delivered = world.fates.values.filter { $0.disposition == .delivered }.sorted { $0.id < $1.id }
        #expect(delivered.map(\.id.sequence) == [0, 1, 2, 3])
        #expect(delivered.map(\.attempts) == [6, 5, 4, 3])
        #expect(delivered.allSatisfy { $0.ackedAt == ManualWorld.start + .seconds(2) })
        world.answer(200, at: 4, upload: 5)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4, 5])
    }

    @Test(
        "an upload that waited for its socket is a retry if another has carried one of its events meanwhile")
    func retriesAfterWaiting() throws {
        let world = try Self.takingAll(answers: #"[["200", "deliveredClear"], ["*", "keep"]]"#)
        world.startApp()
        world.track(1, count: 6)
        // The store is empty then, and four uploads are under way: two more wait with what comes next.
        world.answer(200, at: 2, upload: 0)
        world.track(3, count: 2)
        #expect(world.counts == [1, 2, 3, 4, 5])
        for upload in UInt32(1)...3 { world.answer(503, at: 3 + Double(upload), upload: upload) }
        #expect(world.counts == [1, 2, 3, 4, 5, 6, 1, 2])
        #expect(
            world.uploads.map(\.request.isRetry) == [false, true, true, true, true, true, false, true])
    }

    @Test("no configuration puts several events into a request that has room for one")
    func oneStaysOne() throws {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "upload": {"flushBulkSize": 2, "flushInterval": "none", "batch": 10},
             "request": {"path": "/own", "body": "{{events}}"},
             "lanes": {"single": {"batch": 1, "request": {"path": "/single", "framing": "one"}}},
             "config": [{"path": "/settings", "apply": {"/batch": "batch"}}],
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}", "time": "{{time|us}}"},
                        "business": {"name": "{{event}}", "lane": "single"}}}
            """)
        world.startApp()
        world.end(
            with: .answered(status: 200, body: Array(#"{"batch": 2}"#.utf8), retryAfter: nil), at: 1,
            where: { $0.number.kind == .config })
        world.track(2, count: 2)
        #expect(world.counts == [1])
        world.answer(200, at: 3, upload: 0)
        #expect(world.counts == [1, 1])
    }

    @Test("files of days are sent when they are over; a clearing answer leaves the file of the day")
    func days() throws {
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "storage": {"seal": {"at": "day", "together": true}},
                "upload": {"flushInterval": "none", "onLaunch": true, "maxBatchesPerFlush": 1},
                "answers": [["2xx/status/code=200", "deliveredClear"], ["*", "keep"]]
                """))
        let offset = world.system.plan.utcOffset
        let today = CivilTime.dayNumber(ManualWorld.start, offset: offset)
        let midnight =
            (Instant(milliseconds: (today + 1) * 86_400_000) - offset - ManualWorld.start).fractionalSeconds
        world.startApp()
        world.track(1, count: 2)
        world.act(midnight + 1, .launch(passive: false), .enterForeground)
        #expect(world.counts == [2])
        world.track(midnight + 2)
        world.end(
            with: .answered(status: 200, body: Array(#"{"status": {"code": 300}}"#.utf8)), at: midnight + 3,
            where: { _ in true })
        #expect(world.stored == [0, 1, 2], "another code is no success")
        world.act(midnight + 86_399, .launch(passive: false))
        #expect(world.counts == [2, 2])
        // The day that ends while the request is under way goes with the others.
        world.end(
            with: .answered(status: 202, body: Array(#"{"status": {"code": 200}}"#.utf8)),
            at: midnight + 86_401,
            where: { _ in true })
        #expect(world.sequences(.delivered) == [0, 1])
        #expect(world.sequences(.lost(.clearedUnsent)) == [2])
    }

    @Test("an event's day is that of its own moment, whatever the clocks show since")
    func zones() throws {
        let change = ManualWorld.start + .hours(20)
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "storage": {"seal": {"at": "day", "together": true}},
                "upload": {"flushInterval": "none", "onLaunch": true}
                """),
            zones: TimeZones([(UTCOffsets(first: .hours(8), changes: [(change, .hours(9))]), 1)]))
        world.startApp()
        // Half past eleven in the evening; by the clock of the day after, it would be its own day.
        world.track(15.5 * 3600)
        world.act(21 * 3600, .launch(passive: false), .enterForeground)
        #expect(world.counts == [1])
    }

    @Test("starts by the system, returns, and what is captured along with a crash")
    func lifecycle() throws {
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "upload": {"flushInterval": "10s", "timerRuns": "fromLaunch", "onLaunch": "byUser", "onForeground": true}
                """,
                events: """
                    , "passiveLaunch": {"name": "passive"}, "launch": {"name": "start"}, "background": {"name": "end"},
                    "foreground": {"name": "return"}, "crash": {"name": "crash", "after": ["background"]}
                    """))
        world.act(0, .launch(passive: true))
        world.run(to: 30)
        #expect(world.counts == [], "neither a flush nor a timer in the background")
        world.act(31, .enterForeground)
        #expect(world.counts == [2], "passive, return")
        world.answer(200, at: 32)
        world.act(33, .enterBackground)
        world.act(34, .crash(reason: 0))
        #expect(world.stored.count == 2, "end, crash: it was in the background already")
        world.act(40, .launch(passive: false))
        #expect(world.counts == [2, 3])
        world.answer(200, at: 41)
        world.act(42, .crash(reason: 0))
        #expect(world.stored.count == 2, "crash, end")
        #expect(world.names(.delivered) == ["passive", "return", "end", "crash", "start"])
    }

    @Test("a configuration turns what is captured and sent; it outlives the process")
    func configuration() throws {
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "upload": {"flushBulkSize": 3, "flushInterval": "30s"},
                "config": [{"on": ["launch", "foreground"], "path": "/settings/{{apiKey}}", "query": {"v": "1"}, "every": "1m",
                            "apply": {"/on": "capture", "/bulk": "flushBulkSize", "/every": "flushInterval",
                                      "/a~1b": "captureIfThere", "/send": "upload"}, "default": {"a/b": 1}}]
                """))
        world.startApp()
        #expect(world.fetches.map(\.head.path) == ["/settings/key?v=1"])
        world.track(1)
        world.answerFetch(200, #"{"bulk": 2, "every": 5, "a/b": null}"#, at: 2)
        world.track(3)
        #expect(world.sequences(.suppressed(.sdkDisabled)) == [1], "null is not there")
        world.act(4, .enterBackground)
        world.act(5, .enterForeground)
        #expect(world.fetches.count == 1, "not within a minute")
        world.act(6, .enterBackground)
        world.act(70, .kill, .launch(passive: false), .enterForeground)
        #expect(world.fetches.count == 2)
        world.track(71)
        #expect(world.sequences(.suppressed(.sdkDisabled)) == [1, 2], "as it was before the process ended")
        world.answerFetch(200, #"{"bulk": 2, "every": 5, "a/b": {}}"#, at: 72)
        world.track(73)
        #expect(world.counts == [2])
        world.answer(200, at: 74)
        world.track(76)
        world.run(to: 80)
        #expect(world.counts == [2, 1], "every five seconds from 70 on")
        world.act(81, .enterBackground)
        world.act(140, .enterForeground)
        world.answerFetch(503, "{}", at: 141)
        world.act(142, .enterBackground)
        world.act(210, .enterForeground)
        world.answerFetch(200, #"{"on": false, "a/b": 1}"#, at: 211)
        world.track(212)
        #expect(world.sequences(.suppressed(.sdkDisabled)).last == 5)
    }

    @Test("the body of a fetch has the device's present state")
    func fetchBody() throws {
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "config": [{"on": ["login"], "method": "POST", "path": "/flags",
                            "body": {"key": "{{apiKey}}", "user": "{{userId?}}", "sent": "{{sent|s}}"}}]
                """))
        world.startApp()
        #expect(world.fetches.isEmpty)
        world.act(1, .login(account: 0, signUp: false))
        let fetch = try #require(world.fetches.first)
        #expect(fetch.text.hasPrefix(#"{"key":"key","user":"user-"#))
    }

    @Test(
        "a new version of the app has other triggers and verdicts from its launch on, for what is stored too")
    func update() throws {
        let answers = #""answers": [["2xx", "delivered"], "#
        let world = try DeclaredWorld(
            Self.sdk(
                """
                "upload": {"flushBulkSize": 2, "flushInterval": "none", "batch": 2, "maxBatchesPerFlush": 1},
                \(answers)["*", "keep"]]
                """),
            update: Self.sdk(
                """
                "upload": {"flushBulkSize": 4, "flushInterval": "none", "batch": 3, "maxBatchesPerFlush": 1,
                           "timeout": "7s"},
                \(answers)["404", "drop"], ["*", "keep"]]
                """))
        world.startApp()
        world.track(1, count: 2)
        world.answer(404, at: 2, upload: 0)
        #expect(world.counts == [2] && world.stored == [0, 1], "the old version keeps them")
        world.updateApp(3)
        world.track(4)
        #expect(world.counts == [2], "three rows are not enough any more")
        world.track(5)
        #expect(world.counts == [2, 3] && world.uploads[1].request.timeout == .seconds(7))
        world.answer(404, at: 6, upload: 1)
        #expect(world.sequences(.rejected(status: 404)) == [0, 1, 2] && world.stored == [3])
    }

    @Test("a limit of bytes that comes with a new version counts what was stored before it")
    func updateOfBytes() throws {
        let sender = try DeclaredWorld(Self.sdk(#""upload": {"flushBulkSize": 1, "flushInterval": "none"}"#))
        sender.startApp()
        sender.track(1)
        // A list of one: brackets around it.
        let size = sender.uploads[0].body.count - 2
        #expect(size > 20)
        let quiet = #""upload": {"flushInterval": "none"}"#
        let world = try DeclaredWorld(
            Self.sdk(quiet), update: Self.sdk(quiet + #", "storage": {"maxBytes": \#(3 * size)}"#))
        world.startApp()
        world.track(1, count: 4)
        #expect(world.stored == [0, 1, 2, 3], "there was no limit")
        world.updateApp(2)
        #expect(world.stored == [0, 1, 2, 3])
        world.track(3)
        #expect(world.stored == [2, 3, 4] && world.sequences(.evicted(.storageLimit)) == [0, 1])
    }
}
