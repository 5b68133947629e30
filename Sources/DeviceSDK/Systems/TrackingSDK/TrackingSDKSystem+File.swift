import Accounting
import AppModel
package import DeviceSDK
import Timebase
import Wire
import World

/// The file `tracking_events.plist`: writing an event into it, and what a failing disk makes of it.
///
/// `saveEvent:` reads the whole array, adds the event and writes it anew with `writeToFile:atomically:`,
/// whose result nobody looks at. `clearEvents` removes the file and ignores errors.
///
/// - *No room*: the new event is lost (`storage_error`), the file stays as it was. It can be removed.
/// - *Read-only*: the new event is lost, and the file cannot be removed either: what was acknowledged is
///   sent again with the next event.
/// - *Damaged*: `arrayWithContentsOfFile:` finds no array, so the next event begins a new file; what was in
///   the old one is lost.
extension TrackingSDKSystem {
    /// Writes an event into the file.
    mutating func save(_ record: EventRecord, on device: inout Device, effects: inout DeviceEffects) {
        guard device.disk == .sound else { return lose(record, on: device, effects: &effects) }
        guard makeRoom(for: record, on: &device, effects: &effects) else {
            return seal(record, .evicted(.storageLimit), on: device, effects: &effects)
        }
        _ = device.log.append(record)
        device.fileCount += 1
    }

    /// `storage.maxBytes`: the oldest events leave the file, which is written anew, until another one fits.
    ///
    /// - Returns: `false` for an event that takes more than all of the room.
    private mutating func makeRoom(
        for record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        guard let limit = rules.storage.maxBytes else { return true }
        var rows = ContiguousArray<EventRecord>()
        device.log.forEach(in: device.fileStart..<max(device.fileStart, device.nextSequence)) {
            rows.append($0)
        }
        rows.append(record)
        var known = StoredSizes()
        swap(&known, &sizes)
        let (index, number) = (Int(device.index), device.number)
        let skew = plan.clockSkew(index: index)
        let bytes = known.bytes(of: rows, slot: device.slot) { row in
            var event = WireBuffer()
            encoder.encode(row, index: index, device: number, skew: skew, into: &event)
            return event.count
        }
        swap(&known, &sizes)
        let count = bytes.countToDrop(above: limit)
        guard count < rows.count else { return false }
        guard count > 0 else { return true }
        giveUp(
            device.fileStart..<rows[count].sequence, flag: EventRecord.limitFlag, of: &device,
            effects: &effects)
        return true
    }

    /// The oldest events leave the file, with what tells their end.
    private mutating func giveUp(
        _ old: Range<UInt32>, flag: UInt16, of device: inout Device, effects: inout DeviceEffects
    ) {
        device.log.update(in: old) { $0.flags |= flag }
        device.fileCount -= UInt32(device.log.count(in: old))
        device.fileStart = old.upperBound
        sealCleared(old, on: &device, effects: &effects)
        device.trimLog()
    }

    func lose(_ record: EventRecord, on device: borrowing Device, effects: inout DeviceEffects) {
        seal(record, .lost(.storageError), on: device, effects: &effects)
    }

    package mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects
    ) {
        device.disk = change.condition
        if change.isDamaged { damage(&device, effects: &effects) }
    }

    /// A process starts: events that are too old leave the file, which is written anew.
    mutating func expire(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard let ttl = rules.storage.ttl, device.disk == .sound else { return }
        let file = device.fileStart..<max(device.fileStart, device.nextSequence)
        var end = device.fileStart
        device.log.forEach(in: file) { if $0.capturedAt <= now - ttl { end = $0.sequence + 1 } }
        let old = device.fileStart..<end
        guard !old.isEmpty else { return }
        giveUp(old, flag: EventRecord.expiredFlag, of: &device, effects: &effects)
    }

    private mutating func damage(_ device: inout Device, effects: inout DeviceEffects) {
        let file = device.fileStart..<max(device.fileStart, device.nextSequence)
        device.log.update(in: file) { $0.flags |= EventRecord.damagedFlag }
        device.fileStart = device.nextSequence
        device.fileCount = 0
        sealCleared(file, on: &device, effects: &effects)
        device.trimLog()
    }
}

extension EventRecord {
    /// The event left the file because that was damaged, because it was too old, or because there was no room. Else the
    /// status of the answer that cleared it, or 0.
    fileprivate static let damagedFlag: UInt16 = 1 << 15
    fileprivate static let expiredFlag: UInt16 = 1 << 14
    fileprivate static let limitFlag: UInt16 = 1 << 13

    /// What became of an event that left the file unacknowledged.
    var endByClearing: Disposition {
        if flags & EventRecord.damagedFlag != 0 { return .lost(.storageError) }
        if flags & EventRecord.expiredFlag != 0 { return .evicted(.expired) }
        if flags & EventRecord.limitFlag != 0 { return .evicted(.storageLimit) }
        return flags > 0 ? .rejected(status: flags) : .lost(.clearedUnsent)
    }
}

extension TrackingSDKSystem {
    /// Puts the events of `storage.prefill` into the file: business events, else views of the start
    /// screen, at the times of ``PastEvents``.
    package mutating func arrive(_ device: inout Device, effects: inout DeviceEffects) {
        let past = PastEvents(plan: plan, index: Int(device.index))
        for age in stride(from: Int64(rules.storage.prefill), to: 0, by: -1) {
            var event = TrackingSDKEvent(
                TrackingSDKTemplates.pageView, view: views.controller(of: plan.app.startScreen))
            if let business = past.business(sequence: device.nextSequence) {
                event = TrackingSDKEvent(TrackingSDKTemplates.business(business.event))
                if let subject = business.subject { event.detail = subject }
            }
            let record = EventRecord(
                capturedAt: PastEvents.time(age: age, before: plan.start), sequence: device.nextSequence,
                epoch: 0,
                template: event.template, screen: event.screen, control: event.control, detail: event.detail)
            device.nextSequence += 1
            save(record, on: &device, effects: &effects)
        }
    }
}
