import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// What answers make of requests that were too large.
@Suite("Described SDKs, halves")
struct DeclaredHalvingTests {
    private static func world(_ upload: String, _ groups: String = "") throws -> DeclaredWorld {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "request": {"path": "/own"},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s", \(upload)},
             "answers": [["2xx", "delivered"], ["413", "halve"], ["*", "keep"]]\(groups),
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        return world
    }

    @Test("the smallest of requests beside each other is halved, whichever ends last")
    func smallest() throws {
        let world = try Self.world(#""batch": 8, "concurrency": 2"#)
        world.track(1, count: 12)
        world.run(to: 10)
        #expect(world.counts == [8, 4])
        world.answer(413, at: 11, upload: 1)
        world.answer(413, at: 12, upload: 0)
        world.run(to: 20)
        #expect(world.counts == [8, 4, 2, 2])
    }

    @Test("a round that is one failure halves what requests carry, unless the SDK gives up with it")
    func rounds() throws {
        let rounds = #""batch": 4, "rounds": true, "concurrency": 2"#
        let kept = try Self.world(rounds)
        let givenUp = try Self.world(rounds, #", "retry": {"attempts": 0}"#)
        for world in [kept, givenUp] {
            world.track(1, count: 8)
            world.run(to: 10)
            world.answer(413, at: 11)
            world.run(to: 20)
        }
        #expect(kept.counts == [4, 2] && kept.stored == Array(0..<8))
        #expect(givenUp.counts == [4, 4] && givenUp.stored == Array(4..<8))
        #expect(givenUp.sequences(.retriesExhausted) == [0, 1, 2, 3])
    }
}
