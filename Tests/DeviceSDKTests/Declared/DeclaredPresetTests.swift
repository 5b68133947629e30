import Accounting
import AppModel
import SDKDescription
import Testing
import Timebase
import Wire
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// What presets do that their SDKs' sources say and no other preset does.
@Suite("Described SDKs, presets")
struct DeclaredPresetTests {
    private func answer(_ status: UInt16, retryAfter: Int64, _ world: DeclaredWorld, at seconds: Double) {
        world.end(
            with: .answered(status: status, body: [], retryAfter: .seconds(retryAfter)), at: seconds,
            where: { $0.number.kind == .upload })
    }

    private func names(_ world: DeclaredWorld) -> [String] {
        world.device.allRows.map { world.system.labels[Int($0.template)].name }
    }

    @Test("PostHog: a 413 halves what triggers a flush, too, whatever the request had")
    func postHogTrigger() throws {
        let world = try DeclaredWorld(#"{"preset": "posthog-ios"}"#)
        world.startApp()
        world.setNetwork(.none, at: 0.5)
        world.track(1, count: 48)
        world.setNetwork(.cellular4G, at: 2)
        world.track(3)
        world.answer(413, at: 4)
        for second in [5.0, 7] {
            world.track(second)
            world.answer(200, at: second + 1)
        }
        #expect(world.counts == [50, 25, 25] && world.stored.count == 3)
        world.track(9, count: 6)
        #expect(world.counts == [50, 25, 25])
        world.track(10)
        #expect(world.counts == [50, 25, 25, 10])
    }

    @Test("PostHog: Retry-After counts where an answer is tried again, and not where it is the end")
    func postHogRetryAfter() throws {
        let world = try DeclaredWorld(#"{"preset": "posthog-ios"}"#)
        world.startApp()
        world.track(1, count: 18)
        answer(400, retryAfter: 60, world, at: 2)
        world.track(3, count: 20)
        #expect(world.counts == [20, 20])
        answer(302, retryAfter: 9, world, at: 4)
        world.track(12.9)
        #expect(world.counts == [20, 20])
        world.track(13)
        #expect(world.counts == [20, 20, 22])
    }

    @Test("PostHog: the answer with which the queue is deleted asks for no wait")
    func postHogGivesUp() throws {
        let world = try DeclaredWorld(#"{"preset": "posthog-ios"}"#)
        world.startApp()
        world.track(1, count: 18)
        for second in [2.0, 20, 40] {
            answer(429, retryAfter: 9, world, at: second)
            world.track(second + 9)
        }
        #expect(world.counts == [20, 21, 22, 23] && world.device.failures == 3)
        answer(429, retryAfter: 9, world, at: 60)
        #expect(world.device.failures == 0 && world.stored == [])
        world.track(61, count: 20)
        #expect(world.counts == [20, 21, 22, 23, 20])
    }

    /// 61 events and a change of a profile, of which a first batch of 50 was taken with the advice to wait 100 s.
    private func mixpanel() throws -> DeclaredWorld {
        let world = try DeclaredWorld(#"{"preset": "mixpanel-ios"}"#)
        world.startApp()
        world.act(1, .login(account: 1, signUp: false), .profile(update: 0, subject: 0))
        world.track(1, count: 60)
        world.act(2, .enterBackground)
        answer(200, retryAfter: 100, world, at: 3)
        #expect(world.counts == [50, 11])
        return world
    }

    @Test("Mixpanel: a Retry-After counts on 200, too: the requests of its lane go on, and then it waits")
    func mixpanelRetryAfter() throws {
        let world = try mixpanel()
        answer(200, retryAfter: 50, world, at: 4)
        #expect(world.uploads.map(\.head.path) == ["/track/?ip=1", "/track/?ip=1"])
        world.act(10, .enterForeground)
        world.run(to: 53)
        #expect(world.counts == [50, 11], "what the last answer asked for")
        world.run(to: 130)
        #expect(world.uploads.last?.head.path == "/engage/?ip=1")
    }

    @Test("Mixpanel: a success that asks for no time ends the wait that one before it asked for")
    func mixpanelNoRetryAfter() throws {
        let world = try mixpanel()
        world.answer(200, at: 4)
        #expect(world.uploads.last?.head.path == "/engage/?ip=1" && world.counts == [50, 11, 1])
    }

    @Test("Mixpanel: a failure within the wait that a success asked for is one, and sets the wait anew")
    func mixpanelFailure() throws {
        let world = try mixpanel()
        world.answer(500, at: 4)
        #expect(world.device.failures == 1)
        #expect(world.uploads.last?.head.path == "/engage/?ip=1" && world.counts == [50, 11, 1])
        world.answer(500, at: 5)
        #expect(world.device.failures == 2)
    }

    @Test("Segment: a start in the background opens the app, and the foreground after it is nothing")
    func segmentStart() throws {
        let world = try DeclaredWorld(#"{"preset": "segment-ios", "config": []}"#)
        world.act(0, .launch(passive: true))
        world.act(5, .enterForeground)
        #expect(names(world) == ["Application Installed", "Application Opened"])
        world.act(6, .enterBackground)
        world.act(7, .enterForeground)
        #expect(
            names(world).dropFirst(2) == [
                "Application Backgrounded", "Application Opened", "Application Foregrounded",
            ])
    }

    @Test("PostHog: the first time in the foreground is an app that was not in the background")
    func postHogStart() throws {
        let world = try DeclaredWorld(#"{"preset": "posthog-ios"}"#)
        world.act(0, .launch(passive: true))
        #expect(names(world) == ["Application Installed"])
        world.act(5, .enterForeground)
        world.act(6, .enterBackground)
        world.act(7, .enterForeground)
        let opened = [.launch, .background, .foreground].map { world.system.templates.action($0) }
        #expect(world.device.allRows.dropFirst().map(\.template) == opened)
    }

    @Test("Segment: a file keeps the sentAt of its end, however often it is sent")
    func segmentSentAt() throws {
        let world = try DeclaredWorld(
            """
            {"preset": "segment-ios", "config": [],
             "upload": {"flushBulkSize": 3, "flushInterval": "none", "timerRuns": null}}
            """)
        world.startApp()
        world.track(1)
        world.answer(503, at: 2)
        world.track(10, count: 3)
        #expect(world.counts == [3, 3, 3])
        let sent = try (0...2).map { try world.json($0)["sentAt"]?.string }
        let ends = try (0...2).map { try world.json($0)["batch"]?.elements?.last?["timestamp"]?.string }
        #expect(sent[0] != nil && sent[0] == sent[1] && sent[1] != sent[2])
        #expect(sent == ends)
    }

    @Test(
        "lanes and configurations do not wait for other requests",
        arguments: [
            (#"{"preset": "posthog-ios"}"#, 4), (#"{"preset": "countly-ios"}"#, 1),
            (#"{"preset": "snowplow-ios"}"#, 4),
        ])
    func connections(description: String, expected: Int) throws {
        #expect(try DeclaredWorld(description).system.plan.system.connectionsPerDevice == expected)
    }

    @Test("PostHog: two fetches are under way from a launch on, beside an upload of what was left")
    func postHogFetches() throws {
        let world = try DeclaredWorld(#"{"preset": "posthog-ios"}"#)
        world.startApp()
        #expect(world.device.fetches.count == 2)
        world.track(1, count: 20)
        #expect(world.device.fetches.count == 2 && world.device.requests.count == 1)
    }
}
