import Accounting
import Timebase
import Wire
import World

/// Where events end.
///
/// A positive answer beats every other fate; otherwise the first final one holds, and it is final
/// once no request carries the event any more. So an event that leaves the store while requests
/// carry it becomes a ghost, and a delivered event whose row could not be deleted stays in the store
/// as *settled*: it travels again, and how often is known when it has left.
extension SensorsSystem {
    func seal(
        _ record: EventRecord, _ disposition: Disposition, on device: borrowing Device,
        ackedAt: Instant = .distantFuture, effects: inout DeviceEffects
    ) {
        effects.sealed.append(
            record.sealed(
                disposition, device: device.number, ackedAt: ackedAt,
                naturalKey: naturalKey(of: record, disposition, on: device)))
    }

    /// The key of an event that carries no `bs_id`; suppressed events were never built.
    private func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey? {
        guard !plan.tagsEvents, disposition.fate != .suppressed else { return nil }
        let index = Int(device.index)
        let key = encoder.naturalKey(
            record, epoch: device.epochs[record.epoch], traits: SensorsTraits(plan: plan, index: index),
            index: index, device: device.number)
        return NaturalKey(high: key.high, low: key.low)
    }

    /// A row has left the store for another reason than a positive answer.
    mutating func leave(
        _ record: EventRecord, as fate: EventFate, on device: inout Device,
        effects: inout DeviceEffects
    ) {
        if record.isSettled { return sealAcknowledged(record, on: device, effects: &effects) }
        if record.inFlight > 0 {
            device.ghosts.append(EventGhost(record: record, disposition: fate))
        } else {
            seal(record, fate.disposition, on: device, effects: &effects)
        }
    }

    /// A settled row is gone: if nobody told of it yet, it was delivered when it was acknowledged first.
    private mutating func sealAcknowledged(
        _ record: EventRecord, on device: borrowing Device, effects: inout DeviceEffects
    ) {
        guard let at = acknowledged.take(record, slot: device.slot) else { return }
        seal(record, .delivered, on: device, ackedAt: at, effects: &effects)
    }

    /// A request that carried ghosts has ended.
    mutating func releaseGhosts(
        of request: SensorsRequest, isPositive: Bool, on device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard !device.ghosts.isEmpty else { return }
        for ghost in device.ghosts.release(carriedBy: request.rows, isPositive: isPositive) {
            seal(
                ghost.record, ghost.disposition, on: device,
                ackedAt: ghost.disposition == .delivered ? now : .distantFuture, effects: &effects)
        }
    }

    /// The process is gone: what it had only in memory is lost, its requests are cut, and the next
    /// process finds the store's rows with their statuses reset.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        for ghost in device.ghosts where !ghost.record.isSettled {
            seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
        }
        var memory = ContiguousArray<EventRecord>()
        device.memory.forEach { memory.append($0) }
        for record in memory {
            if record.isSettled {
                sealAcknowledged(record, on: device, effects: &effects)
            } else {
                seal(record, .lost(.killed), on: device, effects: &effects)
            }
        }
        device.waiting.forEachRecord {
            seal($0, .lost(.killed), on: device, effects: &effects)
        }
        if device.requests.contains(where: { $0.number.kind == .upload }) {
            device.store.noteAll { $0.inFlight = 0 }
        }
        device.store.close()
        device.ghosts = []
        device.memory = EventLog()
        device.waiting.removeAll()
        device.requests = []
        device.timers = []
        device.flushDue = .distantFuture
        device.retryDue = .distantFuture
        device.quietUntil = Instant(nanoseconds: .min)
        device.appEndSince = .distantFuture
        device.lastTap = (.max, .max)
        device.currentScreen = .max
        device.viewedScreen = .max
        device.state = device.state.intersection(.hasLaunched)
        device.trimEpochs()
        effects.died.append(device.slot)
    }

    /// Takes back requests that the engine has not seen yet: they were asked for in the very call in
    /// which the process dies, and never left.
    private mutating func revokeUnsentRequests(of device: inout Device, effects: inout DeviceEffects) {
        guard !effects.requests.isEmpty, !device.requests.isEmpty else { return }
        for outgoing in effects.revokeRequests(of: device.slot) { takeBack(outgoing.number, of: &device) }
    }

    package mutating func takeBack(_ upload: RequestNumber, of device: inout Device) {
        guard let request = device.requests.first(where: { $0.number == upload }) else { return }
        device.update(request, mark: nil) { $0.takeBackAttempt() }
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        // Requests that never got a socket carry nothing.
        for request in device.requests where !request.isStarted {
            device.update(request, mark: nil) { $0.inFlight -= 1 }
        }
        for ghost in device.ghosts where !ghost.record.isSettled {
            seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
        }
        let pending = { (record: EventRecord) -> Disposition in
            .pending(record.inFlight > 0 ? .inFlight : .stored)
        }
        // Gathered first: a closure that sees the device would copy it for each row.
        var rows = ContiguousArray<EventRecord>()
        device.store.forEach { rows.append($0) }
        device.memory.forEach { rows.append($0) }
        for row in rows {
            if row.isSettled {
                sealAcknowledged(row, on: device, effects: &effects)
            } else {
                seal(row, pending(row), on: device, effects: &effects)
            }
        }
        device.waiting.forEachRecord {
            seal($0, .pending(.stored), on: device, effects: &effects)
        }
        device.requests = []
        device.ghosts = []
        device.store.close()
    }
}

extension SensorsDevice {
    /// Marks the rows that a request carries, unless `mark` is `nil`, and changes the notes about them.
    mutating func update(
        _ request: SensorsRequest, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        updateRows(of: request, mark: mark, change)
        guard !ghosts.isEmpty else { return }
        for place in ghosts.indices where request.rows.contains(sequence: ghosts[place].record.sequence) {
            change(&ghosts[place].record)
        }
    }
}

extension SensorsDevice {
    /// As ``update(_:mark:_:)``, without the events that left the store.
    mutating func updateRows(
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
