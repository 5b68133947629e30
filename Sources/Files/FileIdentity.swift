import Glibc

/// Which file a path names: what is put in its place later is another one.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// - Returns: `nil` where nothing is there that can be looked at; `errno` says why.
    package init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        device = UInt64(info.st_dev)
        number = UInt64(info.st_ino)
    }
}
