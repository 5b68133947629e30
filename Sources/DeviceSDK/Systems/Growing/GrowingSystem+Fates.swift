import Accounting
import AppModel
import Timebase
import Wire
import World

/// Where events end.
///
/// A positive answer beats every other fate; otherwise the first final one holds, and it is final once no
/// request carries the event any more. So an event that leaves the store while requests carry it becomes a
/// ghost, and a delivered event whose row is still there is *settled*: it may travel again and is never counted
/// again.
extension GrowingSystem {
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
        let key = encoder.naturalKey(event(record, of: device))
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
    mutating func sealAcknowledged(
        _ record: EventRecord, on device: borrowing Device, effects: inout DeviceEffects
    ) {
        guard let at = acknowledged.take(record, slot: device.slot) else { return }
        seal(record, .delivered, on: device, ackedAt: at, effects: &effects)
    }

    /// A settled row has left the store; 3.x may have a copy in its queue, which goes on counting.
    mutating func sealUnlessQueued(
        _ record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) {
        let copies = device.queue.extra.indices.filter {
            device.queue.extra[$0].sequence == record.sequence
        }
        for place in copies {
            device.queue.extra[place].attempts = max(device.queue.extra[place].attempts, record.attempts)
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

    /// A request that carried ghosts has ended.
    mutating func releaseGhosts(
        of request: GrowingRequest, isPositive: Bool, on device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard !device.ghosts.isEmpty else { return }
        for ghost in device.ghosts.release(carriedBy: request.rows, isPositive: isPositive) {
            seal(
                ghost.record, ghost.disposition, on: device,
                ackedAt: ghost.disposition == .delivered ? now : .distantFuture, effects: &effects)
        }
    }

    /// The process is gone: what it had only in memory is lost, its requests are cut, and deletions that were
    /// not written yet never happen.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        for ghost in device.ghosts where !ghost.record.isSettled {
            seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
        }
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
        device.ghosts = []
        device.queue = GrowingQueue()
        device.requests = []
        device.timers = []
        device.trace = UIKitTrace()
        device.tickDue = .distantFuture
        device.firstTick = .distantFuture
        device.resignedAt = Device.never
        device.lastPage = GrowingTemplates.none
        device.uploadingChannels = 0
        device.state = device.state.intersection(.hasLaunched)
        device.trim()
        effects.died.append(device.slot)
    }

    /// Takes back requests that the engine has not seen yet: they were asked for in the very call in which the
    /// process dies, and never left.
    private mutating func revokeUnsentRequests(of device: inout Device, effects: inout DeviceEffects) {
        guard !effects.requests.isEmpty, !device.requests.isEmpty else { return }
        for outgoing in effects.revokeRequests(of: device.slot) { takeBack(outgoing.number, of: &device) }
    }

    package mutating func takeBack(_ upload: RequestNumber, of device: inout Device) {
        guard let request = device.requests.first(where: { $0.number == upload }) else { return }
        device.update(request, of: kind(routes.channels[Int(request.channel)].isCustom)) {
            $0.takeBackAttempt()
        }
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        // Requests that never got a socket carry nothing.
        for request in device.requests where !request.isStarted {
            device.update(request, of: kind(routes.channels[Int(request.channel)].isCustom)) {
                $0.inFlight -= 1
            }
        }
        for ghost in device.ghosts where !ghost.record.isSettled {
            seal(ghost.record, ghost.disposition.disposition, on: device, effects: &effects)
        }
        // Gathered first: a closure that sees the device would copy it for each row.
        var rows = ContiguousArray<EventRecord>()
        for kind in [GrowingStoreKind.timing, .realtime] {
            device[kind].table.forEach { rows.append($0) }
            rows += device[kind].inserts
        }
        rows += device.queue.extra
        for row in rows {
            if row.isSettled {
                sealAcknowledged(row, on: device, effects: &effects)
            } else {
                seal(row, .pending(row.inFlight > 0 ? .inFlight : .stored), on: device, effects: &effects)
            }
        }
        device.requests = []
        device.ghosts = []
        device.timing.table.close()
        device.realtime.table.close()
    }
}

extension GrowingDevice {
    /// Changes the notes about the rows that a request carries.
    mutating func update(
        _ request: GrowingRequest, of kind: GrowingStoreKind, _ change: (inout EventRecord) -> Void
    ) {
        updateRows(of: request, of: kind, change)
        for place in ghosts.indices where request.rows.contains(sequence: ghosts[place].record.sequence) {
            change(&ghosts[place].record)
        }
    }

    /// As ``update(_:of:_:)``, without the events that left the store.
    mutating func updateRows(
        of request: GrowingRequest, of kind: GrowingStoreKind, _ change: (inout EventRecord) -> Void
    ) {
        self[kind].table.update(request.rows, mark: nil, change)
        guard kind == .timing else { return }
        for place in queue.extra.indices where request.rows.contains(sequence: queue.extra[place].sequence) {
            change(&queue.extra[place])
        }
    }
}

/// The day's bytes over cellular networks (`GrowingDataTraffic.m`): kept in a file of the SDK's own, through
/// the encryption service, as `bytes/yyyy-MM-dd`.
extension GrowingSystem {
    /// The bytes of the present day.
    mutating func trafficBytes(of device: inout Device, now: Instant) -> UInt64 {
        localDay(now, of: device) == device.trafficDay ? device.trafficBytes : 0
    }

    mutating func addTraffic(_ bytes: UInt64, of device: inout Device, now: Instant) {
        device.trafficBytes = trafficBytes(of: &device, now: now) + bytes
        device.trafficDay = localDay(now, of: device)
        let date = CivilTime(now + encoder.skew(Int(device.index)), offset: plan.utcOffset).dateText
        let text = Array("\(device.trafficBytes)/\(date)".utf8)
        device.trafficFile = ContiguousArray(services.encryption?.encryptLocalData(text) ?? text)
    }

    /// A process reads the file when it starts; what cannot be read counts as nothing.
    mutating func readTraffic(of device: inout Device) {
        device.trafficBytes = 0
        device.trafficDay = .min
        guard !device.trafficFile.isEmpty else { return }
        let file = Array(device.trafficFile)
        let text = String(decoding: services.encryption?.decryptLocalData(file) ?? file, as: UTF8.self)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = UInt64(parts[0]), let day = Self.day(parts[1]) else { return }
        device.trafficBytes = bytes
        device.trafficDay = day
    }

    private static func day(_ date: Substring) -> Int64? {
        let parts = date.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else { return nil }
        return CivilTime.days(year: parts[0], month: parts[1], day: parts[2])
    }
}
