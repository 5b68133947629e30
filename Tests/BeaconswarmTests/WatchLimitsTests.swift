import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Beaconswarm

@Suite("What watching refuses")
struct WatchLimitsTests {
    @Test(
        "A header that cannot be sent is refused by name, without its value",
        arguments: [
            ("x=%0d%0aHost: evil", "x"), ("authorization=Basic%20evil50%zz", "authorization"),
            ("a b=evil", "header 1"), ("a%3Ab=evil", "header 1"), ("x", "name=value"),
            ("x=1,Authorization: Basic evil==", "header 2"),
        ])
    func wrongHeader(text: String, told: String) {
        let headers = ["OTEL_EXPORTER_OTLP_HEADERS": text]
        let failure = #expect(throws: CommandFailure.self) {
            try OTLPEndpoint("http://otel", environment: headers)
        }
        #expect(failure?.code == .usage && failure?.message.contains(told) == true)
        #expect(failure?.message.contains("OTEL_EXPORTER_OTLP_HEADERS") == true)
        #expect(failure?.message.contains("evil") == false)
    }

    @Test("A viewer too many is told so, and its connection ends like any other that asks no more")
    func crowd() throws {
        let loop = EmbeddedEventLoop()
        let token = WatchToken()
        let hub = WatchHub(Watch(title: "full"), token: token)
        func ask(_ uri: String) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel(handler: WatchConnection(hub: hub), loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri)
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            return channel
        }
        let viewers = try (0..<WatchServer.viewerLimit).map { _ in try ask("/events?token=\(token.text)") }
        let last = try ask("/events?token=\(token.text)")
        guard case .head(let head) = try last.readOutbound(as: HTTPServerResponsePart.self) else {
            Issue.record("no answer")
            return
        }
        #expect(head.status == .serviceUnavailable && last.isActive)
        loop.advanceTime(by: .seconds(60))
        #expect(!last.isActive)
        #expect(viewers.allSatisfy { $0.isActive }, "they hear what is new for as long as they like")
    }
}
