import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One question to a target for its own metrics: a connection, a request and its answer.
final class ScrapeExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// How long an answer may take, and how many bytes it may have.
    static let limit = TimeAmount.seconds(5)
    static let byteLimit = 4 << 20

    /// Why nothing came of it.
    struct Problem: Error, Hashable {
        var text: String
    }

    private let endpoint: ScrapeEndpoint
    private let verdict: EventLoopPromise<[UInt8]>
    private var body: [UInt8] = []
    private var timer: Scheduled<Void>?

    private init(_ endpoint: ScrapeEndpoint, verdict: EventLoopPromise<[UInt8]>) {
        self.endpoint = endpoint
        self.verdict = verdict
    }

    /// Asks.
    ///
    /// - Returns: The answer's body; fails with ``Problem`` for any other status than 200, and for no answer.
    static func ask(
        _ endpoint: ScrapeEndpoint, tls: NIOSSLContext?, on loop: any EventLoop
    ) -> EventLoopFuture<[UInt8]> {
        let verdict = loop.makePromise(of: [UInt8].self)
        ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let name = TargetHost(endpoint.host).isName ? endpoint.host : nil
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(ScrapeExchange(endpoint, verdict: verdict))
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
            .whenFailure { verdict.fail(Problem(text: "cannot connect: \(Beaconswarm.words(for: $0))")) }
        return verdict.futureResult
    }

    func channelActive(context: ChannelHandlerContext) {
        let headers: HTTPHeaders = [
            "Host": endpoint.authority, "Accept": "text/plain;version=0.0.4;q=1,*/*;q=0.1",
            "Connection": "close", "User-Agent": "beaconswarm/\(Beaconswarm.version)",
        ]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: endpoint.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        let (verdict, channel) = (verdict, context.channel)
        timer = context.eventLoop.scheduleTask(in: ScrapeExchange.limit) {
            verdict.fail(Problem(text: "no whole answer within 5 s"))
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard head.status.code != 200 else { return }
            verdict.fail(Problem(text: "answered \(head.status.code)"))
            context.close(promise: nil)
        case .body(let buffer):
            guard body.count + buffer.readableBytes <= ScrapeExchange.byteLimit else {
                verdict.fail(Problem(text: "answered more than \(ScrapeExchange.byteLimit >> 20) MB"))
                return context.close(promise: nil)
            }
            body += buffer.readableBytesView
        case .end:
            verdict.succeed(body)
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        verdict.fail(Problem(text: Beaconswarm.words(for: error)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        verdict.fail(Problem(text: "closed without a whole answer"))
        context.fireChannelInactive()
    }
}
