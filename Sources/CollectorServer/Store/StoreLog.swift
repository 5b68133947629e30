import Synchronization

/// Rows that are durable and not in the table yet: files beside the store that grow at their end, while a thread in the
/// background puts their rows into the table from the front.
///
/// Appending takes one write, so that acknowledging does not wait for the table. One thread appends (``append(_:after:)``,
/// ``clear()``), one at a time merges (``merge(_:)``), any may ask.
final class StoreLog: Sendable {
    private struct Entry: Sendable {
        var file: LogFile
        /// The end of its last whole frame.
        var end = LogFile.headerBytes
        /// Whether nothing may be appended to it.
        var isFull = false
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        /// What of the first file is merged.
        var mergedEnd = LogFile.headerBytes
        var rows = 0
        var lastNumber = 0
        var isMerging = false
        var failure: String?
    }

    /// What came of a step of merging.
    enum Step {
        /// There may be more.
        case merged
        /// Nothing is left; who appends next asks for merging again.
        case done
        /// The table refused: the rows stay.
        case failed(String)
    }

    /// What is merged in one transaction, and a frame.
    private static let mergedRows = 10_000
    private static let mergedBytes = 8 << 20

    private let store: String
    private let identity: Int64
    /// A file of this size gets a successor: what is merged gives its place on the disk back.
    private let fileBytes: Int
    private let state = Mutex(State())
    /// Held while rows are on their way into the table.
    private let merging = Mutex(())

    /// - Parameters:
    ///   - store: The store's path, with which the files' names begin.
    ///   - identity: The store's, which each file bears.
    init(beside store: String, of identity: Int64, fileBytes: Int) {
        self.store = store
        self.identity = identity
        self.fileBytes = fileBytes
    }

    /// Rows that are not in the table yet.
    var rows: Int { state.withLock { $0.rows } }
    /// Why the table did not take the first of them when it was last tried.
    var failure: String? { state.withLock { $0.failure } }
    /// Whether there is no row, and nobody who merges.
    var isIdle: Bool { state.withLock { $0.rows == 0 && !$0.isMerging } }

    /// Makes rows durable.
    ///
    /// - Parameter base: The highest request number of all rows before them.
    /// - Returns: whether merging is to be asked for, since nobody is at it.
    /// - Throws: ``SystemFailure``; then nothing of them is kept.
    func append(_ frame: LogFrame, after base: Int64) throws(SystemFailure) -> Bool {
        let (file, end) = try fileToAppend(after: base)
        do {
            try file.append(frame, at: end)
        } catch {
            state.withLock { $0.entries[$0.entries.count - 1].isFull = !error.isUndone }
            throw error
        }
        return state.withLock { state in
            let last = state.entries.count - 1
            state.entries[last].end += frame.byteCount
            state.entries[last].isFull = state.entries[last].end >= fileBytes
            state.rows += frame.rowCount
            defer { state.isMerging = true }
            return !state.isMerging
        }
    }

    private func fileToAppend(after base: Int64) throws(SystemFailure) -> (LogFile, end: Int) {
        let (latest, number) = state.withLock { state in
            (state.entries.last.flatMap { $0.isFull ? nil : $0 }, state.lastNumber + 1)
        }
        if let latest { return (latest.file, latest.end) }
        let file = try LogFile(making: LogFile.path(number, beside: store), after: base, of: identity)
        state.withLock { state in
            state.lastNumber = number
            state.entries.append(Entry(file: file))
        }
        return (file, LogFile.headerBytes)
    }

    /// Deletes the files, if all their rows are merged; for the thread that appends.
    ///
    /// - Returns: whether there were any: the table has caught up.
    func clear() -> Bool {
        state.withLock { state in
            guard state.rows == 0, !state.entries.isEmpty else { return false }
            for entry in state.entries { entry.file.delete() }
            state.entries = []
            state.mergedEnd = LogFile.headerBytes
            return true
        }
    }

    /// Deletes the files with all that they hold.
    func delete() {
        state.withLock { state in
            for entry in state.entries { entry.file.delete() }
            state = State()
        }
    }

    /// Puts the first rows into the table.
    ///
    /// - Parameter insert: Puts whole frames into it in one transaction; returns why it could not.
    func merge(_ insert: ([LogFrame]) -> String?) -> Step {
        merging.withLock { _ in
            guard let (file, start, end) = nextRange() else { return .done }
            var taken: (bytes: Int, rows: Int) = (0, 0)
            var failure: String?
            do throws(SystemFailure) {
                failure = try file.withBytes(from: start, to: end) { bytes in
                    var frames: [LogFrame] = []
                    var whole = LogFrames(bytes)
                    while taken.rows < StoreLog.mergedRows, taken.bytes < StoreLog.mergedBytes,
                        let frame = whole.next()
                    {
                        frames.append(frame)
                        taken.bytes += frame.byteCount
                        taken.rows += frame.rowCount
                    }
                    // What this process wrote whole can only be damaged by others.
                    return frames.isEmpty ? "\(file.path) is damaged" : insert(frames)
                }
            } catch { failure = error.reason }
            state.withLock { state in
                state.failure = failure
                guard failure == nil else { return }
                state.mergedEnd += taken.bytes
                state.rows -= taken.rows
            }
            return failure.map(Step.failed) ?? .merged
        }
    }

    /// The part of the first file that is not merged, after the files that are; `nil` if all is merged.
    private func nextRange() -> (LogFile, start: Int, end: Int)? {
        state.withLock { state in
            while let first = state.entries.first, state.mergedEnd >= first.end, state.entries.count > 1 {
                first.file.delete()
                state.entries.removeFirst()
                state.mergedEnd = LogFile.headerBytes
            }
            guard let first = state.entries.first, state.mergedEnd < first.end else {
                state.isMerging = false
                return nil
            }
            return (first.file, state.mergedEnd, first.end)
        }
    }
}
