import CLibdeflate

/// What an archive from outside may ask for.
package struct ZipLimits: Sendable, Equatable {
    /// The most entries.
    package var entries: Int
    /// The most bytes of an entry's name.
    package var nameBytes: Int
    /// The most bytes that all entries hold together.
    package var totalBytes: Int
    /// How many times its compressed bytes an entry may hold; counts above ``freeBytes``.
    package var ratio: Int

    /// What an entry may hold whatever its ratio, in bytes: small files of one repeated row shrink to
    /// almost nothing, and do no harm.
    package static let freeBytes = 64 << 10

    /// Sets limits; DEFLATE itself expands 1032-fold at most.
    package init(entries: Int = 1000, nameBytes: Int = 255, totalBytes: Int = 64 << 20, ratio: Int = 200) {
        precondition(entries >= 0 && nameBytes >= 0 && totalBytes >= 0 && ratio > 0)
        self.entries = entries
        self.nameBytes = nameBytes
        self.totalBytes = totalBytes
        self.ratio = ratio
    }
}

/// A file in a zip archive, as the central directory describes it.
package struct ZipEntry: Sendable, Equatable {
    /// UTF-8 without separators and control characters; no two entries share one.
    package let name: String
    package let modified: DOSTime
    package let method: ZipMethod
    /// The CRC-32 of the content.
    package let checksum: UInt32
    /// The content's bytes.
    package let size: Int
    /// Where in the archive the stored or compressed content lies.
    package let data: Range<Int>
}

/// A reader of zip archives from outside (PKWARE's APPNOTE 6.3), to be made once and used for every
/// archive.
///
/// Reads flat archives of stored and deflated files. What different readers could take for different
/// things is an error: bytes before the first file or behind the directory, headers that contradict
/// each other, entries that overlap or share a name. So are encryption, Zip64, several disks and
/// folders. Not thread-safe; one per thread, about 40 kB.
///
/// ```swift
/// for entry in try decoder.entries(of: archive) {
///     try decoder.decode(entry, of: archive, into: &content)
/// }
/// ```
package final class ZipDecoder {
    package let limits: ZipLimits

    private let decompressor = Decompressor()

    /// Makes a reader.
    package init(limits: ZipLimits = ZipLimits()) { self.limits = limits }

    /// The files of an archive, in the order of its directory, all of them within the limits.
    ///
    /// Nothing is decompressed. O(entries · log entries + 65,557).
    ///
    /// - Throws: ``ZipError`` for what is no archive, is broken, or goes beyond a limit.
    package func entries(of archive: UnsafeRawBufferPointer) throws(ZipError) -> [ZipEntry] {
        try ZipDirectory(archive, limits: limits).entries()
    }

    /// Appends the content of an entry, which fits the limits, its size and its checksum.
    ///
    /// - Throws: ``ZipError/corruptContent(_:)`` or ``ZipError/wrongChecksum(_:)``; then `output` is as
    ///   before.
    /// - Precondition: `entry` is one of this archive's.
    package func decode(
        _ entry: ZipEntry, of archive: UnsafeRawBufferPointer, into output: inout WireBuffer
    ) throws(ZipError) {
        let data = UnsafeRawBufferPointer(rebasing: archive[entry.data])
        let start = output.count
        switch entry.method {
        case .stored: output.append(contentsOf: data)
        case .deflated:
            // One byte more than needed is never used, so that the memory is never empty.
            output.append(upTo: entry.size + 1) { memory in
                var consumed = 0
                // Without a place for the number of bytes written it demands exactly so many.
                let result = libdeflate_deflate_decompress_ex(
                    decompressor.pointer, data.baseAddress, data.count, memory, entry.size, &consumed, nil)
                return result == LIBDEFLATE_SUCCESS && consumed == data.count ? entry.size : 0
            }
        }
        let written = output.count - start
        let checksum = output.withUnsafeBytes { bytes in
            let content = UnsafeRawBufferPointer(rebasing: bytes[start...])
            return libdeflate_crc32(0, content.baseAddress, content.count)
        }
        guard written == entry.size, checksum == entry.checksum else {
            output.truncate(to: start)
            throw written == entry.size ? .wrongChecksum(entry.name) : .corruptContent(entry.name)
        }
    }
}
