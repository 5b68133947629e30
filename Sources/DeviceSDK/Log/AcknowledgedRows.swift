package import Timebase

/// Rows that were acknowledged and are still in their device's store, since it could not be changed: they travel
/// again, so how many uploads will have carried them is not known yet. Kept for all devices of a fleet, for mostly
/// there are none.
package struct AcknowledgedRows: Sendable {
    /// When the first positive answer was read, by slot and sequence.
    private var times: [UInt64: Instant] = [:]

    package init() {}

    /// Notes the first acknowledgement of a row; later ones change nothing.
    package mutating func note(_ row: EventRecord, slot: UInt32, at now: Instant) {
        let key = AcknowledgedRows.key(row, slot)
        if times[key] == nil { times[key] = now }
    }

    /// When a row was acknowledged; `nil` if it was not noted. It is forgotten.
    package mutating func take(_ row: EventRecord, slot: UInt32) -> Instant? {
        times.isEmpty ? nil : times.removeValue(forKey: AcknowledgedRows.key(row, slot))
    }

    private static func key(_ row: EventRecord, _ slot: UInt32) -> UInt64 {
        UInt64(slot) << 32 | UInt64(row.sequence)
    }
}
