import Accounting
package import DeviceSDK
import SDKDescription
package import Timebase
import World

/// From an answer to the fates of the events that the request carried.
extension DeclaredSystem {
    package mutating func complete(
        _ number: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) {
        guard number.kind == .upload else {
            return completeFetch(number, of: &device, outcome: outcome, now: now, effects: &effects)
        }
        guard let ended = endRequest(number, of: &device, effects: &effects) else { return }
        var verdict = verdict(on: outcome, of: ended)
        let listed = verdict == .dropListed ? listed(by: outcome, of: ended) : []
        // An answer that lists nothing is a failure like any other.
        if verdict == .dropListed, listed.isEmpty { verdict = .retry }
        effects.isAcknowledged = verdict.isPositive
        if latches(outcome) { device.state.insert(.isLatched) }
        release(
            ended, isPositive: verdict.isPositive,
            mark: verdict == .split && sdk.storage.seal == nil ? nil : false, of: &device,
            now: now, effects: &effects)
        var isGivenUp = false
        switch verdict {
        case .delivered, .deliveredClear, .drop:
            finish(ended, verdict, outcome, of: &device, now: now, effects: &effects)
            device.failures = 0
        case .keep: endFlush(&device)
        case .retry, .halve:
            isGivenUp = fail(ended, verdict, &device, now: now, effects: &effects)
        case .split where sdk.storage.seal != nil: splitFile(of: ended, &device)
        case .split: split(ended, of: &device)
        case .dropListed: drop(listed, of: ended, outcome, &device, effects: &effects)
        }
        if !isGivenUp { obey(outcome, verdict, on: &device, now: now) }
        if sdk.upload.overlaps {
            goOn(after: ended, verdict, &device, now: now, effects: &effects)
        } else {
            goOn(after: ended, verdict, of: &device, now: now, effects: &effects)
        }
        if verdict == .dropListed, isEnough(device) {
            beginFlush(&device, .count, due: now, now: now, effects: &effects)
        }
        device.trimEpochs()
    }

    /// The table's verdict; an event that is refused alone cannot be made less.
    private func verdict(on outcome: RequestOutcome, of request: DeclaredRequest) -> AnswerTable.Verdict {
        let verdict =
            switch outcome {
            case .answered(let status, let body, _, _): sdk.answers.verdict(status: status, body: body)
            case .failed(let failure): sdk.answers.verdict(AnswerTable.Failure(failure))
            }
        let isLeast = request.rows.count == 1 && (verdict == .halve || verdict == .split)
        return isLeast ? .drop : verdict
    }

    /// Whether a failure is one after which the SDK stops at once, whatever becomes of the rows.
    private func latches(_ outcome: RequestOutcome) -> Bool {
        guard case .failed(let failure) = outcome else { return false }
        return sdk.retry.latch?.on.contains(AnswerTable.Failure(failure)) ?? false
    }

    /// The rows that come first are those that just failed: no more of them in this flush. Of files, others come next.
    private func endFlush(_ device: inout Device) {
        if sdk.storage.seal == nil { device.batchesLeft = 0 }
    }

    /// The flush goes on with what may still be sent, or ends. A wait that a success asks for lets its lane finish.
    private mutating func goOn(
        after ended: DeclaredRequest, _ verdict: AnswerTable.Verdict, of device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        let mayGoOn = verdict.isPositive ? isOpen(device) : mayUpload(device, now: now)
        if !mayGoOn { (device.batchesLeft, device.lanesLeft) = (0, 0) }
        if sdk.upload.rounds { endRound(verdict, with: ended, &device, now: now, effects: &effects) }
        if device.batchesLeft > 0 || device.lanesLeft > 0 || !device.parts.isEmpty {
            if device.batchesLeft == 0 {
                // What was split and is not sent any more is like any other row.
                for part in device.parts { device.log.update(part) { $0.isUploading = false } }
                device.parts = []
            }
            sendBatches(of: &device, plannedAt: now, now: now, effects: &effects)
        }
        if device.requests.isEmpty { (device.batchesLeft, device.lanesLeft) = (0, 0) }
    }

    /// The flush of a request goes on by itself, unless its rows stay: those would come first again.
    private mutating func goOn(
        after ended: DeclaredRequest, _ verdict: AnswerTable.Verdict, _ device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        let isDone = verdict.isPositive || verdict == .drop || verdict == .dropListed
        guard isDone, canWrite(device), mayUpload(device, now: now) else { return }
        sendChained(
            of: &device, batchesLeft: ended.batchesLeft, plannedAt: now, now: now, effects: &effects)
    }

    // MARK: Rows that leave

    /// The rows of a request leave the store, for good or ill.
    private mutating func finish(
        _ request: DeclaredRequest, _ verdict: AnswerTable.Verdict, _ outcome: RequestOutcome,
        of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        // What cannot be deleted is sent again, whatever the answer said.
        guard canWrite(device) else {
            device.batchesLeft = 0
            return
        }
        var disposition = Disposition.retriesExhausted
        if case .answered(let status, _, _, _) = outcome { disposition = .rejected(status: status) }
        switch sdk.storage.removeBy {
        case .id: remove(request.rows, as: disposition, of: &device, effects: &effects)
        case .position:
            removeFirst(
                request.rows.count, carriedBy: request, as: disposition, of: &device, effects: &effects)
        }
        defer { persist(&device) }
        guard verdict == .deliveredClear else { return }
        if sdk.storage.seal?.at == .day {
            // The file of the day stays; one that was closed meanwhile does not.
            let rows = rowsOfOtherDays(at: now, of: &device)
            remove(rows, as: .lost(.clearedUnsent), of: &device, effects: &effects)
        } else {
            clear(&device, as: .lost(.clearedUnsent), effects: &effects)
        }
    }

    /// The rows that an answer refuses; none where it has no list.
    private func listed(
        by outcome: RequestOutcome, of request: DeclaredRequest
    ) -> ContiguousArray<EventRecord> {
        guard case .answered(let status, let body, _, _) = outcome,
            let rule = sdk.answers.rule(status: status, body: body)
        else { return [] }
        return ContiguousArray(rule.listed(in: body, of: request.rows.count).map { request.rows[$0] })
    }

    /// Rows leave that an answer has listed. What stays of a file is written into the open one again.
    private mutating func drop(
        _ listed: ContiguousArray<EventRecord>, of request: DeclaredRequest, _ outcome: RequestOutcome,
        _ device: inout Device, effects: inout DeviceEffects
    ) {
        guard canWrite(device), case .answered(let status, _, _, _) = outcome else {
            device.batchesLeft = 0
            return
        }
        remove(listed, as: .rejected(status: status), of: &device, effects: &effects)
        if sdk.storage.seal?.at == .flush { reopenFile(of: request, &device) }
        persist(&device)
    }

    /// Removes rows from the front of the store, where those of the request were when it began. Others that are there
    /// by now are lost unsent.
    private mutating func removeFirst(
        _ count: Int, carriedBy request: DeclaredRequest, as disposition: Disposition,
        of device: inout Device, effects: inout DeviceEffects
    ) {
        var first = ContiguousArray<EventRecord>()
        device.log.copyOldest(count, idleOnly: false, into: &first)
        let carried = ContiguousArray(first.filter { request.rows.contains(sequence: $0.sequence) })
        let others = ContiguousArray(first.filter { !request.rows.contains(sequence: $0.sequence) })
        remove(carried, as: disposition, of: &device, effects: &effects)
        remove(others, as: .lost(.clearedUnsent), of: &device, effects: &effects)
    }

    /// The batch is sent again in two parts, before everything else.
    private func split(_ request: DeclaredRequest, of device: inout Device) {
        let middle = request.rows.count / 2
        device.parts.insert(ContiguousArray(request.rows[..<middle]), at: 0)
        device.parts.insert(ContiguousArray(request.rows[middle...]), at: 1)
        allowTwoMore(on: &device)
    }

    /// The parts of a split batch are sent in the round in which it was, whatever it may send otherwise.
    func allowTwoMore(on device: inout Device) {
        device.batchesLeft += device.batchesLeft < .max - 2 ? 2 : 0
    }

    /// From now on requests carry half as many events as this one, and half as many as before set off an upload, at most
    /// as many as a request carries.
    private func halve(_ request: DeclaredRequest, _ device: inout Device) {
        let events = max(1, request.rows.count / 2)
        let bulk = max(1, min((bulkSize(of: device) ?? .max) / 2, events))
        // Of requests beside each other, the one that is answered last need not be the smallest.
        device.eventLimit = min(device.eventLimit, UInt32(clamping: events))
        device.bulkLimit = UInt32(clamping: bulk)
    }

    // MARK: Failures

    /// A request has failed, whose rows stay; of a round, that may not be all.
    ///
    /// - Returns: whether the SDK has given up.
    private mutating func fail(
        _ request: DeclaredRequest, _ verdict: AnswerTable.Verdict, _ device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) -> Bool {
        let waits = verdict != .halve
        var isGivenUp = false
        if sdk.upload.rounds {
            device.failedRows += request.rows
            if waits { device.state.insert(.hasRoundWait) }
        } else {
            endFlush(&device)
            isGivenUp = noteFailure(
                of: request.rows, in: request, waits: waits, on: &device, now: now, effects: &effects)
        }
        if verdict == .halve, !isGivenUp { halve(request, &device) }
        return isGivenUp
    }

    /// Counts a failure and begins the wait after it, if there is one.
    ///
    /// - Parameters:
    ///   - rows: What is given up with the last try.
    ///   - waits: Whether there is a wait: a request that was too large may go at once, with less in it.
    /// - Returns: whether the SDK has given up.
    mutating func noteFailure(
        of rows: ContiguousArray<EventRecord>, in request: DeclaredRequest, waits: Bool,
        on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) -> Bool {
        // Failures of requests that were under way beside the one that began a wait do not count again. Of rounds, and
        // where nothing is beside it, a failure within a wait is the first after what asked for that.
        guard now >= device.quietUntil || sdk.upload.rounds || sdk.upload.concurrency == 1 else {
            return false
        }
        device.failures = device.failures < .max ? device.failures + 1 : .max
        if let attempts = sdk.retry.attempts, Int(device.failures) > attempts {
            giveUp(rows, of: &device, now: now, effects: &effects)
            return true
        }
        guard waits, let backoff = sdk.retry.backoff else { return false }
        guard backoff.follows(device.failures) else {
            // The next trigger tries again: nothing waits, so no wait's end does. One that a success asked for is over.
            if !sdk.upload.rounds { endWait(of: &device, now: now) }
            return false
        }
        var chance = streams.retries(ofUpload: request.number, index: device.index)
        let wait = backoff.delay(
            after: device.failures, chance: backoff.jitter > .zero ? chance.uniform() : 0)
        waitUntil(sdk.upload.rounds ? longest(now + wait, on: device, now: now) : now + wait, on: &device)
        return false
    }

    /// The end of a wait after a round, of which answers may have asked for a time already.
    private func longest(_ end: Instant, on device: borrowing Device, now: Instant) -> Instant {
        guard device.quietUntil > now else { return end }
        return sdk.retry.retryAfter?.combine == .replace ? device.quietUntil : max(end, device.quietUntil)
    }

    private func waitUntil(_ end: Instant, on device: inout Device) {
        device.quietUntil = end
        if sdk.retry.wakes { device.retryDue = end }
    }

    private func endWait(of device: inout Device, now: Instant) {
        if device.quietUntil > now { (device.quietUntil, device.retryDue) = (now, .distantFuture) }
    }

    /// What failed is given up: nothing is left to wait for, whatever answers asked for.
    private mutating func giveUp(
        _ rows: ContiguousArray<EventRecord>, of device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard sdk.retry.exhausted != .latch else {
            device.state.insert(.isLatched)
            return
        }
        device.failures = 0
        endWait(of: &device, now: now)
        guard canWrite(device) else { return }
        remove(rows, as: .retriesExhausted, of: &device, effects: &effects)
        if sdk.retry.exhausted == .clear { clear(&device, as: .lost(.clearedUnsent), effects: &effects) }
        persist(&device)
    }

    /// Obeys the time that an answer asks for. After a success it does so only where the description names the status;
    /// where nothing is beside it, such a success ends the wait that one before it asked for.
    private func obey(
        _ outcome: RequestOutcome, _ verdict: AnswerTable.Verdict, on device: inout Device, now: Instant
    ) {
        guard let rule = sdk.retry.retryAfter, case .answered(let status, _, let asked, _) = outcome,
            rule.on?.contains(status) ?? !verdict.isPositive
        else { return }
        if verdict.isPositive, sdk.upload.concurrency == 1 { endWait(of: &device, now: now) }
        guard let asked else { return }
        let end = now + min(asked, rule.longest)
        waitUntil(rule.combine == .max ? max(end, device.quietUntil) : end, on: &device)
    }
}
