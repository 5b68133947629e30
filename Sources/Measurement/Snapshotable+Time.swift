package import Snapshots
package import Timebase

extension Instant: Snapshotable {
    package func write(to writer: inout SnapshotWriter) { writer.write(nanoseconds) }
    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init(nanoseconds: try reader.signed())
    }
}

extension Interval: Snapshotable {
    package func write(to writer: inout SnapshotWriter) { writer.write(nanoseconds) }
    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init(nanoseconds: try reader.signed())
    }
}

extension TotalTime: Snapshotable {
    /// The higher half is hardly ever more than a byte.
    package func write(to writer: inout SnapshotWriter) {
        writer.write(Int64(bitPattern: high))
        writer.write(low)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let high = UInt64(bitPattern: try reader.signed())
        self.init(high: high, low: try reader.unsigned())
    }
}
