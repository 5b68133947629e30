import CollectorServer
package import LiveEngine
package import NIOCore
package import NIOEmbedded
import Timebase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Who listens at the far end of a simulated network.
package protocol SimulatedHost: AnyObject {
    /// Whether a connection that comes now is accepted.
    var accepts: Bool { get }

    /// Sets up a connection that was accepted, before its first byte.
    ///
    /// - Returns: `false` if it is to be closed at once.
    func serve(_ channel: any Channel) throws -> Bool
}

/// A network in memory, on a loop whose clock somebody moves: the same seed gives the same bytes at the same times.
///
/// Unchecked: all of it happens on its loop, which one thread drives.
package final class SimulatedNetwork: ClientTransport, @unchecked Sendable {
    let loop: EmbeddedEventLoop
    private let troubled: NetworkConditions
    /// Of what begins now.
    var conditions: NetworkConditions { loop.now < faultsEnd ? troubled : NetworkConditions() }
    private var random: RandomStream
    private let host: any SimulatedHost
    private var served: [ObjectIdentifier: SimulatedChannel] = [:]
    private var nextPort: UInt16 = 0
    /// Segments, connects and ends that were carried so far: what a run costs, the same on every machine.
    private var carried = 0
    private let mostCarried: Int
    /// Whether it carried all that it is to carry: whatever is sent now is lost, so that no world goes on for ever.
    package var isExhausted: Bool { carried > mostCarried }
    /// Until when the conditions last.
    private let faultsEnd: NIODeadline

    /// - Parameters:
    ///   - host: Listens at every address.
    ///   - faultsEnd: From when on the conditions are those of a sound network, by the loop's clock.
    ///   - carriesAtMost: Segments, connects and ends after which nothing arrives any more.
    package init(
        on loop: EmbeddedEventLoop, conditions: NetworkConditions = NetworkConditions(), seed: UInt64,
        host: any SimulatedHost, faultsEnd: NIODeadline = .distantFuture, carriesAtMost: Int = .max
    ) {
        self.loop = loop
        troubled = conditions
        self.host = host
        self.faultsEnd = faultsEnd
        mostCarried = carriesAtMost
        random = RandomStream(key: seed ^ RandomStream.hash(of: "network"))
    }

    package func lookUp(_ host: HostName, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let promise = loop.makePromise(of: [SocketAddress].self)
        loop.scheduleTask(in: TimeAmount(random.interval(in: conditions.lookup))) {
            promise.completeWith(
                Result { [try SocketAddress(ipAddress: "127.0.0.1", port: host.port)] })
        }
        return promise.futureResult
    }

    package func connect(
        to address: SocketAddress, on loop: any EventLoop,
        configure: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<Void> {
        nextPort &+= 1
        let own = try? SocketAddress(ipAddress: "127.0.0.1", port: Int(nextPort))
        let client = SimulatedChannel(loop: loop, local: own, remote: address)
        let promise = loop.makePromise(of: Void.self)
        do {
            try configure(client)
            client.register0(promise: nil)
        } catch {
            client.close0(error: error, mode: .all, promise: nil)
            promise.fail(error)
            return promise.futureResult
        }
        let fate = ConnectionFate(conditions, from: &random)
        loop.scheduleTask(in: TimeAmount(drawLatency())) {
            self.arrive(client, at: address, from: own, fate: fate, promise: promise)
        }
        return promise.futureResult
    }

    /// A connect has come to the host.
    private func arrive(
        _ client: SimulatedChannel, at address: SocketAddress, from own: SocketAddress?, fate: ConnectionFate,
        promise: EventLoopPromise<Void>
    ) {
        // Nobody waits for it any more, or nobody will ever know.
        guard client.isOpen, fate != .unanswered, !isExhausted else {
            // A promise has to be kept; what it says is no news to a connection that is gone.
            let bound = NIOLoopBound(client, eventLoop: loop)
            client.closeFuture.whenComplete { _ in
                _ = bound
                promise.fail(ChannelError.ioOnClosedChannel)
            }
            return
        }
        guard fate != .refused, host.accepts else {
            loop.scheduleTask(in: TimeAmount(drawLatency())) {
                client.close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil)
                promise.fail(IOError(errnoCode: ECONNREFUSED, reason: "connect"))
            }
            return
        }
        let server = SimulatedChannel(loop: loop, local: address, remote: own)
        let streams = connect(client, server, fate: fate)
        loop.scheduleTask(in: TimeAmount(drawLatency())) {
            client.open(outgoing: streams.up, incoming: streams.down)
            if !client.isOpen { streams.up.end(byReset: true) }
            promise.succeed(())
        }
        admit(server, streams)
    }

    private func connect(
        _ client: SimulatedChannel, _ server: SimulatedChannel, fate: ConnectionFate
    ) -> (up: ByteStream, down: ByteStream) {
        var (upFault, downFault): ((ConnectionFate.Breakage, Int)?, (ConnectionFate.Breakage, Int)?)
        if case .broken(let breakage, let bytes, let upward) = fate {
            if upward { upFault = (breakage, bytes) } else { downFault = (breakage, bytes) }
        }
        return (
            ByteStream(self, from: client, to: server, fault: upFault),
            ByteStream(self, from: server, to: client, fault: downFault)
        )
    }

    private func admit(_ server: SimulatedChannel, _ streams: (up: ByteStream, down: ByteStream)) {
        let key = ObjectIdentifier(server)
        served[key] = server
        server.closeFuture.whenComplete { _ in self.served[key] = nil }
        let isWelcome = (try? host.serve(server)) ?? false
        server.register0(promise: nil)
        server.open(outgoing: streams.down, incoming: streams.up)
        if !isWelcome { server.close0(error: ChannelError.ioOnClosedChannel, mode: .all, promise: nil) }
    }

    /// The host's process dies: what it had open is reset by its system.
    package func hostDied() {
        // In the order of opening, so that the same seed gives the same run.
        for channel in served.values.sorted(by: { port(of: $0) < port(of: $1) }) { channel.abandon() }
    }

    private func port(of channel: SimulatedChannel) -> Int { channel.remoteAddress?.port ?? 0 }

    // MARK: - Draws

    func drawLatency() -> Interval {
        carried += 1
        return random.interval(in: conditions.latency)
    }

    func drawSegment() -> Int {
        conditions.segment.lowerBound + Int(random.below(UInt64(conditions.segment.count)))
    }
}
