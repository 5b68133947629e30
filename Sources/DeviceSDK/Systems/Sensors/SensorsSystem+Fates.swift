import Accounting
import Timebase
import Wire
import World

/// Where events end.
///
/// A positive answer beats every other fate; otherwise the first final one holds, and it is final
/// once no request carries the event any more. So an event that leaves the store while requests
/// carry it becomes a ghost, and a delivered event whose row could not be deleted stays in the store
/// as *settled*: it travels again and is never counted again.
extension SensorsSystem {
    func seal(
        _ record: EventRecord, _ disposition: Disposition, on device: borrowing Device,
        ackedAt: Instant = .distantFuture, effects: inout DeviceEffects
    ) {
        effects.sealed.append(
            SealedEvent(
                id: EventID(device: device.number, sequence: record.sequence), label: record.template,
                attempts: record.attempts, disposition: disposition, capturedAt: record.capturedAt,
                ackedAt: ackedAt, naturalKey: naturalKey(of: record, disposition, on: device)))
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
        if record.isSettled { return }
        if record.inFlight > 0 {
            device.ghosts.append(EventGhost(record: record, disposition: fate))
        } else {
            seal(record, fate.disposition, on: device, effects: &effects)
        }
    }

    /// A request that carried ghosts has ended.
    mutating func releaseGhosts(
        of request: SensorsRequest, isPositive: Bool, on device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard !device.ghosts.isEmpty else { return }
        var kept = ContiguousArray<EventGhost>()
        for var ghost in device.ghosts {
            guard request.carries(ghost.record.sequence) else {
                kept.append(ghost)
                continue
            }
            ghost.record.inFlight -= 1
            if isPositive && !ghost.record.isSettled {
                seal(ghost.record, .delivered, on: device, ackedAt: now, effects: &effects)
                ghost.record.isSettled = true
            }
            if ghost.record.inFlight > 0 {
                kept.append(ghost)
            } else if !ghost.record.isSettled {
                seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
            }
        }
        device.ghosts = kept.isEmpty ? [] : kept
    }

    /// The process is gone: what it had only in memory is lost, its requests are cut, and the next
    /// process finds the store's rows with their statuses reset.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        for ghost in device.ghosts where !ghost.record.isSettled {
            seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
        }
        device.memory.forEach { record in
            if !record.isSettled { seal(record, .lost(.killed), on: device, effects: &effects) }
        }
        device.waiting.forEachRecord {
            seal($0, .lost(.killed), on: device, effects: &effects)
        }
        if device.store.idleCount < device.store.count {
            device.store.updateAll {
                $0.isUploading = false
                $0.inFlight = 0
            }
        }
        device.ghosts = []
        device.memory = EventLog()
        device.waiting.removeAll()
        device.requests = []
        device.timers = []
        device.flushDue = .distantFuture
        device.retryDue = .distantFuture
        device.appEndSince = .distantFuture
        device.lastTap = (.max, .max)
        device.currentScreen = .max
        device.state = device.state.intersection(.hasLaunched)
        device.trimEpochs()
        effects.died.append(device.slot)
    }

    /// Takes back requests that the engine has not seen yet: they were asked for in the very call in
    /// which the process dies, and never left.
    private mutating func revokeUnsentRequests(of device: inout Device, effects: inout DeviceEffects) {
        guard !effects.requests.isEmpty, !device.requests.isEmpty else { return }
        let slot = device.slot
        let revoked = effects.requests.filter { $0.slot == slot }
        guard !revoked.isEmpty else { return }
        effects.requests.removeAll { $0.slot == slot }
        for outgoing in revoked where outgoing.network != .none {
            guard let request = device.requests.first(where: { $0.number == outgoing.number }) else {
                continue
            }
            device.update(request) { $0.attempts = $0.attempts > 0 ? $0.attempts - 1 : 0 }
        }
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        // Requests that never got a socket carry nothing.
        for request in device.requests where !request.isStarted {
            device.update(request) { $0.inFlight -= 1 }
        }
        for ghost in device.ghosts where !ghost.record.isSettled {
            seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
        }
        let pending = { (record: EventRecord) -> Disposition in
            .pending(record.inFlight > 0 ? .inFlight : .stored)
        }
        // Gathered first: a closure that sees the device would copy it for each row.
        var rows = ContiguousArray<EventRecord>()
        device.store.forEach { if !$0.isSettled { rows.append($0) } }
        device.memory.forEach { if !$0.isSettled { rows.append($0) } }
        for row in rows { seal(row, pending(row), on: device, effects: &effects) }
        device.waiting.forEachRecord {
            seal($0, .pending(.stored), on: device, effects: &effects)
        }
        device.requests = []
        device.ghosts = []
    }
}

extension SensorsDevice {
    /// Changes the rows that a request carries, where they are.
    mutating func update(_ request: SensorsRequest, _ change: (inout EventRecord) -> Void) {
        if request.isFromMemory {
            memory.update(request.rows, change)
        } else {
            store.update(request.rows, change)
        }
        guard !ghosts.isEmpty else { return }
        for place in ghosts.indices where request.carries(ghosts[place].record.sequence) {
            change(&ghosts[place].record)
        }
    }
}

extension SensorsRequest {
    /// Whether the request carries the event with a sequence. O(log of its rows).
    func carries(_ sequence: UInt32) -> Bool {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].sequence == sequence
    }
}

extension EventFate {
    var disposition: Disposition {
        switch self {
        case .evicted: .evicted(.storageLimit)
        case .rejected(let status): .rejected(status: status)
        }
    }
}
