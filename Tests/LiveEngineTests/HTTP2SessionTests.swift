import NIOCore
import NIOEmbedded
import Testing
import World

@testable import LiveEngine

@Suite("An HTTP/2 connection's client side")
struct HTTP2SessionTests {
    typealias Kind = HTTP2FrameHead.Kind

    static func frame(
        _ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        var output = ByteBuffer()
        HTTP2FrameHead(kind: kind, length: payload.count, flags: flags, stream: stream).write(into: &output)
        return Array(output.readableBytesView) + payload
    }

    static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
    }

    static func settings(_ values: [HTTP2Setting: UInt32] = [:]) -> [UInt8] {
        let pairs = values.sorted { $0.key.rawValue < $1.key.rawValue }
        return frame(.settings, pairs.flatMap { [0, UInt8($0.key.rawValue)] + number($0.value) })
    }

    static func ok(_ stream: UInt32) -> [UInt8] { frame(.headers, flags: 5, stream: stream, [0x88]) }

    /// The frames that a client said, after the preface.
    static func frames(_ said: [UInt8]) -> [(head: HTTP2FrameHead, payload: [UInt8])] {
        var rest = said.dropFirst(24)
        var frames: [(head: HTTP2FrameHead, payload: [UInt8])] = []
        while rest.count >= HTTP2FrameHead.size {
            let head = Array(rest.prefix(HTTP2FrameHead.size)).withUnsafeBytes { HTTP2FrameHead($0) }
            rest = rest.dropFirst(HTTP2FrameHead.size)
            frames.append((head, Array(rest.prefix(head.length))))
            rest = rest.dropFirst(head.length)
        }
        return frames
    }

    /// - Parameter said: By the server, in one read each.
    static func probe(_ bodies: [Int], _ said: [[UInt8]]) throws -> HTTP2Probe {
        let probe = try HTTP2Probe(bodies: bodies, on: EmbeddedEventLoop())
        for bytes in said { probe.read(bytes) }
        return probe
    }

    @Test("begins as RFC 9113, 3.4 wants it, and sends one request before it knows how many the server takes")
    func beginning() throws {
        let probe = try HTTP2Probe(bodies: [3, 3], on: EmbeddedEventLoop())
        #expect(probe.said.starts(with: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)))
        let kinds = Self.frames(probe.said).map { $0.head.kind }
        #expect(kinds == [.settings, .windowUpdate, .headers, .data])
        let data = try #require(Self.frames(probe.said).last)
        #expect(data.head.flags == 1 && data.head.stream == 1 && data.payload == Array("aaa".utf8))
        probe.read(Self.settings())
        let later = Self.frames(probe.said).dropFirst(4).map { ($0.head.kind, $0.head.stream) }
        #expect(later.map(\.0) == [.settings, .headers, .data] && later.map(\.1) == [0, 3, 3])
    }

    @Test("sends a request without a body in one frame")
    func noBody() throws {
        let probe = try HTTP2Probe(bodies: [0], on: EmbeddedEventLoop())
        let last = try #require(Self.frames(probe.said).last)
        #expect(last.head.kind == .headers && last.head.flags == 5)
    }

    @Test("reads answers of whatever shape")
    func answers() throws {
        let probe = try Self.probe(
            [3, 3, 3],
            [
                Self.settings(),
                Self.frame(.headers, flags: 4, stream: 3, [0x08, 3] + Array("103".utf8)),
                Self.frame(.headers, flags: 0x2C, stream: 3, [1, 0, 0, 0, 0, 9, 0x88, 0]),
                Self.frame(.data, flags: 8, stream: 3, [2] + Array("he".utf8) + [0, 0]),
                Self.frame(.headers, flags: 1, stream: 5, []),
                Self.frame(.continuation, stream: 5, [0x08, 3]),
                Self.frame(.continuation, flags: 4, stream: 5, Array("503".utf8)),
                Self.frame(.data, stream: 3, Array("llo".utf8)),
                Self.frame(.headers, flags: 5, stream: 3, [0x40, 1, 0x74, 1, 0x76]), Self.ok(1),
            ])
        #expect(
            probe.log == [
                "limit \(Int.max)", "answered, status 503, 32 bytes, body \"\"",
                "answered, status 200, 71 bytes, body \"hello\"", "answered, status 200, 10 bytes, body \"\"",
            ])
    }

    @Test("opens as many streams as the server takes, and the next when one ends")
    func limit() throws {
        let probe = try Self.probe([1, 1, 1, 1], [Self.settings([.maxConcurrentStreams: 2])])
        func opened() -> [UInt32] {
            Self.frames(probe.said).filter { $0.head.kind == .headers }.map(\.head.stream)
        }
        #expect(opened() == [1, 3])
        probe.read(Self.ok(3))
        #expect(opened() == [1, 3, 5])
        probe.read(Self.settings([.maxConcurrentStreams: 0]))
        probe.read(Self.ok(1) + Self.ok(5))
        #expect(opened() == [1, 3, 5])
        probe.read(Self.settings([.maxConcurrentStreams: 1]))
        #expect(opened() == [1, 3, 5, 7])
    }

    @Test("keeps to the windows of the connection and of each stream")
    func windows() throws {
        let probe = try Self.probe([70_000, 10], [])
        func sent(_ stream: UInt32) -> Int {
            Self.frames(probe.said).filter { $0.head.kind == .data && $0.head.stream == stream }
                .reduce(0) { $0 + $1.payload.count }
        }
        #expect(sent(1) == 65_535)
        probe.read(Self.settings([.initialWindowSize: 65_540]))
        // The stream may go on; the connection may not.
        #expect(sent(1) == 65_535 && sent(3) == 0)
        probe.read(Self.frame(.windowUpdate, Self.number(6)))
        #expect(sent(1) + sent(3) == 65_541)
        probe.read(Self.frame(.windowUpdate, Self.number(100_000)))
        #expect(sent(1) == 65_540 && sent(3) == 10)
        probe.read(Self.frame(.windowUpdate, stream: 1, Self.number(100_000)))
        #expect(sent(1) == 70_000)
        let ends = Self.frames(probe.said).filter { $0.head.kind == .data && $0.head.has(1) }.map(
            \.head.stream)
        #expect(ends == [3, 1] && probe.log.filter { $0.hasPrefix("sent") } == ["sent 3", "sent 1"])
    }

    @Test("gives the server its windows back before they are used up")
    func ownWindows() throws {
        let probe = try Self.probe([1], [Self.settings(), Self.frame(.headers, flags: 4, stream: 1, [0x88])])
        let frame = Self.frame(.data, stream: 1, [UInt8](repeating: 0x62, count: 16_384))
        for _ in 0..<500 { probe.read(frame) }
        let updates = Self.frames(probe.said).filter { $0.head.kind == .windowUpdate }.dropFirst()
        // Both windows, and nothing is wrong after 8 MB.
        #expect(Set(updates.map(\.head.stream)) == [0, 1] && probe.log == ["limit \(Int.max)"])
    }

    @Test("names how streams end before their time, and leaves the connection as it is")
    func resets() throws {
        let probe = try Self.probe(
            [1, 1, 1, 1],
            [
                Self.settings(), Self.frame(.resetStream, stream: 1, Self.number(7)),
                Self.frame(.resetStream, stream: 3, Self.number(11)),
                Self.frame(.headers, flags: 5, stream: 5, [0x40, 1, 0x58, 1, 0x79]), Self.ok(7),
            ])
        #expect(
            probe.log.dropFirst().map { $0.prefix { $0 != "," } } == [
                "stream_refused", "stream_reset", "malformed", "answered",
            ])
        #expect(probe.isOpen)
    }

    @Test(
        "ends a stream alone whose window is broken",
        arguments: [(HTTP2ErrorCode.protocolError, 0 as UInt32), (.flowControlError, 0x7FFF_FFFF)])
    func brokenWindow(code: HTTP2ErrorCode, size: UInt32) throws {
        let probe = try Self.probe(
            [1, 1, 1],
            [
                Self.settings(), Self.frame(.windowUpdate, stream: 1, Self.number(size)), Self.ok(3),
                Self.ok(5),
            ])
        #expect(probe.isOpen)
        #expect(
            probe.log.dropFirst().map { $0.prefix { $0 != "," } } == ["malformed", "answered", "answered"],
            "\(probe.log)")
        let reset = try #require(Self.frames(probe.said).first { $0.head.kind == .resetStream })
        #expect(reset.head.stream == 1 && reset.payload == Self.number(code.rawValue))
    }

    @Test("ends a stream alone of which PRIORITY is said in another size, and none that is not open")
    func brokenPriority() throws {
        let probe = try Self.probe(
            [1, 1],
            [
                Self.settings([.enablePush: 0]), Self.frame(.priority, stream: 3, [0, 0, 0, 0, 9]),
                Self.frame(.priority, stream: 1, [0, 0, 0]), Self.frame(.priority, stream: 1, [0, 0, 0]),
                Self.frame(.priority, stream: 2), Self.frame(.priority, stream: 99, [0]), Self.ok(3),
            ])
        #expect(probe.isOpen)
        let ends = probe.log.dropFirst()
        #expect(ends.map { $0.prefix { $0 != "," } } == ["malformed", "answered"], "\(probe.log)")
        #expect(ends.first?.hasSuffix(", HTTP/2: PRIORITY of 3 bytes") == true, "\(probe.log)")
        let resets = Self.frames(probe.said).filter { $0.head.kind == .resetStream }
        #expect(resets.map(\.head.stream) == [1])
        #expect(resets.first?.payload == Self.number(HTTP2ErrorCode.frameSizeError.rawValue))
    }

    @Test("gives up what an early answer makes needless")
    func earlyAnswer() throws {
        let probe = try Self.probe([70_000], [Self.settings(), Self.ok(1)])
        let last = try #require(Self.frames(probe.said).last)
        #expect(last.head.kind == .resetStream && last.payload == Self.number(0))
        #expect(probe.log.last?.hasPrefix("answered, status 200") == true)
    }

    @Test("answers a PING")
    func ping() throws {
        let probe = try Self.probe([1], [Self.settings(), Self.frame(.ping, Array("12345678".utf8))])
        let last = try #require(Self.frames(probe.said).last)
        #expect(last.head.kind == .ping && last.head.flags == 1 && last.payload == Array("12345678".utf8))
    }

    struct Breach: CustomTestStringConvertible, Sendable {
        var code: HTTP2ErrorCode
        var said: [UInt8]
        var withoutSettings = false
        var testDescription: String { "\(code.name) \(said.prefix(12))" }
    }

    @Test(
        "ends a connection whose server breaks its rules",
        arguments: [
            Breach(code: .protocolError, said: frame(.ping, number(1) + number(2)), withoutSettings: true),
            Breach(
                code: .protocolError, said: Array("HTTP/1.1 400 Bad Request\r\n".utf8), withoutSettings: true
            ),
            // Longer than we said we take.
            Breach(code: .frameSizeError, said: [0, 0x40, 1, 0, 0, 0, 0, 0, 1]),
            Breach(code: .protocolError, said: frame(.data, stream: 0, [1])),
            Breach(code: .protocolError, said: frame(.data, stream: 2, [1])),
            Breach(code: .protocolError, said: frame(.data, stream: 9, [1])),
            Breach(code: .protocolError, said: frame(.data, flags: 8, stream: 1, [9, 1])),
            Breach(code: .frameSizeError, said: frame(.data, flags: 8, stream: 1)),
            Breach(code: .frameSizeError, said: frame(.headers, flags: 0x24, stream: 1, [0, 0])),
            Breach(code: .compressionError, said: frame(.headers, flags: 5, stream: 1, [0xFF, 0xFF])),
            Breach(code: .protocolError, said: frame(.headers, flags: 1, stream: 1) + ok(1)),
            Breach(code: .protocolError, said: frame(.continuation, flags: 4, stream: 1, [0x88])),
            Breach(code: .protocolError, said: frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2])),
            Breach(code: .frameSizeError, said: frame(.resetStream, stream: 1, [0])),
            Breach(code: .frameSizeError, said: frame(.settings, [0, 3, 0])),
            Breach(code: .frameSizeError, said: frame(.settings, flags: 1, [0])),
            Breach(code: .protocolError, said: frame(.settings, [0, 2] + number(1))),
            Breach(code: .protocolError, said: frame(.settings, [0, 2] + number(2))),
            Breach(code: .protocolError, said: frame(.priority, [0, 0, 0, 0, 0])),
            Breach(code: .flowControlError, said: frame(.settings, [0, 4] + number(0x8000_0000))),
            Breach(code: .protocolError, said: frame(.settings, [0, 5] + number(100))),
            Breach(code: .frameSizeError, said: frame(.ping, [1])),
            Breach(code: .frameSizeError, said: frame(.goAway, [1])),
            Breach(code: .protocolError, said: frame(.windowUpdate, number(0))),
            Breach(code: .flowControlError, said: frame(.windowUpdate, number(0x7FFF_FFFF))),
        ])
    func breaches(breach: Breach) throws {
        let probe = try Self.probe([1], [breach.withoutSettings ? [] : Self.settings(), breach.said])
        #expect(!probe.isOpen)
        #expect(probe.log.contains { $0.hasPrefix("connection: \(breach.code.name)") }, "\(probe.log)")
        #expect(probe.log.last?.hasPrefix("malformed") == true)
        let last = try #require(Self.frames(probe.said).last)
        #expect(
            last.head.kind == .goAway && last.payload == Self.number(0) + Self.number(breach.code.rawValue))
    }

    @Test("tells an answer in HTTP/1.1 from a frame that is too long", arguments: [[], [1], [4, 3]])
    func olderHTTP(readSizes: [Int]) throws {
        let probe = try HTTP2Probe(bodies: [1], on: EmbeddedEventLoop())
        probe.read(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), readSizes: readSizes)
        #expect(!probe.isOpen)
        #expect(
            probe.log.contains("connection: PROTOCOL_ERROR, the server answers in HTTP/1.1"), "\(probe.log)")
    }

    @Test("writes a head that is too long for a frame as several")
    func longHead() throws {
        let probe = try HTTP2Probe(
            bodies: [2], path: String(repeating: "~", count: 20_000), on: EmbeddedEventLoop())
        let frames = Self.frames(probe.said).dropFirst(2)
        #expect(frames.map { $0.head.kind } == [.headers, .continuation, .data])
        #expect(frames.map { $0.head.flags } == [0, 4, 1])
    }
}
