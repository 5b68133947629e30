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
