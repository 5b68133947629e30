import Files
import Glibc

/// Writing files without ever leaving a partial one behind as if whole.
enum OutputFile {
    /// Writes a file under another name and renames it when it is complete and on the disk.
    ///
    /// - Parameter isDurable: Whether it has to outlive a crash of the machine, and not only of the process.
    /// - Throws: ``CommandFailure`` with code 70 that names the path and the system's reason.
    static func write(_ bytes: [UInt8], to path: String, isDurable: Bool = true) throws(CommandFailure) {
        do {
            try GrowingFile.write(bytes, to: path, isDurable: isDurable)
        } catch {
            throw CommandFailure(.internalError, error)
        }
    }

    /// A file's name without its folder and without `.json`: what it is called that has no other name.
    static func baseName(_ path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".json") ? String(file.dropLast(5)) : file
    }

    /// A failure that names the path and the system's reason for the last error.
    static func failure(
        _ action: String, _ path: String, code: CommandStatus = .internalError
    ) -> CommandFailure {
        CommandFailure(code, "cannot \(action) \(path): \(String(cString: strerror(errno)))")
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that it may have.
    ///   - mayBePipe: Whether a user names it, whose pipe is waited for. What nobody but a folder names is a file, or is
    ///     not read.
    /// - Throws: ``CommandFailure`` with the given code.
    static func read(
        _ path: String, failing code: CommandStatus, limit: Int = .max, mayBePipe: Bool = false
    ) throws(CommandFailure) -> [UInt8] {
        let descriptor: Int32
        do {
            descriptor = try mayBePipe ? openAny(path) : FoundFile.open(path)
        } catch {
            let shown = path.isEmpty ? "\"\"" : path
            throw CommandFailure(code, "cannot read \(shown): \(error.reason)")
        }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, name: path, failing: code, limit: limit)
    }

    private static func openAny(_ path: String) throws(FileFailure) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("read", path) }
        return descriptor
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

    /// Whether a folder is at the path, or where a link there leads.
    static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

    /// Whether something else than a folder is there.
    static func isFile(_ path: String) -> Bool { kind(path).map { $0 != S_IFDIR } ?? false }

    /// What is at the path, or where a link there leads; `nil` for nothing.
    private static func kind(_ path: String) -> mode_t? {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }

    /// Whether anything is at the path.
    static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }
}

/// A file that grows at the end, whose failures are those of a command.
final class AppendingFile {
    private let file: GrowingFile

    /// Creates the file, or empties an existing one.
    ///
    /// - Throws: ``CommandFailure`` with the given code.
    init(path: String, failing code: CommandStatus = .internalError) throws(CommandFailure) {
        do { file = try GrowingFile(path: path) } catch { throw CommandFailure(code, error) }
    }

    func append(_ bytes: [UInt8]) throws(CommandFailure) {
        do { try file.append(bytes) } catch { throw CommandFailure(.internalError, error) }
    }

    /// Adds all that another file holds.
    func append(contentsOf other: String) throws(CommandFailure) {
        do { try file.append(contentsOf: other) } catch { throw CommandFailure(.internalError, error) }
    }

    /// Puts everything on the disk, closes the file and gives it its final name.
    func finish(renamingTo final: String, isDurable: Bool = true) throws(CommandFailure) {
        do {
            try file.finish(renamingTo: final, isDurable: isDurable)
        } catch {
            throw CommandFailure(.internalError, error)
        }
    }
}

extension CommandFailure {
    init(_ code: CommandStatus, _ failure: FileFailure) { self.init(code, failure.description) }
}
