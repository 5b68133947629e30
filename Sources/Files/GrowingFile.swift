import Glibc

/// A file that grows at the end; every write is complete or throws.
///
/// Whoever writes it gives it a name that looks unfinished, and its final one with ``finish(renamingTo:isDurable:)``,
/// so that nothing partial is ever there as if whole. Confined to one thread at a time.
package final class GrowingFile {
    /// What the name of a file ends in that is still being written.
    package static let partialSuffix = ".partial"

    package let path: String
    /// The bytes written so far.
    package private(set) var size = 0
    private var descriptor: Int32

    /// Creates the file, or empties an existing one.
    package init(path: String) throws(FileFailure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure("create", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes a whole file under an unfinished name, and gives it its own when it is complete; what could not be
    /// completed is removed.
    ///
    /// - Parameter isDurable: As in ``finish(renamingTo:isDurable:)``.
    package static func write(
        _ bytes: [UInt8], to path: String, isDurable: Bool = true
    ) throws(FileFailure) {
        try write(to: path, isDurable: isDurable) { (file) throws(FileFailure) in try file.append(bytes) }
    }

    /// The same with what `fill` adds to it.
    package static func write(
        to path: String, isDurable: Bool = true, _ fill: (GrowingFile) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        let file = try GrowingFile(path: path + partialSuffix)
        do throws(FileFailure) {
            try fill(file)
            try file.finish(renamingTo: path, isDurable: isDurable)
        } catch {
            // On a full disk, what is half written is only in the way.
            unlink(file.path)
            throw error
        }
    }

    package func append(_ bytes: [UInt8]) throws(FileFailure) {
        let failure = bytes.withUnsafeBytes { bytes -> FileFailure? in
            do throws(FileFailure) { try append(bytes) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileFailure("write", path) }
            offset += count
            size += count
        }
    }

    /// Adds all that another file holds, a block of it in memory at a time.
    package func append(contentsOf other: String) throws(FileFailure) {
        let source = try FoundFile.open(other)
        defer { close(source) }
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(source, &block, block.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("read", other) }
            if count == 0 { return }
            try append(Array(block[..<count]))
        }
    }

    /// Puts everything on the disk, closes the file and gives it its final name.
    ///
    /// - Parameter isDurable: Whether it has to outlive a crash of the machine, and not only of the process.
    package func finish(renamingTo final: String, isDurable: Bool = true) throws(FileFailure) {
        guard !isDurable || fsync(descriptor) == 0 else { throw FileFailure("write", path) }
        close(descriptor)
        descriptor = -1
        try GrowingFile.rename(path, to: final)
    }

    /// Gives a file that somebody else wrote and closed its final name, once it is on the disk.
    package static func finish(_ path: String, renamingTo final: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure("write", path) }
        try rename(path, to: final)
    }

    private static func rename(_ path: String, to final: String) throws(FileFailure) {
        guard Glibc.rename(path, final) == 0 else { throw FileFailure("rename to \(final) the file", path) }
    }
}
