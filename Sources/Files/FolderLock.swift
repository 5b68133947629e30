import Glibc

/// Keeps other processes from a folder that one of them writes into.
///
/// The system forgets it with the process, however that ends, and nothing of it lies in the folder.
package final class FolderLock {
    private let descriptor: CInt

    /// Takes the folder. Where a file system knows no locks, there is none.
    ///
    /// - Returns: `nil` if another process, or another lock of this one, has it.
    package init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        return nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
