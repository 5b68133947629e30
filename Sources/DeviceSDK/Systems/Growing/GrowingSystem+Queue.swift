import Accounting
import DeviceSDK

/// 3.x: the queue in memory that the timing store's events are sent from (`eventQueue`,
/// `loadFromDB_unsafe`, `removeEvents_unsafe:forChannel:`).
///
/// It is filled from the store when the process starts, with ``GrowingRules/Storage/queueLimit`` rows at most,
/// and takes every new event. When no more than ``GrowingRules/Storage/queueRefill`` are left after an answer,
/// its number is compared with the store's, and if they differ it is filled anew, with new objects. Events of
/// a request that is under way then are in it a second time: their answer takes the old objects out, which
/// are not there any more, and so they are sent again.
///
/// Without a database service there is nothing to fill it from. It takes events all the same, and they are sent;
/// an answer after which any are left in it finds that it does not agree with the store, and so empties it.
extension GrowingSystem {
    var hasQueue: Bool { rules.storage.queueLimit != nil }

    /// Events in the queue.
    @inline(__always)
    func queueCount(of device: borrowing Device) -> Int {
        device.timing.count - device.queue.unloadedCount + device.queue.extra.count
    }

    /// Fills the queue from the store. Everything that waits is written.
    mutating func loadQueue(of device: inout Device) {
        guard let limit = rules.storage.queueLimit else { return }
        device.queue = GrowingQueue()
        guard device.timing.table.count > limit else { return }
        var position = 0
        var first: UInt32?
        device.timing.table.select { row in
            if position == limit { first = row.sequence }
            position += 1
            return position <= limit
        }
        guard let first else { return }
        device.queue.unloaded = first..<device.nextSequence
        device.queue.unloadedCount = device.timing.table.count - limit
    }

    /// After an answer has taken events out: fills the queue anew if it has become short and does not agree
    /// with the store.
    mutating func refillQueue(of device: inout Device, effects: inout DeviceEffects) {
        guard queueCount(of: device) <= rules.storage.queueRefill else { return }
        flush(.timing, of: &device, effects: &effects)
        guard queueCount(of: device) != device.timing.table.count else { return }
        for record in device.queue.extra {
            if record.isSettled {
                sealUnlessStored(record, on: device, effects: &effects)
                continue
            }
            let disposition = record.isDisplaced ? Disposition.evicted(.storageLimit) : .lost(.storageError)
            leave(record, as: disposition, on: &device, effects: &effects)
        }
        device.timing.table.resetMarks { _ in }
        loadQueue(of: &device)
        for index in device.requests.indices where device.requests[index].store == .timing {
            device.requests[index].isStale = true
        }
    }

    /// The events of a request whose answer came after the queue was loaded anew: those that were loaded are still
    /// in the queue when the store has deleted them. Those that the store never had, or deletes for another answer,
    /// are in neither; those beyond the queue's limit are in the store alone.
    mutating func keepStale(_ rows: ContiguousArray<EventRecord>, on device: inout Device) {
        let unloaded = device.queue.unloaded
        var loaded = ContiguousArray<EventRecord>()
        var others = 0
        device.timing.table.forEach { row in
            guard !row.isUploading, rows.contains(sequence: row.sequence) else { return }
            if unloaded.contains(row.sequence) { others += 1 } else { loaded.append(row) }
        }
        device.queue.unloadedCount -= others
        for var row in loaded {
            row.isSettled = true
            device.queue.extra.append(row)
        }
        device.queue.extra.sort { $0.sequence < $1.sequence }
    }
}
