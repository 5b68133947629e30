import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

@Suite("Described SDKs, uploads")
struct DeclaredUploadTests {
    private static func preset(_ name: String, _ changes: String = "") -> String {
        #"{"preset": "\#(name)"\#(changes.isEmpty ? "" : ", " + changes)}"#
    }

    @Test("PostHog: the fourth failure in a row gives up the batch and clears the queue")
    func postHogOutage() throws {
        let world = try DeclaredWorld(Self.preset("posthog-ios"))
        world.startApp()
        #expect(world.stored == [0, 1], "Application Installed, Application Opened")
        world.track(1, count: 18)
        #expect(world.counts == [20])
        world.answer(503, at: 2)
        // One second of quiet, then two, then three; each insert is a trigger, and nothing else wakes it.
        world.track(2.5)
        #expect(world.counts == [20])
        world.track(3.5)
        world.answer(503, at: 4)
        world.track(5.9)
        world.track(6)
        world.answer(503, at: 7)
        world.track(9.9)
        world.track(10)
        #expect(world.counts == [20, 22, 24, 26])
        world.track(10.5, count: 2)
        world.answer(503, at: 11)
        #expect(world.sequences(.retriesExhausted) == Array(0..<26))
        #expect(world.sequences(.lost(.clearedUnsent)) == [26, 27])
        #expect(world.stored == [])
        // It begins anew, without a wait.
        world.track(12, count: 20)
        #expect(world.counts.last == 20)
        world.answer(200, at: 13)
        #expect(world.sequences(.delivered) == Array(28..<48))
    }

    @Test(
        "an upload that comes back when the run is over is no failure: its events stay, as if it had never been"
    )
    func givenBack() throws {
        let world = try DeclaredWorld(Self.preset("posthog-ios"))
        world.startApp()
        world.track(1, count: 18)
        let uploads = world.open.filter { $0.number.kind == .upload }
        let upload = try #require(uploads.last)
        world.system.takeBack(upload.number, isCounted: true, of: &world.device)
        world.finish()
        #expect(world.sequences(.pending(.stored)) == Array(0..<20))
        #expect(world.fates.values.allSatisfy { $0.attempts == 0 })
    }

    @Test("Amplitude: without a connection uploads stop, until the app is launched again")
    func amplitudeLatch() throws {
        let world = try DeclaredWorld(Self.preset("amplitude-ios"))
        world.startApp()
        world.track(1, count: 40)
        let begun = world.uploads.count
        #expect(begun > 0)
        world.fail(.refused, at: 2)
        world.track(3, count: 80)
        world.act(40, .enterBackground, .enterForeground)
        world.track(80, count: 40)
        #expect(world.uploads.count == begun)
        world.act(90, .kill)
        world.act(91, .launch(passive: false), .enterForeground)
        world.track(92, count: 40)
        #expect(world.uploads.count > begun)
    }

    @Test("PostHog: a 413 halves what requests carry, and counts as a failure, after which nothing waits")
    func postHogTooLarge() throws {
        let world = try DeclaredWorld(Self.preset("posthog-ios"))
        world.startApp()
        world.track(1, count: 18)
        world.answer(413, at: 2)
        world.track(2.1)
        world.answer(413, at: 4)
        world.track(4.1)
        world.answer(413, at: 7)
        world.track(7.1)
        #expect(world.counts == [20, 10, 5, 2])
        world.answer(413, at: 11)
        #expect(world.sequences(.retriesExhausted) == [0, 1])
        #expect(world.sequences(.lost(.clearedUnsent)) == Array(2..<23))
        #expect(world.device.eventLimit == 2, "a failure that gives up halves nothing")
    }

    @Test("PostHog: rows leave by position, so that those which were evicted meanwhile take others along")
    func removalByPosition() throws {
        let world = try DeclaredWorld(Self.preset("posthog-ios", #""storage": {"limit": 20}"#))
        world.startApp()
        world.track(1, count: 18)
        world.track(2, count: 5)
        #expect(world.stored == Array(5..<25))
        world.answer(200, at: 3)
        #expect(world.sequences(.delivered) == Array(0..<20))
        #expect(world.sequences(.lost(.clearedUnsent)) == Array(20..<25))
        #expect(world.stored == [])
    }

    @Test("Mixpanel: one batch each minute, and long waits from the second failure on; nothing is ever lost")
    func mixpanelOutage() throws {
        let world = try DeclaredWorld(Self.preset("mixpanel-ios"))
        world.startApp()
        world.track(1, count: 60)
        world.run(to: 60)
        #expect(world.counts == [50])
        world.answer(503, at: 61)
        world.run(to: 120)
        world.answer(204, at: 121)
        #expect(world.counts == [50, 50], "204 is no success to it")
        // 120 s and up to 29 more: the ticks at 180 and 240 are left out.
        world.run(to: 299)
        #expect(world.counts == [50, 50])
        world.run(to: 300)
        #expect(world.plannedSeconds == [60, 120, 300])
        world.answer(200, at: 301)
        #expect(world.sequences(.delivered) == Array(0..<50))
        #expect(world.stored == Array(50..<60))
    }

    @Test("a failure without a wait is tried again by the next trigger, and the end of a wait is one")
    func failuresWithoutWait() throws {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "request": {"path": "/own", "body": "{{events}}"},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s"},
             "answers": [["2xx", "delivered"], ["*", "retry"]],
             "retry": {"backoff": {"shape": "constant", "initial": "4s", "from": 3}, "wakes": true},
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        world.track(1)
        for tick in [10.0, 20, 30] {
            world.run(to: tick)
            world.answer(503, at: tick + 1)
        }
        world.run(to: 40)
        #expect(world.plannedSeconds == [10, 20, 30, 35])
    }

    @Test("Mixpanel: leaving for the background sends all, batch after batch")
    func mixpanelBackground() throws {
        let world = try DeclaredWorld(Self.preset("mixpanel-ios"))
        world.startApp()
        world.track(1, count: 120)
        world.act(2, .enterBackground)
        for second in 3...5 { world.answer(200, at: Double(second)) }
        #expect(world.counts == [50, 50, 20])
        #expect(world.sequences(.delivered) == Array(0..<120))
    }

    @Test("Mixpanel: a logout deletes what is stored")
    func mixpanelLogout() throws {
        let world = try DeclaredWorld(Self.preset("mixpanel-ios"))
        world.startApp()
        world.act(1, .login(account: 1, signUp: false))
        world.track(2)
        world.act(3, .logout)
        #expect(world.sequences(.lost(.clearedUnsent)) == [0, 1])
    }

    @Test("Retry-After holds up uploads, the longer of it and the back-off")
    func retryAfter() throws {
        let world = try DeclaredWorld(Self.preset("posthog-ios"))
        world.startApp()
        world.track(1, count: 18)
        world.end(
            with: .answered(status: 429, body: [], retryAfter: .seconds(20)), at: 2,
            where: { $0.number.kind == .upload })
        world.track(21.9)
        #expect(world.counts == [20])
        world.track(22)
        #expect(world.counts == [20, 22])
    }

    @Test(
        "Amplitude: a file that is too large is cut in two; a lost network stops it until there is another one"
    )
    func amplitude() throws {
        let world = try DeclaredWorld(Self.preset("amplitude-ios"))
        world.startApp()
        world.track(1, count: 29)
        #expect(world.counts == [30], "session_start, and the app's events")
        world.answer(413, at: 2)
        #expect(world.counts == [30, 15])
        world.answer(200, at: 3)
        #expect(world.counts == [30, 15, 15])
        world.fail(.refused, at: 4)
        #expect(world.device.state.contains(.isLatched))
        world.track(5, count: 40)
        world.run(to: 200)
        #expect(world.counts == [30, 15, 15])
        world.setNetwork(.cellular4G, at: 201)
        // The file that failed stays as it was; what has come since is another one.
        #expect(world.counts == [30, 15, 15, 15])
        world.answer(200, at: 202)
        #expect(world.counts.last == 40)
    }

    @Test(
        "Amplitude: a 400 drops the events that it lists, and the others are written into the open file again"
    )
    func amplitudeLists() throws {
        let world = try DeclaredWorld(Self.preset("amplitude-ios"))
        func refuse(_ body: String, at seconds: Double) {
            world.end(
                with: .answered(status: 400, body: Array(body.utf8), retryAfter: nil), at: seconds,
                where: { $0.number.kind == .upload })
        }
        world.startApp()
        world.track(1, count: 29)
        refuse(
            #"{"code": 400, "events_with_invalid_fields": {"time": [0, 7]}, "silenced_events": [29]}"#, at: 2)
        #expect(world.sequences(.rejected(status: 400)) == [0, 7, 29])
        // Of 27 that count anew, three more make thirty.
        world.track(3, count: 2)
        #expect(world.counts == [30])
        world.track(4)
        #expect(world.counts == [30, 30])
        // What is listed nowhere is a failure, and tried again after a second.
        refuse(#"{"code": 400, "error": "what?"}"#, at: 5)
        #expect(world.device.failures == 1)
        world.run(to: 6)
        #expect(world.counts == [30, 30, 30])
        world.answer(200, at: 7)
        #expect(world.sequences(.delivered).count == 30 && world.stored == [])
    }

    @Test("Segment: every file goes with each flush, two at once, and never becomes another one")
    func segment() throws {
        let world = try DeclaredWorld(Self.preset("segment-ios"))
        world.startApp()
        #expect(world.stored == [0, 1], "they wait in memory for the settings")
        world.end(
            with: .answered(
                status: 200, body: Array(#"{"integrations": {"Segment.io": {}}}"#.utf8), retryAfter: nil),
            at: 0.5, where: { $0.number.kind == .config })
        world.track(1, count: 8)
        #expect(world.counts == [10], "Application Installed, Application Opened, and the app's events")
        world.answer(401, at: 2)
        world.track(3, count: 10)
        #expect(world.counts == [10, 10, 10])
        world.answer(401, at: 4)
        world.answer(200, at: 5)
        world.run(to: 30)
        #expect(world.counts == [10, 10, 10, 10])
        #expect(world.sequences(.delivered) == Array(10..<20))
    }

    @Test("what is in memory dies with the process, and what is in files does not")
    func kill() throws {
        for (backend, survives) in [("memory", false), ("file", true), ("sqlite", true)] {
            let world = try DeclaredWorld(
                Self.preset("posthog-ios", #""storage": {"backend": "\#(backend)"}"#))
            world.startApp()
            world.act(1, .kill)
            #expect(world.stored == (survives ? [0, 1] : []))
            #expect(world.sequences(.lost(.killed)) == (survives ? [] : [0, 1]))
        }
    }

    @Test(
        "a full disk loses what is new; a disk that only reads has delivered rows sent again, which are told once"
    )
    func disks() throws {
        func schedule(_ failure: DiskFailure, from: Double, until: Double) -> DiskSchedule {
            DiskSchedule([
                .init(
                    from: ManualWorld.time(from), until: ManualWorld.time(until), failure, share: 1,
                    number: 0)
            ])
        }
        let full = try DeclaredWorld(
            Self.preset("posthog-ios"), disk: schedule(.full, from: 1, until: 3))
        full.startApp()
        full.run(to: 1)
        full.track(2)
        full.track(4)
        #expect(full.stored == [0, 1, 3])
        #expect(full.sequences(.lost(.storageError)) == [2])
        let locked = try DeclaredWorld(
            Self.preset("posthog-ios", #""upload": {"flushBulkSize": 3}"#),
            disk: schedule(.readOnly, from: 2, until: 5))
        locked.startApp()
        locked.track(1)
        locked.answer(200, at: 3)
        #expect(locked.stored == [0, 1, 2])
        locked.track(6)
        #expect(locked.counts == [3, 4])
        locked.answer(200, at: 7)
        #expect(locked.sequences(.delivered) == [0, 1, 2, 3])
        let damaged = try DeclaredWorld(
            Self.preset("mixpanel-ios"), disk: schedule(.corrupt, from: 2, until: 3))
        damaged.startApp()
        damaged.track(1, count: 2)
        damaged.run(to: 2)
        damaged.track(3)
        #expect(damaged.sequences(.lost(.storageError)) == [0, 1])
        #expect(damaged.stored == [2])
    }
}
