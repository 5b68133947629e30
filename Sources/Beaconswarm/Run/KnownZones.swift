import Datasets
import Foundation
import Scenario
import Timebase

/// The time zones of the IANA database, as Foundation brings it along.
enum KnownZones {
    /// - Returns: `nil` for a name that the database does not have.
    static func offsets(_ name: String) -> ZoneOffsets? {
        // Foundation takes "GMT+3" and abbreviations too, which mean different things to different people.
        guard name == "UTC" || name.contains("/") else { return nil }
        return ZoneOffsets(name: name)
    }
}

extension ZoneTable {
    static let known = ZoneTable(names: TimeZone.knownTimeZoneIdentifiers) { name in
        KnownZones.offsets(name).map(UTCOffsets.init)
    }
}

extension UTCOffsets {
    fileprivate init(_ zone: ZoneOffsets) {
        self.init(
            first: .seconds(zone.changes[0].offset),
            changes: zone.changes.dropFirst().map {
                (Instant(milliseconds: $0.from * 1000), .seconds($0.offset))
            })
    }
}
