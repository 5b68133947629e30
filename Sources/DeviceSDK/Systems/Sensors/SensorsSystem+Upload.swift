import Accounting
import DeviceSDK
package import Timebase
import World

/// From a trigger to a request.
///
/// Two pipelines. *Blocking* (1.10.17; 4.9.1 in debug mode, where `SAFlushInterceptor` waits on a
/// semaphore): the flush holds the SDK's serial queue while its request runs; events and further
/// flushes wait in memory behind it. *Overlapping* (4.9.1): a flush marks its rows and goes on when
/// the answer is there; other flushes may run beside it on other rows.
extension SensorsSystem {
    /// A trigger asks for a flush that was due at `due`.
    mutating func requestFlush(
        _ device: inout Device, _ kind: SensorsRules.FlushKind = .all, due: Instant, now: Instant,
        effects: inout DeviceEffects
    ) {
        if device.isBlocked || !device.waiting.isEmpty {
            device.waiting.appendFlush(kind, due: due)
        } else {
            beginFlush(&device, kind, due: due, now: now, effects: &effects)
        }
    }

    /// Starts a flush, if the network's kind allows one and nothing is being waited for.
    private mutating func beginFlush(
        _ device: inout Device, _ kind: SensorsRules.FlushKind, due: Instant, now: Instant,
        effects: inout DeviceEffects
    ) {
        guard mayUpload(&device, now: now) else {
            // 1.10.17 returns before everything else, `VACUUM` included.
            device.state.remove(.wantsVacuum)
            return
        }
        if kind != .instant { device.retry.takeDue() }
        var isSending = sendBatch(
            of: &device, kind, batchesLeft: rules.upload.maxBatchesPerFlush, plannedAt: due,
            effects: &effects)
        if !isSending && kind == .all {
            isSending = beginSecondPart(of: &device, plannedAt: due, now: now, effects: &effects)
        }
        if !isSending { vacuumIfWanted(&device) }
    }

    @inline(__always)
    func mayUpload(_ device: inout Device, now: Instant) -> Bool {
        !device.retry.isQuiet(at: now) && allowsUpload(device.epochs.current.network)
    }

    /// After the instant events of a flush, whatever became of them, come the others
    /// (`flushAllEventRecordsWithCompletion:`).
    ///
    /// - Returns: whether there is a request.
    mutating func beginSecondPart(
        of device: inout Device, plannedAt: Instant, now: Instant, effects: inout DeviceEffects
    ) -> Bool {
        guard tellsInstant, mayUpload(&device, now: now) else { return false }
        return sendBatch(
            of: &device, .normal, batchesLeft: rules.upload.maxBatchesPerFlush, plannedAt: plannedAt,
            effects: &effects)
    }

    /// A flush has ended.
    @inline(__always)
    func vacuumIfWanted(_ device: inout Device) {
        guard device.state.contains(.wantsVacuum) else { return }
        device.state.remove(.wantsVacuum)
        device.store.vacuum()
    }

    func allowsUpload(_ network: NetworkKind) -> Bool { networkMask.contains(network) }

    /// Builds the next request of a flush from the rows that come first, if there are any and the flush may
    /// send more.
    ///
    /// - Returns: whether there is a request.
    mutating func sendBatch(
        of device: inout Device, _ flush: SensorsRules.FlushKind, batchesLeft: Int, plannedAt: Instant,
        effects: inout DeviceEffects
    ) -> Bool {
        guard batchesLeft > 0 else { return false }
        let isDebug = isDebug(device)
        let limit = isDebug ? 1 : device.retry.limit(rules.upload.batch)
        var request = SensorsRequest(
            number: RequestNumber(kind: .upload, number: device.uploadCount), plannedAt: plannedAt)
        request.isFromMemory = device.memory.count > 0
        if request.isFromMemory {
            device.memory.copyIdle(limit, from: rules.storage.order, into: &request.rows)
        } else {
            device.store.copy(
                limit, from: rules.storage.order, of: tellsInstant ? flush.rows : .all, idleOnly: true,
                into: &request.rows, contents: &request.contents)
        }
        guard !request.rows.isEmpty, !isCarriedTooOften(request.rows) else { return false }
        if bodyFails(on: &device) {
            guard giveUp(request, of: &device, effects: &effects) else { return false }
            return sendBatch(
                of: &device, flush, batchesLeft: batchesLeft - 1, plannedAt: plannedAt, effects: &effects)
        }
        device.uploadCount += 1
        request.isDebug = isDebug
        request.flush = flush
        request.isBlocking = rules.upload.blocksTracking || (isVersion4 && isDebug)
        request.batchesLeft = batchesLeft - 1
        // Its rows have just been read: none of them is detached.
        device.updateRows(of: request, mark: true) { $0.inFlight += 1 }
        if request.isBlocking { device.state.insert(.isBlocked) }
        #if PLANTED
            if Planted.has(.retryForgetsRow), request.rows.count > 1, request.rows[0].attempts > 0 {
                request.rows.removeLast()
            }
        #endif
        device.requests.append(request)
        startRequests(of: &device, effects: &effects)
        return true
    }

    private mutating func bodyFails(on device: inout Device) -> Bool {
        guard rules.upload.bodyFailureChance > 0 else { return false }
        var stream = draw(&device, .faults)
        return stream.chance(rules.upload.bodyFailureChance)
    }

    /// No body could be built of a request's rows. 1.10.17 (`flushByPost` returns `YES`) deletes them and
    /// goes on; 4.9.1 (`SAFlushHTTPBodyInterceptor.m`, `SAFlowStateError`) has marked them, and ends there.
    ///
    /// - Returns: whether the flush goes on.
    private mutating func giveUp(
        _ request: SensorsRequest, of device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        guard !isVersion4 else {
            device.update(request, mark: true) { _ in }
            return false
        }
        var deleted = ContiguousArray<EventRecord>()
        let isDone =
            !deletionFails(on: &device) && device.store.delete(request.rows) { deleted.append($0) }
        for row in deleted { leave(row, as: .lost(.clearedUnsent), on: &device, effects: &effects) }
        device.trimEpochs()
        return isDone
    }

    /// Whether a row is in the air as often as its note can count. Only rows whose marks a failing disk
    /// refuses are sent again while they are in the air (4.9.1).
    @inline(__always)
    private func isCarriedTooOften(_ rows: ContiguousArray<EventRecord>) -> Bool {
        rows.contains { $0.inFlight == .max }
    }

    package func timeout(of request: SensorsRequest) -> Interval {
        request.number.kind == .config ? rules.remoteConfig.timeout : rules.upload.timeout
    }

    /// The serial queue goes on after a request, until one blocks it again.
    mutating func drainQueue(
        of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        while !device.isBlocked, let task = device.waiting.popFirst() {
            switch task {
            case .store(let record): enqueue(record, on: &device, now: now, effects: &effects)
            case .flush(let kind, let due, _, _):
                beginFlush(&device, kind, due: due, now: now, effects: &effects)
            }
        }
    }
}
