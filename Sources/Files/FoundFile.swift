import Glibc

/// Opening what nobody but a folder names: what has its name there and is a pipe, where a user's own may be one, would be
/// waited for without end.
package enum FoundFile {
    /// Opens a file for reading.
    ///
    /// - Returns: Its descriptor, which the caller closes; also that of a folder, which tells by itself that it cannot be
    ///   read.
    /// - Throws: ``FileFailure`` for what is not there, may not be read, or is neither.
    package static func open(_ path: String) throws(FileFailure) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileFailure("read", path) }
        var info = stat()
        if fstat(descriptor, &info) == 0, [S_IFREG, S_IFDIR].contains(info.st_mode & S_IFMT) {
            return descriptor
        }
        close(descriptor)
        throw FileFailure("read", path, reason: "it is no regular file")
    }
}
