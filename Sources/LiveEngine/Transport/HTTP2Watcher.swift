import NIOCore
import Timebase

/// Tells whether a server speaks HTTP/2 from the first byte (RFC 9113, 3.3), where no TLS handshake agrees on it: says
/// what a client says first, and reads what comes first.
final class HTTP2Watcher: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let verdict: EventLoopPromise<TargetCheck.Outcome>
    private let limit: Interval
    private var received: [UInt8] = []
    private var isDone = false

    init(limit: Interval, on loop: any EventLoop) {
        self.limit = limit
        verdict = loop.makePromise(of: TargetCheck.Outcome.self)
    }

    func channelActive(context: ChannelHandlerContext) {
        var preface = ByteBuffer()
        preface.writeStaticString(HTTP2Session.preface)
        HTTP2FrameHead(kind: .settings, length: 0).write(into: &preface)
        context.writeAndFlush(wrapOutboundOut(preface), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(limit.nanoseconds)) {
            self.end(.failed(ChannelError.connectTimeout(.zero), certificate: nil))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView.prefix(HTTP2FrameHead.size - received.count)
        guard received.count == HTTP2FrameHead.size else { return }
        let head = received.withUnsafeBytes { HTTP2FrameHead($0) }
        if head.isOlderHTTP {
            end(.wrong("\(HTTP2FrameHead.olderHTTP), and target.http asks for HTTP/2"))
        } else if head.kind == .settings, !head.has(HTTP2FrameHead.acknowledges) {
            end(.good(nil))
        } else {
            end(.wrong(HTTP2Watcher.noHTTP2))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failed(error, certificate: nil))
    }

    func channelInactive(context: ChannelHandlerContext) { end(.wrong(HTTP2Watcher.noHTTP2)) }

    // A channel that never connected is not closed either.
    func handlerRemoved(context: ChannelHandlerContext) { end(.wrong(HTTP2Watcher.noHTTP2)) }

    private static let noHTTP2 = "the server does not answer in HTTP/2, and target.http asks for nothing else"

    private func end(_ outcome: TargetCheck.Outcome) {
        guard !isDone else { return }
        isDone = true
        verdict.succeed(outcome)
    }
}
