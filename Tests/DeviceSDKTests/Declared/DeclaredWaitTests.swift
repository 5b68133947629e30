import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// What ends waits and what stops uploads altogether.
@Suite("Described SDKs, waits and stops")
struct DeclaredWaitTests {
    private static func world(_ groups: String) throws -> DeclaredWorld {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "request": {"path": "/own", "body": "{{events}}"},
             "upload": {"flushBulkSize": "none", "flushInterval": "5s"}, \(groups),
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        return world
    }

    /// A device whose one event was delivered, by an answer that asks for a wait until 7.5.
    private static func waiting() throws -> DeclaredWorld {
        let world = try world(#""retry": {"retryAfter": {"on": [200]}, "wakes": true}"#)
        world.track(1)
        world.run(to: 5)
        world.end(
            with: .answered(status: 200, body: [], retryAfter: .seconds(2)), at: 5.5,
            where: { $0.number.kind == .upload })
        return world
    }

    @Test("the end of a wait sets off nothing where nothing is stored, and nothing later")
    func endWithoutRows() throws {
        let world = try Self.waiting()
        world.track(8)
        #expect(world.counts == [1], "the wait was over at 7.5")
        world.run(to: 10)
        #expect(world.counts == [1, 1])
    }

    @Test("a wait that ends while something is stored is a trigger")
    func endWithRows() throws {
        let world = try Self.waiting()
        world.track(6)
        world.run(to: 7.5)
        #expect(world.counts == [1, 1])
    }

    @Test(
        "a failure that stops all uploads does so whatever becomes of its rows",
        arguments: ["retry", "keep", "drop", "split", "halve"])
    func latch(verdict: String) throws {
        let world = try Self.world(
            """
            "answers": [["2xx", "delivered"], ["network", "\(verdict)"], ["*", "keep"]],
            "retry": {"latch": {"on": ["refused"], "until": ["launch"]}}
            """)
        world.track(1, count: 2)
        world.run(to: 5)
        world.end(with: .failed(.refused), at: 6, where: { $0.number.kind == .upload })
        world.track(7)
        world.run(to: 30)
        #expect(world.counts == [2])
        #expect(world.stored == (verdict == "drop" ? [2] : [0, 1, 2]))
        world.act(31, .kill)
        world.act(32, .launch(passive: false), .enterForeground)
        world.run(to: 38)
        #expect(world.counts.count == 2, "a new process goes on")
    }
}
