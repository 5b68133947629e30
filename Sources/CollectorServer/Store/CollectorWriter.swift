import Accounting
import CollectorModel
import NIOCore
import Timebase
import Wire

/// The model and the store, together under the pipeline's lock.
struct CollectorWriter: ~Copyable {
    private var model: CollectorModel
    private let store: EventStore
    private let director: SharedDirector
    private let onWarning: @Sendable (String) -> Void
    private let clock: CollectorClock
    private var batchNumber: Int64
    private var failedRequests: UInt64 = 0
    private var firstFailure = ""

    init(configuration: CollectorServerConfiguration, director: SharedDirector) throws {
        let store = try EventStore(
            path: configuration.storePath, temporaryFolder: configuration.temporaryFolder,
            byteLimit: configuration.limits.storeBytes, refusesCommit: configuration.refusesCommit)
        let receipts = try store.loadReceipts()
        self.store = store
        model = CollectorModel(plan: configuration.plan, systems: configuration.systems)
        batchNumber = store.lastBatch
        self.director = director
        onWarning = configuration.onWarning
        clock = configuration.clock
        model.receipts = receipts
    }

    var statistics: CollectorStatistics { model.statistics }
    var receipts: Receipts { model.receipts }

    /// What the store refused, if it refused anything.
    var storeFailure: StoreFailure? {
        failedRequests == 0
            ? nil : StoreFailure(requests: failedRequests, reason: firstFailure, path: store.path)
    }

    mutating func close() { store.close() }

    /// Takes a batch of requests in one transaction.
    ///
    /// - Returns: the answers in the requests' order. If the transaction fails, every request with events
    ///   to store gets 500, and its events count as never received.
    mutating func process(_ batch: [PendingRequest]) -> [CollectorAnswer] {
        var answers: [CollectorAnswer] = []
        answers.reserveCapacity(batch.count)
        var sink = StoreSink(store: store)
        let store = store
        let failure = store.transaction { _ in
            for request in batch { answers.append(take(request, sink: &sink)) }
            return !sink.hasFailed
        }
        if let failure { undo(sink.keys, answers: &answers, reason: failure) }
        // Statistics are asked for last, so that they tell of the whole transaction.
        for (index, request) in batch.enumerated() where request.kind == .statistics {
            answers[index].reply = statisticsReply()
        }
        return answers
    }

    private mutating func take(_ request: PendingRequest, sink: inout StoreSink) -> CollectorAnswer {
        guard request.kind == .collect else {
            let empty = CollectorReply(status: 200, disposition: .notStored)
            return CollectorAnswer(reply: empty, fault: .none, connection: request.connection)
        }
        batchNumber += 1
        sink.batch = batchNumber
        sink.receivedAt = clock.stamp(request.receivedAt).milliseconds
        let (reply, fault) = request.body.withUnsafeReadableBytes { bytes in
            let collected = CollectedRequest(
                method: request.method, path: request.path, query: request.query, dryRun: request.dryRun,
                headers: request.headers, body: bytes)
            return model.receive(collected, at: request.receivedAt, sink: &sink) { firstDevice in
                director.afterReading(at: request.receivedAt, firstDevice: firstDevice)
            }
        }
        return CollectorAnswer(reply: reply, fault: fault, connection: request.connection)
    }

    private mutating func undo(_ keys: [EventKey], answers: inout [CollectorAnswer], reason: String) {
        model.withdraw(keys)
        var failed: UInt64 = 0
        for index in answers.indices where answers[index].reply.disposition == .stored {
            answers[index].reply = CollectorReply(
                status: 500, disposition: .notStored, body: Array("the store failed\n".utf8))
            // Nothing was accepted, so nothing dies after being accepted.
            answers[index].fault.diesAfterAccept = false
            failed += 1
        }
        if failedRequests == 0, failed > 0 {
            firstFailure = reason
            onWarning("the store \(store.path) takes no more events (\(reason)); uploads are answered 500")
        }
        failedRequests += failed
    }

    private func statisticsReply() -> CollectorReply {
        let statistics = model.statistics
        let members: [(StaticString, UInt64)] = [
            ("requests", statistics.requests), ("received", statistics.received),
            ("unique", statistics.unique), ("duplicates", statistics.duplicates),
            ("undecodable", statistics.undecodable), ("dry_run", statistics.dryRun),
            ("swallowed", statistics.swallowed), ("wrong_checksum", statistics.wrongChecksum),
            ("config_fetches", statistics.configFetches), ("not_found", statistics.notFound),
            ("store_failures", failedRequests),
        ]
        var text = WireBuffer()
        for (index, (name, value)) in members.enumerated() {
            text.append(UInt8(ascii: index == 0 ? "{" : ","))
            text.append(UInt8(ascii: "\""))
            text.append(name)
            text.append("\":")
            text.appendDecimal(value)
        }
        text.append("}\n")
        return CollectorReply(
            status: 200, disposition: .notStored, body: text.bytes, contentType: "application/json")
    }
}

/// A store that could not take what was to be put into it.
package struct StoreFailure: Hashable, Sendable {
    /// Requests whose events it did not take: each was answered 500.
    package var requests: UInt64
    /// Of the first.
    package var reason: String
    package var path: String
}

/// Puts the model's events into the open transaction and remembers their keys in case it fails.
private struct StoreSink: CollectedEventSink {
    let store: EventStore
    var batch: Int64 = 0
    var receivedAt: Int64 = 0
    var keys: [EventKey] = []
    var hasFailed = false

    init(store: EventStore) { self.store = store }

    mutating func store(_ event: CollectedEvent) {
        keys.append(event.key)
        // After the first failure the transaction is lost; the rest only needs to be undone.
        if !hasFailed, !store.insert(event, receivedAt: receivedAt, batch: batch) { hasFailed = true }
    }
}
