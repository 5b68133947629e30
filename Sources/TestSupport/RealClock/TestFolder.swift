import Foundation

/// Where tests put their files: in memory where the machine has a file system there, so that a disk on which
/// others work cannot make a run late. What is about disks themselves mounts its own.
package enum TestFolder {
    /// Less free room than this is no place for tests.
    private static let leastFree: UInt64 = 1 << 30

    /// A folder that exists, without a slash at its end: `TMPDIR` if somebody chose it, else `/dev/shm` if it lies in
    /// memory and has a gigabyte left, else the usual one.
    package static let base: String = {
        if let chosen = ProcessInfo.processInfo.environment["TMPDIR"], !chosen.isEmpty { return chosen }
        return isRoomyMemory("/dev/shm") ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    }()

    /// The path of a file or folder of a test's own, which does not exist yet.
    package static func newPath(_ name: String) -> String { "\(base)/\(name)-\(UUID().uuidString)" }

    /// Whether a file system of its own lies there in memory, with enough room.
    private static func isRoomyMemory(_ path: String) -> Bool {
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        let isInMemory = mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 2 && fields[1] == path && fields[2] == "tmpfs"
        }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.uint64Value ?? 0
        return isInMemory && free >= leastFree && FileManager.default.isWritableFile(atPath: path)
    }
}
