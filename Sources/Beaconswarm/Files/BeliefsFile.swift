import Accounting
import Timebase
import Wire

/// When a run took place: what tells its rows in a store from those of other runs.
struct RunTimes: Equatable, Sendable {
    /// From the start to the end of the drain, on the run's clock; as ``wall`` where only a foreign collector
    /// stamped rows and the run's clock had a pace of its own.
    var run: ClosedRange<Instant>
    /// From before the first request to after the last answer, on the wall clock.
    var wall: ClosedRange<Instant>
    /// How far devices' clocks may be off.
    var skew = Interval.zero
}

/// The file `beliefs.txt` of a run's folder: what the devices captured, take as delivered, and know as
/// ended otherwise, so that the run can be audited later against what a collector's store holds.
///
/// After the head, `run`, `wall`, `skew` and `captured` tell times in nanoseconds. Then one line per device
/// that captured anything: its number, how many events it captured, the sequences delivered as ranges,
/// and those that ended otherwise by fate and cause (`17 120 0-49,60-119 lost/killed:50-59`); then a line per
/// natural key, `d` for delivered and `u` with its fate for the others. The last line, `end`, has the SHA-256 of
/// all before it, so a file that was cut or changed is told from a whole one (`head -n -1 beliefs.txt | sha256sum`).
/// Versions 1 and 2 have no such line, and version 1 knows neither times nor fates; they are still read.
enum BeliefsFile {
    static let heads = ["beaconswarm.beliefs/1", "beaconswarm.beliefs/2", "beaconswarm.beliefs/3"]

    static func render(_ beliefs: DeviceBeliefs, times: RunTimes?) -> [UInt8] {
        var text = WireBuffer()
        text.append("\(heads[2]) \(beliefs.capturedCounts.count)\n")
        if let times {
            text.append("run \(times.run.lowerBound.nanoseconds) \(times.run.upperBound.nanoseconds)\n")
            text.append("wall \(times.wall.lowerBound.nanoseconds) \(times.wall.upperBound.nanoseconds)\n")
            text.append("skew \(times.skew.nanoseconds)\n")
        }
        if let captured = beliefs.captureTimes {
            text.append("captured \(captured.lowerBound.nanoseconds) \(captured.upperBound.nanoseconds)\n")
        }
        appendDevices(beliefs, to: &text)
        for key in beliefs.deliveredNatural.sorted() {
            for _ in 0...(beliefs.deliveredAlike[key] ?? 0) { text.append("d \(key.text)\n") }
        }
        for (key, code) in beliefs.undeliveredNatural.sorted(by: { $0.key < $1.key }) {
            text.append("u \(key.text) \(name(code))\n")
        }
        text.append("\(endMark)\(SHA256.hexadecimal(of: text.bytes))\n")
        return text.bytes
    }

    /// What the last line begins with.
    static let endMark = "end "

    private static func appendDevices(_ beliefs: DeviceBeliefs, to text: inout WireBuffer) {
        var lines = DeviceLines(beliefs, text)
        text = WireBuffer()
        beliefs.delivered.forEach { lines.take($0) }
        while lines.device < beliefs.capturedCounts.count { lines.end() }
        text = lines.text
    }

    /// The lines of devices. Ids come in order, so no more than one device's ranges are in memory.
    private struct DeviceLines {
        private let captured: [UInt32]
        private let runs: ContiguousArray<UndeliveredFates.Run>
        /// The next of the runs.
        private var next = 0
        private(set) var text: WireBuffer
        /// The one whose line is next, and its ranges so far.
        private(set) var device = 0
        private var ranges: [ClosedRange<UInt32>] = []

        init(_ beliefs: DeviceBeliefs, _ text: WireBuffer) {
            captured = beliefs.capturedCounts
            runs = beliefs.undelivered.sorted.runs
            self.text = text
        }

        mutating func take(_ id: EventID) {
            while device < Int(id.device) { end() }
            if let last = ranges.last, last.upperBound + 1 == id.sequence {
                ranges[ranges.count - 1] = last.lowerBound...id.sequence
            } else {
                ranges.append(id.sequence...id.sequence)
            }
        }

        /// Ends a device's line.
        mutating func end() {
            let count = device < captured.count ? captured[device] : 0
            if count > 0 {
                text.append("\(device) \(count) \(ranges.map(BeliefsFile.text).joined(separator: ","))")
                while next < runs.count, runs[next].device < UInt32(device) { next += 1 }
                while next < runs.count, runs[next].device == UInt32(device) {
                    let range = BeliefsFile.text(runs[next].first...runs[next].last)
                    text.append(" \(name(runs[next].code)):\(range)")
                    next += 1
                }
                text.append("\n")
            }
            ranges.removeAll(keepingCapacity: true)
            device += 1
        }
    }

    private static func text(_ range: ClosedRange<UInt32>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }

    private static func name(_ code: UInt32) -> String {
        let disposition = Disposition(code: code)
        return "\(disposition?.fate.rawValue ?? "")/\(disposition?.cause ?? "")"
    }

    /// What the file says.
    struct Content {
        var beliefs = DeviceBeliefs()
        /// `nil` in files of version 1.
        var times: RunTimes?
    }
}
