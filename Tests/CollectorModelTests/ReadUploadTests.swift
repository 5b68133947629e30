import TestSupport
import Testing
import Wire

@testable import CollectorModel

@Suite("An upload read for people to look at")
struct ReadUploadTests {
    private func read(_ upload: SystemUpload) -> ReadUpload {
        var headers = CollectedHeaders()
        for (name, value) in upload.headers { headers[name] = value }
        return upload.body.withUnsafeBytes { body in
            ReadUpload(
                CollectedRequest(
                    method: .post, path: upload.path, query: upload.query, headers: headers, body: body),
                of: upload.system)
        }
    }

    @Test(
        "every system's events come out as the JSON that a store holds", arguments: CollectorSystem.allCases)
    func events(system: CollectorSystem) throws {
        let upload = read(.of(system, ids: ["3-0", "3-1", "3-2"]))
        #expect(upload.undecodable.isEmpty)
        #expect(upload.events.count == 3)
        for (number, text) in upload.events.enumerated() {
            #expect(text.contains("\"3-\(number)\""), "in order")
            #expect(text.first == "{" && text.last == "}")
        }
    }

    @Test("LZ4 or Snappy under XOR, JSON or messages: the same event", arguments: ["2", "3"], [false, true])
    func coded(codec: String, isMessage: Bool) throws {
        var plain = WireBuffer()
        if isMessage {
            plain.appendProtobufField(1) { event in
                event.appendProtobufField(6, int64: 1)
                event.appendProtobufField(8, int64: 1_700_000_000_000)
                event.appendProtobufField(22, string: "buy")
            }
        } else {
            plain.append("[{\"eventType\":\"CUSTOM\",\"timestamp\":1700000000000,\"eventName\":\"buy\"}]")
        }
        var packed = WireBuffer()
        plain.withUnsafeBytes { bytes in
            if codec == "2" {
                SnappyBlock.encode(bytes, into: &packed)
            } else {
                LZ4Block.encode(bytes, into: &packed)
            }
        }
        let upload = read(
            .growing(
                packed.bytes.map { $0 ^ UInt8(truncatingIfNeeded: 1_700_000_000_123) }, compress: codec,
                crypt: "1", type: isMessage ? "application/protobuf" : "application/json"))
        #expect(
            upload.events == [#"{"eventType":"CUSTOM","timestamp":1700000000000,"eventName":"buy"}"#])
    }

    @Test("what cannot be read says why, beside what can")
    func unreadable() {
        var cut = SystemUpload.of(.kit)
        cut.body.removeLast(cut.body.count / 2)
        #expect(read(cut).events.isEmpty)
        #expect(!read(cut).undecodable.isEmpty)
        let half = read(.growing("[\(SystemUpload.growingEvent("3-0", sequence: 1)),7]"))
        #expect(half.events.count == 1)
        #expect(half.undecodable == [.notAnObject])
    }
}
