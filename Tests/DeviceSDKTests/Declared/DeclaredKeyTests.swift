import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeclaredSDK
@testable import DeviceSDK

/// What names an event that carries no id of the harness, as a collector reads it.
@Suite("Described SDKs, natural keys")
struct DeclaredKeyTests {
    /// A device with an SDK whose events are sent one by one, and have this in them.
    private static func world(key: String, _ common: String) throws -> DeclaredWorld {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "upload": {"flushBulkSize": 1},
             "request": {"path": "/own", "body": "{{events}}", "perEvent": {"at": "{{sent|ms}}"}},
             "events": {"key": [\(key)], "common": {"name": "{{name}}", \(common)}, "screen": {"name": "saw"}}}
            """, tagged: false)
        world.startApp()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.answer(200, at: 1.5)
        return world
    }

    private static func hash(_ text: String) -> NaturalKey {
        let hash = Array(text.utf8).withUnsafeBytes { Hash128($0) }
        return NaturalKey(high: hash.high, low: hash.low)
    }

    @Test(
        "numbers are in normal form, however the description writes them, but for those in a text",
        arguments: [
            ("1.50", "1.5"), ("2.0", "2"), ("1e3", "1000"), ("1E3", "1000"), ("0.1000", "0.1"), ("17", "17"),
            (#"{"a": [1.50, "x", null]}"#, #"{"a":[1.5,"x",null]}"#),
            (#"{"jsonText": {"a": 1.50}}"#, #"{"a":1.50}"#),
        ])
    func numbers(written: String, normal: String) throws {
        let world = try Self.world(key: #""/row", "/v""#, #""row": "{{row}}", "v": \#(written)"#)
        #expect(world.fates[0]?.naturalKey == Self.hash("own\u{1F}1\u{1F}\(normal)"))
        #expect(world.uploads[0].text.contains(#""v":"#), "the event itself is as it is written")
    }

    @Test("where no part has anything, all of the event is the key, without what the attempt adds")
    func nothing() throws {
        for (key, common) in [(#""/e""#, #""e": """#), (#""/u""#, #""u": "{{userId?}}", "e": """#)] {
            let world = try Self.world(key: key, common + #", "row": "{{row}}", "v": 1.50"#)
            #expect(world.uploads[0].text.contains(#""at":"#))
            #expect(
                world.fates[0]?.naturalKey == Self.hash(#"own,"name":"saw","e":"","row":1,"v":1.5"#))
        }
    }
}
