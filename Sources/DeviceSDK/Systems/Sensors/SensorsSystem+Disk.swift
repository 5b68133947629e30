import Accounting
package import DeviceSDK
import Timebase
import Wire

/// The store's file: writing an event into it, and what a failing disk makes of it.
///
/// Sources: sa-sdk-ios v1.10.17 (`MessageQueueBySqlite.m`, `SensorsAnalyticsSDK.m flushByType:…`) and
/// v4.9.1 (`Core/Tracker/SADatabase.m`, `SAEventStore.m`, `Core/Interceptor/Datebase/`).
///
/// - *An insert fails*: 1.10.17 logs it and drops the event (`lost`, `storage_error`). 4.9.1 keeps it
///   in a list in memory, which is uploaded before the table's rows and dies with the process.
/// - *A deletion after an upload fails*: the rows are still there. 1.10.17 ends the flush, and the next
///   one sends them again. 4.9.1 ignores the result. If the rows were marked before the disk failed,
///   they stay marked until the next start; if not, the flush finds the same rows again and sends them
///   up to 41 times.
/// - *The file cannot be opened or the table not created*: 1.10.17 has no queue until the next start
///   and drops every event. 4.9.1 tries again with each insert, and when the file is there, moves the
///   list in memory into it.
/// - *The file is damaged*: neither version repairs it or puts a new one in its place. Its rows are
///   lost for good (`storage_error`), and every later insert fails.
///
/// Left out: both versions cache the count of rows, and after a damage go on counting rows that are
/// gone until the process ends, which only moves the moments of flushes that find nothing.
extension SensorsSystem {
    /// Writes an event into the file.
    @inline(__always)
    mutating func write(_ record: EventRecord, on device: inout Device) -> Bool {
        guard Store.keepsContent else { return device.store.append(record, content: Self.noContent) }
        let epoch = device.epochs[record.epoch]
        return device.store.append(record, content: encoder.content(record, epoch: epoch, device))
    }

    private static var noContent: WireBuffer { WireBuffer() }

    /// 4.9.1 opens the file anew before each insert if that failed before
    /// (`SADatabase.m databaseCheck`), and then moves what is in memory into it
    /// (`SAEventStore.m observeValueForKeyPath:`).
    mutating func reopen(_ device: inout Device, effects: inout DeviceEffects) {
        guard device.store.open(), device.memory.count > 0 else { return }
        var waiting = ContiguousArray<EventRecord>()
        device.memory.forEach { waiting.append($0) }
        device.memory.removeAll()
        for var record in waiting {
            // In the table the row is new; requests that carry it know it by another id.
            record.isUploading = false
            guard makeRoom(on: &device, effects: &effects),
                makeBytes(for: record, on: &device, effects: &effects), write(record, on: &device)
            else {
                // The host's own disk: a modelled one has just let the table be created.
                device.memory.append(record)
                continue
            }
        }
    }

    package mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects
    ) {
        device.store.setDisk(change.condition)
        if change.isDamaged { damage(&device, effects: &effects) }
    }

    private mutating func damage(_ device: inout Device, effects: inout DeviceEffects) {
        var lost = ContiguousArray<EventRecord>()
        device.store.damage { lost.append($0) }
        for record in lost { leave(record, as: .lost(.storageError), on: &device, effects: &effects) }
        device.trimEpochs()
    }
}
