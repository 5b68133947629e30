import LiveEngine
import NIOEmbedded
import Timebase

/// What a server says on an HTTP/2 connection that has requests open.
///
/// However the bytes are cut, the same becomes of every request, and the client says the same; and no server makes it
/// say much more than it was told.
final class HTTP2Target: FuzzTarget {
    static let name = "http2"
    /// Heads of frames with what most of them begin with; UTF-8 keeps bytes below 128 only, which most of them are.
    static let dictionary = [
        "\0\0\0\u{4}\0\0\0\0\0", "\0\0\0\u{4}\u{1}\0\0\0\0", "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{3}\0\0\0\u{2}",
        "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{4}\0\0\0\u{5}", "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{1}\0\0\0\0",
        "\0\0\u{4}\u{8}\0\0\0\0\0\0\0\u{7F}\u{7F}", "\0\0\u{4}\u{8}\0\0\0\0\u{1}\0\0\u{7F}\u{7F}",
        "\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0\u{1}\0\0\0\0", "\0\0\u{4}\u{3}\0\0\0\0\u{1}\0\0\0\u{7}",
        "\0\0\u{4}\u{3}\0\0\0\0\u{3}\0\0\0\u{8}", "\0\0\u{8}\u{6}\0\0\0\0\0abcdefgh",
        "\0\0\u{5}\0\u{1}\0\0\0\u{1}hello", "\0\0\u{5}\u{1}\u{5}\0\0\0\u{1}\u{8}\u{3}200",
        "\0\0\u{5}\u{1}\u{4}\0\0\0\u{3}\u{8}\u{3}503", "\0\0\u{1}\u{9}\u{4}\0\0\0\u{1}@",
    ]

    init() {}

    func check(_ input: [UInt8]) throws {
        let whole = try HTTP2Target.read(input, readSizes: [])
        var stream = RandomStream(key: HTTP2Target.hash(input))
        let random = (0..<64).map { _ in 1 + Int(stream.below(stream.chance(0.5) ? 4 : 200)) }
        for (name, readSizes) in [("bytes", [1]), ("pieces of \(random)", random)] {
            let cut = try HTTP2Target.read(input, readSizes: readSizes)
            try demand(cut.log == whole.log, "cut into \(name): \(cut.log); in one: \(whole.log)")
            try demand(cut.said == whole.said, "cut into \(name), the client says something else")
        }
        // Its own requests, and an answer to each frame that asks for one: none is longer than what it answers.
        try demand(whole.said.count <= 120_000 + 2 * input.count, "the client says \(whole.said.count) bytes")
    }

    /// With a body that no first window has room for, a small one, and none.
    private static func read(_ input: [UInt8], readSizes: [Int]) throws -> HTTP2Probe {
        let probe = try HTTP2Probe(bodies: [100_000, 10, 0, 30], on: EmbeddedEventLoop())
        probe.read(input, readSizes: readSizes)
        return probe
    }

    /// FNV-1a: a cut must depend on the input alone.
    private static func hash(_ input: [UInt8]) -> UInt64 {
        input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
