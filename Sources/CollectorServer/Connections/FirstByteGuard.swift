import NIOCore

/// In front of the HTTP decoder, which tells of a request only when its headers are whole: notices the
/// first byte, so that slow headers have their own time, and how many bytes are in hand.
final class FirstByteGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: CollectorConnection

    init(connection: CollectorConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection.bytesArrived(unwrapInboundIn(data).readableBytes) else { return }
        context.fireChannelRead(data)
    }
}
