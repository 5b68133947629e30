import DeviceSDK
import Testing
import Timebase

@testable import LiveEngine

@Suite("Retry-After")
struct RetryAfterTests {
    private static func read(_ value: String) -> RetryAfter? {
        ResponseParserTests.parse(
            "HTTP/1.1 503 Busy\r\nretry-AFTER: \(value)\r\nContent-Length: 0\r\n\r\n", readSizes: [7]
        ).parser.retryAfter
    }

    /// 1994-11-06 08:49:37 UTC, the example of RFC 9110.
    private static let date = Instant(milliseconds: 784_111_777_000)

    @Test(
        "reads seconds, and dates in all three forms",
        arguments: [
            ("120", RetryAfter.delay(.seconds(120))), ("  0 ", .delay(.zero)),
            ("99999999999999999999999", .delay(RetryAfter.limit)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .date(date)), ("Sunday, 06-Nov-94 08:49:37 GMT", .date(date)),
            ("Sun Nov  6 08:49:37 1994", .date(date)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", .date(Instant(milliseconds: 7_258_118_399_000))),
            ("Sat, 01 Jan 0101 00:00:00 GMT", .date(Instant(milliseconds: 0))),
        ])
    func values(value: String, expected: RetryAfter) { #expect(Self.read(value) == expected) }

    @Test(
        "reads nothing into anything else",
        arguments: [
            "", "-1", "1.5", "1 s", "soon", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 25:00:00 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "::::::::",
            String(repeating: "a ", count: 100),
        ])
    func garbage(value: String) { #expect(Self.read(value) == nil) }

    @Test("waits until a date, not at all for one that has passed, and never too long")
    func interval() {
        let date = RetryAfter.date(Self.date)
        #expect(date.interval(at: Self.date - .seconds(30)) == .seconds(30))
        #expect(date.interval(at: Self.date + .seconds(30)) == .zero)
        #expect(date.interval(at: Self.date - .hours(24 * 365)) == RetryAfter.limit)
    }

    @Test("belongs to its own answer")
    func reset() {
        var (parser, _) = ResponseParserTests.parse(
            "HTTP/1.1 103 Early\r\nRetry-After: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(parser.retryAfter == nil)
        (parser, _) = ResponseParserTests.parse(
            "HTTP/1.1 429 Many\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n")
        #expect(parser.retryAfter == .delay(.seconds(9)))
        parser.begin(keepsBody: false, keepsSample: false)
        #expect(parser.retryAfter == nil)
    }

    @Test("reaches the device with the answer")
    func device() async throws {
        let run = ScriptedRun { _ in [(.zero, .upload(number: 0))] }
        let (_, log, _) = try await run.play { _, _ in
            [.write("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")]
        }
        #expect(log.outcomes == [.answered(status: 503, body: [], retryAfter: .seconds(7))])
    }
}
