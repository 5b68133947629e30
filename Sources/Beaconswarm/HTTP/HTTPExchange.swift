import LiveEngine
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request to a service beside the target, on a connection of its own, and its answer.
final class HTTPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// How long an answer may take, and how many bytes its body may have.
    static let limit = TimeAmount.seconds(5)
    static let byteLimit = 4 << 20

    /// What is sent.
    struct Request: Sendable {
        var method: HTTPMethod
        var headers: HTTPHeaders = [:]
        var body: [UInt8] = []
        /// The statuses that mean that it was done.
        var accepted = 200...200
    }

    /// Why nothing came of it, in words.
    struct Problem: Error, Hashable {
        var text: String
    }

    private let endpoint: HTTPEndpoint
    private let request: Request
    private let verdict: EventLoopPromise<[UInt8]>
    private var body: [UInt8] = []
    private var timer: Scheduled<Void>?

    private init(_ request: Request, to endpoint: HTTPEndpoint, verdict: EventLoopPromise<[UInt8]>) {
        self.request = request
        self.endpoint = endpoint
        self.verdict = verdict
    }

    /// Sends a request.
    ///
    /// - Returns: The answer's body; fails with ``Problem`` for any status that is not accepted, and for no whole answer.
    static func send(
        _ request: Request, to endpoint: HTTPEndpoint, tls: NIOSSLContext?, on loop: any EventLoop
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
                    try pipeline.addHandler(HTTPExchange(request, to: endpoint, verdict: verdict))
                }
            }
            .connect(host: HostName.asked(endpoint.host), port: endpoint.port)
            .whenFailure { verdict.fail(Problem(text: "cannot connect: \(Beaconswarm.words(for: $0))")) }
        return verdict.futureResult
    }

    func channelActive(context: ChannelHandlerContext) {
        var headers = request.headers
        headers.replaceOrAdd(name: "Host", value: endpoint.authority)
        headers.add(name: "Connection", value: "close")
        headers.add(name: "User-Agent", value: "beaconswarm/\(Beaconswarm.version)")
        if !request.body.isEmpty { headers.add(name: "Content-Length", value: String(request.body.count)) }
        let head = HTTPRequestHead(
            version: .http1_1, method: request.method, uri: endpoint.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !request.body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: request.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        let (verdict, channel) = (verdict, context.channel)
        timer = context.eventLoop.scheduleTask(in: HTTPExchange.limit) {
            verdict.fail(Problem(text: "no whole answer within 5 s"))
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !request.accepted.contains(Int(head.status.code)) else { return }
            fail("answered \(head.status.code)", context)
        case .body(let buffer):
            guard body.count + buffer.readableBytes <= HTTPExchange.byteLimit else {
                return fail("answered more than \(HTTPExchange.byteLimit >> 20) MB", context)
            }
            body += buffer.readableBytesView
        case .end:
            verdict.succeed(body)
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = error is HTTPParserError ? "what it answers is not HTTP" : Beaconswarm.words(for: error)
        fail(words, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        verdict.fail(Problem(text: "closed without a whole answer"))
        context.fireChannelInactive()
    }

    private func fail(_ text: String, _ context: ChannelHandlerContext) {
        verdict.fail(Problem(text: text))
        context.close(promise: nil)
    }
}

extension EventLoopFuture {
    /// What became of it, in words; `nil` if it succeeded.
    func problem() -> EventLoopFuture<String?> {
        map { _ in nil }.recover { ($0 as? HTTPExchange.Problem)?.text ?? Beaconswarm.words(for: $0) }
    }
}
