import Timebase
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
        _ device: inout Device, due: Instant, now: Instant, effects: inout DeviceEffects
    ) {
        if device.isBlocked || !device.waiting.isEmpty {
            device.waiting.appendFlush(due: due)
        } else {
            beginFlush(&device, due: due, now: now, effects: &effects)
        }
    }

    /// Starts a flush, if the network's kind allows one and no `Retry-After` is being heeded.
    private mutating func beginFlush(
        _ device: inout Device, due: Instant, now: Instant, effects: inout DeviceEffects
    ) {
        guard now >= device.quietUntil, allowsUpload(device.epochs.current.network) else {
            // 1.10.17 returns before everything else, `VACUUM` included.
            device.state.remove(.wantsVacuum)
            return
        }
        let isSending = sendBatch(
            of: &device, batchesLeft: rules.upload.maxBatchesPerFlush, plannedAt: due,
            effects: &effects)
        if !isSending { vacuumIfWanted(&device) }
    }

    /// A flush has ended.
    @inline(__always)
    func vacuumIfWanted(_ device: inout Device) {
        guard device.state.contains(.wantsVacuum) else { return }
        device.state.remove(.wantsVacuum)
        device.store.vacuum()
    }

    func allowsUpload(_ network: NetworkKind) -> Bool { networkMask & (1 << network.rawValue) != 0 }

    /// Builds the next request of a flush from the oldest rows, if there are any and the flush may
    /// send more.
    ///
    /// - Returns: whether there is a request.
    @discardableResult
    mutating func sendBatch(
        of device: inout Device, batchesLeft: Int, plannedAt: Instant, effects: inout DeviceEffects
    ) -> Bool {
        guard batchesLeft > 0 else { return false }
        let isDebug = isDebug(device)
        let limit = isDebug ? 1 : rules.upload.batch
        var request = SensorsRequest(
            number: RequestNumber(kind: .upload, number: device.uploadCount), plannedAt: plannedAt)
        request.isFromMemory = device.memory.count > 0
        if request.isFromMemory {
            device.memory.copyOldest(limit, idleOnly: true, into: &request.rows)
        } else {
            device.store.copyOldest(
                limit, idleOnly: true, into: &request.rows, contents: &request.contents)
        }
        guard !request.rows.isEmpty, !isCarriedTooOften(request.rows) else { return false }
        device.uploadCount += 1
        request.isDebug = isDebug
        request.isBlocking = rules.upload.blocksTracking || (isRecent && isDebug)
        request.batchesLeft = batchesLeft - 1
        device.update(request, mark: true) { $0.inFlight += 1 }
        if request.isBlocking { device.state.insert(.isBlocked) }
        device.requests.append(request)
        startRequests(of: &device, effects: &effects)
        return true
    }

    /// Whether a row is in the air as often as its note can count. Only rows whose marks a failing disk
    /// refuses are sent again while they are in the air (4.9.1).
    @inline(__always)
    private func isCarriedTooOften(_ rows: ContiguousArray<EventRecord>) -> Bool {
        rows.contains { $0.inFlight == .max }
    }

    /// Gives sockets to the requests that wait for one, oldest first, as far as they reach.
    func startRequests(of device: inout Device, effects: inout DeviceEffects) {
        var sockets = device.requests.reduce(Self.socketLimit) { $0 - ($1.isStarted ? 1 : 0) }
        guard sockets > 0 else { return }
        for place in device.requests.indices where !device.requests[place].isStarted {
            guard sockets > 0 else { return }
            sockets -= 1
            start(place, of: &device, effects: &effects)
        }
    }

    private func start(_ place: Int, of device: inout Device, effects: inout DeviceEffects) {
        device.requests[place].isStarted = true
        let request = device.requests[place]
        let network = device.epochs.current.network
        let isConfig = request.number.kind == .config
        effects.requests.append(
            OutgoingRequest(
                slot: device.slot, number: request.number, plannedAt: request.plannedAt,
                timeout: isConfig ? rules.remoteConfig.timeout : rules.upload.timeout,
                eventCount: UInt16(clamping: request.rows.count),
                isRetry: request.rows.contains { $0.attempts > 0 }, network: network))
        // Without a radio nothing leaves: no upload that carried the events.
        guard network != .none, !isConfig else { return }
        device.update(request, mark: nil) { $0.countAttempt() }
    }

    /// The serial queue goes on after a request, until one blocks it again.
    mutating func drainQueue(
        of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        while !device.isBlocked, let task = device.waiting.popFirst() {
            switch task {
            case .store(let record): enqueue(record, on: &device, now: now, effects: &effects)
            case .flush(let due, _, _): beginFlush(&device, due: due, now: now, effects: &effects)
            }
        }
    }
}
