package import Accounting
import AppModel
package import DeviceSDK
import Timebase
package import Wire
package import World

/// Where events end. An event may be in a store, in the write buffer before it, and in 3.x's queue.
extension GrowingSystem {
    /// Suppressed events were never built.
    package func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey? {
        guard !plan.tagsEvents, disposition.fate != .suppressed else { return nil }
        let channel = routes.channelOf[Int(record.template)]
        let key = encoder.naturalKey(
            event(record, of: device), as: channel.map { form(of: Int($0)) } ?? .json)
        return NaturalKey(high: key.high, low: key.low)
    }

    package func encodeAlone(
        _ record: EventRecord, on device: borrowing Device, into plain: inout WireBuffer
    ) -> PlainBody? {
        let channel = routes.channelOf[Int(record.template)]
        let form: GrowingEncoder.Form = channel.map { self.form(of: Int($0)) } ?? .json
        append([record], of: device, as: form, to: &plain)
        return form == .json ? .list : .messages
    }

    /// A settled row has left the store; 3.x may have a copy in its queue, which goes on counting.
    mutating func sealUnlessQueued(
        _ record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) {
        let copies = device.queue.extra.indices.filter {
            device.queue.extra[$0].sequence == record.sequence
        }
        for index in copies {
            device.queue.extra[index].attempts = max(device.queue.extra[index].attempts, record.attempts)
        }
        if copies.isEmpty { sealAcknowledged(record, on: device, effects: &effects) }
    }

    /// A settled row has left the queue; the store may have it still, and counts for both.
    mutating func sealUnlessStored(
        _ record: EventRecord, on device: borrowing Device, effects: inout DeviceEffects
    ) {
        var isStored = false
        device.timing.table.forEach { isStored = isStored || $0.sequence == record.sequence }
        if !isStored { sealAcknowledged(record, on: device, effects: &effects) }
    }

    /// The process is gone: what it had only in memory is lost, its requests are cut, and deletions that were
    /// not written yet never happen.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        sealDetached(of: &device, effects: &effects)
        for record in device.queue.extra {
            if record.isSettled {
                sealUnlessStored(record, on: device, effects: &effects)
            } else {
                seal(record, .lost(.killed), on: device, effects: &effects)
            }
        }
        for kind in [GrowingStoreKind.timing, .realtime] {
            let inserts = device[kind].inserts
            device[kind].inserts = []
            device[kind].deletes = []
            for record in inserts { seal(record, .lost(.killed), on: device, effects: &effects) }
            if !device.requests.isEmpty || device[kind].table.idleCount < device[kind].table.count {
                device[kind].table.resetMarks { $0.inFlight = 0 }
            }
            device[kind].table.close()
        }
        device.queue = GrowingQueue()
        device.requests = []
        device.timers = EventTimers()
        device.trace = UIKitTrace()
        device.tickDue = .distantFuture
        device.firstTick = .distantFuture
        device.resignedAt = Device.never
        device.lastController = GrowingTemplates.none
        device.uploadingChannels = 0
        device.retry = RetryState()
        device.state = device.state.intersection(.hasLaunched)
        device.trim()
        effects.died.append(device.slot)
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        sealAll(of: &device, effects: &effects)
        device.timing.table.close()
        device.realtime.table.close()
    }
}

extension GrowingDevice {
    package var network: NetworkKind { epochs.current.network }

    package var allRows: ContiguousArray<EventRecord> {
        var rows = ContiguousArray<EventRecord>()
        for store in [timing, realtime] {
            store.table.forEach { rows.append($0) }
            rows += store.inserts
        }
        return rows + queue.extra
    }

    package mutating func updateRows(
        of request: GrowingRequest, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        self[request.store].table.update(request.rows, mark: mark, change)
        guard request.store == .timing else { return }
        for index in queue.extra.indices where request.rows.contains(sequence: queue.extra[index].sequence) {
            change(&queue.extra[index])
        }
    }
}
