import NIOCore
import NIOSSL
import NIOTLS
import World

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Who uses connections: told what became of them, on their event loop.
protocol ConnectionOwner: AnyObject {
    /// The connection is open and idle.
    func opened(_ connection: Connection)
    /// A whole answer was read; it is in the connection's parser, which the next request clears. The
    /// connection is idle, or closed if it cannot be used again.
    func answered(_ connection: Connection)
    /// The connection is gone: with the failure of its request, or `nil` if it was idle.
    func ended(_ connection: Connection, failure: RequestFailure?)
}

/// One HTTP/1.1 connection: a raw channel, plain or behind a TLS handler, that carries one request at a
/// time.
///
/// Confined to its event loop. It knows nothing of devices; it writes prepared bytes, reads the
/// answer and says when each thing happened. Nothing is tried again here: a request that meets a
/// connection which the server closes before the first byte of an answer fails as `closed`.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// `connecting` begins with the lookup of the host's name; `securing` is the TLS handshake.
    enum State: UInt8 { case connecting, securing, idle, busy, gone }

    /// Moments of the present request, as readings of the monotonic clock; 0 for what did not happen.
    struct Times {
        var lookupBegan: UInt64 = 0
        var lookedUp: UInt64 = 0
        var connectBegan: UInt64 = 0
        var connected: UInt64 = 0
        /// The end of the TLS handshake.
        var secured: UInt64 = 0
        var writeBegan: UInt64 = 0
        var written: UInt64 = 0
        var firstByte: UInt64 = 0
        var lastByte: UInt64 = 0
    }

    /// From this size on a request may not fit into the socket's buffer at once, so its end is awaited.
    /// Linux's default send buffer is 16 KiB.
    static let awaitedSize = 16 * 1024

    private(set) var state = State.connecting
    private(set) var parser = ResponseParser()
    private(set) var times = Times()
    private(set) var sentBytes = 0
    /// The beginning of what could not be read as an answer, if a sample was asked for.
    private(set) var garbage: [UInt8] = []
    /// The owner's own notes: where the connection is in its tables.
    var entry = ConnectionEntry()

    private unowned let owner: any ConnectionOwner
    private let loop: any EventLoop
    /// What opens connections where this one lives.
    private let transport: any ClientTransport
    private var context: ChannelHandlerContext?
    private var keepsSample = false
    private var isWriting = false
    private var sawReset = false
    /// The peer closed without TLS's notice: what it sent last may be missing.
    private var wasCutShort = false
    private var wasReadOnce = false
    private var carriedBefore = false
    private var isSecure = false

    init(owner: any ConnectionOwner, loop: any EventLoop, transport: any ClientTransport) {
        self.owner = owner
        self.loop = loop
        self.transport = transport
    }

    /// The loop's monotonic clock.
    private var uptime: UInt64 { loop.now.uptimeNanoseconds }

    /// Begins to connect. The owner is told the outcome, possibly before this returns.
    func connect(to endpoint: Endpoint, through resolver: NameResolver) {
        switch endpoint.location {
        case .address(let address): connect(to: [address], tls: endpoint.tls)
        case .name(let name, let lifetime):
            if let addresses = resolver.known(name, lifetime: lifetime) {
                connect(to: addresses[...], tls: endpoint.tls)
                return
            }
            times.lookupBegan = uptime
            resolver.lookUp(name) { addresses in
                guard self.state == .connecting else { return }
                self.times.lookedUp = self.uptime
                guard let addresses else {
                    self.end(with: .dns)
                    return
                }
                self.connect(to: addresses[...], tls: endpoint.tls)
            }
        }
    }

    /// Connects to the first address that accepts. Where none does, the last one's failure counts.
    private func connect(to addresses: ArraySlice<SocketAddress>, tls: TLSClient?) {
        guard let address = addresses.first else { return }
        if times.connectBegan == 0 { times.connectBegan = uptime }
        isSecure = tls != nil
        let bound = NIOLoopBound(self, eventLoop: loop)
        let handshake = tls
        transport.connect(to: address, on: loop) { channel in
            let pipeline = channel.pipeline.syncOperations
            if let handshake { try pipeline.addHandler(handshake.makeHandler()) }
            try pipeline.addHandler(bound.value)
        }
        .assumeIsolated()
        .whenFailure { error in
            if self.state == .connecting, addresses.count > 1 {
                self.connect(to: addresses.dropFirst(), tls: tls)
            } else {
                self.end(with: Connection.failure(of: error))
            }
        }
    }

    /// Writes a whole request.
    ///
    /// - Precondition: the connection is idle.
    func send(_ request: ByteBuffer, keepsBody: Bool, keepsSample: Bool, keepsDate: Bool = false) {
        precondition(state == .idle, "a connection carries one request at a time")
        guard let context else { return }
        state = .busy
        self.keepsSample = keepsSample
        wasReadOnce = false
        sentBytes = request.readableBytes
        parser.begin(keepsBody: keepsBody, keepsSample: keepsSample, keepsDate: keepsDate)
        // What setting up took belongs to the request that it was done for.
        if carriedBefore { times = Times() }
        carriedBefore = true
        times.writeBegan = uptime
        isWriting = true
        if request.readableBytes < Connection.awaitedSize {
            context.writeAndFlush(wrapOutboundOut(request), promise: nil)
            times.written = uptime
        } else {
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenSuccess {
                if self.state == .busy { self.times.written = self.uptime }
            }
            context.writeAndFlush(wrapOutboundOut(request), promise: promise)
        }
        isWriting = false
    }

    /// Writes a part of a request, which may be empty, and resets the connection; the owner is not told.
    func abort(sending part: ByteBuffer) {
        guard state != .gone, let context else { return }
        sentBytes = part.readableBytes
        if carriedBefore { times = Times() }
        times.writeBegan = uptime
        times.written = times.writeBegan
        // What a lingering close would keep back would make it an orderly end.
        if let options = context.channel as? any SocketOptionProvider {
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        }
        if part.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(part), promise: nil) }
        close()
    }

    /// Closes the connection; the owner is not told.
    func close() {
        guard state != .gone else { return }
        state = .gone
        context?.close(promise: nil)
    }

    // MARK: - What the channel says

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        // A channel that did not connect may go after the next one has come.
        if self.context === context { self.context = nil }
    }

    func channelActive(context: ChannelHandlerContext) {
        guard state == .connecting else {
            context.close(promise: nil)
            return
        }
        times.connected = uptime
        if isSecure {
            state = .securing
        } else {
            state = .idle
            owner.opened(self)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard state == .securing, case .handshakeCompleted? = event as? TLSUserEvent else { return }
        times.secured = uptime
        state = .idle
        owner.opened(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard state == .busy else {
            // Nobody asked: an idle connection on which a server speaks is of no more use.
            if state == .idle { end(with: nil) }
            return
        }
        if times.firstByte == 0 {
            times.firstByte = uptime
        } else {
            wasReadOnce = true
        }
        let used = buffer.withUnsafeReadableBytes { parser.consume($0) }
        switch parser.state {
        case .complete: complete(reusable: parser.keepsAlive && used == buffer.readableBytes)
        case .malformed:
            if keepsSample { garbage = Array(buffer.readableBytesView.prefix(ResponseParser.sampleLimit)) }
            end(with: .malformed)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown: wasCutShort = true
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: end(with: .tls)
        default:
            sawReset = true
            end(with: .reset)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard state == .busy else {
            end(with: nil)
            return
        }
        if !wasCutShort { parser.close() }
        if parser.state == .complete && !isWriting {
            wasReadOnce = true
            complete(reusable: false)
        } else if isWriting || sawReset {
            end(with: .reset)
        } else {
            end(with: parser.received == 0 ? .closed : .truncated)
        }
    }

    private func complete(reusable: Bool) {
        times.lastByte = wasReadOnce ? uptime : times.firstByte
        // A server may answer before it read everything; then the rest would meet the next request.
        let isWritten = times.written != 0
        if !isWritten { times.written = times.firstByte }
        if reusable && isWritten {
            state = .idle
        } else {
            close()
        }
        owner.answered(self)
    }

    private func end(with failure: RequestFailure?) {
        guard state != .gone else { return }
        let carried = state != .idle
        close()
        owner.ended(self, failure: carried ? failure ?? .reset : nil)
    }
}

/// Where a connection stands in its owner's tables. Indices, not references, so that lists need no
/// counting; -1 is none.
struct ConnectionEntry {
    var slot: Int32 = -1
    /// Whoever may use it: a device, or a pool.
    var owner: UInt32 = 0
    /// The pool that counts it, and the part of the shard that it was opened for.
    var pool: Int32 = 0
    var part: Int32 = 0
    /// The owner's connections, and those of them that are idle.
    var previousOfOwner: Int32 = -1
    var nextOfOwner: Int32 = -1
    var idlePreviousOfOwner: Int32 = -1
    var idleNextOfOwner: Int32 = -1
    /// The shard's idle connections.
    var idlePrevious: Int32 = -1
    var idleNext: Int32 = -1
    /// Monotonic clock.
    var idleSince: UInt64 = 0
    /// The request it carries or connects for.
    var request: Int32 = -1
}
