package import Snapshots
package import Timebase

/// A part of a run that is recorded in shorter intervals than the rest: what happened around a fault would
/// else be two points of a week.
package struct CloseUp: Sendable {
    /// The most intervals of one; at least half as many, unless the shortest interval forbids.
    package static let capacity: Int64 = 480

    package let range: Range<Instant>
    package internal(set) var series: TimeSeries

    /// - Parameters:
    ///   - range: In whole seconds from the run's start.
    ///   - shortest: The shortest interval in which anything is counted; a power of two times a second.
    init(range: Range<Instant>, shortest: Interval) {
        self.range = range
        var width = shortest
        let length = range.upperBound - range.lowerBound
        while width * CloseUp.capacity < length { width = width * 2 }
        series = TimeSeries(start: range.lowerBound, width: width, shortest: shortest)
    }
}

extension CloseUp: Snapshotable {
    package func write(to writer: inout SnapshotWriter) {
        writer.write(range)
        writer.write(series)
    }

    package init(from reader: inout SnapshotReader) throws(SnapshotError) {
        range = try reader.value()
        series = try reader.value()
    }
}
