import Accounting
import Timebase
import Wire

extension BeliefsFile {
    /// Reads the file back.
    ///
    /// A file may come from anywhere, so what it claims is bounded before anything is made of it: devices
    /// come in ascending order, ranges too, and counts stay below ``BeliefsReader``'s limits.
    ///
    /// - Throws: ``CommandFailure`` that names the line, or says that the file is cut or changed.
    static func parse(_ bytes: [UInt8], path: String) throws(CommandFailure) -> Content {
        var reader = BeliefsReader()
        let text = try whole(bytes, path: path)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let head = lines.first?.split(separator: " ") ?? []
        guard head.count == 2, heads.contains(String(head[0])), let devices = Int(head[1]),
            (0...BeliefsReader.maximumDevices).contains(devices)
        else {
            throw CommandFailure(.invalidScenario, "\(path):1: not a file of beliefs of this version")
        }
        reader.beliefs.capturedCounts = Array(repeating: 0, count: devices)
        for (index, line) in lines.enumerated().dropFirst() {
            guard reader.read(line) else {
                throw CommandFailure(
                    .invalidScenario, "\(path):\(index + 1): not a line of beliefs: \(line.prefix(80))")
            }
        }
        return Content(beliefs: reader.beliefs, times: reader.times)
    }

    /// The file without its last line, which has to be the sum of the rest. Files of the first versions have none.
    private static func whole(_ bytes: [UInt8], path: String) throws(CommandFailure) -> ArraySlice<UInt8> {
        guard bytes.starts(with: Array("\(heads[2]) ".utf8)) else { return bytes[...] }
        let cut = CommandFailure(
            .invalidScenario,
            "\(path): the file is cut: its last line is not the sum of the others, so nothing can be audited by it"
        )
        guard bytes.last == UInt8(ascii: "\n") else { throw cut }
        let start = (bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        let line = String(decoding: bytes[start...].dropLast(), as: UTF8.self)
        guard line.hasPrefix(endMark) else { throw cut }
        let sum = SHA256.hexadecimal(of: Array(bytes[..<start]))
        guard line.dropFirst(endMark.count) == sum else {
            throw CommandFailure(
                .invalidScenario,
                "\(path): the file was changed: its sum says \(line.dropFirst(endMark.count).prefix(12))…, "
                    + "found \(sum.prefix(12))…, so nothing can be audited by it")
        }
        return bytes[..<start]
    }
}

/// Reads the lines of a file of beliefs.
private struct BeliefsReader {
    /// Ten populations of the largest size that a scenario may give.
    static let maximumDevices = 100_000_000
    /// More than any device captures in a year, and more than any run keeps ids of.
    private static let maximumPerDevice: UInt32 = 100_000_000
    private static let maximumEvents: UInt64 = 4_000_000_000
    /// Some sixty years: a clock that begins anew in 1970 is no further off.
    private static let maximumSkew = Interval.hours(24 * 365 * 60)

    var beliefs = DeviceBeliefs()
    private var run: ClosedRange<Instant>?
    private var wall: ClosedRange<Instant>?
    private var skew = Interval.zero
    private var lastDevice = -1
    private var events: UInt64 = 0

    var times: RunTimes? {
        guard let run, let wall else { return nil }
        return RunTimes(run: run, wall: wall, skew: skew)
    }

    /// - Returns: `false` for what is no line of beliefs.
    mutating func read(_ line: Substring) -> Bool {
        let fields = line.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count >= 2 else { return false }
        switch fields[0] {
        case "run":
            run = BeliefsReader.instants(fields)
            return run != nil
        case "wall":
            wall = BeliefsReader.instants(fields)
            return wall != nil
        case "captured":
            beliefs.captureTimes = BeliefsReader.instants(fields)
            return beliefs.captureTimes != nil
        case "skew":
            guard let nanoseconds = Int64(fields[1]),
                (0...BeliefsReader.maximumSkew.nanoseconds).contains(nanoseconds)
            else { return false }
            skew = Interval(nanoseconds: nanoseconds)
            return true
        case "d", "c", "u": return readKey(fields)
        default: return readDevice(fields)
        }
    }

    private static func instants(_ fields: [Substring]) -> ClosedRange<Instant>? {
        guard fields.count == 3,
            let first = Int64(fields[1]).flatMap({ Instant(credibleNanoseconds: $0) }),
            let last = Int64(fields[2]).flatMap({ Instant(credibleNanoseconds: $0) }), first <= last
        else { return nil }
        return first...last
    }

    private mutating func readKey(_ fields: [Substring]) -> Bool {
        guard let key = NaturalKey(text: Array(fields[1].utf8)) else { return false }
        switch (fields[0], fields.count) {
        case ("d", 2): beliefs.note(delivered: key)
        // Version 1 knew no fates.
        case ("c", 2): beliefs.note(undelivered: key, .pending(.stored))
        case ("u", 3):
            guard let fate = BeliefsReader.disposition(fields[2]) else { return false }
            beliefs.note(undelivered: key, fate)
        default: return false
        }
        return true
    }

    private static func disposition(_ text: Substring) -> Disposition? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let fate = Fate(rawValue: String(parts[0])) else { return nil }
        return Disposition(fate: fate, cause: String(parts[1]))
    }

    private mutating func readDevice(_ fields: [Substring]) -> Bool {
        guard fields.count >= 3, let device = UInt32(fields[0]), let captured = UInt32(fields[1]),
            Int(device) < beliefs.capturedCounts.count, Int(device) > lastDevice,
            captured <= BeliefsReader.maximumPerDevice,
            events + UInt64(captured) <= BeliefsReader.maximumEvents
        else { return false }
        lastDevice = Int(device)
        events += UInt64(captured)
        beliefs.capturedCounts[Int(device)] = captured
        return readDelivered(fields[2], of: device, below: captured)
            && fields.dropFirst(3).allSatisfy { readUndelivered($0, of: device, below: captured) }
    }

    private mutating func readDelivered(_ text: Substring, of device: UInt32, below captured: UInt32) -> Bool
    {
        var next: UInt32 = 0
        for part in text.split(separator: ",") {
            guard let range = BeliefsReader.range(part, below: captured), range.lowerBound >= next
            else { return false }
            for sequence in range { beliefs.note(delivered: EventID(device: device, sequence: sequence)) }
            next = range.upperBound + 1
        }
        return true
    }

    private mutating func readUndelivered(
        _ field: Substring, of device: UInt32, below captured: UInt32
    ) -> Bool {
        let parts = field.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let fate = BeliefsReader.disposition(parts[0]),
            let range = BeliefsReader.range(parts[1], below: captured)
        else { return false }
        beliefs.note(
            undelivered: UndeliveredFates.Run(
                device: device, first: range.lowerBound, last: range.upperBound, code: fate.code))
        return true
    }

    private static func range(_ text: Substring, below captured: UInt32) -> ClosedRange<UInt32>? {
        let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(bounds.count), let first = UInt32(bounds[0]),
            let last = UInt32(bounds[bounds.count - 1]), first <= last, last < captured
        else { return nil }
        return first...last
    }
}
