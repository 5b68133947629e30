package import DeviceSDK
package import Timebase
import World

/// Uploads of the whole file, and what their answers do to it.
extension TrackingSDKSystem {
    /// `uploadEventsToServer:withApiKey:`: makes a request of everything in the file, whatever else is on
    /// its way. Not where the app's own policy has it wait.
    mutating func upload(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard device.fileCount > 0, networkMask.contains(device.network), !device.retry.isQuiet(at: now)
        else { return }
        guard device.requests.count < rules.upload.concurrency else {
            device.isUploadOwed = true
            return
        }
        device.isUploadOwed = false
        device.retry.takeDue()
        device.requests.append(
            TrackingSDKRequest(
                number: device.uploadCount, events: device.fileStart..<device.nextSequence,
                count: device.fileCount, plannedAt: now))
        device.uploadCount += 1
        startRequests(of: &device, effects: &effects)
    }

    /// Gives sockets to the requests that wait for one, oldest first, as far as they reach. As streams of one
    /// connection all of them start.
    private func startRequests(of device: inout Device, effects: inout DeviceEffects) {
        var sockets = plan.multiplexes ? Int.max : rules.upload.sockets
        // Requests start in order, so the open ones that run come first.
        for index in device.requests.indices {
            guard sockets > 0 else { return }
            sockets -= 1
            if !device.requests[index].isStarted { start(index, of: &device, effects: &effects) }
        }
    }

    private func start(_ index: Int, of device: inout Device, effects: inout DeviceEffects) {
        device.requests[index].isStarted = true
        let request = device.requests[index]
        // Who was carried before is at the front: every request begins with the oldest in the file.
        let oldest = device.log.first(in: request.events)
        effects.requests.append(
            OutgoingRequest(
                slot: device.slot, number: RequestNumber(kind: .upload, number: request.number),
                plannedAt: request.plannedAt, timeout: rules.upload.timeout,
                eventCount: UInt32(clamping: request.count), isRetry: (oldest?.attempts ?? 0) > 0,
                network: device.network))
        // Without a radio nothing leaves: no upload that carried the events.
        guard device.network != .none else { return }
        device.requests[index].isCounted = true
        device.log.update(in: request.events) {
            $0.countAttempt()
        }
    }

    package mutating func complete(
        _ request: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) {
        // A request of a process that died in between has nobody who waits for it.
        guard let index = device.requests.firstIndex(where: { $0.number == request.number }) else { return }
        let ended = device.requests.remove(at: index)
        if ended.isCounted {
            for earlier in 0..<index { device.requests[earlier].overtakers.append(ended.events.lowerBound) }
        }
        if device.requests.isEmpty { device.requests = [] }
        startRequests(of: &device, effects: &effects)
        let first = device.fileStart
        var isKept = true
        if case .answered(let status, _, _, _) = outcome {
            if rules.upload.success.accepts(status) {
                effects.isAcknowledged = true
                device.acknowledgements.append(.init(events: ended.events, at: now))
                clear(ended, of: &device)
                isKept = false
            } else if !(200...299).contains(status), !rules.upload.keeps.keeps(status) {
                clear(ended, of: &device)
                device.log.update(in: first..<max(first, min(ended.events.upperBound, device.fileStart))) {
                    if !$0.isSettled, $0.flags == 0 { $0.flags = status }
                }
                isKept = false
            }
        }
        device.retry.note(
            outcome, of: request.number, begun: device.uploadCount, isKept: isKept,
            under: rules.upload.retry, at: now,
            streams.retries(ofUpload: request, index: device.index))
        let range = min(ended.events.lowerBound, first)..<max(ended.events.upperBound, device.fileStart)
        sealCleared(range, on: &device, effects: &effects)
        device.trimLog()
        if device.isUploadOwed { upload(&device, now: now, effects: &effects) }
    }

    /// `clearEvents`: removes the whole file, or only what the request carried.
    private mutating func clear(_ request: TrackingSDKRequest, of device: inout Device) {
        let first = device.fileStart
        let end: UInt32
        switch rules.clear {
        case .all:
            // A file is removed on a full disk too, …
            guard device.disk != .readOnly else { return }
            end = device.nextSequence
        case .sentOnly:
            // … but what is left of one is written anew.
            end = max(first, request.events.upperBound)
            guard device.disk == .sound || (device.disk == .full && end == device.nextSequence) else {
                return
            }
        }
        device.fileCount -= UInt32(device.log.count(in: first..<end))
        device.fileStart = end
    }
}
