import CollectorServer
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves the page of work that goes on, on an event loop of its own: no thread that plays devices ever waits for it.
final class WatchServer: Sendable {
    /// The most connections that hear what is new.
    static let viewerLimit = 32

    /// What a viewer opens.
    let url: String
    private let listener: any Channel
    private let hub: NIOLoopBound<WatchHub>
    private let ticks: RepeatedTask

    private init(url: String, listener: any Channel, hub: NIOLoopBound<WatchHub>, ticks: RepeatedTask) {
        self.url = url
        self.listener = listener
        self.hub = hub
        self.ticks = ticks
    }

    /// Begins to listen.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for an address that cannot be listened on.
    static func start(
        _ watch: Watch, at address: ListenAddress, token: WatchToken, on loop: any EventLoop
    ) async throws -> WatchServer {
        let hub = try await loop.submit {
            NIOLoopBound(WatchHub(watch, token: token), eventLoop: loop)
        }.get()
        let listener: any Channel
        do {
            listener = try await bootstrap(hub, on: loop).bind(host: address.host, port: address.port).get()
        } catch {
            let reason = ListenProblem.text(error, host: address.host, port: address.port)
            throw CommandFailure(.usage, "--ui \(address.urlHost):\(address.port): cannot listen: \(reason)")
        }
        let port = listener.localAddress?.port ?? address.port
        let ticks = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            hub.value.tick()
        }
        return WatchServer(
            url: "http://\(address.urlHost):\(port)/?token=\(token.text)", listener: listener, hub: hub,
            ticks: ticks)
    }

    private static func bootstrap(
        _ hub: NIOLoopBound<WatchHub>, on loop: any EventLoop
    ) -> ServerBootstrap {
        ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A page whole is a few hundred kilobytes: who has that much unread gets no more for now.
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 1 << 20))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(WatchConnection(hub: hub.value))
                }
            }
    }

    /// How long the last word may take to get through.
    private static let farewell = TimeAmount.seconds(2)

    /// Tells every viewer how it ended, and closes.
    func finish() async {
        ticks.cancel()
        try? await listener.close()
        let hub = hub
        let loop = listener.eventLoop
        try? await loop.submit { hub.value.end() }.get()
        let deadline = NIODeadline.now() + WatchServer.farewell
        while NIODeadline.now() < deadline {
            guard let left = try? await loop.submit({ hub.value.viewerCount }).get(), left > 0 else { return }
            // In a cancelled task, a task's own sleep would return at once.
            try? await loop.scheduleTask(in: .milliseconds(5)) {}.futureResult.get()
        }
    }
}
