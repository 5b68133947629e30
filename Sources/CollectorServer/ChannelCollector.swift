package import Accounting
package import CollectorModel
package import NIOCore
import NIOHTTP1
package import Timebase

/// The collector behind whatever listens: it serves the connections that are handed to it, with the store, the
/// writer and the planned faults that they share.
package final class ChannelCollector: Sendable {
    let server: ServerContext
    private let pipeline: CommitPipeline

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - executor: Where requests are read and committed.
    ///   - merger: Where rows go from the log into the table. It may be the same.
    /// - Throws: ``CollectorServerError``.
    package init(
        configuration: CollectorServerConfiguration, executor: any CommitExecutor,
        merger: any CommitExecutor
    ) throws {
        let director = SharedDirector(plan: configuration.plan)
        pipeline = try CommitPipeline(
            configuration: configuration, director: director, executor: executor, merger: merger)
        server = ServerContext(configuration: configuration, director: director, pipeline: pipeline)
    }

    /// Sets up a connection that was accepted; on its loop, before its first byte.
    ///
    /// - Returns: `false` if there is no room for it: it is to be closed.
    package func serve(_ channel: any Channel) throws -> Bool {
        let connection = CollectorConnection(server: server)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        guard server.admit(channel, bound, wait: connection.wait) else { return false }
        let pipeline = channel.pipeline.syncOperations
        // Whoever does not read answers sends no further requests.
        try pipeline.addHandler(BackPressureHandler())
        try pipeline.addHandler(FirstByteGuard(connection: connection))
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = server.limits.headerBytes
        limits.maxHeaderFieldSize = min(limits.maxHeaderFieldSize, server.limits.headerBytes)
        // What is no request, the connection refuses itself.
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withServerUpgrade: nil, withErrorHandling: false,
            withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits)
        try pipeline.addHandler(connection)
        return true
    }

    /// Whether the plan has nobody listen at a moment of the collector's clock.
    package func refusesConnections(at now: Instant) -> Bool { server.director.refusesConnections(at: now) }

    /// The connections that are open now.
    package var openChannels: [any Channel] { server.openChannels }

    /// What was counted, and what the store holds, after the latest commit. Also after the end.
    ///
    /// The receipts share their memory with the collector's until either changes.
    package func snapshot() -> (CollectorStatistics, Receipts) { pipeline.snapshot() }

    /// What the store could not take though no fault was planned; `nil` if it took everything. Also after the end.
    package var storeFailure: StoreFailure? { pipeline.storeFailure }

    /// Takes the store's files away, which nobody was promised anything of.
    package func discardStore() { pipeline.discardStore() }

    /// Requests that were refused before they were whole (400, 413, 501, 503). Also after the end.
    package var refusedRequests: UInt64 { pipeline.refusedRequests }

    /// Has connections end with their next answer.
    package func beginStop() { server.beginStop() }

    /// Ends the connections that have no request in hand.
    package func closeIdle() {
        for channel in openChannels { channel.pipeline.fireUserInboundEventTriggered(StopEvent()) }
    }

    /// Commits what is queued, and closes the store. No connection may be open any more.
    package func close() async { await pipeline.close() }

    /// Closes the store at once: what is queued is never written, as when the process dies.
    package func abandon() { pipeline.closeStore() }
}
