import NIOCore

/// Measures what a TLS handshake costs this process: the CPU time of all that is done, between a connection and its
/// TLS, from the first byte to the end of the handshake.
///
/// It stands at the socket's side of TLS, whose work it sees as what comes of handing on what arrives. It leaves when the
/// handshake is over.
final class HandshakeMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Nanoseconds so far.
    private(set) var spent: UInt64 = 0
    private var since: UInt64?
    private var context: ChannelHandlerContext?
    private var isDone = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) { measure { context.fireChannelActive() } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        measure { context.fireChannelRead(data) }
    }

    private func measure(_ work: () -> Void) {
        guard !isDone else { return work() }
        since = MachineLimits.threadTime()
        work()
        pause()
    }

    private func pause() {
        guard let since else { return }
        spent += MachineLimits.threadTime() - since
        self.since = nil
    }

    /// The handshake is over, and what comes now belongs to a request.
    ///
    /// - Returns: nanoseconds of CPU time.
    func end() -> UInt64 {
        pause()
        isDone = true
        context?.pipeline.syncOperations.removeHandler(self, promise: nil)
        return spent
    }
}
