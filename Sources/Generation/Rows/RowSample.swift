package import Datasets
import Snapshots
import Wire

/// Rows drawn from all that arrive: those whose positions in the order of arrival have the least hashes. Each row is as likely
/// as any other, however many there are, and the samples of a dataset's parts come to that of the whole.
package struct RowSample {
    /// The rows that are kept at most.
    static let limit = 4096
    /// How many more are in memory at most, until the greatest hashes go.
    private static let slack = 1024

    private struct Row {
        var hash: UInt64
        /// As ``ArrivalRow`` reads them.
        var bytes: [UInt8]

        var order: ArrivalOrder {
            bytes.withUnsafeBytes { ArrivalOrder($0.loadUnaligned(as: ArrivalHead.self)) }
        }
    }

    private var rows: [Row] = []
    /// Greater hashes are not among the least.
    private var bound = UInt64.max

    package init() {}

    var count: Int { min(rows.count, RowSample.limit) }

    @inline(__always)
    mutating func add(_ row: ArrivalRow) {
        let hash = RowSample.hash(row.head)
        if hash <= bound { keep(Row(hash: hash, bytes: row.bytes)) }
    }

    private mutating func keep(_ row: Row) {
        rows.append(row)
        if rows.count >= RowSample.limit + RowSample.slack { cut() }
    }

    /// Adds the rows of another part of the dataset.
    package mutating func merge(_ other: RowSample) {
        for row in other.rows where row.hash <= bound { keep(row) }
    }

    private mutating func cut() {
        guard rows.count > RowSample.limit else { return }
        rows.sort { ($0.hash, $0.order) < ($1.hash, $1.order) }
        rows.removeLast(rows.count - RowSample.limit)
        bound = rows[RowSample.limit - 1].hash
    }

    /// The rows in the order of their arrival.
    private var sorted: [Row] {
        var least = self
        least.cut()
        return least.rows.sorted { $0.order < $1.order }
    }

    /// What the columns of a table hold.
    package func figures(of table: EventTable) -> ColumnSampler {
        let sampler = ColumnSampler(table.schema, omitting: EventTable.counters)
        var batch = TableBatch(table.schema)
        for row in sorted {
            row.bytes.withUnsafeBytes {
                _ = table.put(
                    ArrivalRow(in: $0, at: 0), number: 0, upload: 0, amount: nil, into: &batch)
            }
            guard batch.isFull else { continue }
            sampler.add(batch)
            batch.removeAll()
        }
        sampler.add(batch)
        return sampler
    }

    /// Two rounds of the finaliser of SplitMix64 over what makes a row's position its own.
    private static func hash(_ head: ArrivalHead) -> UInt64 {
        func mixed(_ value: UInt64) -> UInt64 {
            var value = value
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
        let upload = UInt64(head.device) << 32 | UInt64(head.request)
        return mixed(mixed(upload &+ 0x9E37_79B9_7F4A_7C15) &+ UInt64(head.position))
    }
}

extension RowSample: Snapshotable {
    /// Bytes of a sample's rows at most.
    private static let byteLimit = 1 << 30

    func write(to writer: inout SnapshotWriter) {
        let bytes = sorted.flatMap(\.bytes)
        var packed = WireBuffer()
        bytes.withUnsafeBytes { ZstdEncoder(level: 3).compress($0, into: &packed) }
        writer.write(packed.bytes)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        guard let bytes = ZstdFrame.content(of: try reader.raw(), limit: RowSample.byteLimit) else {
            throw reader.impossible
        }
        var offset = 0
        while offset < bytes.count {
            guard let row = RowSample.row(of: bytes[offset...]) else { throw reader.impossible }
            keep(row)
            offset += row.bytes.count
        }
        guard rows.count <= RowSample.limit else { throw reader.impossible }
    }

    /// The row that bytes begin with; `nil` where it is longer than they are.
    private static func row(of bytes: ArraySlice<UInt8>) -> Row? {
        guard bytes.count >= ArrivalHead.size else { return nil }
        let head = bytes.withUnsafeBytes { $0.loadUnaligned(as: ArrivalHead.self) }
        let count = Int(head.byteCount)
        let texts = [head.typeBytes, head.nameBytes, head.idBytes].reduce(0) { $0 + Int($1) }
        guard count <= bytes.count, count >= ArrivalHead.size + texts + Int(head.payloadBytes) else {
            return nil
        }
        return Row(hash: hash(head), bytes: Array(bytes.prefix(count)))
    }
}
