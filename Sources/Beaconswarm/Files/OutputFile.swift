import Glibc

/// Writing files without ever leaving a partial one behind as if whole.
enum OutputFile {
    /// Writes a file under another name and renames it when it is complete and on the disk.
    ///
    /// - Parameter isDurable: Whether it has to outlive a crash of the machine, and not only of the process.
    /// - Throws: ``CommandFailure`` with code 70 that names the path and the system's reason.
    static func write(_ bytes: [UInt8], to path: String, isDurable: Bool = true) throws(CommandFailure) {
        let partial = path + ".partial"
        let stream = try AppendingFile(path: partial)
        do {
            try stream.append(bytes)
            try stream.finish(renamingTo: path, isDurable: isDurable)
        } catch {
            // On a full disk, what is half written is only in the way.
            unlink(partial)
            throw error
        }
    }

    /// A failure that names the path and the system's reason for the last error.
    static func failure(
        _ action: String, _ path: String, code: CommandStatus = .internalError
    ) -> CommandFailure {
        CommandFailure(code, "cannot \(action) \(path): \(String(cString: strerror(errno)))")
    }

    /// Reads a whole file.
    ///
    /// - Parameter limit: The most bytes that it may have.
    /// - Throws: ``CommandFailure`` with the given code.
    static func read(
        _ path: String, failing code: CommandStatus, limit: Int = .max
    ) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let shown = path.isEmpty ? "\"\"" : path
            throw CommandFailure(code, "cannot read \(shown): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, name: path, failing: code, limit: limit)
    }

    /// Reads what is left of an open file.
    ///
    /// - Parameters:
    ///   - path: What messages call it.
    ///   - limit: The most bytes that it may have; a file that never ends is read no further.
    /// - Throws: ``CommandFailure`` with the given code.
    static func read(
        descriptor: Int32, name path: String, failing code: CommandStatus, limit: Int = .max
    ) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(code, "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            guard count <= limit - bytes.count else {
                throw CommandFailure(
                    code, "cannot read \(path): it has more than the \(limit) bytes that are allowed")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// Whether anything is at the path.
    static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }
}

/// A file that grows at the end; every write is complete or throws.
final class AppendingFile {
    let path: String
    private var descriptor: Int32

    /// Creates the file, or empties an existing one.
    ///
    /// - Throws: ``CommandFailure`` with the given code.
    init(path: String, failing code: CommandStatus = .internalError) throws(CommandFailure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw OutputFile.failure("create", path, code: code) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func append(_ bytes: [UInt8]) throws(CommandFailure) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw OutputFile.failure("write", path) }
            offset += count
        }
    }

    /// Puts everything on the disk, closes the file and gives it its final name.
    func finish(renamingTo final: String, isDurable: Bool = true) throws(CommandFailure) {
        guard !isDurable || fsync(descriptor) == 0 else { throw OutputFile.failure("write", path) }
        close(descriptor)
        descriptor = -1
        guard rename(path, final) == 0 else { throw OutputFile.failure("rename to \(final) the file", path) }
    }
}
