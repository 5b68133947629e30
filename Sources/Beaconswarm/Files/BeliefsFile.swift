import Accounting
import Wire

/// The file `beliefs.txt` of a run's folder: what the devices captured and take as delivered, so that
/// the run can be audited later against what a collector's store holds.
///
/// One line per device that captured anything: its number, how many events it captured, and the
/// sequences delivered as ranges (`17 120 0-49,60-119`); then a line per natural key, `d` for
/// delivered and `c` for captured only.
enum BeliefsFile {
    static func render(_ beliefs: DeviceBeliefs) -> [UInt8] {
        var ranges: [UInt32: [ClosedRange<UInt32>]] = [:]
        beliefs.delivered.forEach { id in
            var list = ranges[id.device] ?? []
            if let last = list.last, last.upperBound + 1 == id.sequence {
                list[list.count - 1] = last.lowerBound...id.sequence
            } else {
                list.append(id.sequence...id.sequence)
            }
            ranges[id.device] = list
        }
        var text = WireBuffer()
        text.append("beaconswarm.beliefs/1 \(beliefs.capturedCounts.count)\n")
        for (device, captured) in beliefs.capturedCounts.enumerated() where captured > 0 {
            let delivered = (ranges[UInt32(device)] ?? []).map { range in
                range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
            }
            text.append("\(device) \(captured) \(delivered.joined(separator: ","))\n")
        }
        for key in beliefs.deliveredNatural.sorted() { text.append("d \(key.text)\n") }
        for key in beliefs.capturedNatural.sorted() { text.append("c \(key.text)\n") }
        return text.bytes
    }

    /// Reads the file back.
    ///
    /// - Throws: ``CommandFailure`` that names the line.
    static func parse(_ bytes: [UInt8], path: String) throws(CommandFailure) -> DeviceBeliefs {
        var beliefs = DeviceBeliefs()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let head = lines.first?.split(separator: " ") ?? []
        guard head.count == 2, head[0] == "beaconswarm.beliefs/1", let devices = Int(head[1]), devices >= 0
        else {
            throw CommandFailure(.invalidScenario, "\(path):1: not a file of beliefs of this version")
        }
        beliefs.capturedCounts = Array(repeating: 0, count: devices)
        for (index, line) in lines.enumerated().dropFirst() {
            guard read(line, into: &beliefs) else {
                throw CommandFailure(
                    .invalidScenario, "\(path):\(index + 1): not a line of beliefs: \(line.prefix(80))")
            }
        }
        return beliefs
    }

    private static func read(_ line: Substring, into beliefs: inout DeviceBeliefs) -> Bool {
        let fields = line.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count >= 2 else { return false }
        if fields[0] == "d" || fields[0] == "c" {
            guard let key = NaturalKey(text: Array(fields[1].utf8)) else { return false }
            if fields[0] == "d" { beliefs.note(delivered: key) } else { beliefs.note(captured: key) }
            return true
        }
        guard fields.count == 3, let device = UInt32(fields[0]), let captured = UInt32(fields[1]),
            Int(device) < beliefs.capturedCounts.count
        else { return false }
        beliefs.capturedCounts[Int(device)] = captured
        for range in fields[2].split(separator: ",") {
            let bounds = range.split(separator: "-").compactMap { UInt32($0) }
            guard let first = bounds.first, let last = bounds.last, bounds.count <= 2, first <= last,
                last < captured
            else { return false }
            for sequence in first...last {
                beliefs.note(delivered: EventID(device: device, sequence: sequence))
            }
        }
        return true
    }
}
