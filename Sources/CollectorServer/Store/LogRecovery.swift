import Files
import Foundation

/// What a process that was killed left in the log beside its store.
enum LogRecovery {
    /// Brings the rows into the table that it does not have, and deletes the log.
    ///
    /// Numbers tell which rows the table has: they count only in a log that the store has had beside it at each start
    /// since, as its identity says (``StoreIdentity``).
    ///
    /// A frame that was broken off was never acknowledged; nothing lies behind it in its file. Anything else that is no
    /// frame is damage: what lies before it is brought in, and the log stays.
    ///
    /// - Parameter identity: The store's; `nil` for one that has none.
    /// - Throws: ``CollectorServerError``, if the log is another store's or is damaged, or the table does not take the rows:
    ///   then the log stays.
    static func recover(into table: EventStore, of identity: Int64?) throws {
        let paths = try paths(beside: table.path)
        // Nothing of any is taken before all are known to be the store's.
        for path in paths { try read(path, of: table.path) { try check($0, of: path, table.path, identity) } }
        for path in paths {
            let held = try table.lastBatch()
            try read(path, of: table.path) { content in
                guard case .frames(let part) = content else { return }
                try merge(part, of: path, into: table, after: held)
            }
        }
        for path in paths { unlink(path) }
    }

    /// Refuses a store that is about to be made beside a log of another, the program's or SQLite's: of one that was moved
    /// away or deleted.
    ///
    /// - Throws: ``CollectorServerError``.
    static func checkStore(_ path: String) throws {
        guard !isFilled(path), let log = try ([path + "-wal"] + paths(beside: path)).first(where: isFilled)
        else { return }
        throw CollectorServerError.storeFailure(
            path: path,
            reason:
                "there is no store, and \(log) holds acknowledged events of one; put that one back, or move the "
                + "log away")
    }

    /// The log's files; of a folder that cannot be listed nobody knows whether it has any.
    private static func paths(beside store: String) throws -> [String] {
        do throws(FileFailure) {
            return try LogFile.all(beside: store)
        } catch {
            throw CollectorServerError.storeFailure(
                path: store,
                reason: SystemWords.storeProblem(store) ?? "whether it has a log cannot be told: \(error)")
        }
    }

    private static func isFilled(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_size > 0
    }

    private static func read(_ path: String, of store: String, _ body: (LogContent) throws -> Void) throws {
        do {
            try LogFile.read(path, body)
        } catch let failure as SystemFailure {
            throw CollectorServerError.storeFailure(
                path: store, reason: "its log \(path) cannot be read: \(failure.reason)")
        }
    }

    private static func check(
        _ content: LogContent, of path: String, _ store: String, _ identity: Int64?
    ) throws {
        switch content {
        case .unmade: return
        case .damaged:
            throw CollectorServerError.storeFailure(
                path: store, reason: "\(path) \(LogWords.damage(at: 0, after: 0))")
        case .frames(let part):
            guard !part.belongs(to: identity) else { return }
            throw CollectorServerError.storeFailure(path: store, reason: "\(path) \(LogWords.foreign)")
        }
    }

    private static func merge(
        _ part: LogPart, of path: String, into table: EventStore, after held: Int64
    ) throws {
        guard part.base <= held else {
            throw CollectorServerError.storeFailure(
                path: table.path,
                reason:
                    "\(path) holds acknowledged events that follow request \(part.base), and this store ends with "
                    + "\(held): it is not the store that they belong to; put that one back, or move the log away"
            )
        }
        var frames = LogFrames(part.frames)
        if let failure = insert(&frames, after: held, into: table) {
            throw CollectorServerError.storeFailure(
                path: table.path,
                reason: "the table does not take the acknowledged events in \(path): \(failure)")
        }
        guard let damage = part.damage(in: frames.rest) else { return }
        throw CollectorServerError.storeFailure(
            path: table.path,
            reason:
                "\(path) \(LogWords.damage(at: damage, after: part.requests)). What was read is in the table")
    }

    /// - Returns: why the table did not take them, if it did not.
    private static func insert(
        _ frames: inout LogFrames, after held: Int64, into table: EventStore
    ) -> String? {
        var group: [LogFrame] = []
        var bytes = 0
        while let frame = frames.next() {
            guard frame.lastBatch > held else { continue }
            group.append(frame)
            bytes += frame.byteCount
            guard bytes > groupBytes else { continue }
            if let failure = table.commit(group.map(\.rows), mayRefuse: false) { return failure }
            (group, bytes) = ([], 0)
        }
        return group.isEmpty ? nil : table.commit(group.map(\.rows), mayRefuse: false)
    }

    private static let groupBytes = 8 << 20
}
