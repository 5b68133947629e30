import DeviceSDK
import NIOCore
import NIOSSL
import NIOTLS
import World

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection: a raw channel, plain or behind a TLS handler. On HTTP/1.1 it carries one request at a time, on
/// HTTP/2 its streams do.
///
/// Confined to its event loop. It knows nothing of devices; it writes prepared bytes, reads the
/// answer and says when each thing happened. Nothing is tried again here: a request that meets a
/// connection which the server closes before the first byte of an answer fails as `closed`.
final class Connection: Carrier, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// `connecting` begins with the lookup of the host's name; `securing` is the TLS handshake; `shared` speaks HTTP/2.
    enum State: UInt8 { case connecting, securing, idle, busy, shared, gone }

    /// From this size on a request may not fit into the socket's buffer at once, so its end is awaited.
    /// Linux's default send buffer is 16 KiB.
    static let awaitedSize = 16 * 1024

    var state = State.connecting
    /// The owner's own notes: where the connection is in its tables.
    var entry = ConnectionEntry()
    /// HTTP/2's side of the connection, once that is what it speaks.
    var session: HTTP2Session?
    /// The owner's requests that wait for a stream, or for what the connection will speak.
    var waiting = RingQueue<RequestKey>()
    /// Streams that carry nothing now.
    var spareStreams: [HTTP2Stream] = []
    /// When something last arrived on a shared connection, by the monotonic clock.
    var lastRead: UInt64 = 0
    /// Whether the owner opens no more streams on it.
    var isRetired = false

    unowned let owner: any ConnectionOwner
    private let loop: any EventLoop
    /// What opens connections where this one lives.
    private let transport: any ClientTransport
    let buffers: BufferPool
    var context: ChannelHandlerContext?
    var isWriting = false
    var isReading = false
    private var sawReset = false
    /// The peer closed without TLS's notice: what it sent last may be missing.
    private var wasCutShort = false
    private var wasReadOnce = false
    var carriedBefore = false
    private var isSecure = false
    /// The CPU time of the TLS handshake, in nanoseconds.
    private(set) var handshakeTime: UInt64 = 0
    private var meter: HandshakeMeter?
    private(set) var versions = PopulationPlan.Target.HTTPVersions.automatic

    /// - Parameter buffers: Shared by the connections of a loop.
    init(
        owner: any ConnectionOwner, loop: any EventLoop, transport: any ClientTransport, buffers: BufferPool
    ) {
        self.owner = owner
        self.loop = loop
        self.transport = transport
        self.buffers = buffers
    }

    /// The loop's monotonic clock.
    var uptime: UInt64 { loop.now.uptimeNanoseconds }

    /// Begins to connect. The owner is told the outcome, possibly before this returns.
    func connect(to endpoint: Endpoint, through resolver: NameResolver) {
        versions = endpoint.versions
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
            if let handshake {
                let meter = HandshakeMeter()
                bound.value.meter = meter
                try pipeline.addHandler(meter)
                try pipeline.addHandler(handshake.makeHandler())
            }
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
    func send(_ request: ByteBuffer, wants: AnswerWants) {
        precondition(state == .idle, "a connection carries one request at a time")
        guard let context else { return }
        state = .busy
        wasReadOnce = false
        sentBytes = request.readableBytes
        bytesBehind = 0
        parser.begin(keepsBody: wants.body, keepsSample: wants.sample, keepsDate: wants.date)
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

    override func close() {
        shut()
        session?.streams = [:]
        spareStreams = []
    }

    /// What the socket's buffer has taken has left; the rest waits in the channel.
    override func discountUnsent() {
        guard state == .busy, times.written == 0, let options = context?.channel.syncOptions,
            let unsent = try? options.getOption(.bufferedWritableBytes)
        else { return }
        sentBytes -= min(sentBytes, unsent)
    }

    /// Closes the channel; streams are left as they are.
    private func shut() {
        guard state != .gone else { return }
        let isShared = state == .shared
        state = .gone
        if isShared { sayGoodbye() }
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
            // Without TLS nobody negotiates: HTTP/2 is spoken where it is known beforehand (RFC 9113, 3.3).
            open(speaking: versions == .two ? "h2" : nil)
        }
    }

    private func open(speaking name: String?) {
        if name == "h2" {
            share()
        } else {
            state = .idle
        }
        owner.opened(self)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard state == .securing, case .handshakeCompleted(let name)? = event as? TLSUserEvent else { return }
        times.secured = uptime
        handshakeTime = meter?.end() ?? 0
        meter = nil
        if versions == .two, name != "h2" {
            endTLS("the server does not choose HTTP/2")
        } else {
            open(speaking: name)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if state == .shared { return read(buffer) }
        guard state == .busy else {
            if state == .idle { endIdle(buffer.readableBytesView) }
            return
        }
        if times.firstByte == 0 {
            times.firstByte = uptime
        } else {
            wasReadOnce = true
        }
        let before = parser.received
        let used = buffer.withUnsafeReadableBytes { parser.consume($0) }
        bytesBehind = buffer.readableBytes - (parser.received - before)
        switch parser.state {
        case .complete:
            isOverlong = used < buffer.readableBytes
            complete(reusable: parser.keepsAlive && !isOverlong)
        case .malformed: endMalformed()
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown: wasCutShort = true
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: endTLS(TLSReason.name(of: error))
        default:
            sawReset = true
            discountUnsent()
            end(with: .reset)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if state == .shared { return endShared(byReset: isWriting || sawReset) }
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
            end(with: failureOfClose())
        }
    }

    private func complete(reusable: Bool) {
        times.lastByte = wasReadOnce ? uptime : times.firstByte
        // A server may answer before it read everything; then the rest would meet the next request.
        let isWritten = times.written != 0
        if !isWritten {
            discountUnsent()
            times.written = times.firstByte
        }
        if reusable && isWritten {
            state = .idle
        } else {
            close()
        }
        owner.answered(self)
    }

    func end(with failure: RequestFailure?) {
        guard state != .gone else { return }
        let carried = state != .idle && state != .shared
        shut()
        session?.endAll { _ in failure ?? .reset }
        owner.ended(self, failure: carried ? failure ?? .reset : nil)
    }
}
