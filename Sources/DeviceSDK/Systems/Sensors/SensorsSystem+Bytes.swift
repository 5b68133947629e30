import DeviceSDK
import Wire

/// `storage.maxBytes`: a bound of bytes beside that of rows, which no version has.
extension SensorsSystem {
    /// What becomes of an event under the bound.
    enum Fit {
        case fits, tooMuch
        /// More than all of the bytes by itself.
        case never
    }

    /// Whether a store has room for an event: of its JSON as the table has it.
    mutating func fit(_ record: EventRecord, on device: inout Device) -> Fit {
        guard let limit = rules.storage.maxBytes else { return .fits }
        var rows = device.store.rows
        rows.append(record)
        var known = StoredSizes()
        swap(&known, &sizes)
        let bytes = known.bytes(of: rows, slot: device.slot) { row in
            encoder.content(row, epoch: device.epochs[row.epoch], device).count
        }
        swap(&known, &sizes)
        if bytes[bytes.count - 1] > limit { return .never }
        return bytes.reduce(0, +) > limit ? .tooMuch : .fits
    }

    /// Deletes the oldest rows, ``SensorsRules/Storage/evict`` at a time, until an event has room.
    ///
    /// - Returns: `false` if there is none: a deletion failed, or nothing may be deleted.
    mutating func makeBytes(
        for record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        while fit(record, on: &device) != .fits {
            let before = device.store.count
            guard evict(on: &device, effects: &effects), device.store.count < before else { return false }
        }
        return true
    }
}
