import Accounting
import DeviceSDK
import SDKDescription
package import Timebase
import World

/// From a trigger to requests.
///
/// A flush is one or more requests after a trigger: as many beside each other as the description allows, and a next one
/// when one is done with. Triggers while a flush is under way are left out. With `upload.overlaps` they begin flushes of
/// their own, each of which is a chain of requests one after the other.
extension DeclaredSystem {
    /// A trigger asks for a flush that was due at `due`.
    mutating func beginFlush(
        _ device: inout Device, _ trigger: DescribedSDK.Upload.Trigger, due: Instant, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard device.requests.isEmpty || sdk.upload.overlaps, mayUpload(device, now: now) else { return }
        device.retryDue = .distantFuture
        device.sinceFlush = 0
        forgetRound(&device)
        tidy(&device, now: now, effects: &effects)
        if let seal = sdk.storage.seal {
            if seal.at == .flush { closeFile(of: &device, now: now) }
            device.fileCursor = 0
        }
        guard !sdk.upload.overlaps else {
            return sendChained(
                of: &device, batchesLeft: sdk.upload.batches[trigger], plannedAt: due, now: now,
                effects: &effects)
        }
        device.batchesLeft = sdk.upload.batches[trigger]
        device.laneBatches = device.batchesLeft
        device.lanesLeft = UInt8(sdk.lanes.count)
        sendBatches(of: &device, plannedAt: due, now: now, effects: &effects)
    }

    /// Begins the next request of a flush that goes on beside others.
    mutating func sendChained(
        of device: inout Device, batchesLeft: Int, plannedAt: Instant, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard batchesLeft > 0, device.requests.count < sdk.upload.concurrency else { return }
        _ = send(
            of: &device, batchesLeft: batchesLeft < .max ? batchesLeft - 1 : .max, plannedAt: plannedAt,
            now: now,
            effects: &effects)
    }

    /// Whether nothing forbids an upload.
    @inline(__always)
    func mayUpload(_ device: borrowing Device, now: Instant) -> Bool {
        now >= device.quietUntil && isOpen(device)
    }

    /// Whether nothing but a wait forbids an upload.
    @inline(__always)
    func isOpen(_ device: borrowing Device) -> Bool {
        networkMask.contains(device.epochs.current.network)
            && !device.state.contains(.isLatched) && (device.turned == 0 || turned(device).uploads)
            && (!holdsCaptures || heldLimit(of: device) == nil) && maySend(device)
    }

    /// What leaves the store when a flush begins, once for all of its requests: rows that are too old, and those beyond
    /// the limit.
    private mutating func tidy(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard canWrite(device) else { return }
        let count = device.log.count
        if let ttl = sdk.storage.ttl, let first = device.log.first, first.capturedAt <= now - ttl {
            var old = ContiguousArray<EventRecord>()
            device.log.forEachInOrder { row in
                guard row.capturedAt <= now - ttl else { return false }
                old.append(row)
                return true
            }
            remove(old, as: .evicted(.expired), of: &device, effects: &effects)
        }
        if sdk.storage.evictAt == .flush, let limit = sdk.storage.limit, device.log.count > limit {
            evict(max(device.log.count - limit, sdk.storage.evict), on: &device, effects: &effects)
        }
        if sdk.storage.evictAt == .flush { tidyBytes(&device, effects: &effects) }
        if device.log.count < count { device.trimEpochs() }
    }

    /// Begins requests of a flush, as many as it may.
    mutating func sendBatches(
        of device: inout Device, plannedAt: Instant, now: Instant, effects: inout DeviceEffects
    ) {
        repeat {
            while device.batchesLeft > 0, device.requests.count < sdk.upload.concurrency {
                guard send(of: &device, batchesLeft: 0, plannedAt: plannedAt, now: now, effects: &effects)
                else { break }
                device.batchesLeft -= device.batchesLeft < .max ? 1 : 0
            }
        } while takeNextLane(&device, now: now)
    }

    /// The next lane has its turn when the one before is done with, and nothing asked for a wait.
    private func takeNextLane(_ device: inout Device, now: Instant) -> Bool {
        guard device.lanesLeft > 0, device.requests.isEmpty, mayUpload(device, now: now) else { return false }
        device.lanesLeft -= 1
        device.batchesLeft = device.laneBatches
        return true
    }

    /// Begins a request.
    ///
    /// - Parameter batchesLeft: Requests that may follow it in a chain.
    /// - Returns: whether there was something to send.
    private mutating func send(
        of device: inout Device, batchesLeft: Int, plannedAt: Instant, now: Instant,
        effects: inout DeviceEffects
    ) -> Bool {
        let rows = nextRows(of: &device, now: now)
        // A row that is in the air as often as its note can count is not sent once more.
        guard !rows.isEmpty, !rows.contains(where: { $0.inFlight == .max }) else { return false }
        let request = DeclaredRequest(
            number: RequestNumber(kind: .upload, number: device.uploadCount), rows: rows,
            sharesRows: sdk.upload.takes == .all, plannedAt: plannedAt, batchesLeft: batchesLeft,
            sealedAt: closing(of: rows, device))
        device.uploadCount += 1
        // Its rows have just been read: none of them is detached.
        device.updateRows(of: request, mark: true) { $0.inFlight += 1 }
        device.requests.append(request)
        startRequests(of: &device, effects: &effects)
        return true
    }

    /// The rows of the next request: a part of a batch that was split, as far as it is still there, else those that
    /// come first.
    private mutating func nextRows(of device: inout Device, now: Instant) -> ContiguousArray<EventRecord> {
        while !device.parts.isEmpty {
            let part = device.parts.removeFirst()
            if device.parts.isEmpty { device.parts = [] }
            let rows = ContiguousArray(part.compactMap { device.log.record(of: $0.sequence) })
            if !rows.isEmpty { return rows }
        }
        if let seal = sdk.storage.seal {
            return seal.at == .day ? nextDays(of: &device, now: now) : nextFile(of: &device)
        }
        guard !sdk.upload.rounds || device.requests.isEmpty else { return [] }
        var rows = ContiguousArray<EventRecord>()
        let lane = sdk.lanes.count - Int(device.lanesLeft)
        let batch = min(mostEvents(inLane: lane, of: device) ?? .max, Int(device.eventLimit))
        let end: StoreEnd = sdk.storage.order == .newest ? .newest : .oldest
        let idleOnly = sdk.upload.takes == .idle
        if sdk.lanes.isEmpty {
            device.log.copy(batch, from: end, idleOnly: idleOnly, into: &rows)
        } else {
            let waits = lane > 0 && sdk.lanes[lane - 1].waitsForLogin && device.epochs.current.account == nil
            device.log.copy(batch, from: end, idleOnly: idleOnly, into: &rows) { row in
                lanes[Int(row.template)] == lane && (!waits || device.epochs[row.epoch].account != nil)
            }
        }
        return sdk.upload.rounds ? beginRound(of: rows, &device) : fitting(rows, of: device)
    }

    /// Events in a request at most; `nil` for no limit. No configuration puts several into one that has room for one, or
    /// turns what a lane has of its own.
    private func mostEvents(inLane lane: Int, of device: borrowing Device) -> Int? {
        let (own, isTurned) =
            lane == 0
            ? (sdk.upload.batch, sdk.request.framing != .one)
            : (sdk.lanes[lane - 1].batch, sdk.lanes[lane - 1].takesTurnedBatch)
        return isTurned ? turned(device).batch ?? own : own
    }

    package func timeout(of request: DeclaredRequest) -> Interval { sdk.upload.timeout }
}
