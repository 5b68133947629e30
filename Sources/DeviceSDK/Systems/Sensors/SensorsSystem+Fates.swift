package import Accounting
package import DeviceSDK
import Timebase
package import Wire
package import World

/// Where events end. Beside the store, rows wait in a list in memory and in the serial queue.
extension SensorsSystem {
    /// Suppressed events were never built.
    package func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey? {
        guard !plan.tagsEvents, disposition.fate != .suppressed else { return nil }
        let index = Int(device.index)
        let key = encoder.naturalKey(
            record, epoch: device.epochs[record.epoch], traits: SensorsTraits(plan: plan, index: index),
            index: index, device: device.number)
        return NaturalKey(high: key.high, low: key.low)
    }

    /// `_flush_time` is the attempt's.
    package func encodeAlone(
        _ record: EventRecord, on device: borrowing Device, into plain: inout WireBuffer
    ) -> PlainBody? {
        let index = Int(device.index)
        plain.append(UInt8(ascii: "["))
        encoder.encode(
            record, epoch: device.epochs[record.epoch], traits: SensorsTraits(plan: plan, index: index),
            index: index, device: device.number, flushTime: nil, into: &plain)
        plain.append(UInt8(ascii: "]"))
        return .list
    }

    /// The process is gone: what it had only in memory is lost, its requests are cut, and the next
    /// process finds the store's rows with their statuses reset.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        sealDetached(of: &device, effects: &effects)
        var memory = ContiguousArray<EventRecord>()
        device.memory.forEach { memory.append($0) }
        for record in memory { end(record, as: .lost(.killed), on: device, effects: &effects) }
        device.waiting.forEachRecord {
            seal($0, .lost(.killed), on: device, effects: &effects)
        }
        if device.requests.contains(where: { $0.number.kind == .upload }) {
            device.store.noteAll { $0.inFlight = 0 }
        }
        device.store.close()
        device.memory.removeAll()
        device.waiting.removeAll()
        device.requests = []
        device.timers = EventTimers()
        device.flushDue = .distantFuture
        device.retryDue = .distantFuture
        device.retry = RetryState()
        device.appEndSince = .distantFuture
        device.lastTap = (.max, .max)
        device.currentScreen = .max
        device.viewedPage = .max
        device.state = device.state.intersection(.hasLaunched)
        device.trimEpochs()
        effects.died.append(device.slot)
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        sealAll(of: &device, effects: &effects)
        device.waiting.forEachRecord {
            seal($0, .pending(.stored), on: device, effects: &effects)
        }
        device.store.close()
    }
}

extension SensorsDevice {
    package var network: NetworkKind { epochs.current.network }

    package var allRows: ContiguousArray<EventRecord> {
        var rows = store.rows
        memory.forEach { rows.append($0) }
        return rows
    }

    package mutating func updateRows(
        of request: SensorsRequest, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        guard request.isFromMemory else {
            store.update(request.rows, mark: mark, change)
            return
        }
        memory.update(request.rows) {
            if let mark { $0.isUploading = mark }
            change(&$0)
        }
        // Rows that moved from the list to the database meanwhile: the SDK knows them there by other
        // ids, so it neither marks nor deletes them.
        if store.count > 0 { store.update(request.rows, mark: nil, change) }
    }
}
