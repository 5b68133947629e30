import DeviceSDK
import NIOCore
import Testing
import Timebase
import Wire
import World

@testable import LiveEngine

@Suite("Packed bodies of answers")
struct PackedBodyTests {
    private static let text = "{\"statusCode\":200}"

    static func gzip(_ content: [UInt8]) -> [UInt8] {
        var packed = WireBuffer()
        content.withUnsafeBytes { GzipEncoder().compress($0, into: &packed) }
        return packed.bytes
    }

    private static func zlib(_ content: [UInt8]) -> [UInt8] {
        var (input, packed) = (WireBuffer(), WireBuffer())
        input.append(contentsOf: content)
        ZlibEncoder().compress(input, into: &packed)
        return packed.bytes
    }

    private static func answer(_ fields: [String], _ body: [UInt8], isChunked: Bool = false) -> [UInt8] {
        let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"
        let head = (["HTTP/1.1 200 OK", length] + fields + ["", ""]).joined(separator: "\r\n")
        guard isChunked else { return Array(head.utf8) + body }
        let size = String(body.count, radix: 16)
        return Array("\(head)\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
    }

    private static let packings: [(field: String, pack: @Sendable ([UInt8]) -> [UInt8])] = [
        ("gzip", gzip), ("X-GZip", gzip), (" , gzip", gzip), ("identity, gzip", gzip), ("Deflate", zlib),
        ("deflate", { Array(zlib($0).dropFirst(2).dropLast(4)) }),
    ]

    @Test("are unpacked, however they come, and their bytes on the wire counted", arguments: [Int.max, 1, 7])
    func unpacked(readSize: Int) {
        for (field, pack) in Self.packings {
            for isChunked in [false, true] {
                let bytes = Self.answer(
                    ["Content-Encoding: \(field)"], pack(Array(Self.text.utf8)), isChunked: isChunked)
                let (parser, used) = ResponseParserTests.parse(
                    bytes, readSizes: [readSize], keepsSample: true)
                #expect(parser.state == .complete && parser.keepsAlive, "\(field)")
                #expect(ResponseParserTests.text(parser.body) == Self.text, "\(field)")
                #expect(ResponseParserTests.text(parser.sampleBody) == Self.text, "\(field)")
                #expect(used == bytes.count && parser.received == bytes.count)
            }
        }
    }

    @Test("are unpacked at the close that ends them")
    func closeDelimited() {
        let head = Array("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        var (parser, _) = ResponseParserTests.parse(
            head + Self.gzip(Array(Self.text.utf8)), readSizes: [.max])
        #expect(!parser.isFinished)
        parser.close()
        #expect(parser.state == .complete && ResponseParserTests.text(parser.body) == Self.text)
    }

    @Test("stay as they came where nothing is packed, nothing is there, or nobody reads")
    func untouched() {
        for field in ["identity", "utf-8", "", "none"] {
            let bytes = Self.answer(["Content-Encoding: \(field)"], Array(Self.text.utf8))
            let (parser, _) = ResponseParserTests.parse(bytes, readSizes: [.max])
            #expect(parser.state == .complete && ResponseParserTests.text(parser.body) == Self.text)
        }
        for field in ["gzip", "br"] {
            let empty = ResponseParserTests.parse(
                Self.answer(["Content-Encoding: \(field)"], []), readSizes: [.max])
            #expect(empty.parser.state == .complete && empty.parser.body.isEmpty)
            let unread = ResponseParserTests.parse(
                Self.answer(["Content-Encoding: \(field)"], [1, 2, 3]), readSizes: [.max], keepsBody: false)
            #expect(unread.parser.state == .complete)
        }
        // What an interim answer says is not of the final one.
        let interim = Array("HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        let final = ResponseParserTests.parse(
            interim + Self.answer([], Array(Self.text.utf8)), readSizes: [.max])
        #expect(ResponseParserTests.text(final.parser.body) == Self.text)
    }

    @Test("that cannot be read are refused, and the rule is named")
    func refused() {
        let packed = Self.gzip(Array(Self.text.utf8))
        let cases: [(fields: [String], body: [UInt8], breach: AnswerBreach)] = [
            (["Content-Encoding: gzip"], Array(Self.text.utf8), .packing),
            (["Content-Encoding: gzip"], Array(packed.dropLast()), .packing),
            (["Content-Encoding: deflate"], packed, .packing),
            (["Content-Encoding: br"], packed, .foreignPacking),
            (["Content-Encoding: zstd"], packed, .foreignPacking),
            (["Content-Encoding: gzip, gzip"], Self.gzip(packed), .foreignPacking),
            (["Content-Encoding: gzip", "Content-Encoding: br"], packed, .foreignPacking),
        ]
        for (fields, body, breach) in cases {
            for readSize in [Int.max, 1] {
                let (parser, _) = ResponseParserTests.parse(Self.answer(fields, body), readSizes: [readSize])
                #expect(parser.state == .malformed && parser.breach == breach, "\(fields)")
            }
        }
    }

    @Test("say their status where they cannot be read, and what is beside it", arguments: [403, 413, 429])
    func foreignErrors(status: Int) {
        for coding in ["br", "zstd", "gzip, br"] {
            let bytes = Array(
                """
                HTTP/1.1 \(status) No\r\nRetry-After: 7\r\nContent-Encoding: \(coding)\r\n\
                Content-Length: 3\r\n\r\nabc
                """.utf8)
            let (parser, used) = ResponseParserTests.parse(bytes, readSizes: [.max], keepsSample: true)
            #expect(parser.state == .complete && parser.keepsAlive && used == bytes.count)
            #expect(Int(parser.status) == status && parser.retryAfter != nil)
            #expect(parser.body.isEmpty && ResponseParserTests.text(parser.sampleBody) == "abc")
        }
    }

    @Test("are no larger unpacked than any body may be")
    func limit() {
        for excess in [0, 1] {
            let size = ResponseParser.bodyLimit + excess
            let body = Self.gzip([UInt8](repeating: 0x61, count: size))
            let (parser, _) = ResponseParserTests.parse(
                Self.answer(["Content-Encoding: gzip"], body), readSizes: [65_536])
            #expect(parser.breach == (excess == 0 ? nil : .tooLong))
            #expect(excess == 1 || parser.body.count == size)
        }
    }

    @Test("that cannot be read fail their request alone", arguments: [true, false])
    func ofConfigurations(hasLength: Bool) async throws {
        let length = hasLength ? "Content-Length: 4\r\n" : ""
        let packed = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(length)\r\nabcd"
        let run = ScriptedRun { _ in
            [(.zero, .config(number: 0)), (.zero, .awaitAnswers), (.zero, .config(number: 1))]
        }
        let (_, log, _) = try await run.play { ordinal, _ in
            ordinal == 0
                ? [.write(packed), .close] : [.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")]
        }
        #expect(log.outcomes == [.failed(.malformed), .answered(status: 200, body: Array("{}".utf8))])
    }
}

extension HTTP2SessionTests {
    @Test(
        "unpacks a body, and ends the stream of one that cannot be read alone",
        arguments: ["gzip", "deflate", "br"])
    func packedBodies(coding: String) throws {
        let name = Array("content-encoding".utf8)
        let field: [UInt8] = [0, UInt8(name.count)] + name + [UInt8(coding.utf8.count)] + Array(coding.utf8)
        let body = PackedBodyTests.gzip(Array("told".utf8))
        let probe = try Self.probe(
            [1, 1],
            [
                Self.settings(), Self.frame(.headers, flags: 4, stream: 1, [0x88] + field),
                Self.frame(.data, flags: 1, stream: 1, body), Self.ok(3),
            ])
        let ends = probe.log.filter { $0.hasPrefix("answered") || $0.hasPrefix("malformed") }
        let first = try #require(ends.first)
        #expect(ends.count == 2 && probe.isOpen)
        switch coding {
        case "gzip": #expect(first.hasPrefix("answered") && first.contains("body \"told\""), "\(first)")
        case "deflate": #expect(first.hasSuffix("HTTP/2: \(AnswerBreach.packing.words)"), "\(first)")
        default: #expect(first.hasSuffix("HTTP/2: \(AnswerBreach.foreignPacking.words)"), "\(first)")
        }
    }
}
