import Timebase
import Wire

/// Looks at some rows of a table: how much there is to tell in each column, and how small it packs.
package final class ColumnSampler {
    /// What is known of a column.
    package struct Column: Sendable {
        package var name: String
        /// Rows with a value.
        package var values = 0
        /// Values that differ.
        package var distinct = 0
        /// Bits that a value tells on average, by how often each comes in the sample.
        package var entropy = 0.0
        /// Bytes of the values: of texts as they are, of others eight each.
        package var bytes = 0
        /// The same after zstd's level 3, each batch by itself.
        package var packedBytes = 0
    }

    /// By the hash of a value, how often it came.
    private var counts: [[UInt64: Int]]
    private var columns: [Column]
    /// Columns that are passed over.
    private let omitted: [Bool]
    /// Rows that were looked at.
    package private(set) var rows = 0
    private let zstd = ZstdEncoder(level: 3)
    private var content = WireBuffer()
    private var packed = WireBuffer()

    /// - Parameter names: Of columns that are not looked at.
    package init(_ schema: TableSchema, omitting names: Set<String> = []) {
        omitted = schema.columns.map { names.contains($0.name) }
        columns = schema.columns.map { Column(name: $0.name) }
        counts = schema.columns.map { _ in [:] }
    }

    /// Looks at the rows of a batch.
    package func add(_ batch: borrowing TableBatch) {
        guard batch.count > 0 else { return }
        batch.complete()
        rows += batch.count
        for column in 0..<batch.columnCount where !omitted[column] {
            content.removeAll()
            for row in 0..<batch.count where !batch.columns[column].isAbsent[row] {
                columns[column].values += 1
                counts[column][append(row, of: batch.columns + column), default: 0] += 1
            }
            packed.removeAll()
            content.withUnsafeBytes { zstd.compress($0, into: &packed) }
            columns[column].bytes += content.count
            if !content.isEmpty { columns[column].packedBytes += packed.count }
        }
    }

    /// Appends a value to ``content``.
    ///
    /// - Returns: its hash.
    private func append(_ row: Int, of column: UnsafeMutablePointer<TableBatch.Storage>) -> UInt64 {
        guard column.pointee.type == .string else {
            let word = UInt64(bitPattern: column.pointee.words[row])
            withUnsafeBytes(of: word) { content.append(contentsOf: $0) }
            return word
        }
        let bytes = column.pointee.bytes(row)
        content.append(contentsOf: bytes)
        return Hash128(bytes).low
    }

    /// What the sample says of each column.
    package var figures: [Column] {
        zip(columns, counts).map { column, counts in
            var column = column
            column.distinct = counts.count
            // In an order that is none of the dictionary's: sums of doubles hang on it.
            let sum = counts.values.sorted().reduce(0.0) { $0 + Double($1) * ColumnSampler.bits(Double($1)) }
            let total = Double(column.values)
            if total > 0 { column.entropy = max(0, ColumnSampler.bits(total) - sum / total) }
            return column
        }
    }

    /// The logarithm to the base of two.
    package static func bits(_ value: Double) -> Double {
        DeterministicMath.log(value) / DeterministicMath.log(2)
    }
}
