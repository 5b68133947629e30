import Foundation

/// What a process that was killed left in the log beside its store.
enum LogRecovery {
    /// Brings the rows into the table that it does not have, and deletes the log.
    ///
    /// A frame that is not whole was never acknowledged; nothing lies behind it in its file.
    ///
    /// - Throws: ``CollectorServerError``, if the table does not take them: then the log stays.
    static func recover(into table: EventStore) throws {
        let paths = LogFile.all(beside: table.path)
        for path in paths {
            let held = try table.lastBatch()
            do {
                let failure = try LogFile.read(path) { content in
                    try content.flatMap { try merge($0, of: path, into: table, after: held) }
                }
                if let failure {
                    throw CollectorServerError.storeFailure(
                        path: table.path,
                        reason: "the table does not take the acknowledged events in \(path): \(failure)")
                }
            } catch let failure as SystemFailure {
                throw CollectorServerError.storeFailure(
                    path: table.path, reason: "its log \(path) cannot be read: \(failure.reason)")
            }
        }
        for path in paths { unlink(path) }
    }

    /// - Returns: why the table did not take them, if it did not.
    private static func merge(
        _ content: LogFile.Content, of path: String, into table: EventStore, after held: Int64
    ) throws -> String? {
        guard content.base <= held else {
            throw CollectorServerError.storeFailure(
                path: table.path,
                reason:
                    "\(path) holds acknowledged events that follow request \(content.base), and this store ends with "
                    + "\(held): it is not the store that they belong to; put that one back, or move the log away"
            )
        }
        var group: [LogFrame] = []
        var bytes = 0
        for frame in LogFrames(content.frames) where frame.lastBatch > held {
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
