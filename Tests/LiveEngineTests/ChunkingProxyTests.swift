import LiveSimulation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import Timebase

@testable import LiveEngine

@Suite("A proxy that answers in chunks")
struct ChunkingProxyTests {
    /// What a client gets of an answer that a server of NIO's writes.
    private static func bytes(_ status: HTTPResponseStatus, _ body: String, length: Int?) throws -> [UInt8] {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish() }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ChunkingProxy(sizes: 1...7, random: RandomStream(key: 4)))
        try pipeline.addHandler(HTTPResponseEncoder())
        var head = HTTPResponseHead(version: .http1_1, status: status)
        if let length { head.headers.add(name: "content-length", value: String(length)) }
        head.headers.add(name: "retry-after", value: "3")
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        if !body.isEmpty {
            try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))))
        }
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        var bytes: [UInt8] = []
        while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
        return bytes
    }

    @Test("gives the same answer, however it is cut", arguments: ["{\"v\": \"a\\r\\n0\\r\\n\\r\\n\"}", ""])
    func sameAnswer(body: String) throws {
        let bytes = try Self.bytes(.ok, body, length: body.utf8.count)
        #expect(String(decoding: bytes, as: UTF8.self).contains("transfer-encoding: chunked\r\n"))
        for size in 1...bytes.count {
            let (parser, used) = ResponseParserTests.parse(bytes, readSizes: [size])
            #expect(parser.state == .complete && parser.status == 200, "reads of \(size)")
            #expect(ResponseParserTests.text(parser.body) == body, "reads of \(size)")
            #expect(parser.retryAfter != nil && parser.keepsAlive && used == bytes.count, "reads of \(size)")
        }
    }

    @Test("leaves an answer without a length as it is")
    func withoutLength() throws {
        let bytes = try Self.bytes(.noContent, "", length: nil)
        #expect(ResponseParserTests.parse(bytes, readSizes: [3]).parser.state == .complete)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("chunked"))
    }

    @Test("does not end what ends before its length")
    func cutShort() throws {
        let bytes = try Self.bytes(.ok, "half", length: 8)
        let (parser, _) = ResponseParserTests.parse(bytes, readSizes: [bytes.count])
        #expect(!parser.isFinished)
    }
}
