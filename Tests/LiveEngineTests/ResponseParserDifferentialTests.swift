import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import Timebase

@testable import LiveEngine

@Suite("Response parser beside NIO's decoder")
struct ResponseParserDifferentialTests {
    struct Answer: Equatable {
        var status: UInt16
        var keepsAlive: Bool
        var body: [UInt8]
    }

    @Test("gives what NIO's decoder gives, however the bytes are cut", arguments: 0..<300)
    func differential(number: Int) throws {
        var stream = RandomStream(key: 0xBEAC_0000 + UInt64(number))
        let bytes = Self.generate(&stream)
        let expected = try Self.decodeWithNIO(bytes)
        var (parser, used) = ResponseParserTests.parse(bytes, readSizes: Self.readSizes(&stream))
        parser.close()
        let found = Answer(status: parser.status, keepsAlive: parser.keepsAlive, body: parser.body)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(parser.state == .complete, "seed \(0xBEAC_0000 + number): \(text)")
        #expect(used == bytes.count, "seed \(0xBEAC_0000 + number): \(text)")
        #expect(found == expected, "seed \(0xBEAC_0000 + number): \(text)")
    }

    @Test("ends in the same state however damaged bytes are cut", arguments: 0..<300)
    func damaged(number: Int) {
        var stream = RandomStream(key: 0xDA3A_0000 + UInt64(number))
        var bytes = Self.generate(&stream)
        for _ in 0...stream.below(4) {
            bytes[Int(stream.below(UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: stream.next())
        }
        let (whole, _) = ResponseParserTests.parse(bytes, readSizes: [.max])
        let (dripped, _) = ResponseParserTests.parse(bytes, readSizes: [1])
        let (cut, _) = ResponseParserTests.parse(bytes, readSizes: Self.readSizes(&stream))
        for other in [dripped, cut] {
            #expect(other.state == whole.state, "seed \(0xDA3A_0000 + number)")
            #expect(other.status == whole.status, "seed \(0xDA3A_0000 + number)")
            if whole.state != .malformed {
                #expect(other.body == whole.body, "seed \(0xDA3A_0000 + number)")
            }
        }
    }

    private static func readSizes(_ stream: inout RandomStream) -> [Int] {
        (0..<200).map { _ in 1 + Int(stream.below(40)) }
    }

    /// A valid answer of random shape.
    private static func generate(_ stream: inout RandomStream) -> [UInt8] {
        var text = ""
        if stream.chance(0.2) { text += "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" }
        let statuses = [200, 201, 204, 304, 400, 404, 429, 500, 503]
        let status = statuses[Int(stream.below(UInt64(statuses.count)))]
        let version = stream.chance(0.2) ? "1.0" : "1.1"
        text += "HTTP/\(version) \(status) \(stream.chance(0.5) ? "Reason here" : "R")\r\n"
        for number in 0..<stream.below(6) {
            text += "X-Field-\(number):\(stream.chance(0.5) ? " " : "")\(stream.next())\r\n"
        }
        if stream.chance(0.3) {
            text += stream.chance(0.5) ? "connection: Close\r\n" : "Connection: keep-alive\r\n"
        }
        let body = (0..<stream.below(300)).map { _ in UInt8(truncatingIfNeeded: stream.next()) }
        if status == 204 || status == 304 { return Array((text + "\r\n").utf8) }
        switch stream.below(version == "1.0" ? 2 : 3) {
        case 0: return Array((text + "CONTENT-LENGTH: \(body.count)\r\n\r\n").utf8) + body
        case 1: return Array((text + "\r\n").utf8) + body
        default: return Array((text + "Transfer-Encoding: chunked\r\n\r\n").utf8) + chunked(body, &stream)
        }
    }

    private static func chunked(_ body: [UInt8], _ stream: inout RandomStream) -> [UInt8] {
        var bytes: [UInt8] = []
        var position = 0
        while position < body.count {
            let size = min(body.count - position, 1 + Int(stream.below(90)))
            let digits = String(size, radix: 16, uppercase: stream.chance(0.5))
            bytes += Array((digits + (stream.chance(0.3) ? ";a=b" : "") + "\r\n").utf8)
            bytes += body[position..<position + size] + [13, 10]
            position += size
        }
        return bytes + Array((stream.chance(0.3) ? "0\r\nX-Trailer: 1\r\n\r\n" : "0\r\n\r\n").utf8)
    }

    private static func decodeWithNIO(_ bytes: [UInt8]) throws -> Answer {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        let request = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        try channel.writeOutbound(HTTPClientRequestPart.head(request))
        try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        _ = try? channel.finish()
        var answer: Answer?
        var isWhole = false
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let head):
                let isDelimited =
                    head.headers.contains(name: "content-length")
                    || head.headers.contains(name: "transfer-encoding")
                    || head.status.code == 204 || head.status.code == 304
                answer = Answer(
                    status: UInt16(head.status.code), keepsAlive: head.isKeepAlive && isDelimited, body: [])
            case .body(let buffer): answer?.body += Array(buffer.readableBytesView)
            case .end: isWhole = true
            }
        }
        try #require(isWhole, "NIO's decoder did not take the answer")
        return try #require(answer)
    }
}
