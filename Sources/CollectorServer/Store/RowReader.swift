import Wire

/// The memory that packed texts are unpacked into, one after the other.
final class RowUnpacker {
    private let gzip = GzipDecoder()
    private var text = WireBuffer()

    /// Unpacks a text; the last one is gone.
    ///
    /// - Returns: `nil` for what is no gzip.
    fileprivate func unpack(_ packed: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        text.removeAll()
        guard (try? gzip.decompress(packed, into: &text)) != nil else { return nil }
        return text.withUnsafeBytes { $0 }
    }
}

/// Walks rows as ``RowBuffer`` writes them. The texts point into the bytes or into the unpacker: they are valid until the next
/// row is asked for.
struct RowReader {
    private var rest: UnsafeRawBufferPointer
    private let unpacker: RowUnpacker
    private var text = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ bytes: UnsafeRawBufferPointer, unpacker: RowUnpacker) {
        rest = bytes
        self.unpacker = unpacker
    }

    /// Whether all rows were read; else, after the last, what follows is none.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next row; `nil` at the end, and where what is there is no row.
    mutating func next() -> StoredRow? {
        while let (row, flags) = nextRecord() {
            guard flags & RowBuffer.Flag.isText != 0 else { return row }
            guard let unpacked = unpacker.unpack(row.payload) else { return nil }
            text = unpacked
        }
        return nil
    }

    private mutating func nextRecord() -> (StoredRow, flags: UInt16)? {
        typealias Layout = RowBuffer.Layout
        guard rest.count >= Layout.size else { return nil }
        let head = rest
        func length(_ offset: Int) -> Int { Int(head.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        func number(_ offset: Int) -> Int64 { head.loadUnaligned(fromByteOffset: offset, as: Int64.self) }
        let flags = head.loadUnaligned(fromByteOffset: Layout.flags, as: UInt16.self)
        let isInText = flags & RowBuffer.Flag.isInText != 0
        let id = Int(head.loadUnaligned(fromByteOffset: Layout.idBytes, as: UInt16.self))
        let (system, type, name) = (
            length(Layout.systemBytes), length(Layout.typeBytes), length(Layout.nameBytes)
        )
        let (payload, offset) = (length(Layout.payloadBytes), length(Layout.textOffset))
        let size = Layout.size + id + system + type + name + (isInText ? 0 : payload)
        guard size == length(Layout.rowBytes), size <= head.count,
            !isInText || offset + payload <= text.count
        else { return nil }
        var end = Layout.size
        func next(_ count: Int) -> UnsafeRawBufferPointer {
            defer { end += count }
            return UnsafeRawBufferPointer(rebasing: head[end..<end + count])
        }
        rest = UnsafeRawBufferPointer(rebasing: head[size...])
        let row = StoredRow(
            id: next(id), copy: Int64(length(Layout.copy)), system: next(system),
            device: flags & RowBuffer.Flag.hasDevice != 0 ? number(Layout.device) : nil, type: next(type),
            name: next(name), capturedAt: number(Layout.capturedAt), receivedAt: number(Layout.receivedAt),
            batch: number(Layout.batch),
            payload: isInText
                ? UnsafeRawBufferPointer(rebasing: text[offset..<offset + payload]) : next(payload))
        return (row, flags)
    }
}
