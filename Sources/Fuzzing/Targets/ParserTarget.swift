import LiveEngine
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Timebase

/// The live engine's parser of answers, beside NIO's decoder (llhttp).
///
/// However the bytes are cut, the parser comes to the same end; and where NIO's decoder comes to another, the
/// difference is one of ``ParserDifference``.
final class ParserTarget: FuzzTarget {
    static let name = "parser"
    static let dictionary = [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.0 204 No Content\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 304 N\r\n",
        "HTTP/1.1 101 S\r\n", "HTTP/1.1 99 X\r\n", "HTTP/1.1 600 X\r\n", "HTTP/2.0 200 OK\r\n",
        "Content-Length: 3\r\n", "Content-Length: 0\r\n", "content-length:", "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: identity\r\n",
        "Connection: close\r\n", "Connection: keep-alive\r\n", "Connection: Close, keep-alive\r\n",
        "Proxy-Connection: close\r\n", "Connection: upgrade\r\n", "Upgrade: h2c\r\n", "\r\n\r\n", "\n\n",
        "\r\r\n",
        "0\r\n\r\n", "3\r\nabc\r\n", "A;x=\"y\"\r\n", "ffffffffffffffff\r\n", "X-Folded: a\r\n b\r\n",
        ": x\r\n", "X : y\r\n",
        "X-\u{E9}: y\r\n", "Content-Encoding: gzip\r\n", "content-encoding: deflate, br\r\n",
    ]

    init() {}

    /// Where the reading of one answer ended, and with what.
    struct Outcome: Equatable, CustomStringConvertible {
        enum End: Equatable {
            case complete, malformed, unfinished
        }
        var end: End
        var status: UInt16 = 0
        var keepsAlive = false
        var body: [UInt8] = []
        /// How many bytes were the answer's; `nil` where that is not known.
        var used: Int?

        var description: String {
            let text = String(decoding: body.prefix(60), as: UTF8.self).debugDescription
            return
                "\(end), status \(status), \(keepsAlive ? "stays open" : "closes"), body \(body.count) \(text)"
        }
    }

    func check(_ input: [UInt8]) throws {
        let whole = ParserTarget.parse(input, readSizes: [])
        var stream = RandomStream(key: ParserTarget.hash(input))
        let random = (0..<64).map { _ in 1 + Int(stream.below(stream.chance(0.5) ? 4 : 200)) }
        for (name, readSizes) in [("bytes", [1]), ("pieces of \(random)", random)] {
            let cut = ParserTarget.parse(input, readSizes: readSizes)
            try demand(
                cut.end == whole.end && (whole.end != .complete || cut == whole),
                "cut into \(name): \(cut); in one: \(whole)")
        }
        try compare(input, own: whole)
    }

    private func compare(_ input: [UInt8], own: Outcome) throws {
        let reference = ReferenceResponse.decode(input)
        guard let difference = Comparison(own: own, reference: reference).difference else { return }
        if own.end == .unfinished, reference.end == .malformed, input.last != 0x0A {
            // NIO's decoder judges each byte, the parser whole lines: so the line is made whole.
            let completed = input + [0x0D, 0x0A]
            return try compare(completed, own: ParserTarget.parse(completed, readSizes: []))
        }
        // Nothing excuses another status.
        if own.end == .complete, reference.end == .complete {
            try demand(own.status == reference.status, "another status: own \(own); NIO's \(reference)")
        }
        let allowed = ParserDifference.allCases.contains {
            $0.explains(input, own: own, reference: reference)
        }
        try demand(allowed, "\(difference): own \(own); NIO's \(reference)")
    }

    /// Reads an answer in reads of the given sizes, again and again; in one read if there are none.
    static func parse(_ input: [UInt8], readSizes: [Int]) -> Outcome {
        var parser = ResponseParser()
        parser.begin(keepsBody: true, keepsSample: true)
        var position = 0
        var number = 0
        input.withUnsafeBytes { bytes in
            while position < bytes.count, !parser.isFinished {
                let size = readSizes.isEmpty ? bytes.count : readSizes[number % readSizes.count]
                number += 1
                let end = min(bytes.count, position + size)
                position += parser.consume(UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
            }
        }
        parser.close()
        let end: Outcome.End =
            switch parser.state {
            case .complete: .complete
            case .malformed: .malformed
            default: .unfinished
            }
        return Outcome(
            end: end, status: parser.status, keepsAlive: parser.keepsAlive, body: parser.body, used: position)
    }

    /// FNV-1a: a cut must depend on the input alone.
    private static func hash(_ input: [UInt8]) -> UInt64 {
        input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

/// What differs between two outcomes of the same bytes.
struct Comparison {
    var own: ParserTarget.Outcome
    var reference: ParserTarget.Outcome

    /// In words; `nil` if the two agree as far as they must.
    var difference: String? {
        if own.end != reference.end { return "another end" }
        guard own.end == .complete else { return nil }
        if own.status != reference.status { return "another status" }
        if own.body != reference.body { return "another body" }
        if own.keepsAlive != reference.keepsAlive { return "another fate of the connection" }
        return nil
    }
}

/// The first final answer in some bytes, as NIO's client pipeline reads it.
enum ReferenceResponse {
    static func decode(_ input: [UInt8]) -> ParserTarget.Outcome {
        let channel = EmbeddedChannel()
        var failed = false
        do {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
            try channel.writeOutbound(HTTPClientRequestPart.head(head))
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
            try channel.writeInbound(ByteBuffer(bytes: input))
        } catch { failed = true }
        // An answer that is not whole when the connection ends is an error to NIO: told apart from a malformed one.
        _ = try? channel.finish(acceptAlreadyClosed: true)
        var outcome = ParserTarget.Outcome(end: failed ? .malformed : .unfinished)
        while let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let head):
                outcome.status = UInt16(clamping: head.status.code)
                outcome.keepsAlive = keepsAlive(head)
            case .body(let buffer): outcome.body += Array(buffer.readableBytesView)
            case .end:
                outcome.end = .complete
                return outcome
            }
        }
        return outcome
    }

    /// NIO leaves to its user what the length of a body means for the connection: without a length, or
    /// with both kinds of length, it closes (RFC 9112, 6.3).
    private static func keepsAlive(_ head: HTTPResponseHead) -> Bool {
        let hasLength = head.headers.contains(name: "content-length")
        let isChunked = head.headers.contains(name: "transfer-encoding")
        let isEmpty = head.status.code == 204 || head.status.code == 304
        guard isEmpty || hasLength != isChunked else { return false }
        return head.isKeepAlive && (isEmpty || !isChunked || head.version == .http1_1)
    }
}
