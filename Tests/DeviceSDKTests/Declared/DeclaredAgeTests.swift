import Accounting
import Testing

@testable import DeclaredSDK
@testable import DeviceSDK

@Suite("Described SDKs, age of rows")
struct DeclaredAgeTests {
    @Test("rows that are too old leave when a flush begins, and not while it goes on")
    func ttl() throws {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "request": {"path": "/own", "body": "{{events}}"}, "storage": {"ttl": "10s"},
             "upload": {"flushBulkSize": "none", "flushInterval": "30s", "batch": 1},
             "answers": [["2xx", "delivered"], ["*", "keep"]],
             "events": {"tag": "/bs_id", "common": {"name": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """)
        world.startApp()
        world.track(19)
        world.track(20)
        world.track(21, count: 3)
        world.run(to: 30)
        #expect(world.sequences(.evicted(.expired)) == [0, 1])
        for second in [33.0, 36, 39] { world.answer(200, at: second) }
        #expect(world.sequences(.delivered) == [2, 3, 4], "the last request began 15 s after the capture")
        #expect(world.sequences(.evicted(.expired)) == [0, 1] && world.stored == [])
    }
}
