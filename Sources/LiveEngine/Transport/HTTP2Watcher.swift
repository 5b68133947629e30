import NIOCore

/// Tells whether a server speaks HTTP/2 from the first byte (RFC 9113, 3.3), where no TLS handshake agrees on it: says
/// what a client says first, and reads what comes first.
final class HTTP2Watcher: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let verdict: EventLoopPromise<TargetCheck.Outcome>
    private var received: [UInt8] = []

    init(on loop: any EventLoop) { verdict = loop.makePromise(of: TargetCheck.Outcome.self) }

    func channelActive(context: ChannelHandlerContext) {
        var preface = ByteBuffer()
        preface.writeStaticString(HTTP2Session.preface)
        HTTP2FrameHead(kind: .settings, length: 0).write(into: &preface)
        context.writeAndFlush(wrapOutboundOut(preface), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView.prefix(HTTP2FrameHead.size - received.count)
        guard received.count == HTTP2FrameHead.size else { return }
        let head = received.withUnsafeBytes { HTTP2FrameHead($0) }
        if head.isOlderHTTP {
            verdict.succeed(.wrong("\(HTTP2FrameHead.olderHTTP), and target.http asks for HTTP/2"))
        } else if head.kind == .settings, !head.has(HTTP2FrameHead.acknowledges) {
            verdict.succeed(.good(nil))
        } else {
            verdict.succeed(.wrong(HTTP2Watcher.noHTTP2))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        verdict.succeed(.failed(error, certificate: nil))
    }

    // The channel is closed, or never connected.
    func handlerRemoved(context: ChannelHandlerContext) { verdict.succeed(.wrong(HTTP2Watcher.noHTTP2)) }

    private static let noHTTP2 = "the server does not answer in HTTP/2, and target.http asks for nothing else"
}
