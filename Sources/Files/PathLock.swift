import Glibc

/// Keeps other processes from a file or a folder that one of them writes into.
///
/// The system forgets it with the process, however that ends, and nothing of it lies beside what it keeps.
package final class PathLock: Sendable {
    private let descriptor: CInt

    /// Takes the file or the folder. Where a file system knows no locks, there is none.
    ///
    /// - Returns: `nil` if another process, or another lock of this one, has it.
    package init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        return nil
    }

    /// Lets others have it, before its end.
    package func release() { _ = flock(descriptor, LOCK_UN) }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
