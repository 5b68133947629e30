import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One end of a simulated TCP connection, as a channel whose pipeline does not know the difference.
///
/// It does what NIO's socket channels do with Linux's TCP: a read takes what has come, if somebody asked to read;
/// bytes that nobody read turn a close into a reset, and so does `SO_LINGER` of 0; bytes for a closed end are answered
/// with a reset; the end of the other side is noticed even where nobody reads.
///
/// Unchecked: like every channel it may be held anywhere, and all of it happens on its loop, which one thread drives.
final class SimulatedChannel: @unchecked Sendable {
    private enum State { case connecting, open, closed }

    let allocator = ByteBufferAllocator()
    let eventLoop: any EventLoop
    let localAddress: SocketAddress?
    let remoteAddress: SocketAddress?
    private var state = State.connecting
    private let closePromise: EventLoopPromise<Void>
    private lazy var ownPipeline = ChannelPipeline(channel: self)
    /// Set when the connection stands.
    private var outgoing: ByteStream?
    private var incoming: ByteStream?
    private var unsent = MarkedCircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>(
        initialCapacity: 4)
    private var inbox = ByteBuffer()
    private var isAskedToRead = false
    private var isDelivering = false
    private var resetsOnClose = false
    var readsByItself = true

    init(loop: any EventLoop, local: SocketAddress?, remote: SocketAddress?) {
        eventLoop = loop
        localAddress = local
        remoteAddress = remote
        closePromise = loop.makePromise()
    }

    var isOpen: Bool { state != .closed }

    /// The connection stands.
    func open(outgoing: ByteStream, incoming: ByteStream) {
        guard state == .connecting else { return }
        self.outgoing = outgoing
        self.incoming = incoming
        state = .open
        let pipeline = ownPipeline.syncOperations
        pipeline.fireChannelActive()
        if readsByItself, state == .open { pipeline.read() }
    }

    /// The end is nobody's any more, as when its process dies: nothing is told to the handlers.
    func abandon() {
        guard state != .closed else { return }
        resetsOnClose = true
        close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil)
    }

    // MARK: - What comes over the network

    func receive(_ bytes: ByteBuffer) {
        guard state == .open else {
            outgoing?.refuseFurther()
            return
        }
        inbox.writeImmutableBuffer(bytes)
        deliver()
    }

    func endArrived() {
        guard state == .open else { return }
        while state == .open, inbox.readableBytes > 0 { readInbox() }
        close0(error: ChannelError.eof, mode: .all, promise: nil)
    }

    func resetArrived() {
        guard state == .open else { return }
        inbox.clear()
        ownPipeline.syncOperations.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
        close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil)
    }

    /// Something on the way reset the connection, towards this end too.
    func networkReset() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.resetArrived() }
    }

    func resumeWriting() {
        guard state == .open, unsent.hasMark else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.send() }
    }

    /// Gives what has come to the handlers, as often as they ask.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while state == .open, isAskedToRead, inbox.readableBytes > 0 {
            isAskedToRead = false
            readInbox()
            if readsByItself, state == .open { ownPipeline.syncOperations.read() }
        }
        isDelivering = false
    }

    private func readInbox() {
        let bytes = inbox
        // Emptied before anybody hears of it: they may close the channel, or have it read again.
        inbox = ByteBuffer()
        incoming?.consumed(bytes.readableBytes)
        ownPipeline.syncOperations.fireChannelRead(NIOAny(bytes))
        ownPipeline.syncOperations.fireChannelReadComplete()
    }

    /// Hands what was flushed to the network, as far as it takes it.
    private func send() {
        while state == .open, unsent.hasMark, let next = unsent.first {
            var bytes = next.bytes
            outgoing?.send(&bytes)
            guard bytes.readableBytes == 0 else {
                unsent[unsent.startIndex].bytes = bytes
                return
            }
            guard unsent.count > 0 else { return }
            _ = unsent.popFirst()
            next.promise?.succeed(())
        }
    }
}

// MARK: - What the pipeline asks for

extension SimulatedChannel: ChannelCore {
    func localAddress0() throws -> SocketAddress {
        guard let localAddress else { throw ChannelError.operationUnsupported }
        return localAddress
    }

    func remoteAddress0() throws -> SocketAddress {
        guard let remoteAddress else { throw ChannelError.operationUnsupported }
        return remoteAddress
    }

    func register0(promise: EventLoopPromise<Void>?) {
        promise?.succeed(())
        ownPipeline.syncOperations.fireChannelRegistered()
    }

    func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state != .closed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        unsent.append((unwrapData(data, as: ByteBuffer.self), promise))
    }

    func flush0() {
        unsent.mark()
        send()
    }

    func read0() {
        isAskedToRead = true
        guard !isDelivering, inbox.readableBytes > 0 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.deliver() }
    }

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        guard state != .closed else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        let wasActive = state == .open
        state = .closed
        let dropped = unsent
        unsent = MarkedCircularBuffer(initialCapacity: 0)
        outgoing?.end(byReset: resetsOnClose || inbox.readableBytes > 0)
        for write in dropped { write.promise?.fail(error) }
        promise?.succeed(())
        if wasActive { ownPipeline.syncOperations.fireChannelInactive() }
        ownPipeline.syncOperations.fireChannelUnregistered()
        // Later, for whoever closes may be a handler that goes on.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.removeHandlers(pipeline: bound.value.ownPipeline)
            bound.value.closePromise.succeed(())
        }
    }

    func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.operationUnsupported)
    }

    func channelRead0(_ data: NIOAny) {}

    func errorCaught0(error: any Error) {}
}

extension SimulatedChannel: Channel {
    var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
    var pipeline: ChannelPipeline { ownPipeline }
    var parent: (any Channel)? { nil }
    /// Writers here wait for their promises, if for anything.
    var isWritable: Bool { state == .open }
    var isActive: Bool { state == .open }
    var _channelCore: any ChannelCore { self }
    var syncOptions: (any NIOSynchronousChannelOptions)? { SimulatedOptions(channel: self) }
    /// Bytes that were written and that the network has not taken.
    fileprivate var bufferedBytes: Int { unsent.reduce(0) { $0 + $1.bytes.readableBytes } }

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.makeCompletedFuture { try SimulatedOptions(channel: self).setOption(option, value: value) }
    }

    func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.makeCompletedFuture { try SimulatedOptions(channel: self).getOption(option) }
    }
}

extension SimulatedChannel: SocketOptionProvider {
    func unsafeSetSocketOption<Value: Sendable>(
        level: SocketOptionLevel, name: SocketOptionName, value: Value
    ) -> EventLoopFuture<Void> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func unsafeSetSocketOption<Value: Sendable>(
        level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option, value: Value
    ) -> EventLoopFuture<Void> {
        guard name == .so_linger, let linger = value as? linger else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        resetsOnClose = linger.l_onoff != 0 && linger.l_linger == 0
        return eventLoop.makeSucceededVoidFuture()
    }

    func unsafeGetSocketOption<Value: Sendable>(
        level: SocketOptionLevel, name: SocketOptionName
    ) -> EventLoopFuture<Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func unsafeGetSocketOption<Value: Sendable>(
        level: NIOBSDSocket.OptionLevel, name: NIOBSDSocket.Option
    ) -> EventLoopFuture<Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
}

/// The few options that handlers ask for.
private struct SimulatedOptions: NIOSynchronousChannelOptions {
    let channel: SimulatedChannel

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) throws {
        guard option is ChannelOptions.Types.AutoReadOption, let reads = value as? Bool else {
            throw ChannelError.operationUnsupported
        }
        channel.readsByItself = reads
    }

    func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
        let value: Any? =
            switch option {
            case is ChannelOptions.Types.AutoReadOption: channel.readsByItself
            case is ChannelOptions.Types.AllowRemoteHalfClosureOption: false
            case is ChannelOptions.Types.BufferedWritableBytesOption: channel.bufferedBytes
            default: nil
            }
        guard let value = value as? Option.Value else { throw ChannelError.operationUnsupported }
        return value
    }
}
