import Timebase

/// How a table is cut by time, in folders that readers take for columns (`dt=2026-01-05/hour=03`).
package enum Partition: String, Hashable, Sendable, CaseIterable {
    case none, day, hour

    /// The hours of each part.
    var seconds: Int64? {
        switch self {
        case .none: nil
        case .day: 86_400
        case .hour: 3600
        }
    }
}

/// The day or hour of rows, on the clocks of a zone.
///
/// An hour that clocks show twice is one part, if its rows come one after the other.
package struct PartitionClock {
    /// Which day or hour, as counted on the zone's clocks; 0 without partition.
    package typealias Key = Int64

    private let zone: ZoneOffsets
    private let length: Int64
    private let unitsPerSecond: Int64
    /// The times, in the column's unit, for which the last key holds.
    private var range: Range<Int64> = 0..<0
    private(set) var key: Key = .min

    package init(_ partition: Partition, zone: ZoneOffsets, type: ColumnType) {
        self.zone = zone
        length = partition.seconds ?? 0
        unitsPerSecond = type.unitsPerSecond ?? 1
    }

    /// The key of a time.
    package mutating func key(of value: Int64) -> Key {
        if range.contains(value) { return key }
        let second = PartitionClock.floor(value, unitsPerSecond)
        let span = zone.span(at: second)
        key = PartitionClock.floor(second + span.offset, length)
        let begin = max(key * length - span.offset, span.from)
        let end = min((key + 1) * length - span.offset, span.until)
        range = begin * unitsPerSecond..<end * unitsPerSecond
        return key
    }

    /// The folders of a key, with a slash at the end.
    static func folder(_ key: Key, of partition: Partition) -> String {
        guard let length = partition.seconds else { return "" }
        let time = CivilTime(Instant(milliseconds: key * length * 1000))
        let day = "dt=\(time.dateText)/"
        return partition == .day ? day : day + "hour=\(time.hour < 10 ? "0" : "")\(time.hour)/"
    }

    private static func floor(_ left: Int64, _ right: Int64) -> Int64 {
        left / right - (left % right < 0 ? 1 : 0)
    }
}
