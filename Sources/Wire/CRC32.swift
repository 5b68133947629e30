import CLibdeflate

/// The checksum of gzip and zip (RFC 1952, section 8; polynomial 0xEDB88320).
package enum CRC32 {
    /// The checksum of `bytes`, going on from that of what lies before them. O(`bytes.count`).
    package static func checksum(of bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32 {
        // libdeflate takes no address as the beginning of a sum.
        guard let base = bytes.baseAddress else { return previous }
        return libdeflate_crc32(previous, base, bytes.count)
    }
}
