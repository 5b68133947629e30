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
    /// The halves of the number: the higher one of them is hardly ever more than a byte.
    var high: UInt64 { UInt64(truncatingIfNeeded: nanoseconds >> 64) }
    var low: UInt64 { UInt64(truncatingIfNeeded: nanoseconds) }

    init(high: UInt64, low: UInt64) {
        self.init(nanoseconds: Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low)))
    }

    package func write(to writer: inout SnapshotWriter) {
        writer.write(Int64(bitPattern: high))
        writer.write(low)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let high = UInt64(bitPattern: try reader.signed())
        self.init(high: high, low: try reader.unsigned())
    }
}
