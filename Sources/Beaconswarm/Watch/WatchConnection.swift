import NIOCore
import NIOHTTP1
import Reporting

/// A connection of a viewer, a browser or a scraper.
final class WatchConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a connection may be without a whole request.
    private static let patience = TimeAmount.seconds(30)
    /// Bodies mean nothing here; a longer one is not even read to its end.
    private static let bodyLimit = 4096

    private let hub: WatchHub
    private var head: HTTPRequestHead?
    private var bodyBytes = 0
    private var end: Scheduled<Void>?

    init(hub: WatchHub) { self.hub = hub }

    func channelActive(context: ChannelHandlerContext) {
        expectRequest(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        hub.leave(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            bodyBytes = 0
        case .body(let bytes):
            bodyBytes += bytes.readableBytes
            if bodyBytes > WatchConnection.bodyLimit { context.close(promise: nil) }
        case .end:
            guard let head else { return }
            self.head = nil
            expectRequest(context)
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Gives the client some time for its next request.
    private func expectRequest(_ context: ChannelHandlerContext) {
        end?.cancel()
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: WatchConnection.patience) { channel.close(promise: nil) }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch WatchRequest(head, token: hub.token) {
        case .page:
            let policy = [("Content-Security-Policy", LivePage.policy)]
            send(.ok, "text/html; charset=utf-8", hub.frame, head, context, more: policy)
        case .script:
            send(.ok, "text/javascript; charset=utf-8", Array(LiveScript.text.utf8), head, context)
        case .metrics:
            let type = "text/plain; version=0.0.4; charset=utf-8"
            send(.ok, type, hub.metricsText(), head, context)
        case .stream(let since): stream(since: since, head, context)
        case .end(let atOnce):
            let isHeard = hub.canEnd
            let text = isHeard ? "asked for\n" : "there is nothing to be ended\n"
            let answered = send(
                isHeard ? .accepted : .conflict, "text/plain", Array(text.utf8), head, context)
            // The process may end there and then, so the answer is on its way before it is asked to.
            answered.assumeIsolated().whenComplete { [hub] _ in hub.askForEnd(atOnce: atOnce) }
        case .refused(let status, let text):
            send(status, "text/plain; charset=utf-8", Array("\(text)\n".utf8), head, context)
        }
    }

    private func stream(since: String?, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard hub.viewerCount < WatchServer.viewerLimit else {
            let text = Array("there are \(WatchServer.viewerLimit) viewers already\n".utf8)
            send(.serviceUnavailable, "text/plain", text, head, context)
            return
        }
        end?.cancel()
        let response = HTTPResponseHead(
            version: head.version, status: .ok, headers: WatchConnection.headers("text/event-stream"))
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        let retry = context.channel.allocator.buffer(bytes: ServerSentEvent.retry.bytes)
        context.write(wrapOutboundOut(.body(.byteBuffer(retry))), promise: nil)
        hub.join(context.channel, since: since)
    }

    private static func headers(_ type: String) -> HTTPHeaders {
        [
            "Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        ]
    }

    /// - Returns: When the answer is written.
    @discardableResult
    private func send(
        _ status: HTTPResponseStatus, _ type: String, _ body: [UInt8], _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext, more: [(String, String)] = []
    ) -> EventLoopFuture<Void> {
        var headers = WatchConnection.headers(type)
        headers.add(contentsOf: more)
        headers.add(name: "Content-Length", value: String(body.count))
        if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let response = HTTPResponseHead(version: head.version, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD {
            let buffer = context.channel.allocator.buffer(bytes: body)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        let channel = context.channel
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if !head.isKeepAlive { written.whenComplete { _ in channel.close(promise: nil) } }
        return written
    }
}
