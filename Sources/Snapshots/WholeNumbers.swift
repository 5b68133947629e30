/// Whole numbers of one thing.
package struct WholeNumbers: Snapshotable {
    package let values: [Int]

    package init(_ values: [Int]) { self.values = values }

    package func write(to writer: inout SnapshotWriter) {
        writer.write(UInt64(values.count))
        for value in values { writer.write(value) }
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        var values: [Int] = []
        for _ in 0..<(try reader.count()) { values.append(try reader.int()) }
        self.values = values
    }

    /// The numbers, of which there have to be so many.
    ///
    /// - Throws: ``SnapshotError`` for a snapshot with more or fewer.
    package func exactly(_ count: Int, _ reader: SnapshotReader) throws(SnapshotError) -> [Int] {
        guard values.count == count else { throw reader.impossible }
        return values
    }
}
