import DeviceSDK
import NIOCore
import NIOEmbedded
import Testing
import Wire
import World

@testable import LiveEngine

@Suite("A connection that speaks HTTP/2")
struct SharedConnectionTests {
    /// Notes what connections tell.
    private final class Owner: ConnectionOwner {
        var answers = 0
        var ends: [String] = []

        func opened(_ connection: Connection) {}
        func answered(_ carrier: Carrier) { answers += 1 }
        func ended(_ carrier: Carrier, failure: RequestFailure?) {
            ends.append("\(failure?.name ?? "idle") \(String(decoding: carrier.garbage, as: UTF8.self))")
        }
        func limitChanged(_ connection: Connection) {}
    }

    /// A connection that has said what comes first, to a peer that the test plays.
    private struct Line {
        let channel = EmbeddedChannel()
        let owner = Owner()
        let connection: Connection
        let endpoint: Endpoint

        init() throws {
            endpoint = try Endpoint(
                PopulationPlan.Target(scheme: "http", host: "127.0.0.1", port: 80, pathAndQuery: "/"))
            connection = Connection(
                owner: owner, loop: channel.embeddedEventLoop, transport: SocketTransport(),
                buffers: BufferPool())
            try channel.pipeline.syncOperations.addHandler(connection)
            connection.share()
        }

        /// Sends a request on a stream of the connection.
        @discardableResult
        func send(wants: AnswerWants = AnswerWants()) -> HTTP2Stream {
            let stream = connection.makeStream()
            var body = WireBuffer(capacity: 3)
            body.append(contentsOf: [0x61, 0x62, 0x63] as [UInt8])
            connection.send(
                RequestHead(method: .post, path: "/p", headerLines: ""), body: body, to: endpoint, on: stream,
                wants: wants)
            return stream
        }

        func hear(_ bytes: [UInt8]) throws { try channel.writeInbound(ByteBuffer(bytes: bytes)) }

        func end() { _ = try? channel.finish(acceptAlreadyClosed: true) }

        /// The frames that it said and nobody has asked for yet.
        func said() throws -> [(head: HTTP2FrameHead, payload: [UInt8])] {
            var bytes: [UInt8] = []
            while let part = try channel.readOutbound(as: ByteBuffer.self) { bytes += part.readableBytesView }
            return HTTP2SessionTests.frames(bytes)
        }
    }

    @Test("begins a request with nothing sent and nothing received, on a stream that another one had")
    func spareStream() throws {
        let line = try Line()
        defer { line.end() }
        let stream = line.send()
        try line.hear(HTTP2SessionTests.settings() + HTTP2SessionTests.ok(1))
        #expect(line.owner.answers == 1 && stream.sentBytes > 0 && stream.parser.received > 0)
        line.connection.putBack(stream)
        let next = line.connection.makeStream()
        #expect(next === stream)
        #expect(next.sentBytes == 0 && next.parser.received == 0)
    }

    @Test("keeps nothing of an answer's body on a stream that waits for its next request")
    func spareBody() throws {
        let line = try Line()
        defer { line.end() }
        let stream = line.send(wants: AnswerWants(body: true))
        try line.hear(
            HTTP2SessionTests.settings() + HTTP2SessionTests.frame(.headers, flags: 4, stream: 1, [0x88])
                + HTTP2SessionTests.frame(.data, stream: 1, [0x61]))
        #expect(stream.parser.body == [0x61])
        stream.close()
        line.connection.putBack(stream)
        #expect(stream.parser.body.isEmpty)
    }

    private static func pings(_ count: Int) -> [UInt8] {
        let ping = HTTP2SessionTests.frame(.ping, Array("12345678".utf8))
        return (0..<count).flatMap { _ in ping }
    }

    @Test("ends where the peer asks on and on, and takes no replies")
    func flood() throws {
        let line = try Line()
        defer { line.end() }
        line.send()
        line.channel.isWritable = false
        // The reply to the settings is one of them.
        try line.hear(HTTP2SessionTests.settings() + Self.pings(HTTP2Session.replyLimit - 10))
        try line.hear(Self.pings(9))
        #expect(line.connection.state == .shared && line.owner.ends.isEmpty)
        try line.hear(HTTP2SessionTests.settings())
        #expect(line.connection.state == .gone && line.owner.ends.count == 2)
        #expect(
            line.owner.ends.first?.hasPrefix("malformed HTTP/2: ENHANCE_YOUR_CALM: PING and SETTINGS") == true
        )
        let said = try line.said()
        let last = try #require(said.last)
        #expect(last.head.kind == .goAway)
        #expect(last.payload == HTTP2SessionTests.number(0) + HTTP2SessionTests.number(11))
    }

    @Test("replies to a peer that takes the replies, as often as it asks, though it may be late")
    func manyPings() throws {
        let line = try Line()
        defer { line.end() }
        try line.hear(HTTP2SessionTests.settings())
        let (turns, count) = (8, HTTP2Session.replyLimit / 3)
        for _ in 0..<turns {
            line.channel.isWritable = false
            try line.hear(Self.pings(count))
            line.channel.isWritable = true
            try line.hear(Self.pings(count))
        }
        #expect(line.connection.state == .shared && line.owner.ends.isEmpty)
        #expect(try line.said().filter { $0.head.kind == .ping }.count == 2 * turns * count)
    }
}
