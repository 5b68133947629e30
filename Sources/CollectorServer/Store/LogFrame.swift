import Wire

/// Rows in a log's file, together with their checksum: what one write makes durable.
///
/// 32 bytes, in the machine's order, and then the rows: a mark, the CRC-32 of all that comes behind it, the number of
/// rows, the CRC-32 of this number and of what follows in the head (nothing in files of the first kind), the rows' bytes,
/// and their highest request number.
///
/// The head has a checksum of its own so that a frame that was broken off can be told from one that was damaged: only
/// its length says how much is missing.
struct LogFrame {
    static let headerBytes = 32
    /// "BSWF".
    private static let mark: UInt32 = 0x4657_5342

    /// The rows, as ``RowReader`` walks them.
    var rows: UnsafeRawBufferPointer
    var rowCount: Int
    var lastBatch: Int64
    /// With the head.
    var byteCount: Int { LogFrame.headerBytes + rows.count }

    init(rows: UnsafeRawBufferPointer, rowCount: Int, lastBatch: Int64) {
        self.rows = rows
        self.rowCount = rowCount
        self.lastBatch = lastBatch
    }

    /// Reads the frame at the beginning of some bytes; `nil` where there is none that is whole: at the end, or where a
    /// process died while it wrote.
    init?(at bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= LogFrame.headerBytes,
            bytes.loadUnaligned(as: UInt32.self) == LogFrame.mark,
            let size = Int(exactly: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
            size <= bytes.count - LogFrame.headerBytes
        else { return nil }
        let covered = UnsafeRawBufferPointer(rebasing: bytes[8..<LogFrame.headerBytes + size])
        guard CRC32.checksum(of: covered) == bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) else {
            return nil
        }
        rows = UnsafeRawBufferPointer(rebasing: covered.dropFirst(LogFrame.headerBytes - 8))
        rowCount = Int(bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        lastBatch = bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self)
    }

    /// Whether bytes that are no whole frame are the beginning of one: what an append leaves that was broken off by the
    /// end of its process, or by a full disk. Such a frame is cut, and nothing lies behind it.
    ///
    /// - Parameter hasChecksum: Whether its head has a checksum of its own.
    static func isBrokenOff(_ bytes: UnsafeRawBufferPointer, hasChecksum: Bool) -> Bool {
        let marked = withUnsafeBytes(of: mark) { mark in zip(bytes, mark).allSatisfy { $0 == $1 } }
        guard marked, bytes.count >= headerBytes else { return marked }
        let size = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        guard size > UInt64(bytes.count - headerBytes) else { return false }
        if hasChecksum {
            return headChecksum(bytes) == bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        }
        // A length that was damaged leads beyond the end, too; but then others may follow.
        return !(1..<bytes.count).contains {
            LogFrame(at: UnsafeRawBufferPointer(rebasing: bytes[$0...])) != nil
        }
    }

    /// The checksum of a head's numbers.
    private static func headChecksum(_ head: UnsafeRawBufferPointer) -> UInt32 {
        let count = CRC32.checksum(of: UnsafeRawBufferPointer(rebasing: head[8..<12]))
        return CRC32.checksum(of: UnsafeRawBufferPointer(rebasing: head[16..<headerBytes]), after: count)
    }

    /// The bytes in front of the rows.
    var header: InlineArray<32, UInt8> {
        var header = InlineArray<32, UInt8>(repeating: 0)
        var span = header.mutableSpan
        span.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: LogFrame.mark, as: UInt32.self)
            bytes.storeBytes(of: UInt32(rowCount), toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(of: UInt64(rows.count), toByteOffset: 16, as: UInt64.self)
            bytes.storeBytes(of: lastBatch, toByteOffset: 24, as: Int64.self)
            let head = LogFrame.headChecksum(UnsafeRawBufferPointer(bytes))
            bytes.storeBytes(of: head, toByteOffset: 12, as: UInt32.self)
            let fields = UnsafeRawBufferPointer(rebasing: bytes[8...])
            let checksum = CRC32.checksum(of: rows, after: CRC32.checksum(of: fields))
            bytes.storeBytes(of: checksum, toByteOffset: 4, as: UInt32.self)
        }
        return header
    }
}

/// Walks the whole frames of a log's file, up to the first that is not.
struct LogFrames: Sequence, IteratorProtocol {
    /// What lies behind the frames that were read.
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func next() -> LogFrame? {
        guard let frame = LogFrame(at: rest) else { return nil }
        rest = UnsafeRawBufferPointer(rebasing: rest[frame.byteCount...])
        return frame
    }
}
