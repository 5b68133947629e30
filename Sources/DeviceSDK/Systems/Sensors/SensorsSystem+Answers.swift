import Accounting
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
        if goesOn && now >= device.quietUntil
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
        var status: UInt16?
        if case .answered(let answer, _, let retryAfter, _) = outcome {
            if !keeps(answer, isDebug: request.isDebug) { status = answer }
            heed(retryAfter, of: answer, on: &device, now: now)
        }
        let isPositive = status.map { (200...299).contains($0) } ?? false
        effects.isAcknowledged = isPositive
        // While rows wait in memory, 4.9.1 neither deletes nor unmarks rows of the database.
        let isStuck = !request.isFromMemory && device.memory.count > 0
        let staysMarked = status != nil || isStuck
        release(
            request, isPositive: isPositive, mark: staysMarked ? nil : false, of: &device, now: now,
            effects: &effects)
        guard let status else { return false }
        guard !isStuck else { return true }
        let isDeleted = delete(request, status: status, of: &device, effects: &effects)
        return isVersion4 ? device.storedCount > 0 : isDeleted
    }

    /// Puts uploads off if the rules heed `Retry-After`. The real SDKs know no such header.
    private func heed(
        _ retryAfter: Interval?, of status: UInt16, on device: inout Device, now: Instant
    ) {
        guard rules.upload.retryAfter, let retryAfter, status == 429 || status == 503 else { return }
        device.quietUntil = max(device.quietUntil, now + min(retryAfter, Self.longestQuiet))
    }

    /// A header may ask for any number of seconds; a day is as long as anybody obeys.
    private static var longestQuiet: Interval { .hours(24) }

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
            _ = device.memory.delete(request.rows) { deleted.append($0) }
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
        switch rules.upload.keeps {
        case .notSuccess: return status >= 300
        case .serverErrors(let others): return (500...599).contains(status) || others.contains(status)
        case .listed(let statuses): return statuses.contains(status)
        }
    }
}
