import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Users who consent to being tracked, and users who do not.
@Suite("Described SDKs, consent")
struct DeclaredConsentTests {
    private static func sdk(_ consent: String) -> String {
        """
        {"name": "own-ios", "consent": {\(consent)}, "identity": {"login": "distinctId", "logout": "newAnonymous"},
         "storage": {"backend": "file"}, "upload": {"flushBulkSize": 3, "flushInterval": "60s"},
         "request": {"path": "/own", "body": "{{events}}"}, "answers": [["2xx", "delivered"], ["*", "keep"]],
         "events": {"tag": "/bs_id", "common": {"name": "{{name}}", "who": "{{distinctId}}"},
                    "business": {"name": "{{event}}"}, "launch": {"name": "launch"},
                    "optIn": {"name": "in"}, "optOut": {"name": "out"}}}
        """
    }

    /// Consent is given or withdrawn from a second to another.
    private static func said(_ isGiven: Bool, _ from: Double, _ until: Double = 1e6) -> ConsentSchedule.Entry
    {
        ConsentSchedule.Entry(
            from: ManualWorld.time(from), until: ManualWorld.time(until), isGiven, share: 1,
            number: 0)
    }

    private func world(_ consent: String, _ entries: ConsentSchedule.Entry...) throws -> DeclaredWorld {
        try DeclaredWorld(Self.sdk(consent), consents: ConsentSchedule(entries))
    }

    @Test("without consent nothing is captured, and what is stored waits until the user says something else")
    func holds() throws {
        let world = try world(#""initial": "given""#, Self.said(false, 2, 9))
        world.startApp()
        world.track(1)
        #expect(world.stored == [0, 1], "launch, and the event")
        // Said with the next thing that the user does: its own event is the last one, and enough to be sent.
        world.track(3, count: 2)
        #expect(world.counts == [3])
        world.answer(503, at: 4)
        #expect(world.sequences(.suppressed(.consent)) == [3, 4])
        world.run(to: 8)
        world.act(8, .enterBackground)
        #expect(world.counts == [3], "nothing is sent without consent")
        world.act(10, .enterForeground)
        #expect(world.counts == [3])
        world.track(11)
        #expect(world.counts == [3, 4], "what has waited, with the event that tells of the consent")
        world.answer(200, at: 12)
        #expect(world.sequences(.delivered) == [0, 1, 2, 5])
        #expect(world.counts == [3, 4, 1] && world.stored == [6])
    }

    @Test("what is stored goes all the same, or is lost at the withdrawal")
    func storedEvents() throws {
        let sends = try world(#""stored": "send""#, Self.said(false, 2))
        sends.startApp()
        sends.track(3)
        sends.run(to: 61)
        #expect(sends.counts == [2] && sends.sequences(.suppressed(.consent)) == [2])
        let deletes = try world(#""stored": "delete""#, Self.said(false, 2))
        deletes.startApp()
        deletes.track(1)
        deletes.track(3)
        // The request that was begun by the last event goes on.
        #expect(deletes.counts == [3])
        deletes.answer(200, at: 4)
        #expect(deletes.sequences(.delivered) == [0, 1, 2])
        let idle = try world(#""stored": "delete""#, Self.said(false, 2))
        idle.startApp()
        idle.track(3)
        #expect(idle.sequences(.lost(.clearedUnsent)) == [0, 1] && idle.stored == [])
    }

    @Test("an SDK that asks first stores what it captures until it may send that")
    func asksFirst() throws {
        let world = try world(#""initial": "absent", "captures": "store""#, Self.said(true, 5))
        world.startApp()
        world.track(1, count: 4)
        world.run(to: 4)
        #expect(world.stored == [0, 1, 2, 3, 4] && world.counts == [])
        world.track(6)
        #expect(
            world.counts == [6], "with the event that tells of the consent; the user's own comes after it")
        let never = try self.world(#""initial": "absent""#)
        never.startApp()
        never.track(1)
        #expect(never.sequences(.suppressed(.consent)) == [0, 1])
    }

    @Test("what is not written down is forgotten by the next process")
    func restarts() throws {
        for (persisted, captured) in [(true, [UInt32]()), (false, [3, 4])] {
            let world = try world("\"persisted\": \(persisted)", Self.said(false, 2))
            world.startApp()
            world.track(3)
            #expect(world.stored == [0, 1] && world.sequences(.suppressed(.consent)) == [2])
            world.act(4, .kill)
            world.act(5, .launch(passive: false), .enterForeground)
            world.track(6)
            #expect(world.stored.filter { $0 > 1 } == captured, "persisted: \(persisted)")
        }
    }

    @Test("a withdrawal may forget the user")
    func forgets() throws {
        let world = try world(#""forgetsUser": true, "captures": "store""#, Self.said(false, 2))
        world.startApp()
        world.act(1, .login(account: 4, signUp: false))
        world.track(3)
        #expect(world.device.epochs.current.account == nil)
        #expect(world.device.epochs.current.anonymousGeneration == 1)
    }

    @Test("a share of the users says so, each of them drawn for itself")
    func shares() {
        func schedule(_ share: Double) -> ConsentSchedule {
            ConsentSchedule([
                .init(
                    from: ManualWorld.time(1), until: ManualWorld.time(2), false, share: share,
                    number: 3)
            ])
        }
        func said(_ share: Double, _ index: UInt64, _ seconds: Double) -> Bool? {
            schedule(share).isGiven(
                at: ManualWorld.time(seconds),
                traits: RandomStream(seed: 1, population: 2, index: index, purpose: .traits))
        }
        let some = (0..<1000).filter { said(0.3, $0, 1.5) == false }.count
        #expect((250...350).contains(some))
        #expect((0..<1000).allSatisfy { said(1, $0, 1) == false && said(1, $0, 2) == nil })
        #expect((0..<1000).allSatisfy { said(0, $0, 1.5) == nil })
    }
}
