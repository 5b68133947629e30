import NIOCore
import NIOEmbedded
import Testing
import World

@testable import LiveEngine

// MARK: - What a server breaks on one stream, and how it leaves

extension HTTP2SessionTests {
    private static func field(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    private static func head(_ fields: [UInt8], ends: Bool = false) -> [UInt8] {
        frame(.headers, flags: ends ? 5 : 4, stream: 1, [0x88] + fields)
    }

    private static func data(_ text: String, ends: Bool = false) -> [UInt8] {
        frame(.data, flags: ends ? 1 : 0, stream: 1, Array(text.utf8))
    }

    private static func block(_ fields: [UInt8]) -> [UInt8] { frame(.headers, flags: 5, stream: 1, fields) }

    @Test(
        "takes no answer that HTTP forbids, names the rule, and leaves the connection as it is",
        arguments: [
            (block([]), AnswerBreach.noStatus), (block(field("x", "y") + [0x88]), .noStatus),
            (block([0x48, 2, 0x31, 0x30]), .badStatus), (block(field(":status", "2x0")), .badStatus),
            (block(field(":status", "101")), .switching),
            (block([0x88, 0x88]), .pseudoField), (head(field(":path", "/")), .pseudoField),
            (head([]) + block(field(":status", "200")), .pseudoField),
            (head(field("X", "y")), .upperCase), (head(field("", "y")), .fieldName),
            (head(field("a b", "y")), .fieldName), (head(field("upgrade", "y")), .connectionField),
            (head(field("transfer-encoding", "chunked")), .connectionField),
            (head(field("x", "\n")), .fieldValue), (head(field("x", "\0")), .fieldValue),
            (head(field("content-length", "5x")), .length),
            (head(field("content-length", "5") + field("content-length", "6")), .length),
            (head(field("content-length", "5"), ends: true), .lessData),
            (head(field("content-length", "5")) + data("four", ends: true), .lessData),
            (head(field("content-length", "5")) + data("four") + block(field("x", "y")), .lessData),
            (head(field("content-length", "5")) + data("sixsix"), .moreData),
            (data("early"), .dataEarly), (block(field(":status", "103")), .endsEarly),
            (head([]) + head([]), .blockLate),
            (head(field("x", " y")), .paddedValue), (head(field("content-length", "0\t")), .paddedValue),
        ])
    func malformed(said: [UInt8], broken: AnswerBreach) throws {
        let probe = try Self.probe([1, 1], [Self.settings(), said, Self.ok(3)])
        let ends = probe.log.dropFirst()
        #expect(ends.map { $0.prefix { $0 != "," } } == ["malformed", "answered"], "\(probe.log)")
        #expect(ends.first?.hasSuffix(", HTTP/2: \(broken.words)") == true, "\(probe.log)")
        #expect(probe.isOpen)
    }

    @Test(
        "looks at trailers as it does at heads",
        arguments: [
            (field("X", "y"), AnswerBreach.upperCase), (field("", "y"), .fieldName),
            (field("connection", "close"), .connectionField), (field("x", "y\r\nz"), .fieldValue),
            (field("x", "y "), .paddedValue),
        ])
    func trailers(fields: [UInt8], broken: AnswerBreach) throws {
        let probe = try Self.probe(
            [1], [Self.settings(), Self.head([]), Self.data("ok"), Self.block(fields)])
        #expect(probe.log.last?.hasPrefix("malformed") == true, "\(probe.log)")
        #expect(probe.log.last?.hasSuffix(", HTTP/2: \(broken.words)") == true, "\(probe.log)")
        #expect(probe.isOpen)
    }

    @Test("counts an answer behind whose end more comes, and leaves the connection as it is")
    func overlong() throws {
        let more = Self.data("more")
        let probe = try Self.probe([1, 1], [Self.settings(), Self.ok(1), Self.data(""), more, more])
        #expect(probe.session.overlongAnswers == 1)
        // Nobody is to blame for what was on its way when a stream was reset.
        probe.read(Self.frame(.resetStream, stream: 3, Self.number(2)) + Self.frame(.data, stream: 3, [1]))
        #expect(probe.session.overlongAnswers == 1 && probe.isOpen)
        #expect(probe.log.filter { $0.hasPrefix("answered") }.count == 1, "\(probe.log)")
    }

    @Test("counts a second head behind an answer's end as more of it")
    func secondHead() throws {
        for readSizes in [[], [1], [10]] {
            let probe = try HTTP2Probe(bodies: [1], on: EmbeddedEventLoop())
            probe.read(Self.settings() + Self.ok(1) + Self.ok(1) + Self.ok(1), readSizes: readSizes)
            #expect(probe.session.overlongAnswers == 1 && probe.isOpen)
            #expect(probe.ends == ["answered, status 200, 10 bytes, body \"\""])
        }
    }

    @Test("counts what comes behind an answer in the same read with it, and nothing else")
    func behind() throws {
        let reset = Self.frame(.resetStream, stream: 1, Self.number(0))
        let more = Self.ok(1) + Self.data("more") + Self.block([0x88]) + reset
        let probe = try Self.probe([1, 1], [Self.settings(), more, Self.ok(3)])
        #expect(probe.bytesBehind == [13 + 10 + 13, 0])
        let ends = probe.log.filter { $0.hasPrefix("answered, status 200, 10 bytes") }
        #expect(ends.count == 2 && probe.isOpen, "\(probe.log)")
        let malformed = try Self.probe(
            [1], [Self.settings(), Self.head(Self.field("X", "y")) + Self.data("more", ends: true)])
        #expect(malformed.bytesBehind == [13] && malformed.log.last?.hasPrefix("malformed") == true)
        let apart = try Self.probe([1], [Self.settings(), Self.ok(1)])
        apart.read(Self.data("more"))
        #expect(apart.bytesBehind == [0] && apart.session.overlongAnswers == 1)
    }

    @Test("tells of an answer before anything that does not belong to it, and before the connection ends")
    func order() throws {
        let wrong = Self.frame(.data, flags: 8, stream: 1, [9, 1])
        let probe = try Self.probe([1, 1], [Self.settings(), Self.ok(1) + wrong])
        #expect(
            probe.log.dropFirst().map { $0.prefix { $0 != "," } } == [
                "answered", "connection: PROTOCOL_ERROR", "malformed",
            ])
        #expect(probe.bytesBehind == [11, 0])
    }

    @Test(
        "counts a frame that breaks a rule",
        arguments: [
            frame(.data, flags: 8, stream: 1, [9, 1]), frame(.data, stream: 1, [1]),
            frame(.headers, flags: 0x24, stream: 1, [0, 0]), frame(.resetStream, stream: 1, [0]),
            frame(.headers, flags: 1, stream: 1) + frame(.data, stream: 1, [1, 2]),
        ])
    func brokenFrame(said: [UInt8]) throws {
        for readSizes in [[], [1]] {
            let probe = try HTTP2Probe(bodies: [1], on: EmbeddedEventLoop())
            probe.read(Self.settings() + said, readSizes: readSizes)
            #expect(
                probe.ends.last?.hasPrefix("malformed, status 0, \(said.count) bytes") == true, "\(probe.log)"
            )
        }
    }

    @Test(
        "counts what came of a frame that is too long",
        arguments: [([], 100), ([4, 15], 19), ([4, 5], 9), ([1], 9)] as [([Int], Int)])
    func tooLongFrame(readSizes: [Int], came: Int) throws {
        let head: [UInt8] = [0, 0x40, 1, 0, 0, 0, 0, 0, 1]
        let probe = try Self.probe([1], [Self.settings()])
        probe.read(head + [UInt8](repeating: 0x62, count: 91), readSizes: readSizes)
        #expect(probe.bytesBehind == [came] && !probe.isOpen)
        #expect(probe.log.contains("connection: FRAME_SIZE_ERROR, a frame of 16385 bytes"), "\(probe.log)")
    }

    @Test("takes no body that is longer than any is kept")
    func tooLong() throws {
        let probe = try Self.probe([1], [Self.settings(), Self.head([])])
        let part = Self.frame(.data, stream: 1, [UInt8](repeating: 0x62, count: 16_384))
        for _ in 0...(ResponseParser.bodyLimit / 16_384) where probe.log.count < 2 { probe.read(part) }
        #expect(probe.log.last?.hasSuffix(", HTTP/2: \(AnswerBreach.tooLong.words)") == true)
    }

    @Test(
        "tells the error that a server left for, whatever it says before or after, or else its first words",
        arguments: [
            ([(0, ""), (11, "too_many_pings")], "ENHANCE_YOUR_CALM: too_many_pings"),
            ([(11, "too_many_pings"), (0, "")], "ENHANCE_YOUR_CALM: too_many_pings"),
            ([(11, ""), (2, "later")], "ENHANCE_YOUR_CALM"),
            ([(0, "restart"), (0, "bye")], "NO_ERROR: restart"),
            ([(0, ""), (0, "restart")], "NO_ERROR: restart"),
            ([(0, "restart"), (2, "")], "INTERNAL_ERROR"),
        ] as [([(UInt32, String)], String)])
    func farewells(said: [(UInt32, String)], told: String) throws {
        let goodbyes = said.map { Self.frame(.goAway, Self.number(1) + Self.number($0.0) + Array($0.1.utf8)) }
        let probe = try Self.probe([1], [Self.settings()] + goodbyes)
        probe.session.endAll { _ in .closed }
        #expect(probe.log.last?.hasSuffix(", HTTP/2: GOAWAY, \(told)") == true, "\(probe.log)")
    }
}
