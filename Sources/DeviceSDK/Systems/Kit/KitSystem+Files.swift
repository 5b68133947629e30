import Accounting
import AppModel
package import DeviceSDK
import Timebase
import Wire
import World

/// The folder `userStatisics`: a file per local day, and what a failing disk makes of it.
///
/// Each row is appended with a file handle of its own; the archive is a file too.
///
/// - *No room* or *read-only*: a row that cannot be written raises in the file handle, and is lost
///   (`storage_error`). No archive can be made, so nothing leaves at a start. A read-only folder keeps files
///   that should be removed: they travel again.
/// - *Damaged*: all rows so far are lost.
extension KitSystem {
    /// Appends a row to the day's file.
    mutating func write(
        _ template: KitTemplate, of view: ViewReference?, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        let record = EventRecord(
            capturedAt: now, sequence: device.nextSequence, epoch: device.epochs.reference(),
            template: template.rawValue, screen: view?.screen ?? .max, control: view?.node ?? .max,
            detail: view?.detail ?? 0)
        device.nextSequence += 1
        let isSound = device.disk == .sound
        if isSound && makeRoom(for: record, on: &device, effects: &effects) {
            _ = device.log.append(record)
        } else {
            let fate: Disposition = isSound ? .evicted(.storageLimit) : .lost(.storageError)
            keepBody(of: record, line: line(of: record, on: device), fate, on: device, effects: &effects)
            seal(record, fate, key: nil, on: device, effects: &effects)
            device.trimEpochs()
        }
    }

    /// The line that a row gets which is written now.
    private func line(of record: EventRecord, on device: borrowing Device) -> Int64 {
        let today = device.day(of: record.capturedAt)
        var next: Int64 = 2
        device.forEachRow { _, day, line in
            if day == today { next = line + 1 }
        }
        return next
    }

    /// `storage.maxBytes`: files are removed, the oldest first, until another row fits. The file of the row's own day is
    /// open, and those of an archive that is under way are being sent: they stay.
    ///
    /// - Returns: `false` if there is no room all the same.
    private mutating func makeRoom(
        for record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        guard let limit = rules.storage.maxBytes else { return true }
        var rows = ContiguousArray<EventRecord>()
        device.log.forEach { if !$0.isDamaged { rows.append($0) } }
        rows.append(record)
        var known = StoredSizes()
        swap(&known, &sizes)
        let bytes = known.bytes(of: rows, slot: device.slot) { row in
            var line = WireBuffer()
            encoder.append(row, of: device, to: &line)
            return line.count
        }
        swap(&known, &sizes)
        let count = bytes.countToDrop(above: limit)
        guard count > 0 else { return true }
        guard bytes[rows.count - 1] <= limit, rows[0].sequence >= device.request?.end ?? 0 else {
            return false
        }
        // Files go whole.
        let last = device.day(of: rows[count - 1].capturedAt)
        guard last < device.day(of: record.capturedAt),
            let end = rows.first(where: { device.day(of: $0.capturedAt) > last })?.sequence
        else { return false }
        leave(
            from: rows[0].sequence, until: end, as: .evicted(.storageLimit), of: &device, effects: &effects)
        return true
    }

    package mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects
    ) {
        device.disk = change.condition
        if change.isDamaged { damage(&device, effects: &effects) }
    }

    /// The app starts: files whose day ended too long ago are removed.
    mutating func expire(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard let ttl = rules.storage.ttl, device.disk != .readOnly else { return }
        let first = device.day(of: now - ttl)
        var end: UInt32 = 0
        device.log.forEach { if device.day(of: $0.capturedAt) < first { end = $0.sequence + 1 } }
        guard end > 0 else { return }
        leave(from: 0, until: end, as: .evicted(.expired), of: &device, effects: &effects)
    }

    /// What an upload carries may still arrive; the rest is lost.
    private mutating func damage(_ device: inout Device, effects: inout DeviceEffects) {
        let carried = device.request?.end ?? 0
        device.log.update(in: 0..<carried) { $0.flags |= EventRecord.damagedKitRow }
        leave(from: carried, until: .max, as: .lost(.storageError), of: &device, effects: &effects)
    }

    /// Writes the rows of `storage.prefill`: views of the start screen, half a minute apart, the last one
    /// half a minute before the midnight that the run's start is behind.
    package mutating func arrive(_ device: inout Device, effects: inout DeviceEffects) {
        guard rules.storage.prefill > 0 else { return }
        let midnight = device.clock.midnight(before: plan.start)
        let controller = views.controller(of: plan.app.startScreen)
        for age in stride(from: Int64(rules.storage.prefill), to: 0, by: -1) {
            write(
                .appear, of: controller, on: &device, at: PastEvents.time(age: age, before: midnight),
                effects: &effects)
        }
    }
}
