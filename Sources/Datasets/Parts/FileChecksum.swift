package import Files
import Glibc
import Wire

/// The checksum by which it shows that a file was changed: CRC-32, as ``FileSink/checksum``.
package enum FileChecksum {
    private static let blockBytes = 1 << 20

    /// Reads a whole file, a block of it in memory at a time.
    package static func crc32(of path: String) throws(FileFailure) -> UInt32 {
        let descriptor = try FoundFile.open(path)
        defer { close(descriptor) }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 8)
        defer { block.deallocate() }
        var checksum: UInt32 = 0
        while true {
            let count = Glibc.read(descriptor, block.baseAddress, block.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("read", path) }
            if count == 0 { return checksum }
            let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
            checksum = CRC32.checksum(of: bytes, after: checksum)
        }
    }

    /// Compares a file with its checksum.
    ///
    /// - Throws: ``FileFailure`` that says that it was changed.
    package static func check(_ path: String, _ expected: UInt32) throws(FileFailure) {
        guard try crc32(of: path) == expected else {
            throw FileFailure(
                "read", path, reason: "its bytes are not those that were written: it was changed since")
        }
    }
}
