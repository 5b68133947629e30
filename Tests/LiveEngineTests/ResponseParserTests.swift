import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import Timebase

@testable import LiveEngine

@Suite("Response parser")
struct ResponseParserTests {
    /// Feeds an answer in reads of the given sizes, the last again and again.
    static func parse(
        _ text: String, readSizes: [Int] = [.max], keepsBody: Bool = true, keepsSample: Bool = false
    ) -> (parser: ResponseParser, used: Int) {
        parse(Array(text.utf8), readSizes: readSizes, keepsBody: keepsBody, keepsSample: keepsSample)
    }

    static func parse(
        _ bytes: [UInt8], readSizes: [Int], keepsBody: Bool = true, keepsSample: Bool = false
    ) -> (parser: ResponseParser, used: Int) {
        var parser = ResponseParser()
        parser.begin(keepsBody: keepsBody, keepsSample: keepsSample)
        var position = 0
        var turn = 0
        while position < bytes.count && !parser.isFinished {
            let size = min(readSizes[min(turn, readSizes.count - 1)], bytes.count - position)
            position += bytes[position..<position + size].withUnsafeBytes { parser.consume($0) }
            turn += 1
        }
        return (parser, position)
    }

    static func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    static let whole = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
    static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3;name=\"value\"\r\nabc\r\n00A\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n"

    @Test("reads a whole answer", arguments: [[Int.max], [1], [7, 3, 11]])
    func wholeAnswer(readSizes: [Int]) {
        let (parser, used) = Self.parse(Self.whole, readSizes: readSizes)
        #expect(parser.state == .complete)
        #expect(parser.status == 200)
        #expect(parser.keepsAlive)
        #expect(Self.text(parser.body) == "hello")
        #expect(used == Self.whole.utf8.count)
        #expect(parser.received == used)
    }

    @Test("gives a body away once, and keeps nothing of it")
    func takenBody() {
        var (parser, _) = Self.parse(Self.whole)
        let taken = parser.takeBody()
        #expect(Self.text(taken) == "hello")
        #expect(parser.body.capacity == 0)
    }

    @Test("reads chunks with extensions and trailers", arguments: [[Int.max], [1], [50, 1, 2]])
    func chunks(readSizes: [Int]) {
        let (parser, used) = Self.parse(Self.chunked, readSizes: readSizes)
        #expect(parser.state == .complete)
        #expect(Self.text(parser.body) == "abc0123456789")
        #expect(used == Self.chunked.utf8.count)
    }

    @Test("leaves what comes after an answer")
    func merged() {
        let (parser, used) = Self.parse(Self.whole + Self.whole)
        #expect(parser.state == .complete)
        #expect(used == Self.whole.utf8.count)
    }

    @Test("tells a line that cannot become a status line from one that was not finished")
    func impossibleStatusLine() {
        for text in ["", "\r\n", "H", "HTTP/1.", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nDa"] {
            #expect(!Self.parse(text, readSizes: [1]).parser.hasImpossibleStatusLine, "\(text)")
        }
        for text in ["\0", "http/1.1", "HTTP/2 200", "\r\nSSH-2.0", "HTTP/1.1 100 Continue\r\n\r\nHTTX"] {
            #expect(Self.parse(text, readSizes: [1]).parser.hasImpossibleStatusLine, "\(text)")
        }
    }

    @Test("skips 1xx answers")
    func informational() {
        let text =
            "HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
        let (parser, _) = Self.parse(text + Self.whole, readSizes: [1])
        #expect(parser.state == .complete)
        #expect(parser.status == 200)
        #expect(parser.keepsAlive)
    }

    @Test("knows answers without a body", arguments: [204, 304])
    func withoutBody(status: Int) {
        let (parser, _) = Self.parse("HTTP/1.1 \(status) No\r\nContent-Length: 5\r\n\r\n")
        #expect(parser.state == .complete)
        #expect(parser.keepsAlive)
    }

    @Test("takes an answer without a length as ended by the close")
    func closeDelimited() {
        var (parser, _) = Self.parse("HTTP/1.0 200 OK\r\n\r\nabc")
        #expect(!parser.isFinished)
        parser.close()
        #expect(parser.state == .complete)
        #expect(!parser.keepsAlive)
        #expect(Self.text(parser.body) == "abc")
    }

    @Test(
        "knows whether the connection may be used again",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, CLOSE\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: \r\n\r\n", false),
            ("HTTP/1.1 204 No Content\r\nTransfer-Encoding: \r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: , ,\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, \r\n\r\n0\r\n\r\n", true),
        ])
    func reuse(text: String, keepsAlive: Bool) {
        let (parser, _) = Self.parse(text)
        #expect(parser.state == .complete)
        #expect(parser.keepsAlive == keepsAlive)
    }

    @Test(
        "refuses what is not HTTP, and names the rule",
        arguments: [
            ("SSH-2.0-OpenSSH_9", AnswerBreach.statusLine), ("HTTP/2.0 200 OK", .statusLine),
            ("HTTP/1.1 20 OK", .statusLine), ("HTTP/1.1 2000 OK", .statusLine), ("HTTP/1.1", .statusLine),
            ("HTTP/1.1 099 Low", .lowStatus), ("HTTP/1.1 101 Switching", .upgrade),
        ])
    func malformedStatus(line: String, rule: AnswerBreach) { Self.expect(rule, of: line + "\r\n") }

    @Test(
        "refuses fields that are none, and names the rule",
        arguments: [
            ("Content-Length: -5", AnswerBreach.length), ("Content-Length: +5", .length),
            ("Content-Length:", .length), ("Content-Length: 5, 5", .length),
            ("Content-Length: 5\r\nContent-Length: 6", .length),
            ("Content-Length: 99999999999999999999", .length), ("No colon", .noColon), ("Word", .noColon),
            ("Name : value", .fieldName), (" folded: value", .fieldName), (": value", .fieldName),
            ("A: b\rc", .fieldValue), ("A: b\0c", .fieldValue),
        ])
    func malformedField(line: String, rule: AnswerBreach) {
        Self.expect(rule, of: "HTTP/1.1 200 OK\r\n\(line)\r\n\r\n")
    }

    @Test(
        "refuses chunks that are none, and names the rule",
        arguments: [
            ("xyz", AnswerBreach.chunkSize), ("", .chunkSize), ("-3\r\nabc", .chunkSize),
            ("3 4\r\nabc", .chunkSize), ("FFFFFFFFFFFFFFFFF", .chunkSize), ("3\r\nabcd", .chunkEnd),
        ])
    func malformedChunk(body: String, rule: AnswerBreach) {
        Self.expect(rule, of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)\r\n")
    }

    private static func expect(_ rule: AnswerBreach, of text: String) {
        for readSizes in [[Int.max], [1]] {
            let (parser, _) = parse(text, readSizes: readSizes)
            #expect(parser.state == .malformed && parser.breach == rule, "in reads of \(readSizes)")
        }
    }

    @Test(
        "reads a field that goes on in the next lines, however they are cut",
        arguments: [[Int.max], [1], [7, 3]])
    func folded(readSizes: [Int]) {
        func read(_ fields: String, body: String) -> ResponseParser {
            Self.parse(
                "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body, readSizes: readSizes, keepsSample: true
            )
            .parser
        }
        let plain = read("X: a\r\n b\r\n\t \tc\r\nContent-Length: 2\r\n", body: "ok")
        #expect(plain.state == .complete && Self.text(plain.body) == "ok")
        #expect(Self.text(plain.sampleHead) == "X: a b   c\nContent-Length: 2\n")
        let length = read("Content-Length:\n  2\r\n", body: "ok")
        #expect(length.state == .complete && Self.text(length.body) == "ok")
        let chunks = read("Transfer-Encoding: gzip,\r\n\tchunked\r\n \r\n", body: "2\r\nok\r\n0\r\n\r\n")
        #expect(chunks.state == .complete && Self.text(chunks.body) == "ok")
        let close = read("Connection: keep-alive,\r\n close\r\nContent-Length: 0\r\n", body: "")
        #expect(close.state == .complete && !close.keepsAlive)
        let wait = read("Content-Length: 0\r\nRetry-After:\r\n 120\r\n", body: "")
        #expect(wait.state == .complete && wait.retryAfter == .delay(.seconds(120)))
        for wrong in [" X: a\r\n", "Content-Length: 1\r\n 2\r\n", "X\r\n : a\r\n", "X: a\r\n b\rc\r\n"] {
            #expect(read(wrong, body: "").state == .malformed, "\(wrong)")
        }
    }

    @Test(
        "reads past commas of a list that no element follows",
        arguments: [
            "chunked,", "chunked , ,", ",chunked", "gzip,, chunked,\t", "chunked\r\nTransfer-Encoding: ,",
        ])
    func emptyElements(codings: String) {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(codings)\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        for readSizes in [[Int.max], [1]] {
            let (parser, _) = Self.parse(text, readSizes: readSizes)
            #expect(parser.state == .complete && Self.text(parser.body) == "ok", "in reads of \(readSizes)")
        }
    }

    @Test("takes a repeated equal length as one")
    func repeatedLength() {
        let (parser, _) = Self.parse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok")
        #expect(parser.state == .complete)
    }

    @Test("does not finish an answer that was cut anywhere")
    func truncated() {
        for text in [Self.whole, Self.chunked] {
            let bytes = Array(text.utf8)
            for length in 0..<bytes.count {
                var (parser, _) = Self.parse(Array(bytes[..<length]), readSizes: [5])
                parser.close()
                #expect(!parser.isFinished, "cut at \(length)")
            }
        }
    }

    @Test("limits the head")
    func headLimit() {
        let field = "X-Long: " + String(repeating: "a", count: 1000) + "\r\n"
        let text = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 70)
        #expect(Self.parse(text).parser.breach == .headTooLong)
        #expect(Self.parse(text, readSizes: [100]).parser.breach == .headTooLong)
        let line = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: ResponseParser.headLimit)
        #expect(Self.parse(line, readSizes: [1000]).parser.breach == .headTooLong)
    }

    @Test("takes a head up to the limit and not a byte more, however it is cut", arguments: [Int.max, 7, 1])
    func headOfTheLimit(readSize: Int) {
        func head(bytes: Int) -> String {
            let (first, last) = ("HTTP/1.1 204 No Content\r\nX: ", "\r\n\r\n")
            return first + String(repeating: "a", count: bytes - first.utf8.count - last.utf8.count) + last
        }
        for bytes in [40_000, ResponseParser.headLimit] {
            #expect(Self.parse(head(bytes: bytes), readSizes: [readSize]).parser.state == .complete)
        }
        let above = Self.parse(head(bytes: ResponseParser.headLimit + 1), readSizes: [readSize]).parser
        #expect(above.breach == .headTooLong)
    }

    @Test("limits a body that is kept, and counts one that is not")
    func bodyLimit() {
        let size = ResponseParser.bodyLimit + 1
        var bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
        bytes += [UInt8](repeating: 0x61, count: size)
        #expect(Self.parse(bytes, readSizes: [65_536]).parser.breach == .tooLong)
        let counted = Self.parse(bytes, readSizes: [65_536], keepsBody: false).parser
        #expect(counted.state == .complete)
        #expect(counted.received == bytes.count)
        #expect(counted.body.isEmpty)
    }

    @Test("keeps a sample of an answer outside 2xx only")
    func sample() {
        let body = String(repeating: "b", count: 5000)
        let (parser, _) = Self.parse(
            "HTTP/1.1 500 Oops\r\nX-A: 1\r\nContent-Length: 5000\r\n\r\n" + body, readSizes: [100],
            keepsBody: false, keepsSample: true)
        #expect(Self.text(parser.sampleHead) == "X-A: 1\nContent-Length: 5000\n")
        #expect(parser.sampleBody.count == ResponseParser.sampleLimit)
        let whole = Self.parse(Self.whole, keepsSample: true).parser
        #expect(!whole.sampleBody.isEmpty, "whether 200 is success is not for the parser to say")
        #expect(Self.parse(Self.whole, keepsSample: false).parser.sampleBody.isEmpty)
    }

    @Test(
        "keeps the beginning of an answer that turns out to be malformed, however it is cut",
        arguments: [[Int.max], [1], [20, 30, .max]])
    func malformedSample(readSizes: [Int]) {
        let text = "HTTP/1.1 503 Busy\r\nX-Told: \(String(repeating: "s", count: 40))\r\nno colon\r\n\r\n"
        let (parser, _) = Self.parse(text, readSizes: readSizes, keepsSample: true)
        #expect(parser.breach == .noColon)
        // All of the read that brings what is wrong.
        #expect(parser.sampleBytes.count >= text.utf8.count - (readSizes == [1] ? 1 : 0))
        #expect(text.utf8.starts(with: parser.sampleBytes))
        let long = Self.parse(text + String(repeating: "b", count: 5000), keepsSample: true).parser
        #expect(long.sampleBytes.count == ResponseParser.sampleLimit)
        #expect(Self.parse(text, keepsSample: false).parser.sampleBytes.isEmpty)
        #expect(Self.parse(Self.whole, keepsSample: true).parser.sampleBytes.isEmpty)
    }
}
