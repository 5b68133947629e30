extension UInt64: Snapshotable {
    package func write(to writer: inout SnapshotWriter) { writer.write(self) }
    package init(from reader: inout SnapshotReader) throws(SnapshotError) { self = try reader.unsigned() }
}

extension String: Snapshotable {
    package func write(to writer: inout SnapshotWriter) { writer.write(self) }
    package init(from reader: inout SnapshotReader) throws(SnapshotError) { self = try reader.text() }
}

extension Range: Snapshotable where Bound: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(lowerBound)
        writer.write(upperBound)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let lower: Bound = try reader.value()
        let upper: Bound = try reader.value()
        guard lower <= upper else { throw reader.impossible }
        self = lower..<upper
    }
}
