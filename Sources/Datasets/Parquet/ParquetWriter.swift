package import Files
import Wire

/// Writes a Parquet file (format version 2, data pages of version 1): typed columns, dictionaries, statistics, packed
/// pages with checksums.
///
/// In memory are the packed pages of one row group and, for each column, a page and its dictionary: 5 MB a column at
/// most, if texts are not long. What the end of the file says of each row group has to stay, some kilobytes.
package final class ParquetWriter: DatasetWriter {
    /// Pages end at multiples of so many rows of their row group, however batches are cut.
    static let step = 1024

    private struct RowGroup {
        var chunks: [ParquetColumn.Chunk]
        var rows: Int64
        var offset: Int64
    }

    private let schema: TableSchema
    private let options: ParquetOptions
    private let sink: any ByteSink
    private let columns: UnsafeMutablePointer<ParquetColumn>
    private var groups: [RowGroup] = []
    private var rows = 0
    private var chunk = WireBuffer()
    /// The bytes that were handed to the sink.
    private var offset = 0

    package init(_ schema: TableSchema, _ options: ParquetOptions, into sink: any ByteSink) {
        self.schema = schema
        self.options = options
        self.sink = sink
        let packer = PagePacker(options.compression)
        columns = .allocate(capacity: schema.columns.count)
        for (index, column) in schema.columns.enumerated() {
            (columns + index).initialize(to: ParquetColumn(column, options, packer))
        }
    }

    deinit {
        columns.deinitialize(count: schema.columns.count)
        columns.deallocate()
    }

    package var size: Int { schema.columns.indices.reduce(offset) { $0 + columns[$1].size } }

    package func write(_ batch: borrowing TableBatch, rows range: Range<Int>) throws(FileFailure) {
        batch.complete()
        var row = range.lowerBound
        while row < range.upperBound {
            let room = min(ParquetWriter.step - rows % ParquetWriter.step, options.rowGroupRows - rows)
            let end = min(range.upperBound, row + room)
            for index in 0..<batch.columnCount {
                columns[index].append(batch.columns[index], row..<end, endsStep: end - row == room)
            }
            rows += end - row
            row = end
            if rows == options.rowGroupRows { try endRowGroup() }
        }
    }

    package func finish() throws(FileFailure) {
        try endRowGroup()
        try beginFile()
        var footer = footer()
        let size = UInt32(footer.count)
        withUnsafeBytes(of: size.littleEndian) { footer.append(contentsOf: $0) }
        footer.append(contentsOf: Parquet.magic)
        try write(footer)
        try sink.finish()
    }

    private func write(_ bytes: borrowing WireBuffer) throws(FileFailure) {
        try bytes.withUnsafeBytes { bytes throws(FileFailure) in try sink.write(bytes) }
        offset += bytes.count
    }

    private func beginFile() throws(FileFailure) {
        guard offset == 0 else { return }
        chunk.removeAll()
        chunk.append(contentsOf: Parquet.magic)
        try write(chunk)
    }

    private func endRowGroup() throws(FileFailure) {
        guard rows > 0 else { return }
        try beginFile()
        var group = RowGroup(chunks: [], rows: Int64(rows), offset: Int64(offset))
        for index in schema.columns.indices {
            group.chunks.append(columns[index].endChunk(at: offset, into: &chunk))
            try write(chunk)
        }
        groups.append(group)
        rows = 0
    }

    // MARK: - The end of the file

    private func footer() -> WireBuffer {
        var thrift = ThriftWriter()
        thrift.field(1, int32: 2)
        writeSchema(to: &thrift)
        thrift.field(3, int64: groups.reduce(0) { $0 + $1.rows })
        thrift.field(4, structs: groups.enumerated()) { thrift, group in
            ParquetWriter.write(
                group.element, number: group.offset, code: options.compression.code, to: &thrift)
        }
        let docs = schema.columns.filter { !$0.doc.isEmpty }.map { (key: "column.\($0.name)", value: $0.doc) }
        thrift.field(5, structs: options.metadata + docs) { thrift, pair in
            thrift.field(1, text: pair.key)
            thrift.field(2, text: pair.value)
        }
        thrift.field(6, text: options.createdBy)
        // Without it, readers may not go by minima and maxima.
        thrift.field(7, structs: schema.columns) { thrift, _ in thrift.field(1) { _ in } }
        thrift.stop()
        return thrift.buffer
    }

    private func writeSchema(to thrift: inout ThriftWriter) {
        let elements = [nil] + schema.columns.map(Optional.some)
        thrift.field(2, structs: elements) { thrift, column in
            guard let column else {
                thrift.field(4, text: schema.name)
                thrift.field(5, int32: Int32(schema.columns.count))
                return
            }
            thrift.field(1, int32: column.type.parquetType)
            thrift.field(
                3, int32: column.isNullable ? Parquet.Repetition.optional : Parquet.Repetition.required)
            thrift.field(4, text: column.name)
            if let converted = column.type.parquetConvertedType { thrift.field(6, int32: converted) }
            column.type.writeLogicalType(to: &thrift)
        }
    }

    private static func write(_ group: RowGroup, number: Int, code: Int32, to thrift: inout ThriftWriter) {
        thrift.field(1, structs: group.chunks) { thrift, chunk in
            thrift.field(2, int64: 0)
            thrift.field(3) { write(chunk, code: code, to: &$0) }
        }
        thrift.field(2, int64: group.chunks.reduce(0) { $0 + $1.unpackedSize })
        thrift.field(3, int64: group.rows)
        thrift.field(5, int64: group.offset)
        thrift.field(6, int64: group.chunks.reduce(0) { $0 + $1.packedSize })
        if let number = Int16(exactly: number) { thrift.field(7, int16: number) }
    }

    private static func write(_ chunk: ParquetColumn.Chunk, code: Int32, to thrift: inout ThriftWriter) {
        thrift.field(1, int32: chunk.type.parquetType)
        thrift.field(2, int32s: chunk.encodings)
        thrift.field(3, texts: [chunk.name])
        thrift.field(4, int32: code)
        thrift.field(5, int64: chunk.values)
        thrift.field(6, int64: chunk.unpackedSize)
        thrift.field(7, int64: chunk.packedSize)
        thrift.field(9, int64: chunk.dataOffset)
        if let offset = chunk.dictionaryOffset { thrift.field(11, int64: offset) }
        thrift.field(12) { chunk.statistics.write(to: &$0) }
    }
}
