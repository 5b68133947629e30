package import NIOCore
import NIOPosix

/// Opens connections: over the machine's sockets, or over a network that somebody models in their place.
///
/// All that a live run says to the world goes through here, and all it knows of time through
/// `EventLoop/now`: under another transport, on a loop with a clock of its own, the engine runs unchanged.
package protocol ClientTransport: Sendable {
    /// Asks for the addresses of a host's name, the best first.
    ///
    /// - Returns: fails, or is empty, if the name has none.
    func lookUp(_ host: HostName, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]>

    /// Connects, and sets the channel's handlers up before its first byte.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - loop: The channel's loop, on which this is called.
    ///   - configure: Adds the handlers; called on the loop, maybe before this returns.
    /// - Returns: fails with what kept the channel from connecting. That it is open, its handlers hear themselves.
    func connect(
        to address: SocketAddress, on loop: any EventLoop,
        configure: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<Void>
}

/// TCP, over the sockets of this machine.
package struct SocketTransport: ClientTransport {
    /// Asks for a name's addresses; blocks.
    typealias Lookup = @Sendable (HostName) throws -> [SocketAddress]

    private let lookup: Lookup

    package init() { self.init(lookup: NameResolver.systemLookup) }

    init(lookup: @escaping Lookup) { self.lookup = lookup }

    package func lookUp(_ host: HostName, on loop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { [lookup] in try lookup(host) }
    }

    package func connect(
        to address: SocketAddress, on loop: any EventLoop,
        configure: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<Void> {
        ClientBootstrap(group: loop)
            // The device's own limit covers the connect too; the owner keeps it.
            .connectTimeout(.hours(24))
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 64 * 1024)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try configure(channel) }
            }
            .connect(to: address)
            .map { _ in }
    }
}
