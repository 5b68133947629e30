import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// Batches that are fixed in the store, and sent as they are.
@Suite("Described SDKs, files")
struct DeclaredFileTests {
    /// A device that has captured some events of which each file has two.
    private static func world(_ events: Int, _ storage: String = "", upload: String = "") throws
        -> DeclaredWorld
    {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "storage": {"seal": {"events": 2}\(storage)}, "request": {"path": "/own"},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s"\(upload)},
             "answers": [["2xx", "delivered"], ["413", "split"], ["*", "keep"]],
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        world.track(1, count: events)
        world.run(to: 10)
        return world
    }

    @Test("a file has its turn though the one before it is given up while a request is under way")
    func givesWay() throws {
        let world = try Self.world(6, #", "limit": 6"#)
        #expect(world.counts == [2])
        world.track(11, count: 2)
        #expect(world.stored == [2, 3, 4, 5, 6, 7], "the first file is gone")
        world.answer(200, at: 12)
        world.answer(200, at: 13)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3])
        #expect(world.stored == [4, 5, 6, 7])
    }

    @Test("the parts of a file that is split are sent at once, however few requests a flush has")
    func splits() throws {
        let world = try Self.world(4, upload: #", "maxBatchesPerFlush": 1"#)
        world.answer(413, at: 11)
        #expect(world.counts == [2, 1])
        world.answer(200, at: 12)
        #expect(world.counts == [2, 1, 1])
        world.answer(200, at: 13)
        #expect(world.counts == [2, 1, 1], "the next file waits for the next flush")
        #expect(world.sequences(.delivered) == [0, 1] && world.stored == [2, 3])
    }
}
