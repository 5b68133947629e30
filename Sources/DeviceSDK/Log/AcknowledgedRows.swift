package import Timebase

/// Rows that were acknowledged and are still in their device's store, since it could not be changed: they travel
/// again, so how many uploads will have carried them is not known yet. Kept for all devices of a fleet, for mostly
/// there are none.
package struct AcknowledgedRows: Sendable {
    /// When the first positive answer was read, by slot and sequence.
    private var times: [UInt64: Instant] = [:]
    /// What was noted last, by rising keys: mostly it is taken at once, in the same order, and never gets into a
    /// dictionary.
    private var latest: ContiguousArray<(key: UInt64, at: Instant)> = []
    /// How many of these were taken.
    private var takenCount = 0

    package init() {}

    /// Notes the first acknowledgement of a row; later ones change nothing.
    package mutating func note(_ row: EventRecord, slot: UInt32, at now: Instant) {
        let key = AcknowledgedRows.key(row, slot)
        if let last = latest.last, last.key >= key { keepLatest() }
        if times.isEmpty || times[key] == nil { latest.append((key, now)) }
    }

    /// When a row was acknowledged; `nil` if it was not noted. It is forgotten.
    package mutating func take(_ row: EventRecord, slot: UInt32) -> Instant? {
        let key = AcknowledgedRows.key(row, slot)
        if takenCount < latest.count, latest[takenCount].key == key {
            let at = latest[takenCount].at
            takenCount += 1
            if takenCount == latest.count { forgetLatest() }
            return at
        }
        keepLatest()
        return times.isEmpty ? nil : times.removeValue(forKey: key)
    }

    /// Moves what was not taken from the list into the dictionary.
    private mutating func keepLatest() {
        guard !latest.isEmpty else { return }
        for entry in latest[takenCount...] { times[entry.key] = entry.at }
        forgetLatest()
    }

    private mutating func forgetLatest() {
        latest.removeAll(keepingCapacity: true)
        takenCount = 0
    }

    private static func key(_ row: EventRecord, _ slot: UInt32) -> UInt64 {
        UInt64(slot) << 32 | UInt64(row.sequence)
    }
}
