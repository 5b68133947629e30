import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Timebase

/// The listening socket: opened at the start, closed and opened again on the same port by outages.
///
/// While it is closed, a bound socket that does not listen keeps the port: connects are refused as they
/// should be, and no client's own socket can be given the port meanwhile (which, among ephemeral
/// ports, would even let a client connect to itself).
final class Listener: Sendable {
    private struct State: Sendable {
        var channel: (any Channel)?
        var placeholder: CInt?
        var isStopped = false
    }

    let address: SocketAddress
    private let collector: ChannelCollector
    private let group: any EventLoopGroup
    private let state: Mutex<State>
    private let onWarning: @Sendable (String) -> Void

    private init(
        channel: any Channel, address: SocketAddress, collector: ChannelCollector,
        group: any EventLoopGroup, onWarning: @escaping @Sendable (String) -> Void
    ) {
        self.address = address
        self.collector = collector
        self.group = group
        self.onWarning = onWarning
        state = Mutex(State(channel: channel))
    }

    /// Begins to listen.
    static func start(
        configuration: CollectorServerConfiguration, collector: ChannelCollector,
        group: any EventLoopGroup
    ) async throws -> Listener {
        do {
            let bootstrap = bootstrap(collector: collector, group: group)
            let channel = try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
            guard let address = channel.localAddress else {
                throw ChannelError.unknownLocalAddress
            }
            return Listener(
                channel: channel, address: address, collector: collector, group: group,
                onWarning: configuration.onWarning)
        } catch {
            throw CollectorServerError.cannotListen(
                host: configuration.host, port: configuration.port,
                reason: ListenProblem.text(error, host: configuration.host, port: configuration.port))
        }
    }

    /// Follows the plan's outages until the task is cancelled.
    func followPlan() async {
        while !Task.isCancelled {
            let now = collector.server.clock.now()
            if collector.server.director.refusesConnections(at: now) { await close() } else { await open() }
            guard let change = collector.server.director.nextChange(after: now) else { return }
            let wait = change - collector.server.clock.now()
            // In short steps: the run's clock need not be the one that sleeping goes by.
            let step = min(max(wait.nanoseconds, 0), 1_000_000_000)
            try? await Task.sleep(for: .nanoseconds(step))
        }
    }

    /// Ends listening for good.
    func stop() async {
        let (channel, placeholder) = state.withLock { state in
            state.isStopped = true
            defer { (state.channel, state.placeholder) = (nil, nil) }
            return (state.channel, state.placeholder)
        }
        try? await channel?.close()
        if let placeholder { _ = Foundation.close(placeholder) }
    }

    /// Refuses connections from now on.
    private func close() async {
        guard
            let channel = state.withLock({ state in
                defer { state.channel = nil }
                return state.channel
            })
        else { return }
        try? await channel.close()
        let socket = Listener.boundSocket(address)
        let isUnwanted = state.withLock { state in
            if !state.isStopped { state.placeholder = socket }
            return state.isStopped
        }
        if isUnwanted, let socket { _ = Foundation.close(socket) }
    }

    /// Listens again; tries until the port is free.
    private func open() async {
        var hasComplained = false
        while !Task.isCancelled {
            let (isOpen, placeholder) = state.withLock { state in
                defer { state.placeholder = nil }
                return (state.channel != nil || state.isStopped, state.placeholder)
            }
            if isOpen { return }
            do {
                let bootstrap = Listener.bootstrap(collector: collector, group: group)
                let channel =
                    if let placeholder { try await bootstrap.withBoundSocket(placeholder).get() } else {
                        try await bootstrap.bind(to: address).get()
                    }
                let isUnwanted = state.withLock { state in
                    if !state.isStopped { state.channel = channel }
                    return state.isStopped
                }
                if isUnwanted { try? await channel.close() }
                return
            } catch {
                if !hasComplained {
                    let reason = ListenProblem.text(
                        error, host: address.ipAddress ?? "", port: address.port ?? 0)
                    onWarning(
                        "cannot listen on port \(address.port ?? 0) again after an outage, trying on: \(reason)"
                    )
                }
                hasComplained = true
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private static func bootstrap(
        collector: ChannelCollector, group: any EventLoopGroup
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try collector.serve(channel) }.flatMap {
                    $0 ? channel.eventLoop.makeSucceededVoidFuture() : channel.close()
                }
            }
    }

    /// A socket that holds the address without listening; `nil` if the system gives none, in which
    /// case the port is merely not kept.
    private static func boundSocket(_ address: SocketAddress) -> CInt? {
        let type = CInt(SOCK_STREAM.rawValue)
        let socket = Foundation.socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, type, 0)
        guard socket >= 0 else { return nil }
        var one: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        let status = address.withSockAddr { pointer, size in bind(socket, pointer, socklen_t(size)) }
        guard status == 0 else {
            _ = Foundation.close(socket)
            return nil
        }
        return socket
    }
}
