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
        release(
            ended, isPositive: verdict.isPositive,
            mark: verdict == .split && sdk.storage.seal == nil ? nil : false, of: &device,
            now: now, effects: &effects)
        switch verdict {
        case .delivered, .deliveredClear, .drop:
            finish(ended, verdict, outcome, of: &device, now: now, effects: &effects)
            device.failures = 0
        case .keep: endFlush(&device)
        case .retry, .halve:
            endFlush(&device)
            if verdict == .halve { device.eventLimit = UInt32(clamping: ended.rows.count / 2) }
            noteFailure(of: ended, outcome, on: &device, now: now, effects: &effects)
        case .split where sdk.storage.seal != nil: splitFile(of: ended, &device)
        case .split: split(ended, of: &device)
        case .dropListed: drop(listed, of: ended, outcome, &device, effects: &effects)
        }
        if !verdict.isPositive { obey(outcome, on: &device, now: now) }
        if sdk.upload.overlaps {
            goOn(after: ended, verdict, &device, now: now, effects: &effects)
        } else {
            goOn(&device, now: now, effects: &effects)
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

    /// The rows that come first are those that just failed: no more of them in this flush. Of files, others come next.
    private func endFlush(_ device: inout Device) {
        if sdk.storage.seal == nil { device.batchesLeft = 0 }
    }

    /// The flush goes on with what may still be sent, or ends.
    private mutating func goOn(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        if !mayUpload(device, now: now) { (device.batchesLeft, device.lanesLeft) = (0, 0) }
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
        device.batchesLeft += device.batchesLeft < .max - 2 ? 2 : 0
    }

    // MARK: Failures

    private mutating func noteFailure(
        of request: DeclaredRequest, _ outcome: RequestOutcome, on device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        if case .failed(let failure) = outcome, let latch = sdk.retry.latch,
            latch.on.contains(AnswerTable.Failure(failure))
        {
            device.state.insert(.isLatched)
        }
        // Failures of requests that were under way beside the one that began a wait do not count again.
        guard now >= device.quietUntil else { return }
        device.failures = device.failures < .max ? device.failures + 1 : .max
        if let attempts = sdk.retry.attempts, Int(device.failures) > attempts {
            return giveUp(request, of: &device, effects: &effects)
        }
        guard let backoff = sdk.retry.backoff else { return }
        var chance = streams.retries(ofUpload: request.number, index: device.index)
        let wait = backoff.delay(
            after: device.failures, chance: backoff.jitter > .zero ? chance.uniform() : 0)
        waitUntil(now + wait, on: &device)
    }

    private func waitUntil(_ end: Instant, on device: inout Device) {
        device.quietUntil = end
        if sdk.retry.wakes { device.retryDue = end }
    }

    private mutating func giveUp(
        _ request: DeclaredRequest, of device: inout Device, effects: inout DeviceEffects
    ) {
        guard sdk.retry.exhausted != .latch else {
            device.state.insert(.isLatched)
            return
        }
        device.failures = 0
        guard canWrite(device) else { return }
        remove(request.rows, as: .retriesExhausted, of: &device, effects: &effects)
        if sdk.retry.exhausted == .clear { clear(&device, as: .lost(.clearedUnsent), effects: &effects) }
    }

    /// Obeys the time that an answer asks for.
    private func obey(_ outcome: RequestOutcome, on device: inout Device, now: Instant) {
        guard let rule = sdk.retry.retryAfter, case .answered(let status, _, let asked?, _) = outcome,
            rule.on?.contains(status) ?? true
        else { return }
        let end = now + min(asked, rule.longest)
        waitUntil(rule.combine == .max ? max(end, device.quietUntil) : end, on: &device)
    }
}

extension AnswerTable.Failure {
    /// A failure as an SDK tells it from others.
    init(_ failure: RequestFailure) {
        self =
            switch failure {
            case .offline: .offline
            case .dns: .dns
            case .refused: .refused
            case .tls: .tls
            case .timedOut: .timeout
            case .closed, .truncated, .malformed: .broken
            case .reset, .streamReset, .streamRefused, .processDied, .noSocket, .unanswered: .reset
            }
    }
}
