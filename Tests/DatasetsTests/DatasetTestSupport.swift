import Files
import Timebase
import Wire

@testable import Datasets

/// Keeps what is written, and fails where it is told to, as a full disk does.
final class MemorySink: ByteSink {
    var bytes: [UInt8] = []
    var isFinished = false
    var limit = Int.max
    var isPacking: Bool { false }
    var size: Int { bytes.count }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        guard self.bytes.count + bytes.count <= limit else {
            throw FileFailure("write", "memory", reason: "No space left on device")
        }
        self.bytes += bytes
    }

    func finish() throws(FileFailure) { isFinished = true }
}

/// A table with a column of each type, with and without missing values, and random rows.
enum SampleTable {
    static let schema = TableSchema(
        name: "sample",
        columns: ColumnType.allCases.flatMap { type in
            [
                // What a comment of SQL may not have.
                TableColumn(type.rawValue, type, doc: "每行\u{0}都\n有"),
                TableColumn("\(type.rawValue)?", type, isNullable: true),
            ]
        })
    private static let texts = ["", "a,b", "\"", "行\n尾\r\n", "购物车 🛒", " ", "null", "\u{1}\\"]

    /// - Parameter count: At least the batch's capacity of 1.
    static func batch(rows count: Int, seed: UInt64) -> TableBatch {
        var batch = TableBatch(schema, capacity: max(1, count))
        var stream = RandomStream(key: seed)
        for _ in 0..<count {
            for column in schema.columns {
                if column.isNullable, stream.chance(0.3) {
                    batch.putNull()
                } else {
                    put(column.type, &stream, into: &batch)
                }
            }
            batch.endRow()
        }
        return batch
    }

    private static func put(_ type: ColumnType, _ stream: inout RandomStream, into batch: inout TableBatch) {
        switch type {
        case .int64: batch.put(Int64(bitPattern: stream.next() >> stream.below(64)))
        case .double: batch.put(Double(stream.below(1000)) / 8 - 30)
        case .bool: batch.put(stream.chance(0.5))
        case .string: batch.put(texts[Int(stream.below(8))])
        case .timestampMillis, .timestampMicros:
            batch.put(Instant(nanoseconds: Int64(bitPattern: stream.next()) / 2))
        }
    }
}

/// A format's writer into memory. A database is a file, and has tests of its own.
func makeWriter(_ format: DatasetFormat, into sink: any ByteSink, rowGroupRows: Int = 1500)
    -> any DatasetWriter
{
    var options = ParquetOptions()
    options.rowGroupRows = rowGroupRows
    options.pageRows = 700
    guard let writer = format.makeWriter(of: SampleTable.schema, into: sink, named: "rows", options) else {
        preconditionFailure("\(format) is one file")
    }
    return writer
}
