import LiveEngine
import NIOEmbedded
import Timebase

/// What a server says on an HTTP/2 connection that has requests open.
///
/// However the bytes are cut, the same becomes of requests that are open, and the client says the same, unless it goes on to
/// others; each has one end; and no server makes the client say much more than it was told.
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
        var stream = RandomStream(key: HTTP2Target.hash(input))
        let random = (0..<64).map { _ in 1 + Int(stream.below(stream.chance(0.5) ? 4 : 200)) }
        let cuts = [("bytes", [1]), ("pieces of \(random)", random)]
        for count in [1, HTTP2Target.bodies.count] {
            let whole = try HTTP2Target.read(input, openCount: count)
            for (name, readSizes) in cuts {
                let cut = try HTTP2Target.read(input, readSizes: readSizes, openCount: count)
                try demand(cut.ends == whole.ends, "cut into \(name): \(cut.ends); in one: \(whole.ends)")
                try demand(
                    cut.notices == whole.notices,
                    "cut into \(name): \(cut.notices); in one: \(whole.notices)")
                // A read that breaks the connection tells of no limit.
                try demand(
                    !whole.isOpen || cut.limit == whole.limit,
                    "cut into \(name): \(cut.limit ?? ""); \(whole.limit ?? "")")
                try demand(cut.said == whole.said, "cut into \(name), the client says something else")
            }
        }
        for readSizes in [[]] + cuts.map(\.1) { try HTTP2Target.checkFollowing(input, readSizes: readSizes) }
    }

    /// Where the end of one request gives way to the next, reads decide over what the server is sent: nothing follows into a
    /// connection of which a read tells that it ends. No request is lost there, nor ends twice.
    private static func checkFollowing(_ input: [UInt8], readSizes: [Int]) throws {
        let probe = try HTTP2Probe(bodies: bodies, on: EmbeddedEventLoop())
        probe.read(input, readSizes: readSizes)
        let counts = (ends: probe.ends.count, open: probe.openCount, waiting: probe.waiting.count)
        try demand(
            counts.ends + counts.open + counts.waiting == bodies.count, "of requests there are \(counts)")
        try demand(probe.isOpen || counts.open == 0, "\(counts.open) requests on a connection that ended")
        // Its own requests, and an answer to each frame that asks for one: none is longer than what it answers.
        try demand(probe.said.count <= 120_000 + 2 * input.count, "the client says \(probe.said.count) bytes")
    }

    /// What becomes of some requests that are open, while nothing else is sent.
    ///
    /// - Parameter openCount: One, or all of them: what the first SETTINGS allow.
    private static func read(_ input: [UInt8], readSizes: [Int] = [], openCount: Int) throws -> HTTP2Probe {
        let probe = try HTTP2Probe(bodies: Array(bodies.prefix(openCount)), on: EmbeddedEventLoop())
        if openCount > 1 { probe.read([0, 0, 0, 4, 0, 0, 0, 0, 0]) }
        probe.sendsMore = false
        probe.read(input, readSizes: readSizes)
        return probe
    }

    /// One that no first window has room for, a small one, and none.
    private static let bodies = [100_000, 10, 0, 30]

    /// FNV-1a: a cut must depend on the input alone.
    private static func hash(_ input: [UInt8]) -> UInt64 {
        input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
