import Reporting
import Snapshots

// What parts of a run asked the target for (`--scrape`). It is no sum of anything: each part's stays by itself.

extension Report.TargetMetrics: Snapshotable {
    /// Everything but the part, which who reads it knows, and marks, which only searches have.
    func write(to writer: inout SnapshotWriter) {
        writer.write(url)
        writer.write(everySeconds.bitPattern)
        writer.write(scrapes)
        writer.write(failures)
        writer.write(optional: problem)
        writer.write(omitted)
        writer.write(unnumbered)
        writer.write(unreadable)
        writer.write(each: seconds.map(\.bitPattern))
        writer.write(each: series)
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        url = try reader.text()
        everySeconds = Double(bitPattern: try reader.unsigned())
        scrapes = try reader.unsigned()
        failures = try reader.unsigned()
        problem = try reader.optional()
        omitted = try reader.int()
        unnumbered = try reader.unsigned()
        unreadable = try reader.unsigned()
        let moments: [UInt64] = try reader.values()
        seconds = moments.map(Double.init(bitPattern:))
        series = try reader.values()
        guard series.allSatisfy({ $0.values.count == seconds.count }) else { throw reader.impossible }
    }
}

extension Report.TargetSeries: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        writer.write(name)
        writer.write(labels)
        writer.write(isCounter)
        writer.write(UInt64(values.count))
        for value in values { writer.write(optional: value?.bitPattern) }
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        name = try reader.text()
        labels = try reader.text()
        isCounter = try reader.bool()
        for _ in 0..<(try reader.count()) {
            let bits: UInt64? = try reader.optional()
            values.append(bits.map(Double.init(bitPattern:)))
        }
    }
}
