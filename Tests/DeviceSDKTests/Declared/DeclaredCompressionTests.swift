import Testing
import Wire

@testable import DeclaredSDK
@testable import DeviceSDK

@Suite("Described SDKs, compressed bodies")
struct DeclaredCompressionTests {
    /// The bodies of batches of so many events.
    private static func bodies(_ compression: String, counts: [Int]) throws -> [[UInt8]] {
        let world = try DeclaredWorld(
            """
            {"name": "own-ios", "identity": {"session": {"id": "ms", "idle": "30m"}},
             "request": {"path": "/own", "body": "{{events}}", "compress": "\(compression)"},
             "upload": {"flushBulkSize": "none", "flushInterval": "10s", "batch": 500},
             "answers": [["2xx", "delivered"], ["*", "keep"]],
             "events": {"id": "uuid", "tag": "/bs_id",
               "common": {"name": "{{name}}", "at": "{{time|iso}}", "id": "{{id}}", "row": "{{row}}",
                 "device": "{{device.id}}", "model": "{{device.model}}", "session": "{{session.id}}"},
               "business": {"name": "{{event}}", "properties": {"...": "{{properties}}"}}}}
            """)
        world.startApp()
        for (round, count) in counts.enumerated() {
            world.track(1 + Double(round) * 10, count: count)
            world.run(to: 10 * Double(round + 1))
            world.answer(200, at: 10 * Double(round + 1) + 0.5)
        }
        return world.uploads.map { Array($0.body) }
    }

    @Test("what is told to the compressor changes nothing of what a body holds")
    func content() throws {
        let counts = [120, 3, 200, 60]
        let plain = try Self.bodies("none", counts: counts)
        let packed = try Self.bodies("gzip", counts: counts)
        try #require(plain.count == counts.count && packed.count == counts.count)
        for (body, text) in zip(packed, plain) {
            var unpacked = WireBuffer()
            try body.withUnsafeBytes { try GzipDecoder().decompress($0, into: &unpacked) }
            #expect(unpacked.bytes == text)
            // A compressor that is told wrong things finds less.
            var searched = WireBuffer()
            text.withUnsafeBytes { GzipEncoder(batches: .small).compress($0, into: &searched) }
            #expect(body.count * 100 <= searched.count * 105)
        }
        #expect(plain[0].count > GzipEncoder.batchFrom)
    }
}
