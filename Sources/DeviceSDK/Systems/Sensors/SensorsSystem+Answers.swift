import Accounting
package import DeviceSDK
package import Timebase

/// From an answer to the fates of the events that the request carried.
extension SensorsSystem {
    package mutating func complete(
        _ request: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) {
        guard let ended = endRequest(request, of: &device, effects: &effects) else { return }
        if request.kind == .config {
            completeFetch(ended, of: &device, outcome: outcome, now: now, effects: &effects)
        } else {
            completeUpload(ended, of: &device, outcome: outcome, now: now, effects: &effects)
        }
        device.trimEpochs()
    }

    private mutating func completeUpload(
        _ request: SensorsRequest, of device: inout Device, outcome: RequestOutcome, now: Instant,
        effects: inout DeviceEffects
    ) {
        let goesOn = apply(outcome, to: request, of: &device, now: now, effects: &effects)
        // What begins now is what the queue is held for.
        if request.isBlocking { device.state.remove(.isBlocked) }
        // 4.9.1 asks for the network before each batch, 1.10.17 once per flush.
        var isGoingOn = false
        if goesOn && !device.retry.isQuiet(at: now)
            && (!isVersion4 || allowsUpload(device.epochs.current.network))
        {
            isGoingOn = sendBatch(
                of: &device, request.flush, batchesLeft: request.batchesLeft, plannedAt: now,
                effects: &effects)
        }
        if !isGoingOn && request.flush == .all {
            isGoingOn = beginSecondPart(of: &device, plannedAt: now, now: now, effects: &effects)
        }
        if !isGoingOn { vacuumIfWanted(&device) }
        if request.isBlocking { drainQueue(of: &device, now: now, effects: &effects) }
    }

    /// Does what an answer, or the lack of one, says to the rows of its request.
    ///
    /// - Returns: whether the flush goes on with the next batch.
    private mutating func apply(
        _ outcome: RequestOutcome, to request: SensorsRequest, of device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) -> Bool {
        let split = device.retry.split(outcome, count: request.rows.count, under: rules.upload.retry)
        let status = status(dropping: outcome, split, isDebug: request.isDebug)
        if split != .halves {
            device.retry.note(
                outcome, of: request.number.number, begun: device.uploadCount, isKept: status == nil,
                under: rules.upload.retry, at: now,
                streams.retries(ofUpload: request.number, index: device.index))
        }
        let isPositive = status.map { (200...299).contains($0) } ?? false
        effects.isAcknowledged = isPositive
        // While rows wait in memory, 4.9.1 neither deletes nor unmarks rows of the database.
        let isStuck = !request.isFromMemory && device.memory.count > 0
        let staysMarked = status != nil || isStuck
        release(
            request, isPositive: isPositive, mark: staysMarked ? nil : false, of: &device, now: now,
            effects: &effects)
        guard let status else { return split == .halves }
        guard !isStuck else { return true }
        let isDeleted = delete(request, status: status, of: &device, effects: &effects)
        return isVersion4 ? device.storedCount > 0 : isDeleted
    }

    /// The status of an answer after which the rows go; `nil` if they stay.
    private func status(
        dropping outcome: RequestOutcome, _ split: RetryState.Split, isDebug: Bool
    ) -> UInt16? {
        guard case .answered(let status, _, _, _) = outcome else { return nil }
        switch split {
        case .halves: return nil
        case .drops: return status
        case .none: return keeps(status, isDebug: isDebug) ? nil : status
        }
    }

    /// Deletes the rows of a request whose answer says so. 1.10.17 deletes by count; since nothing
    /// gets into or out of its store while a request runs, the first rows are the request's.
    ///
    /// - Returns: `false` if the store could not delete: then the rows are still there.
    private mutating func delete(
        _ request: SensorsRequest, status: UInt16, of device: inout Device,
        effects: inout DeviceEffects
    ) -> Bool {
        var deleted = ContiguousArray<EventRecord>()
        if request.isFromMemory {
            device.memory.delete(request.rows) { deleted.append($0) }
        } else {
            #if PLANTED
                if Planted.has(.deleteOtherBatch) {
                    _ = device.store.deleteOldest(request.rows.count, idleOnly: true) { deleted.append($0) }
                    for row in deleted {
                        leave(row, as: .rejected(status: status), on: &device, effects: &effects)
                    }
                    return true
                }
            #endif
            let isDone =
                !deletionFails(on: &device) && device.store.delete(request.rows) { deleted.append($0) }
            guard isDone else {
                // 1.10.17 knows no marks: its next flush finds the rows again. In 4.9.1 they stay
                // marked until the next start.
                if !isVersion4 { device.store.update(request.rows, mark: false) { _ in } }
                return false
            }
        }
        for row in deleted {
            leave(row, as: .rejected(status: status), on: &device, effects: &effects)
        }
        return true
    }

    /// Whether an answer leaves the rows in the store for another try.
    private func keeps(_ status: UInt16, isDebug: Bool) -> Bool {
        if isDebug { return false }
        // 1.10.17 asks for nothing but a status below 300.
        if case .notSuccess = rules.upload.keeps { return status >= 300 }
        return rules.upload.keeps.keeps(status)
    }
}
