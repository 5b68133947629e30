package import Accounting
package import CollectorModel
import Glibc
package import NIOCore

/// A collector over HTTP/1.1 with its events in SQLite: an answer of success leaves only after its events
/// are committed.
///
/// Beside the collector's own routes it serves `/healthz` and `/stats` (GET and HEAD), which meet no faults.
package final class CollectorServer: Sendable {
    /// Paths at which it answers by itself.
    package static let ownPaths = ["/healthz", "/stats"]

    private let listener: Listener
    private let collector: ChannelCollector
    private let outages: Task<Void, Never>

    private init(listener: Listener, collector: ChannelCollector) {
        self.listener = listener
        self.collector = collector
        outages = Task { await listener.followPlan() }
    }

    /// Opens the store and begins to listen. Where that fails, no store is left that was not there before.
    ///
    /// - Parameter group: The loops for the connections; the writer and what merges its log have threads of their own.
    /// - Throws: ``CollectorServerError``.
    package static func start(
        configuration: CollectorServerConfiguration, on group: any EventLoopGroup
    ) async throws -> CollectorServer {
        let store = configuration.storeFile
        let isNewStore = store.map { access($0, F_OK) != 0 } ?? false
        let collector = try ChannelCollector(
            configuration: configuration, executor: CommitThread(), merger: CommitThread(givesWay: true))
        configuration.willListen()
        do {
            let listener = try await Listener.start(
                configuration: configuration, collector: collector, group: group)
            return CollectorServer(listener: listener, collector: collector)
        } catch {
            await collector.close()
            if isNewStore, let store { unlink(store) }
            throw error
        }
    }

    /// Where the server listens, with the port that it was given.
    package var address: SocketAddress { listener.address }

    /// The connections that are open now.
    package var connectionCount: Int { collector.openChannels.count }

    /// Bytes of requests that are in hand, as far as they came.
    package var heldBytes: Int { collector.server.bytesInHand }

    /// What was counted, and what the store holds, after the latest commit. Also after ``stop()``.
    ///
    /// The receipts share their memory with the server's until either changes.
    package func snapshot() -> (CollectorStatistics, Receipts) { collector.snapshot() }

    /// What the store could not take though no fault was planned; `nil` if it took everything. Also after
    /// ``stop()``.
    package var storeFailure: StoreFailure? { collector.storeFailure }

    /// Requests that were refused before they were whole (400, 413, 501, 503). Also after ``stop()``.
    package var refusedRequests: UInt64 { collector.refusedRequests }

    /// Takes the store's files away, where the process is about to end and nobody was promised anything: open ones are
    /// gone with it.
    package func discardStore() { collector.discardStore() }

    /// Ends: no new connections, requests in hand are answered for a while, the rest is cut off, and the
    /// store is committed and closed.
    package func stop() async {
        outages.cancel()
        collector.beginStop()
        await listener.stop()
        await outages.value
        await listener.stop()
        collector.closeIdle()
        let deadline = NIODeadline.now() + TimeAmount(collector.server.limits.stopGrace)
        while !collector.openChannels.isEmpty, NIODeadline.now() < deadline {
            try? await Task.sleep(for: .milliseconds(2))
        }
        for channel in collector.openChannels { try? await channel.close() }
        await collector.close()
    }
}
