import DeviceSDK
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization
import Timebase

/// Tries once, before a run, whether a target can be connected to: TCP, and for `https` a whole
/// handshake with everything that is verified in it. Where HTTP/2 is demanded, it has to be spoken, too.
///
/// Of TLS's errors only a few words come up through the library; so where a certificate was refused, a
/// second connection fetches it, to tell why.
struct TargetCheck {
    let target: PopulationPlan.Target
    let limit: Interval
    let loop: any EventLoop
    /// In place of the system's.
    var resolver: (any Resolver & Sendable)?

    /// Why the target cannot be used, for people; `nil` if it can.
    ///
    /// - Throws: ``LiveEngineError`` for files that cannot be read and schemes that are not known.
    func problem() async throws -> String? {
        let target = target
        let endpoint = try await NIOThreadPool.singleton.runIfActive { try Endpoint(target) }
        let outcome = await connect { channel in
            let pipeline = channel.pipeline.syncOperations
            guard let tls = endpoint.tls else {
                guard target.http == .two else { return nil }
                let watcher = HTTP2Watcher(on: channel.eventLoop)
                try pipeline.addHandler(watcher)
                return watcher.verdict
            }
            try pipeline.addHandler(tls.makeHandler())
            return try addHandshakeWatcher(to: channel)
        }
        switch outcome {
        case .good(let name, let certificate):
            let reason = TLSReason(target: target, tls: endpoint.tls, limit: limit)
            if let wrong = reason.wrongName(inTrusted: certificate) { return wrong }
            guard target.http == .two, endpoint.tls != nil, name != "h2" else { return nil }
            return "the server does not choose HTTP/2, and target.http asks for nothing else"
        case .wrong(let text): return text
        case .failed(let error, let certificate):
            let reason = TLSReason(target: target, tls: endpoint.tls, limit: limit)
            guard reason.isRefusedCertificate(error), let tls = endpoint.tls else {
                return reason.text(error, certificate: certificate)
            }
            return reason.text(chain: await chain(of: tls))
        }
    }

    enum Outcome: Sendable {
        /// With what the server picked of HTTP, if it picks (ALPN), and its certificate.
        case good(String?, certificate: NIOSSLCertificate? = nil)
        /// Connected, to something else than what is demanded: in words for people.
        case wrong(String)
        /// With the certificate that the server showed, if it came that far.
        case failed(any Error, certificate: NIOSSLCertificate?)
    }

    /// Connects, and waits for the verdict of the watcher that `prepare` adds, if it adds one.
    ///
    /// Each address of a name has a channel of its own, with a watcher: that of the one that connects counts.
    private func connect(
        _ prepare: @escaping @Sendable (any Channel) throws -> EventLoopPromise<Outcome>?
    ) async -> Outcome {
        let verdicts = Mutex<[ObjectIdentifier: EventLoopPromise<Outcome>]>([:])
        let bootstrap = ClientBootstrap(group: loop)
            .resolver(resolver)
            .connectTimeout(.nanoseconds(limit.nanoseconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let verdict = try prepare(channel)
                    verdicts.withLock { $0[ObjectIdentifier(channel)] = verdict }
                }
            }
        let channel: any Channel
        do {
            let name = HostName.asked(target.host)
            channel = try await bootstrap.connect(host: name, port: target.port).get()
        } catch {
            return .failed(error, certificate: nil)
        }
        var outcome = Outcome.good(nil)
        if let verdict = verdicts.withLock({ $0[ObjectIdentifier(channel)] }) {
            // The first verdict is the one that counts.
            let timer = loop.scheduleTask(in: .nanoseconds(limit.nanoseconds)) {
                verdict.succeed(.failed(ChannelError.connectTimeout(.zero), certificate: nil))
            }
            outcome = (try? await verdict.futureResult.get()) ?? outcome
            timer.cancel()
        }
        try? await channel.close().get()
        return outcome
    }

    private func addHandshakeWatcher(to channel: any Channel) throws -> EventLoopPromise<Outcome> {
        let watcher = HandshakeWatcher(on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(watcher)
        return watcher.verdict
    }

    /// The certificates that the server shows, its own first; empty if they cannot be had.
    private func chain(of tls: TLSClient) async -> [NIOSSLCertificate] {
        let shown = loop.makePromise(of: [NIOSSLCertificate].self)
        _ = await connect { channel in
            let handler = try NIOSSLClientHandler(
                context: tls.context, serverHostname: tls.serverName,
                customVerificationCallback: { certificates, verdict in
                    shown.succeed(certificates)
                    verdict.succeed(.failed)
                })
            try channel.pipeline.syncOperations.addHandler(handler)
            return try addHandshakeWatcher(to: channel)
        }
        shown.succeed([])
        return (try? await shown.futureResult.get()) ?? []
    }
}

/// Tells how a handshake ended. A server that refuses the client's certificate says so only after
/// the client has finished (TLS 1.3), so a good end is believed a moment later.
private final class HandshakeWatcher: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let verdict: EventLoopPromise<TargetCheck.Outcome>
    private var began = NIODeadline.now()

    init(on loop: any EventLoop) { verdict = loop.makePromise(of: TargetCheck.Outcome.self) }

    func channelActive(context: ChannelHandlerContext) { began = NIODeadline.now() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let name)? = event as? TLSUserEvent else { return }
        // Its own end of the handshake took the server one way and back; so does its refusal.
        let took = NIODeadline.now() - began
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(100) + took * 2) {
            self.verdict.succeed(.good(name, certificate: certificate))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        verdict.succeed(.failed(error, certificate: certificate))
    }

    // The channel is closed, or never connected.
    func handlerRemoved(context: ChannelHandlerContext) {
        verdict.succeed(.failed(NIOSSLError.uncleanShutdown, certificate: nil))
    }
}
