import DeviceSDK
import NIOCore
import NIOEmbedded
import Testing
import Wire
import World

@testable import LiveEngine

@Suite("The end of an HTTP/2 connection and of what is on it")
struct HTTP2EndingTests {
    typealias Session = HTTP2SessionTests

    @Test("knows of a GOAWAY that came with an answer before it sends what waits")
    func goAwayBehindAnswer() throws {
        let leaving = Session.frame(.goAway, Session.number(1) + Session.number(0))
        let probe = try Session.probe(
            [1, 1], [Session.settings([.maxConcurrentStreams: 1]), Session.ok(1) + leaving])
        #expect(probe.log.map { $0.prefix { $0 != "," } }.suffix(2) == ["answered", "limit leaving"])
        #expect(
            Session.frames(probe.said).count { $0.head.kind == .headers } == 1, "the second has not been sent"
        )
        #expect(probe.isOpen)
    }

    @Test("knows of a GOAWAY that came with leave to open more before it does", arguments: [0, 1])
    func goAwayBehindSettings(earlier: Int) throws {
        let leaving =
            Session.settings() + Session.ok(1) + Session.frame(.goAway, Session.number(1) + Session.number(0))
        let first = Array(repeating: Session.settings([.maxConcurrentStreams: 1]), count: earlier)
        let probe = try Session.probe([1, 1, 1], first + [leaving])
        #expect(probe.log.map { $0.prefix { $0 != "," } }.suffix(2) == ["answered", "limit leaving"])
        #expect(
            Session.frames(probe.said).count { $0.head.kind == .headers } == 1,
            "the others have not been sent")
        #expect(probe.waiting.count == 2 && probe.isOpen)
    }

    @Test("sends nothing on a connection of which the same read that brought an answer broke a rule")
    func breachBehindAnswer() throws {
        let probe = try Session.probe(
            [1, 1], [Session.settings([.maxConcurrentStreams: 1]), Session.ok(1) + Session.frame(.data, [1])])
        let told = probe.log.map { $0.prefix { $0 != "," } }
        #expect(told.suffix(2) == ["answered", "connection: PROTOCOL_ERROR"], "\(told)")
        #expect(Session.frames(probe.said).count { $0.head.kind == .headers } == 1)
        #expect(!probe.isOpen)
    }

    @Test("opens nothing after GOAWAY, and awaits what the server has taken")
    func goAway() throws {
        let probe = try Session.probe(
            [1, 1, 1],
            [
                Session.settings(), Session.frame(.goAway, Session.number(1) + Session.number(0)),
                Session.ok(1),
            ])
        #expect(
            probe.log.map { $0.prefix { $0 != "," } } == [
                "limit \(Int.max)", "stream_refused", "stream_refused", "limit leaving", "answered",
            ])
    }

    @Test("tells why the server left, of requests that it left out and of those that it took")
    func farewell() throws {
        let words = Array("too_many_pings".utf8)
        let probe = try Session.probe(
            [1, 1],
            [Session.settings(), Session.frame(.goAway, Session.number(1) + Session.number(11) + words)])
        probe.session.endAll { _ in .closed }
        let failed = probe.log.filter { $0.hasPrefix("stream_refused") || $0.hasPrefix("closed") }
        #expect(failed.count == 2, "\(probe.log)")
        #expect(failed.allSatisfy { $0.hasSuffix("HTTP/2: GOAWAY, ENHANCE_YOUR_CALM: too_many_pings") })
    }

    /// Has no more use for the second request once the first is answered.
    private final class OneAnswer: HTTP2SessionUser {
        private(set) var told: [HTTP2Stream] = []
        var isOpen: Bool { true }
        var streams: [HTTP2Stream] = []
        private(set) lazy var session = HTTP2Session(for: self)

        func answered(_ stream: HTTP2Stream) {
            told.append(stream)
            session.withdraw(streams[1])
        }

        func failed(_ stream: HTTP2Stream, _ failure: RequestFailure) { told.append(stream) }
        func sent(_ stream: HTTP2Stream) {}
        func limitChanged() {}
    }

    @Test("a request that is given up for what another's answer in the same read brought is not told")
    func withdrawn() throws {
        let nobody = ProbeOwner()
        let user = OneAnswer()
        let connection = Connection(
            owner: nobody, loop: EmbeddedEventLoop(), transport: SocketTransport(), buffers: BufferPool())
        let target = PopulationPlan.Target(scheme: "http", host: "127.0.0.1", port: 80, pathAndQuery: "/")
        user.session.begin()
        try user.session.consume(Session.settings())
        for _ in 0..<3 {
            let stream = HTTP2Stream(on: connection)
            user.streams.append(stream)
            user.session.send(
                RequestHead(method: .get, path: "/", headerLines: ""), body: WireBuffer(capacity: 0),
                to: try Endpoint(target), on: stream, wants: AnswerWants())
        }
        try user.session.consume(Session.ok(1) + Session.ok(3) + Session.ok(5))
        #expect(user.told.map(ObjectIdentifier.init) == [0, 2].map { ObjectIdentifier(user.streams[$0]) })
        #expect(user.session.isQuiet)
    }
}

extension HTTP2Session {
    fileprivate func consume(_ input: [UInt8]) throws {
        try input.withUnsafeBytes { try consume($0, at: 1) }
    }
}
