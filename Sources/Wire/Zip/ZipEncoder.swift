import CLibdeflate

/// A file that goes into a zip archive.
package struct ZipFile: Sendable {
    package var name: String
    package var modified: DOSTime
    package var content: WireBuffer

    /// Describes a file.
    ///
    /// - Parameters:
    ///   - name: A name for a flat folder; written as UTF-8.
    ///   - modified: When it was last written, in the time of whoever writes the archive.
    ///   - content: Its bytes, below 4 GiB.
    package init(name: String, modified: DOSTime, content: WireBuffer) {
        self.name = name
        self.modified = modified
        self.content = content
    }
}

/// A writer of zip archives (PKWARE's APPNOTE 6.3, without Zip64) over libdeflate, to be made once
/// and used for every archive.
///
/// Not thread-safe; one per thread, about 300 kB.
package final class ZipEncoder {
    private let compressor: OpaquePointer

    /// Makes a writer.
    ///
    /// - Parameter level: 1 (fastest) to 12 (smallest); 6 is as small as zlib's 6.
    package init(level: Int = 6) {
        precondition((1...12).contains(level), "libdeflate's levels are 1 to 12")
        guard let compressor = libdeflate_alloc_compressor(Int32(level)) else {
            preconditionFailure("no memory for a compressor")
        }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Appends an archive of files in the order given.
    ///
    /// - Parameters:
    ///   - files: At most 65,534, below 4 GiB together.
    ///   - method: With `deflated`, a file that does not shrink is stored.
    ///   - output: Where the archive goes.
    /// - Throws: ``ZipError`` for names that a flat folder cannot have, have twice, or that are longer
    ///   than 65,535 bytes, and for too many files or bytes; then `output` is as before.
    package func encode(
        _ files: [ZipFile], method: ZipMethod = .deflated, into output: inout WireBuffer
    ) throws(ZipError) {
        try check(files)
        let start = output.count
        var directory = WireBuffer()
        for file in files {
            let offset = output.count - start
            let entry = append(file, method: method, to: &output)
            directory.appendZipCentralHeader(of: file, entry, localOffset: UInt32(offset))
        }
        let directoryOffset = output.count - start
        // All ones would mean Zip64.
        guard directoryOffset + directory.count < Int(UInt32.max) else {
            output.truncate(to: start)
            throw .tooLarge(
                directoryOffset + directory.count, limit: Int(UInt32.max) - 1, entry: files.count - 1)
        }
        output.append(contentsOf: directory)
        output.appendZipEnd(entries: files.count, size: directory.count, offset: directoryOffset)
    }

    private func check(_ files: [ZipFile]) throws(ZipError) {
        let limit = Int(UInt16.max) - 1
        guard files.count <= limit else { throw .tooManyEntries(files.count, limit: limit) }
        var names: Set<String> = []
        var total = 0
        for (index, file) in files.enumerated() {
            guard ZipFormat.isSafe(file.name) else { throw .unsafeName(file.name, entry: index) }
            let length = file.name.utf8.count
            guard length <= Int(UInt16.max) else {
                throw .nameTooLong(length, limit: Int(UInt16.max), entry: index)
            }
            guard names.insert(file.name).inserted else { throw .duplicateName(file.name) }
            // With what the headers take, so that every offset fits into 32 bits.
            total += file.content.count + ZipFormat.localSize + length
            guard total < Int(UInt32.max) else {
                throw .tooLarge(total, limit: Int(UInt32.max) - 1, entry: index)
            }
        }
    }

    /// Appends a file's local header and content.
    private func append(_ file: ZipFile, method: ZipMethod, to output: inout WireBuffer) -> ZipWritten {
        let size = file.content.count
        var entry = ZipWritten(method: .stored, checksum: 0, compressedSize: UInt32(size))
        entry.checksum = file.content.withUnsafeBytes {
            libdeflate_crc32(0, $0.baseAddress, $0.count)
        }
        let header = output.count
        output.appendZipLocalHeader(of: file, entry)
        // DEFLATE of one byte is longer than the byte, so that nothing is gained below two.
        if method == .deflated, size > 1 {
            let content = output.count
            // Less room than the content has: what does not shrink fails, and is stored.
            output.append(upTo: size - 1) { memory in
                file.content.withUnsafeBytes {
                    libdeflate_deflate_compress(compressor, $0.baseAddress, $0.count, memory, size - 1)
                }
            }
            let compressedSize = output.count - content
            if compressedSize > 0 {
                entry.method = .deflated
                entry.compressedSize = UInt32(compressedSize)
                output.rewriteZipLocalHeader(at: header, of: entry)
                return entry
            }
        }
        output.append(contentsOf: file.content)
        return entry
    }
}

/// What the headers say of a content that was written.
private struct ZipWritten {
    var method: ZipMethod
    var checksum: UInt32
    var compressedSize: UInt32
}

extension WireBuffer {
    /// Appends an integer, the lowest byte first.
    fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger & BitwiseCopyable) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// APPNOTE 4.3.7, local file header.
    fileprivate mutating func appendZipLocalHeader(of file: ZipFile, _ entry: ZipWritten) {
        appendLittleEndian(ZipFormat.localSignature)
        appendZipShared(of: file, entry)
        append(file.name)
    }

    /// Writes method and compressed size of a local header that was appended as for another.
    fileprivate mutating func rewriteZipLocalHeader(at offset: Int, of entry: ZipWritten) {
        prepare(for: 0)
        base.storeBytes(of: entry.method.rawValue.littleEndian, toByteOffset: offset + 8, as: UInt16.self)
        base.storeBytes(of: entry.compressedSize.littleEndian, toByteOffset: offset + 18, as: UInt32.self)
    }

    /// APPNOTE 4.3.12, central directory file header.
    fileprivate mutating func appendZipCentralHeader(
        of file: ZipFile, _ entry: ZipWritten, localOffset: UInt32
    ) {
        appendLittleEndian(ZipFormat.centralSignature)
        // Made on Unix, after version 2.0 of the specification.
        appendLittleEndian(0x0314 as UInt16)
        appendZipShared(of: file, entry)
        // No comment, the first disk, no internal attributes; a plain file, readable by all.
        appendLittleEndian(0 as UInt16)
        appendLittleEndian(0 as UInt16)
        appendLittleEndian(0 as UInt16)
        appendLittleEndian(0o100644 << 16 as UInt32)
        appendLittleEndian(localOffset)
        append(file.name)
    }

    /// What both headers have in common, from the version needed to the extra field's length.
    private mutating func appendZipShared(of file: ZipFile, _ entry: ZipWritten) {
        // Version 2.0 knows DEFLATE.
        appendLittleEndian(20 as UInt16)
        appendLittleEndian(file.name.utf8.allSatisfy { $0 < 0x80 } ? 0 : ZipFormat.utf8Flag)
        appendLittleEndian(entry.method.rawValue)
        appendLittleEndian(file.modified.time)
        appendLittleEndian(file.modified.date)
        appendLittleEndian(entry.checksum)
        appendLittleEndian(entry.compressedSize)
        appendLittleEndian(UInt32(file.content.count))
        appendLittleEndian(UInt16(file.name.utf8.count))
        appendLittleEndian(0 as UInt16)
    }

    /// APPNOTE 4.3.16, end of central directory record.
    fileprivate mutating func appendZipEnd(entries: Int, size: Int, offset: Int) {
        appendLittleEndian(ZipFormat.endSignature)
        // This disk and the directory's are the first.
        appendLittleEndian(0 as UInt32)
        appendLittleEndian(UInt16(entries))
        appendLittleEndian(UInt16(entries))
        appendLittleEndian(UInt32(size))
        appendLittleEndian(UInt32(offset))
        // No comment.
        appendLittleEndian(0 as UInt16)
    }
}
