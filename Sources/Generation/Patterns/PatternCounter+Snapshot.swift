import Snapshots

extension PatternCounter.Totals: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        let sorted = rows.sorted { $0.key.map(\.order).lexicographicallyPrecedes($1.key.map(\.order)) }
        writer.write(UInt64(sorted.count))
        for (key, counts) in sorted {
            writer.write(each: key)
            writer.write(WholeNumbers(counts))
        }
        writer.write(WholeNumbers(sizes))
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        rows = [:]
        for _ in 0..<(try reader.count()) {
            let key: [Answer.Value] = try reader.values()
            let counts: WholeNumbers = try reader.value()
            rows[key] = counts.values
        }
        let sizes: WholeNumbers = try reader.value()
        self.sizes = sizes.values
    }
}
