import Glibc
import Synchronization

/// Room on a disk that is kept for what has to be written at the end, whatever fills the disk meanwhile.
///
/// It is a file without a name, so the room comes back however the process ends. Where a file system knows no
/// such files, nothing is kept.
final class DiskReserve: Sendable {
    private let descriptor: Mutex<Int32>

    /// The most that a run keeps.
    static let limit = 4 << 20

    /// Keeps room in a folder.
    ///
    /// - Parameter share: The share of what is free that may be kept, 0...1.
    init(in folder: String, bytes: Int, share: Double) {
        descriptor = Mutex(DiskReserve.open(folder, bytes: bytes, share: share))
    }

    deinit { release() }

    /// Gives the room back.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    private static func open(_ folder: String, bytes: Int, share: Double) -> Int32 {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return -1 }
        let free = Double(status.f_bavail) * Double(status.f_frsize)
        // A limit on the size of files is meant for files, and no disk is full because of it.
        let wanted = min(bytes, Int(min(free * share, 1e15)), fileSizeLimit)
        guard wanted > 0 else { return -1 }
        // O_TMPFILE, which the module map does not show: 0o20000000 with O_DIRECTORY.
        let descriptor = Glibc.open(folder, O_RDWR | O_CLOEXEC | 0o20000000 | O_DIRECTORY, 0o600)
        guard descriptor >= 0 else { return -1 }
        guard posix_fallocate(descriptor, 0, wanted) == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    private static var fileSizeLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }
}
