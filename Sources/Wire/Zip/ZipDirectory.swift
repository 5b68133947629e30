/// The central directory of an archive from outside, read once, with every file's local header.
struct ZipDirectory {
    let archive: UnsafeRawBufferPointer
    let limits: ZipLimits

    init(_ archive: UnsafeRawBufferPointer, limits: ZipLimits) {
        self.archive = archive
        self.limits = limits
    }

    func entries() throws(ZipError) -> [ZipEntry] {
        let (count, directory) = try end()
        guard count <= limits.entries else { throw .tooManyEntries(count, limit: limits.entries) }
        var entries: [ZipEntry] = []
        var extents: [Extent] = []
        var names: Set<String> = []
        var total = 0
        var position = directory.lowerBound
        for index in 0..<count {
            let header = try centralHeader(at: position, of: directory, entry: index)
            position = header.end
            guard names.insert(header.name).inserted else { throw .duplicateName(header.name) }
            total += header.size
            guard total <= limits.totalBytes else {
                throw .tooLarge(total, limit: limits.totalBytes, entry: index)
            }
            try checkRatio(of: header)
            let data = try data(of: header, before: directory.lowerBound)
            extents.append(Extent(bytes: header.localOffset..<data.upperBound, entry: index))
            entries.append(
                ZipEntry(
                    name: header.name, modified: header.modified, method: header.method,
                    checksum: header.checksum, size: header.size, data: data))
        }
        guard position == directory.upperBound else {
            throw .malformed("the directory's end", offset: position)
        }
        try checkExtents(extents, of: entries)
        return entries
    }

    /// The number of entries and the offset of the directory, by the end record (APPNOTE 4.3.16).
    private func end() throws(ZipError) -> (count: Int, directory: Range<Int>) {
        guard let offset = endOffset() else { throw .notAnArchive }
        let disks = archive.uint32(at: offset + 4)
        let entriesOnDisk = archive.uint16(at: offset + 8)
        let entries = archive.uint16(at: offset + 10)
        let size = archive.uint32(at: offset + 12)
        let start = archive.uint32(at: offset + 16)
        guard entries != .max, size != .max, start != .max else {
            throw .unsupported("Zip64", offset: offset)
        }
        guard disks == 0, entriesOnDisk == entries else {
            throw .unsupported("an archive on several disks", offset: offset)
        }
        guard Int(start) + Int(size) == offset else { throw .malformed("the end record", offset: offset) }
        return (Int(entries), Int(start)..<offset)
    }

    /// Where the end record begins: the last one whose comment ends with the archive.
    private func endOffset() -> Int? {
        let last = archive.count - ZipFormat.endSize
        guard last >= 0 else { return nil }
        for offset in stride(from: last, through: max(0, last - Int(UInt16.max)), by: -1)
        where archive.uint32(at: offset) == ZipFormat.endSignature {
            if Int(archive.uint16(at: offset + 20)) == last - offset { return offset }
        }
        return nil
    }

    /// A file's header in the directory (APPNOTE 4.3.12).
    private func centralHeader(
        at offset: Int, of directory: Range<Int>, entry: Int
    ) throws(ZipError) -> CentralHeader {
        guard directory.upperBound - offset >= ZipFormat.centralSize,
            archive.uint32(at: offset) == ZipFormat.centralSignature
        else { throw .malformed("a directory header", offset: offset) }
        let flags = archive.uint16(at: offset + 8)
        guard flags & ZipFormat.unreadableFlags == 0 else { throw .unsupported("encryption", offset: offset) }
        guard let method = ZipMethod(rawValue: archive.uint16(at: offset + 10)) else {
            throw .unsupported("compression method \(archive.uint16(at: offset + 10))", offset: offset)
        }
        let fields = [20, 24, 42].map { archive.uint32(at: offset + $0) }
        guard !fields.contains(.max) else { throw .unsupported("Zip64", offset: offset) }
        guard archive.uint16(at: offset + 34) == 0 else {
            throw .unsupported("an archive on several disks", offset: offset)
        }
        guard method == .deflated || fields[0] == fields[1] else {
            throw .malformed("a stored file with two sizes", offset: offset)
        }
        let nameStart = offset + ZipFormat.centralSize
        let nameEnd = nameStart + Int(archive.uint16(at: offset + 28))
        let end = nameEnd + Int(archive.uint16(at: offset + 30)) + Int(archive.uint16(at: offset + 32))
        guard end <= directory.upperBound else { throw .malformed("a directory header", offset: offset) }
        return CentralHeader(
            name: try name(nameStart..<nameEnd, entry: entry), nameBytes: nameStart..<nameEnd, method: method,
            flags: flags,
            modified: DOSTime(time: archive.uint16(at: offset + 12), date: archive.uint16(at: offset + 14)),
            checksum: archive.uint32(at: offset + 16), compressedSize: Int(fields[0]), size: Int(fields[1]),
            localOffset: Int(fields[2]), end: end)
    }

    private func name(_ bytes: Range<Int>, entry: Int) throws(ZipError) -> String {
        guard bytes.count <= limits.nameBytes else {
            throw .nameTooLong(bytes.count, limit: limits.nameBytes, entry: entry)
        }
        let name = UnsafeRawBufferPointer(rebasing: archive[bytes])
        guard let safe = ZipFormat.name(name) else {
            throw .unsafeName(String(decoding: name, as: UTF8.self), entry: entry)
        }
        return safe
    }

    private func checkRatio(of header: CentralHeader) throws(ZipError) {
        guard header.size > ZipLimits.freeBytes else { return }
        let compressed = max(header.compressedSize, 1)
        guard (header.size - 1) / limits.ratio < compressed else {
            // Rounded up, so that what is found is more than what is allowed.
            let ratio = (header.size - 1) / compressed + 1
            throw .suspiciousRatio(ratio, limit: limits.ratio, name: header.name)
        }
    }

    /// Where a file's content lies, by its local header (APPNOTE 4.3.7), which must agree.
    private func data(
        of header: CentralHeader, before directory: Int
    ) throws(ZipError) -> Range<Int> {
        let offset = header.localOffset
        guard directory - offset >= ZipFormat.localSize,
            archive.uint32(at: offset) == ZipFormat.localSignature
        else { throw .malformed("a local header", offset: offset) }
        let nameStart = offset + ZipFormat.localSize
        let nameEnd = nameStart + Int(archive.uint16(at: offset + 26))
        let start = nameEnd + Int(archive.uint16(at: offset + 28))
        guard start <= directory, header.compressedSize <= directory - start else {
            throw .malformed("a local header", offset: offset)
        }
        let hasDescriptor = header.flags & ZipFormat.descriptorFlag != 0
        let said = [14, 18, 22].map { archive.uint32(at: offset + $0) }
        let numbers = [header.checksum, UInt32(header.compressedSize), UInt32(header.size)]
        guard archive[nameStart..<nameEnd].elementsEqual(archive[header.nameBytes]),
            archive.uint16(at: offset + 6) == header.flags,
            archive.uint16(at: offset + 8) == header.method.rawValue,
            said == numbers || hasDescriptor && said == [0, 0, 0]
        else { throw .malformed("a local header that contradicts the directory", offset: offset) }
        return start..<start + header.compressedSize
    }

    /// Throws if two files share bytes, or something unknown lies before the first.
    private func checkExtents(_ extents: [Extent], of entries: [ZipEntry]) throws(ZipError) {
        let sorted = extents.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
        if let first = sorted.first, first.bytes.lowerBound > 0 {
            throw .malformed("what comes before the first file", offset: 0)
        }
        for (left, right) in zip(sorted, sorted.dropFirst())
        where right.bytes.lowerBound < left.bytes.upperBound {
            throw .overlap(entries[left.entry].name, entries[right.entry].name)
        }
    }
}

/// The bytes that a file takes in an archive, with its local header.
private struct Extent {
    var bytes: Range<Int>
    var entry: Int
}

/// A file as the directory has it.
private struct CentralHeader {
    var name: String
    var nameBytes: Range<Int>
    var method: ZipMethod
    var flags: UInt16
    var modified: DOSTime
    var checksum: UInt32
    var compressedSize: Int
    var size: Int
    var localOffset: Int
    /// Where the next header begins.
    var end: Int
}
