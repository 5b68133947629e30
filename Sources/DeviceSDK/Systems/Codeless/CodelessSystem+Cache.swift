import AppModel
import DeviceSDK
import Timebase

/// The cache of events in memory: `eventArray`, and `popedEventDict`.
extension CodelessSystem {
    /// Adds an event to `eventArray`; enough of them trigger an upload.
    mutating func add(
        _ event: CodelessEvent, to device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        bringForwardTimer(of: &device, to: now)
        let record = EventRecord(
            capturedAt: now, sequence: device.nextSequence, epoch: device.epochs.reference(),
            template: event.template.rawValue, screen: event.view.screen, control: event.view.node,
            detail: event.view.detail, flags: event.flags)
        device.nextSequence += 1
        // Memory does not fail.
        _ = device.log.append(record)
        guard device.arrayCount >= rules.upload.flushBulkSize, mayUpload(device, now: now) else { return }
        while device.arrayCount >= rules.upload.flushBulkSize { popBatch(of: &device, due: now) }
        startParts(of: &device, now: now, effects: &effects)
    }

    /// Whether the app's own policy lets uploads begin.
    @inline(__always)
    func mayUpload(_ device: borrowing Device, now: Instant) -> Bool {
        networkMask.contains(device.network) && !device.retry.isQuiet(at: now)
    }

    /// Those of the timer in the foreground.
    @inline(__always)
    var ticks: TimerTicks {
        TimerTicks(
            streams, every: rules.upload.flushInterval, jitter: rules.upload.jitter, since: plan.start)
    }

    /// The ticks that were skipped because there was nothing to send are over. One that is due now is not:
    /// timers come after actions.
    func bringForwardTimer(of device: inout Device, to now: Instant) {
        guard device.isForeground, device.tickDue < now else { return }
        device.tickDue = ticks.next(notBefore: now, from: device.tickDue, index: device.index)
    }

    /// The timer: takes a part, however few events there are.
    mutating func tick(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard mayUpload(device, now: now) else { return }
        device.retry.takeDue()
        if device.hasPartsToRetry { retryParts(of: &device, due: now) }
        if device.arrayCount > 0 { popBatch(of: &device, due: now) }
        startParts(of: &device, now: now, effects: &effects)
    }

    /// The wait after a failure is over: what a tick sends, and the oldest file.
    mutating func retry(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        device.retry.takeDue()
        tick(&device, now: now, effects: &effects)
        uploadFile(of: &device, due: now, effects: &effects)
    }

    /// Moves the oldest events of `eventArray` to `popedEventDict` under a new `eventsID`, or under several where a
    /// request may carry no more: what a trigger takes does not become less by that.
    private func popBatch(of device: inout Device, due: Instant) {
        let limit = UInt32(clamping: device.retry.limit(rules.upload.batch))
        var left = min(UInt32(clamping: rules.upload.batch), device.nextSequence - device.arrayStart)
        while left > 0 {
            let end = device.arrayStart + min(limit, left)
            left -= end - device.arrayStart
            device.parts.append(
                CodelessPart(
                    eventsID: device.eventsIDCount, events: device.arrayStart..<end, plannedAt: due))
            device.eventsIDCount += 1
            device.arrayStart = end
        }
    }

    /// Puts the parts whose upload failed back into the queue, under the ids that they have.
    private func retryParts(of device: inout Device, due: Instant) {
        device.hasPartsToRetry = false
        for index in device.parts.indices {
            guard case .failed = device.parts[index].state else { continue }
            device.parts[index].state = .waiting
            device.parts[index].plannedAt = due
        }
    }

    /// An `eventsID`: 32 hexadecimal digits, drawn for the device and the number alone.
    func eventsID(_ number: UInt32, of device: borrowing Device) -> String {
        var stream = streams.stream(.trackIdentifiers, index: Int(device.index)).child(UInt64(number))
        return CodelessEncoder.identifier(&stream)
    }
}
