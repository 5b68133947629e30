import Accounting
import CollectorModel
import NIOCore
import Synchronization
import Timebase
import Wire

/// The model and the way into the store, together under the pipeline's lock.
struct CollectorWriter: ~Copyable {
    private var model: CollectorModel
    private let store: DurableStore
    private var load = StoreLoad()
    private var sink = RowSink()
    private let director: SharedDirector
    private let refusals: Refusals
    private let onWarning: @Sendable (String) -> Void
    private let clock: CollectorClock
    private var batchNumber: Int64
    /// The highest number of a request whose rows are committed.
    private var committedBatch: Int64
    private var failedRequests: UInt64 = 0
    private var firstFailure = ""
    /// Requests that failed since the store last took events; `nil` while it takes them.
    private var failedSince: UInt64?
    /// How often it was said that the store takes no more events.
    private var toldFailures = 0
    /// A store that is full for large requests and not for small ones is not told of for ever.
    private static let toldLimit = 20

    init(
        configuration: CollectorServerConfiguration, director: SharedDirector, store: DurableStore,
        refusals: Refusals
    ) throws {
        let (receipts, lastBatch) = try store.load()
        self.store = store
        model = CollectorModel(plan: configuration.plan, systems: configuration.systems)
        batchNumber = lastBatch
        committedBatch = lastBatch
        self.director = director
        self.refusals = refusals
        onWarning = configuration.onWarning
        clock = configuration.clock
        model.receipts = receipts
    }

    var statistics: CollectorStatistics { model.statistics }
    var receipts: Receipts { model.receipts }

    /// What the store refused, if it refused anything.
    var storeFailure: StoreFailure? {
        let isGone = store.isGone
        guard failedRequests > 0 || isGone else { return nil }
        return StoreFailure(
            requests: failedRequests, reason: isGone ? DurableStore.goneReason : firstFailure,
            path: store.path, isGone: isGone)
    }

    /// Takes requests in their order, several in one transaction.
    ///
    /// - Returns: the answers in the requests' order. If a transaction fails, every request in it that had events to store
    ///   gets 500, and its events count as never received.
    mutating func process(_ batch: [PendingRequest]) -> [CollectorAnswer] {
        var answers: [CollectorAnswer] = []
        answers.reserveCapacity(batch.count)
        var first = 0
        sink.keepsPacked = store.prefersLog(load)
        let limit = store.commitBytes(toLog: sink.keepsPacked)
        for request in batch {
            answers.append(take(request))
            guard sink.rows.bytes.count >= limit else { continue }
            commit(&answers, from: first)
            first = answers.count
        }
        commit(&answers, from: first)
        store.note(notKept: sink.notKept)
        sink.notKept = []
        // Statistics are asked for last, so that they tell of the whole batch.
        for (index, request) in batch.enumerated() where request.kind == .statistics {
            answers[index].reply = statisticsReply()
        }
        return answers
    }

    private mutating func take(_ request: PendingRequest) -> CollectorAnswer {
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
            return model.receive(collected, at: request.receivedAt, sink: &sink) { firstDevice, refuses in
                director.afterReading(at: request.receivedAt, firstDevice: firstDevice, refuses: refuses)
            }
        }
        return CollectorAnswer(reply: reply, fault: fault, connection: request.connection)
    }

    /// Makes the rows of the latest answers durable, or takes the answers back.
    private mutating func commit(_ answers: inout [CollectorAnswer], from first: Int) {
        if let reason = store.commit(sink.rows, after: committedBatch, load: &load) {
            undo(sink.keys, answers: &answers, from: first, reason: reason)
        } else if sink.rows.count > 0 {
            committedBatch = sink.rows.lastBatch
            noteSuccess()
        }
        sink.removeAll()
    }

    private mutating func noteFailure(_ reason: String, requests: UInt64) {
        if failedRequests == 0 { firstFailure = reason }
        failedRequests += requests
        if failedSince == nil {
            toldFailures += 1
            let rest =
                toldFailures == CollectorWriter.toldLimit
                ? "; from now on only store_failures of GET /stats tells of it" : ""
            if toldFailures <= CollectorWriter.toldLimit {
                onWarning(
                    "the store \(store.path) takes no more events (\(reason)); uploads are answered 500\(rest)"
                )
            }
        }
        failedSince = (failedSince ?? 0) + requests
    }

    private mutating func noteSuccess() {
        guard let failed = failedSince else { return }
        failedSince = nil
        if toldFailures < CollectorWriter.toldLimit {
            let uploads = failed == 1 ? "1 upload was" : "\(failed) uploads were"
            onWarning("the store \(store.path) takes events again; \(uploads) answered 500 meanwhile")
        }
    }

    private mutating func undo(
        _ keys: [EventKey], answers: inout [CollectorAnswer], from first: Int, reason: String
    ) {
        model.withdraw(keys)
        var failed: UInt64 = 0
        for index in first..<answers.count where answers[index].reply.disposition == .stored {
            answers[index].reply = CollectorReply(
                status: 500, disposition: .notStored, body: Array("the store failed\n".utf8))
            // Nothing was accepted, so nothing dies after being accepted.
            answers[index].fault.diesAfterAccept = false
            failed += 1
        }
        if failed > 0 { noteFailure(reason, requests: failed) }
    }

    private func statisticsReply() -> CollectorReply {
        let statistics = model.statistics
        let members: [(StaticString, UInt64)] = [
            ("requests", statistics.requests), ("received", statistics.received),
            ("unique", statistics.unique), ("duplicates", statistics.duplicates),
            ("undecodable", statistics.undecodable), ("dry_run", statistics.dryRun),
            ("swallowed", statistics.swallowed), ("wrong_checksum", statistics.wrongChecksum),
            ("config_fetches", statistics.configFetches), ("not_found", statistics.notFound),
            ("refused", refusals.count.load(ordering: .relaxed)), ("store_failures", failedRequests),
            ("in_log", UInt64(store.rowsInLog)),
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
    /// Whether its path names another file by now, or none: what it took is not there either.
    package var isGone = false
}

/// Takes the model's events as rows, and remembers their keys in case the store fails.
private struct RowSink: CollectedEventSink {
    var batch: Int64 = 0
    var receivedAt: Int64 = 0
    private(set) var rows = RowBuffer()
    var keepsPacked: Bool {
        get { rows.keepsPacked }
        set { rows.keepsPacked = newValue }
    }
    private(set) var keys: [EventKey] = []
    var notKept: [NotKeptEvent] = []

    mutating func pass(_ key: EventKey, _ reason: NotKept) {
        notKept.append(NotKeptEvent(key: key, reason: reason, receivedAt: receivedAt))
    }

    mutating func store(_ event: CollectedEvent) {
        keys.append(event.key)
        rows.append(event, receivedAt: receivedAt, batch: batch)
    }

    /// What is kept for the next requests; one of millions of events does not hold its memory for ever.
    private static let keptKeys = 1 << 17

    mutating func removeAll() {
        keys.removeAll(keepingCapacity: keys.capacity <= RowSink.keptKeys)
        rows.removeAll()
    }
}
