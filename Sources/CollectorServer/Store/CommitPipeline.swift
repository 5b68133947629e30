import CollectorModel
import NIOCore
import Synchronization
import Timebase
import Wire

import Accounting

/// A request on its way from its connection to the writer.
struct PendingRequest: Sendable {
    enum Kind: Sendable {
        case collect
        /// `GET /stats`: answered by the writer, so that no event loop waits for it.
        case statistics
    }

    var kind = Kind.collect
    var method: CollectedRequest.Method
    var path: String
    var query: String
    var dryRun: Bool
    var headers: CollectedHeaders
    var body: ByteBuffer
    var receivedAt: Instant
    var connection: NIOLoopBound<CollectorConnection>
    var eventLoop: any EventLoop
}

/// What the writer sends back to a connection.
struct CollectorAnswer: Sendable {
    var reply: CollectorReply
    var fault: LateFault
    var connection: NIOLoopBound<CollectorConnection>
}

/// One writer behind all connections: reads requests, numbers their events, commits them, and only then
/// lets the answers go.
///
/// Group commit without a timer: while one transaction is being written, the requests that arrive pile
/// up for the next. An idle server commits a single request at once. Decoding happens on the writer too,
/// so that nothing is shared between threads but the queue.
final class CommitPipeline: Sendable {
    private struct Queue: Sendable {
        var requests: [PendingRequest] = []
        var isDraining = false
    }

    /// A transaction takes this many requests at most: some ten thousand events, some ten milliseconds.
    private static let requestsPerTransaction = 256

    private let queue = Mutex(Queue())
    private let refusals: Refusals
    private let writer: Mutex<CollectorWriter>
    private let store: DurableStore
    private let executor: any CommitExecutor
    private let merger: any CommitExecutor

    /// - Parameters:
    ///   - executor: Where requests are read and committed.
    ///   - merger: Where rows go from the log into the table.
    init(
        configuration: CollectorServerConfiguration, director: SharedDirector,
        executor: any CommitExecutor, merger: any CommitExecutor
    ) throws {
        let store = try DurableStore(configuration: configuration, merger: merger)
        let refusals = Refusals()
        writer = Mutex(
            try CollectorWriter(
                configuration: configuration, director: director, store: store, refusals: refusals))
        self.refusals = refusals
        self.store = store
        self.executor = executor
        self.merger = merger
    }

    /// Hands a request to the writer; its connection gets the answer on its own loop.
    func submit(_ request: PendingRequest) {
        let mustStart = queue.withLock { queue in
            queue.requests.append(request)
            defer { queue.isDraining = true }
            return !queue.isDraining
        }
        if mustStart { executor.submit { self.commitNext() } }
    }

    /// Counts a request that was refused before it was whole.
    func noteRefusal() { refusals.count.add(1, ordering: .relaxed) }

    /// Requests that were refused before they were whole.
    var refusedRequests: UInt64 { refusals.count.load(ordering: .relaxed) }

    /// What was counted, and what is held, after the latest commit.
    func snapshot() -> (CollectorStatistics, Receipts) {
        writer.withLock { writer in (writer.statistics, writer.receipts) }
    }

    /// What the store refused so far.
    var storeFailure: StoreFailure? { writer.withLock { writer in writer.storeFailure } }

    /// Takes the store's files away, which nobody was promised anything of.
    func discardStore() { StoreFiles.remove(store.path) }

    /// Writes what is queued, closes the store and ends the thread. Nothing may be submitted any more.
    func close() async {
        while queue.withLock({ $0.isDraining }) { try? await Task.sleep(for: .milliseconds(2)) }
        closeStore()
        await executor.shutDown()
        await merger.shutDown()
    }

    /// Closes the store, whatever is queued.
    func closeStore() { store.close() }

    /// Writes one transaction, releases its answers, and leaves the rest to the next work item.
    private func commitNext() {
        let batch = queue.withLock { queue in
            let batch = Array(queue.requests.prefix(CommitPipeline.requestsPerTransaction))
            queue.requests.removeFirst(batch.count)
            queue.isDraining = !batch.isEmpty
            return batch
        }
        if batch.isEmpty { return }
        let answers = writer.withLock { writer in writer.process(batch) }
        release(answers, of: batch)
        executor.submit { self.commitNext() }
    }

    /// Sends each loop the answers of its connections, in one go.
    private func release(_ answers: [CollectorAnswer], of batch: [PendingRequest]) {
        var loops: [(loop: any EventLoop, answers: [CollectorAnswer])] = []
        for (answer, request) in zip(answers, batch) {
            if let index = loops.firstIndex(where: { $0.loop === request.eventLoop }) {
                loops[index].answers.append(answer)
            } else {
                loops.append((request.eventLoop, [answer]))
            }
        }
        for (loop, answers) in loops {
            loop.execute {
                for answer in answers { answer.connection.value.answer(answer.reply, fault: answer.fault) }
            }
        }
    }
}

/// Requests that never came to the writer, since their connection answered them before they were whole.
final class Refusals: Sendable {
    let count = Atomic<UInt64>(0)
}

/// The faults' director, asked by event loops before reading and by the writer after.
final class SharedDirector: Sendable {
    private let director: Mutex<FaultDirector>
    /// Whether there is nothing to ask.
    let isIdle: Bool
    private let needsDevice: Bool

    init(plan: CollectorPlan) {
        let director = FaultDirector(plan: plan)
        isIdle = director.isIdle
        needsDevice = director.needsDevice
        self.director = Mutex(director)
    }

    func beforeReading(at now: Instant) -> EarlyFault? {
        isIdle ? nil : director.withLock { $0.beforeReading(at: now) }
    }

    func afterReading(
        at now: Instant, firstDevice: () -> UInt32?, refuses: (EventRefusal) -> Bool
    ) -> LateFault {
        guard !isIdle else { return .none }
        let device = needsDevice ? firstDevice() : nil
        return director.withLock { $0.afterReading(at: now, device: device, refuses: refuses) }
    }

    func refusesConnections(at now: Instant) -> Bool {
        director.withLock { $0.refusesConnections(at: now) }
    }

    func nextChange(after now: Instant) -> Instant? {
        isIdle ? nil : director.withLock { $0.nextChange(after: now) }
    }
}
