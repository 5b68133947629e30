import Accounting
import AppModel
package import DeviceSDK
import Timebase
import Wire
import World

/// Where events end. A row's key is the number of its line in its file, known only while the file is there.
extension KitSystem {
    /// A row with the key by which a collector knows it; `nil` where the row says its id.
    private struct KeyedRow {
        var record: EventRecord
        var key: NaturalKey?
        var line: Int64
    }

    /// The rows of a range of sequences that are not settled yet, with their keys.
    private func openRows(
        from: UInt32, until: UInt32, of device: borrowing Device
    ) -> ContiguousArray<KeyedRow> {
        var rows = ContiguousArray<KeyedRow>()
        device.forEachRow { row, day, line in
            guard !row.isSettled, row.sequence >= from, row.sequence < until else { return }
            let key = encoder.saysID(row) ? nil : encoder.naturalKey(day: day, line: line, of: device)
            rows.append(KeyedRow(record: row, key: key, line: line))
        }
        return rows
    }

    /// Gives rows that leave their fate: they were delivered when an archive with them was acknowledged first,
    /// or end in another way.
    private func end(
        _ rows: ContiguousArray<KeyedRow>, on device: borrowing Device, effects: inout DeviceEffects,
        as disposition: (EventRecord) -> Disposition
    ) {
        for row in rows {
            let answer = device.acknowledgements.first { row.record.sequence < $0.end }
            let fate = answer == nil ? disposition(row.record) : .delivered
            keepBody(of: row.record, line: row.line, fate, on: device, effects: &effects)
            seal(
                row.record, fate, key: row.key, on: device, ackedAt: answer?.at ?? .distantFuture,
                effects: &effects)
        }
    }

    /// Keeps the log that has a row alone, if it is wanted: the lines before it are empty but for the device's.
    func keepBody(
        of record: EventRecord, line: Int64, _ disposition: Disposition, on device: borrowing Device,
        effects: inout DeviceEffects
    ) {
        guard effects.bodies.wants(disposition) else { return }
        encoder.appendLog(of: record, line: line, of: device, to: &effects.bodies.bytes)
        effects.bodies.end(.logs, event: effects.sealed.count)
    }

    /// Rows leave their files: those that nobody acknowledged have a fate now.
    mutating func leave(
        from: UInt32, until: UInt32, as disposition: Disposition, of device: inout Device,
        effects: inout DeviceEffects
    ) {
        let rows = openRows(from: from, until: until, of: device)
        end(rows, on: device, effects: &effects) { _ in disposition }
        device.log.delete(in: from..<until)
        device.trimAcknowledgements()
        device.trimEpochs()
    }

    /// The upload that carried rows of damaged files is over, so they are gone.
    func dropDamaged(_ device: inout Device, effects: inout DeviceEffects) {
        var end: UInt32 = 0
        device.log.forEach { if $0.isDamaged { end = $0.sequence + 1 } }
        guard end > 0 else { return }
        let rows = openRows(from: 0, until: end, of: device)
        self.end(rows, on: device, effects: &effects) { _ in .lost(.storageError) }
        device.log.delete(in: 0..<end)
        device.trimAcknowledgements()
    }

    /// The process is gone: its upload is cut. The files stay.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        device.request = nil
        dropDamaged(&device, effects: &effects)
        device.trimEpochs()
        device.trace = UIKitTrace()
        device.retry = RetryState()
        device.isRunning = false
        device.isForeground = false
        effects.died.append(device.slot)
    }

    package mutating func takeBack(_ upload: RequestNumber, isCounted: Bool, of device: inout Device) {
        guard let request = device.request, request.number == upload.number else { return }
        device.request?.isReturned = true
        guard isCounted else { return }
        device.log.update(in: 0..<request.end) { $0.takeBackAttempt() }
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        let carried = device.request.map { $0.isReturned ? 0 : $0.end } ?? 0
        end(openRows(from: 0, until: .max, of: device), on: device, effects: &effects) { row in
            row.isDamaged
                ? .lost(.storageError) : .pending(row.sequence < carried ? .inFlight : .stored)
        }
        device.log.update(in: 0..<(.max)) { $0.isSettled = true }
        device.request = nil
    }
}
