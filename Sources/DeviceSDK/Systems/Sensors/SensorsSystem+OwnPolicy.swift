import Accounting
import DeviceSDK
import Timebase

/// What no version of the SDK does with its store, and an app's own policy may: giving up the newest events, and
/// letting rows expire.
extension SensorsSystem {
    /// A full store gives up its newest events, of which the one that comes is the first.
    ///
    /// - Returns: `false` if the deletion failed: then nothing is given up.
    mutating func evictNewest(
        with record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        guard rules.storage.evict == 1 || !deletionFails(on: &device) else { return false }
        return giveUpNewest(with: record, on: &device, effects: &effects)
    }

    /// The same, whatever the faults of the disk.
    mutating func giveUpNewest(
        with record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        var rows = device.store.rows
        if !rules.storage.evictsRowsInFlight { rows.removeAll(where: \.isUploading) }
        rows.removeFirst(max(0, rows.count - (rules.storage.evict - 1)))
        var evicted = ContiguousArray<EventRecord>()
        guard rows.isEmpty || device.store.delete(rows, { evicted.append($0) }) else { return false }
        for row in evicted { leave(row, as: .evicted(.storageLimit), on: &device, effects: &effects) }
        seal(record, .evicted(.storageLimit), on: device, effects: &effects)
        return true
    }

    /// The process has opened the store: rows that are too old go, if they can be deleted.
    mutating func expire(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard let ttl = rules.storage.ttl, device.store.count > 0 else { return }
        let old = device.store.rows.count { $0.capturedAt <= now - ttl }
        guard old > 0, !deletionFails(on: &device) else { return }
        var expired = ContiguousArray<EventRecord>()
        _ = device.store.deleteOldest(old, idleOnly: false) { expired.append($0) }
        for row in expired { leave(row, as: .evicted(.expired), on: &device, effects: &effects) }
        device.trimEpochs()
    }
}
