import Accounting
import Files
import Foundation
import Synchronization
import Wire

#if PLANTED
    import Timebase
#endif

/// The table of events with the log in front of it: what is committed survives the process, whichever of the two has it.
///
/// A commit goes into the table as long as the table keeps up. When transactions take too large a share of the time, commits
/// go into the log, and a thread in the background brings them into the table in the order of their requests. Rows that are
/// younger than those in the log wait behind them, so the table is at any time the beginning of what was committed. That is
/// what tells a process that finds a log which of its rows the table has already: those up to the highest request number.
final class DurableStore: Sendable {
    let path: String
    private let table: Mutex<EventStore>
    private let log: StoreLog
    private let logging: StoreLogging
    private let isTemporary: Bool
    private let lock: PathLock?
    private let refusesCommit: @Sendable () -> Bool
    private let onWarning: @Sendable (String) -> Void
    private let merger: any CommitExecutor
    /// The file that was opened; `nil` for a temporary one, which nobody knows.
    private let file: FileIdentity?
    private let isClosed = Atomic(false)
    private let wasGone = Atomic(false)
    private let hasComplained = Atomic(false)

    /// The rows beyond which a commit waits until the table has caught up: room on the disk, and the time that an end
    /// takes.
    private static let logLimit = 20_000_000
    /// A write to the log stays in the processor's cache; a transaction is worth its while.
    private static let (frameBytes, transactionBytes) = (256 << 10, 8 << 20)

    /// Opens a store, and brings what an earlier process left in the log into the table.
    ///
    /// - Parameter merger: Where rows are merged. Nothing waits for it.
    /// - Throws: ``CollectorServerError``.
    init(configuration: CollectorServerConfiguration, merger: any CommitExecutor) throws {
        isTemporary = configuration.storePath == nil
        logging = DurableStore.logging(configuration)
        // Before anything is opened: of a store that is another's, or not there, no file is to be left behind.
        let file = configuration.storeFile
        let early = try file.flatMap { try DurableStore.claim($0) }
        let table = try EventStore(
            path: file, temporaryFolder: configuration.temporaryFolder,
            byteLimit: configuration.limits.storeBytes, refusesCommit: configuration.refusesCommit)
        path = table.path
        self.file = isTemporary ? nil : FileIdentity(table.path)
        lock = try isTemporary ? nil : early ?? DurableStore.lock(table.path)
        var identity: Int64 = 0
        if !isTemporary {
            do { identity = try DurableStore.recover(table, makesIdentity: logging != .never) } catch {
                table.close()
                throw error
            }
        }
        // A temporary log stays as long as its server: in few files, as each is open.
        log = StoreLog(
            beside: table.path, of: identity, fileBytes: isTemporary ? 1 << 30 : 64 << 20)
        refusesCommit = configuration.refusesCommit
        onWarning = configuration.onWarning
        self.merger = merger
        self.table = Mutex(table)
    }

    /// Takes a store that is there.
    ///
    /// - Returns: `nil` where none is.
    private static func claim(_ path: String) throws -> PathLock? {
        try LogRecovery.checkStore(path)
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return try lock(path)
    }

    /// Brings in what an earlier process left in the log. Any other log is then none of this store's.
    ///
    /// - Parameter makesIdentity: Whether a store without an identity is to have one, for a log of its own.
    /// - Returns: the store's identity.
    private static func recover(_ table: EventStore, makesIdentity: Bool) throws -> Int64 {
        let identity = try table.identity()
        try LogRecovery.recover(into: table, of: identity)
        guard makesIdentity || identity != nil else { return 0 }
        return try table.renewIdentity()
    }

    /// Keeps a second collector from the store of a first: each numbers requests and copies from what it found.
    private static func lock(_ path: String) throws -> PathLock {
        guard let lock = PathLock(path) else {
            throw CollectorServerError.storeFailure(
                path: path, reason: "another collector writes into it; end that one, or name another file")
        }
        return lock
    }

    private static func logging(_ configuration: CollectorServerConfiguration) -> StoreLogging {
        #if PLANTED
            if Planted.has(.acknowledgeBeforeCommit) { return .never }
        #endif
        if configuration.limits.storeBytes != nil { return .never }
        // Nobody reads the table of a temporary store: its rows stay in the log.
        return configuration.storePath == nil ? .always : configuration.logging
    }

    /// The receipts of all rows, and the highest request number.
    func load() throws -> (Receipts, lastBatch: Int64) {
        try table.withLock { table in (try table.loadReceipts(), try table.lastBatch()) }
    }

    /// Whether the path names another file by now, or none: what is written goes nowhere. After the end, whether it did so
    /// then.
    var isGone: Bool {
        guard let file else { return false }
        if isClosed.load(ordering: .relaxed) { return wasGone.load(ordering: .relaxed) }
        guard let now = FileIdentity(path) else { return errno == ENOENT || errno == ENOTDIR }
        return now != file
    }

    /// Why a store that is gone takes nothing.
    static let goneReason = "its file was removed or replaced"

    /// Rows that are not in the table yet.
    var rowsInLog: Int { isTemporary ? 0 : log.rows }

    /// Makes rows durable; for one thread at a time.
    ///
    /// - Parameters:
    ///   - base: The highest request number that was committed before.
    ///   - load: How busy the table is.
    /// - Returns: `nil` if all of them are committed, else why none is.
    func commit(_ rows: borrowing RowBuffer, after base: Int64, load: inout StoreLoad) -> String? {
        guard rows.count > 0 else { return nil }
        if isGone { return DurableStore.goneReason }
        return rows.bytes.withUnsafeBytes { bytes in
            if takesDirectly(&load) {
                return load.measure { table.withLock { $0.commit([bytes]) } }
            }
            return appendToLog(
                LogFrame(rows: bytes, rowCount: rows.count, lastBatch: rows.lastBatch), after: base)
        }
    }

    /// Keeps for an audit what was acknowledged and is not kept: as good as it goes, for no promise depends on it.
    func note(notKept events: [NotKeptEvent]) {
        guard !events.isEmpty, !isTemporary else { return }
        table.withLock { $0.note(notKept: events) }
    }

    /// Whether the next rows go into the log, as far as can be told.
    func prefersLog(_ load: borrowing StoreLoad) -> Bool {
        switch logging {
        case .never: false
        case .always: true
        case .whenBehind: load.isBehind || !log.isIdle
        }
    }

    /// The bytes of rows that are committed together.
    func commitBytes(toLog: Bool) -> Int { toLog ? DurableStore.frameBytes : DurableStore.transactionBytes }

    /// Whether the table is to take the next rows itself.
    private func takesDirectly(_ load: inout StoreLoad) -> Bool {
        guard logging != .never else { return true }
        guard log.isIdle else { return false }
        let hasCaughtUp = log.clear()
        guard logging == .whenBehind else { return false }
        if hasCaughtUp { load.noteDrained() }
        return !load.isBehind
    }

    private func appendToLog(_ frame: LogFrame, after base: Int64) -> String? {
        if refusesCommit() { return SystemWords.text(EIO) }
        while !isTemporary, log.rows > DurableStore.logLimit {
            if let failure = log.failure { return failure }
            if isGone { return DurableStore.goneReason }
            usleep(2000)
        }
        do {
            let mustMerge = try log.append(frame, after: base)
            if mustMerge, !isTemporary { merger.submit { self.mergeNext() } }
            return nil
        } catch { return error.reason }
    }

    /// Merges a part, and leaves the rest to the next work item.
    private func mergeNext() {
        guard !isClosed.load(ordering: .relaxed) else { return }
        guard !isGone else {
            // What the log has is to stay there: the file may be put back.
            merger.pause()
            return merger.submit { self.mergeNext() }
        }
        switch merge() {
        case .done: return
        case .merged:
            if hasComplained.exchange(false, ordering: .relaxed) {
                onWarning("the table in \(path) takes rows again")
            }
        case .failed(let reason):
            if !hasComplained.exchange(true, ordering: .relaxed) {
                onWarning(
                    "the table in \(path) takes no more rows (\(reason)); what is acknowledged is safe in the log "
                        + "beside it, and is tried again")
            }
            merger.pause()
        }
        merger.submit { self.mergeNext() }
    }

    private func merge() -> StoreLog.Step {
        log.merge { frames in
            table.withLock { $0.commit(frames.map(\.rows), mayRefuse: false) }
        }
    }

    /// Brings the rest of the log into the table, and closes the file; deletes both if they are temporary.
    ///
    /// What the table does not take stays in the log for the next process; what lies where a store was that is gone may be
    /// another's by now, and is left alone. Closing again does nothing.
    func close() {
        let isGone = isGone
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        wasGone.store(isGone, ordering: .relaxed)
        if isTemporary {
            log.delete()
        } else if !isGone {
            if log.rows > DurableStore.announcedRows {
                onWarning("\(log.rows) acknowledged events are on their way from the log into the table")
            }
            finishMerging()
        }
        table.withLock { $0.close() }
        lock?.release()
    }

    private func finishMerging() {
        while true {
            switch merge() {
            case .merged: continue
            case .done:
                _ = log.clear()
                return
            case .failed(let reason):
                return onWarning(
                    "\(log.rows) acknowledged events stay in the log beside \(path), since the table cannot take them "
                        + "(\(reason)); a collector that continues this store brings them in")
            }
        }
    }

    /// Rows whose merging takes a second or so.
    private static let announcedRows = 500_000
}
