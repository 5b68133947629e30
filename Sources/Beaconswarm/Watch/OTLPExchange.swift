import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One push: a connection, a request and its answer.
final class OTLPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// How long a push may take.
    static let limit = TimeAmount.seconds(5)

    /// Why a push did not get through.
    struct Problem: Error, Hashable {
        var text: String
    }

    private let endpoint: OTLPEndpoint
    private let body: [UInt8]
    private let verdict: EventLoopPromise<Void>
    private var timer: Scheduled<Void>?

    private init(_ endpoint: OTLPEndpoint, body: [UInt8], verdict: EventLoopPromise<Void>) {
        self.endpoint = endpoint
        self.body = body
        self.verdict = verdict
    }

    /// Pushes a body.
    ///
    /// - Returns: Succeeds for an answer 2xx; fails with ``Problem`` for any other and for none.
    static func push(
        _ body: [UInt8], to endpoint: OTLPEndpoint, tls: NIOSSLContext?, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let verdict = loop.makePromise(of: Void.self)
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
                    try pipeline.addHandler(OTLPExchange(endpoint, body: body, verdict: verdict))
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
            .whenFailure { verdict.fail(Problem(text: "cannot connect: \(Beaconswarm.words(for: $0))")) }
        return verdict.futureResult
    }

    func channelActive(context: ChannelHandlerContext) {
        var headers: HTTPHeaders = [
            "Host": endpoint.authority, "Content-Type": "application/json",
            "Content-Length": String(body.count), "Connection": "close",
            "User-Agent": "beaconswarm/\(Beaconswarm.version)",
        ]
        for header in endpoint.headers { headers.add(name: header.name, value: header.value) }
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: endpoint.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let buffer = context.channel.allocator.buffer(bytes: body)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        let (verdict, channel) = (verdict, context.channel)
        timer = context.eventLoop.scheduleTask(in: OTLPExchange.limit) {
            verdict.fail(Problem(text: "no answer within 5 s"))
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        if (200..<300).contains(head.status.code) {
            verdict.succeed()
        } else {
            verdict.fail(Problem(text: "answered \(head.status.code)"))
        }
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        verdict.fail(Problem(text: Beaconswarm.words(for: error)))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        verdict.fail(Problem(text: "closed without an answer"))
        context.fireChannelInactive()
    }
}
