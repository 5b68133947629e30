import CLibdeflate
import Wire

/// Packs pages, and writes each with its header.
final class PagePacker {
    private let compression: ParquetOptions.Compression
    // Pages repeat little beyond their encoding: the fastest level gains most of what there is.
    private let zstd = ZstdEncoder(level: 1)
    private var packed = WireBuffer()
    private var header = ThriftWriter()

    init(_ compression: ParquetOptions.Compression) { self.compression = compression }

    /// Appends a page to a column chunk.
    ///
    /// - Parameter describe: Writes the header's field for this kind of page.
    /// - Returns: The bytes that it would take unpacked, header included.
    func append(
        _ page: UnsafeRawBufferPointer, kind: Int32, to chunk: inout WireBuffer,
        _ describe: (inout ThriftWriter) -> Void
    ) -> Int {
        packed.removeAll()
        switch compression {
        case .none: packed.append(contentsOf: page)
        case .snappy: SnappyBlock.encode(page, into: &packed)
        case .zstd: zstd.compress(page, into: &packed)
        }
        header.removeAll()
        header.field(1, int32: kind)
        header.field(2, int32: Int32(page.count))
        header.field(3, int32: Int32(packed.count))
        let checksum = packed.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        header.field(4, int32: Int32(bitPattern: checksum))
        describe(&header)
        header.stop()
        chunk.append(contentsOf: header.buffer)
        chunk.append(contentsOf: packed)
        return header.buffer.count + page.count
    }
}
