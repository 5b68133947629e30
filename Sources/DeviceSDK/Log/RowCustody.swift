package import Accounting
package import Timebase
package import World

/// A request whose body is made from copies of rows, whatever happens to the rows meanwhile.
package protocol RowRequest {
    var number: RequestNumber { get }
    /// What it carries, by ascending sequences.
    var rows: ContiguousArray<EventRecord> { get set }
    /// Whether others may carry its rows while it waits for a socket: how often each has travelled is then known when it
    /// leaves, and its ``rows`` count that attempt from then on. Else they are as they were when it was made.
    var sharesRows: Bool { get }
    /// It has a socket; the others wait for one.
    var isStarted: Bool { get set }
    /// The engine gave it back unsent, for the run was over by then: it keeps its socket, so that nothing follows it.
    var isReturned: Bool { get set }
    var plannedAt: Instant { get }
}

extension RowRequest {
    package var sharesRows: Bool { false }
}

/// A device whose stores have a mind of their own: rows leave them while requests carry them.
package protocol RowDevice: TrackedDevice {
    associatedtype Request: RowRequest
    /// Requests sent or waiting for a socket, oldest first.
    var requests: ContiguousArray<Request> { get set }
    var detached: ContiguousArray<DetachedEvent> { get set }
    var network: NetworkKind { get }
    /// All rows that the device has, but for detached events.
    var allRows: ContiguousArray<EventRecord> { get }

    /// Marks the rows that a request carries, as far as they are still in their store, unless `mark` is
    /// `nil`, and changes the notes about them.
    mutating func updateRows(of request: Request, mark: Bool?, _ change: (inout EventRecord) -> Void)
}

extension RowDevice {
    /// As ``updateRows(of:mark:_:)``, and changes the notes about detached events too.
    package mutating func update(_ request: Request, mark: Bool?, _ change: (inout EventRecord) -> Void) {
        updateRows(of: request, mark: mark, change)
        guard !detached.isEmpty else { return }
        for index in detached.indices where request.rows.contains(sequence: detached[index].record.sequence) {
            change(&detached[index].record)
        }
    }

    /// Notes in a request how often each of its rows has travelled by now.
    fileprivate mutating func noteAttempts(of index: Int) {
        var rows = requests[index].rows
        update(requests[index], mark: nil) { row in
            let position = rows.firstIndex(from: row.sequence)
            rows[position].attempts = row.attempts
        }
        requests[index].rows = rows
    }

    /// Whether a request that waits for a socket carries a row.
    fileprivate func isAwaited(_ row: EventRecord) -> Bool {
        row.inFlight > 0
            && requests.contains { !$0.isStarted && $0.rows.contains(sequence: row.sequence) }
    }
}

/// The custody of events on a ``RowDevice``: an event that leaves its store while requests carry it becomes a
/// ``DetachedEvent``, and an acknowledged one whose row is still there is settled.
package protocol RowCustodian: Custodian where Device: RowDevice {
    /// Acknowledged rows that are still on their devices.
    var acknowledged: AcknowledgedRows { get set }
    /// The SDK's limit for a request.
    ///
    /// Mutating, as all that is called for each request: any other call hands the system over by a copy.
    mutating func timeout(of request: Device.Request) -> Interval
    /// Whether the SDK looks into the bodies of answers to uploads.
    var readsAnswers: Bool { get }
    /// Whether its requests need no sockets of their own; see ``PopulationPlan/multiplexes``.
    var multiplexes: Bool { get }
}

extension RowCustodian {
    package var readsAnswers: Bool { false }
}

extension RowCustodian {
    /// A row has left the store. It is detached where a request that carries it may still save it, or where one that waits for
    /// a socket will: how often it travelled is told with its fate.
    package mutating func leave(
        _ record: EventRecord, as disposition: Disposition, on device: inout Device,
        effects: inout DeviceEffects
    ) {
        if record.inFlight > 0, !record.isSettled || device.isAwaited(record) {
            device.detached.append(DetachedEvent(record: record, disposition: disposition))
        } else {
            end(record, as: disposition, on: device, effects: &effects)
        }
    }

    /// A row is gone, and so is whatever carried it: seals it as acknowledged before, or else as given.
    package mutating func end(
        _ record: EventRecord, as disposition: Disposition, on device: borrowing Device,
        effects: inout DeviceEffects
    ) {
        if record.isSettled {
            sealAcknowledged(record, on: device, effects: &effects)
        } else {
            seal(record, disposition, on: device, effects: &effects)
        }
    }

    /// A settled row is gone: if nobody told of it yet, it was delivered when it was acknowledged first.
    package mutating func sealAcknowledged(
        _ record: EventRecord, on device: borrowing Device, effects: inout DeviceEffects
    ) {
        guard let at = acknowledged.take(record, slot: device.slot) else { return }
        seal(record, .delivered, on: device, ackedAt: at, effects: &effects)
    }

    /// The rows and detached events that an ended request carried are in the air once less; a positive answer
    /// settles them.
    ///
    /// - Parameter mark: What the SDK writes of the rows: see ``RowDevice/updateRows(of:mark:_:)``.
    package mutating func release(
        _ request: Device.Request, isPositive: Bool, mark: Bool?, of device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        if !device.detached.isEmpty {
            let ended = device.detached.release(carriedBy: request.rows, isPositive: isPositive)
            for event in ended {
                if event.disposition == .delivered, device.isAwaited(event.record) {
                    acknowledged.note(event.record, slot: device.slot, at: now)
                    continue
                }
                seal(
                    event.record, event.disposition, on: device,
                    ackedAt: event.disposition == .delivered ? now : .distantFuture, effects: &effects)
                #if PLANTED
                    if Planted.has(.detachedCountedTwice) {
                        seal(
                            event.record, event.disposition, on: device,
                            ackedAt: event.disposition == .delivered ? now : .distantFuture, effects: &effects
                        )
                    }
                #endif
            }
        }
        var delivered = ContiguousArray<EventRecord>()
        device.updateRows(of: request, mark: mark) { row in
            row.inFlight -= row.inFlight > 0 ? 1 : 0
            if isPositive && !row.isSettled {
                row.isSettled = true
                delivered.append(row)
            }
        }
        // They have their number of uploads when they have left the store.
        for row in delivered { acknowledged.note(row, slot: device.slot, at: now) }
    }

    /// No request is left that could save a detached event.
    package mutating func sealDetached(of device: inout Device, effects: inout DeviceEffects) {
        for event in device.detached {
            end(event.record, as: event.disposition, on: device, effects: &effects)
        }
        device.detached = []
    }

    package mutating func takeBack(_ upload: RequestNumber, isCounted: Bool, of device: inout Device) {
        guard let index = device.requests.firstIndex(where: { $0.number == upload }) else { return }
        device.requests[index].isReturned = true
        guard isCounted else { return }
        let request = device.requests[index]
        device.update(request, mark: nil) { $0.takeBackAttempt() }
    }

    /// The run ends: seals whatever is on the device.
    package mutating func sealAll(of device: inout Device, effects: inout DeviceEffects) {
        // Requests that never got a socket carry nothing, and those that came back do not either. Detached events are
        // sealed as what they left the store for, however many requests carry them.
        for request in device.requests where !request.isStarted || request.isReturned {
            device.updateRows(of: request, mark: nil) { $0.inFlight -= $0.inFlight > 0 ? 1 : 0 }
        }
        sealDetached(of: &device, effects: &effects)
        // Gathered first: a closure that sees the device would copy it for each row.
        for row in device.allRows {
            end(row, as: .pending(row.inFlight > 0 ? .inFlight : .stored), on: device, effects: &effects)
        }
        device.requests = []
    }
}

/// Sockets of a device to one host.
extension RowCustodian {
    /// `HTTPMaximumConnectionsPerHost` of an URLSession on iOS.
    package static var socketLimit: Int { 4 }

    /// Takes an ended request off the device, and gives its socket on.
    ///
    /// - Returns: `nil` for a request of a process that died in between: nobody waits for it.
    package mutating func endRequest(
        _ number: RequestNumber, of device: inout Device, effects: inout DeviceEffects
    ) -> Device.Request? {
        guard let index = device.requests.firstIndex(where: { $0.number == number }) else { return nil }
        let ended = device.requests.remove(at: index)
        if device.requests.isEmpty { device.requests = [] }
        startRequests(of: &device, effects: &effects)
        return ended
    }

    /// Gives sockets to the requests that wait for one, oldest first, as far as they reach: those that have one come
    /// before all others, and of thousands that wait none is looked at. As streams of one connection all of them start.
    package mutating func startRequests(of device: inout Device, effects: inout DeviceEffects) {
        let limit = multiplexes ? Int.max : Self.socketLimit
        for index in 0..<min(limit, device.requests.count)
        where !device.requests[index].isStarted {
            start(index, of: &device, effects: &effects)
        }
    }

    private mutating func start(_ index: Int, of device: inout Device, effects: inout DeviceEffects) {
        device.requests[index].isStarted = true
        let request = device.requests[index]
        let network = device.network
        // Without a radio nothing leaves: no upload that carried the events.
        let isCounted = network != .none && request.number.kind == .upload
        var isRetry = request.rows.contains { $0.attempts > 0 }
        if isCounted {
            // Others may have carried the rows while the request waited for its socket.
            device.update(request, mark: nil) {
                isRetry = isRetry || $0.attempts > 0
                $0.countAttempt()
            }
            if request.sharesRows { device.noteAttempts(of: index) }
        }
        effects.requests.append(
            OutgoingRequest(
                slot: device.slot, number: request.number, plannedAt: request.plannedAt,
                timeout: timeout(of: request), eventCount: UInt32(clamping: request.rows.count),
                isRetry: isRetry, network: network,
                wantsBody: readsAnswers ? true : nil))
        if isCounted { sealTravelled(with: request, of: &device, effects: &effects) }
    }

    /// Seals acknowledged events that are off the device and waited for nothing but this request.
    private mutating func sealTravelled(
        with request: Device.Request, of device: inout Device, effects: inout DeviceEffects
    ) {
        for event in device.detached
        where event.record.isSettled && request.rows.contains(sequence: event.record.sequence)
            && !device.isAwaited(event.record)
        { sealAcknowledged(event.record, on: device, effects: &effects) }
    }
}
