import Files
import Foundation

/// One file of a store's log: a head that says whose it is and what it goes on from, and then frames. It is only ever
/// appended to.
///
/// One thread appends; others read what it said was whole.
final class LogFile: Sendable {
    /// A mark, the highest request number of what came before, and the store's identity, in the machine's order.
    static let headerBytes = 24
    /// "BSWMLOG2".
    private static let mark: UInt64 = 0x3247_4F4C_4D57_5342

    let path: String
    private let descriptor: CInt

    /// Makes a file.
    ///
    /// - Parameters:
    ///   - base: The highest request number that the table, or the log before this file, holds.
    ///   - identity: The store's.
    /// - Throws: ``SystemFailure``.
    init(making path: String, after base: Int64, of identity: Int64) throws(SystemFailure) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemFailure() }
        self.path = path
        self.descriptor = descriptor
        var head = (LogFile.mark, base, identity)
        var failure: SystemFailure?
        withUnsafeBytes(of: &head) { bytes in
            do throws(SystemFailure) { try write([bytes]) } catch { failure = error }
        }
        if let failure {
            unlink(path)
            throw failure
        }
    }

    deinit { close(descriptor) }

    /// Takes the file away from its folder.
    func delete() { unlink(path) }

    /// Appends a frame, whole or not at all.
    ///
    /// - Parameter end: Where the file ends.
    /// - Throws: ``SystemFailure``, which says whether the file ends where it did.
    func append(_ frame: LogFrame, at end: Int) throws(SystemFailure) {
        let header = frame.header
        var failure: SystemFailure?
        header.span.withUnsafeBytes { head in
            do throws(SystemFailure) { try write([head, frame.rows]) } catch { failure = error }
        }
        guard var failure else { return }
        // What is left of a frame would end the log for whoever reads it: nothing may come behind it.
        failure.isUndone =
            ftruncate(descriptor, off_t(end)) == 0 && lseek(descriptor, 0, SEEK_END) == off_t(end)
        throw failure
    }

    private func write(_ parts: [UnsafeRawBufferPointer]) throws(SystemFailure) {
        for part in parts {
            var rest = part
            while !rest.isEmpty {
                let written = Foundation.write(descriptor, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw SystemFailure() }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }

    /// Calls `body` with a part of the file in memory.
    ///
    /// - Throws: ``SystemFailure``, if there is no memory for it.
    func withBytes<Result>(
        from start: Int, to end: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(SystemFailure) -> Result {
        try LogFile.withBytes(descriptor, from: start, to: end, body)
    }

    private static func withBytes<Result>(
        _ descriptor: CInt, from start: Int, to end: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(SystemFailure) -> Result {
        let page = Int(sysconf(CInt(_SC_PAGESIZE)))
        let first = start / page * page
        guard end > first else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard let memory = mmap(nil, end - first, PROT_READ, MAP_SHARED, descriptor, off_t(first)),
            memory != MAP_FAILED
        else { throw SystemFailure() }
        defer { munmap(memory, end - first) }
        return body(UnsafeRawBufferPointer(start: memory + (start - first), count: end - start))
    }

    /// Reads a file that need not be this process's own.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: ``SystemFailure``, or what `body` throws.
    static func read<Result>(_ path: String, _ body: (LogContent) throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure() }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw SystemFailure() }
        let outcome = try withBytes(descriptor, from: 0, to: Int(info.st_size)) { bytes in
            Swift.Result { try body(LogContent(bytes)) }
        }
        return try outcome.get()
    }

    /// The log's files beside a store, in their order.
    ///
    /// - Throws: ``FileFailure`` for a folder that cannot be listed: what lies there is unknown.
    static func all(beside store: String) throws(FileFailure) -> [String] {
        let (folder, name) = Folder.split(store)
        let prefix = name + suffix
        return try Folder.readableNames(in: folder).compactMap { file -> Int? in
            guard file.hasPrefix(prefix), let number = Int(file.dropFirst(prefix.count)) else { return nil }
            // No log is named ".01" or ".+1".
            return file == prefix + String(number) ? number : nil
        }
        .filter { $0 > 0 }.sorted().map { path($0, beside: store) }
    }

    static func path(_ number: Int, beside store: String) -> String { "\(store)\(suffix)\(number)" }

    private static let suffix = "-log."
}

/// What the operating system refused.
struct SystemFailure: Error {
    /// In the system's words, such as "No space left on device".
    let reason: String
    /// Whether nothing is left of what was begun.
    var isUndone = true

    /// The latest refusal on this thread.
    init() { reason = (errno == ENOSPC ? "the disk is full: " : "") + SystemWords.text(errno) }
}

/// The files that are a store.
package enum StoreFiles {
    /// The file that a store's path names. Links are followed, as SQLite does for the files of its own: the log lies beside
    /// the file, by whichever name that is opened. A name that says something else to SQLite (`:memory:`, `file:…`) is
    /// that of a file.
    package static func resolved(_ path: String) -> String {
        var path = path
        // As many as the system follows; what is a link still, it refuses.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = next.hasPrefix("/") ? next : Folder.path(of: next, in: Folder.split(path).folder)
        }
        return path.hasPrefix(":") || path.hasPrefix("file:") ? "./\(path)" : path
    }

    /// Removes a store that holds nothing that anybody was promised, with the files that SQLite keeps beside it.
    package static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? Folder.remove(path + suffix) }
    }

    /// What follows the store's path in the names of those that are there and hold rows: the store's own (nothing), and
    /// those of its logs, SQLite's first.
    ///
    /// - Throws: ``FileFailure`` for a folder that cannot be listed.
    package static func suffixes(at path: String) throws -> [String] {
        let files = try [path, path + "-wal"] + LogFile.all(beside: path)
        return files.filter { FileManager.default.fileExists(atPath: $0) }.map {
            String($0.dropFirst(path.count))
        }
    }
}
