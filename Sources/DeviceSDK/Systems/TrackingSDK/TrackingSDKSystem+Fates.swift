import Accounting
import AppModel
package import DeviceSDK
import Timebase
import Wire
import World

/// Where events end.
///
/// An event that was cleared without having been acknowledged waits for the requests that still carry it. An acknowledged event has its fate, but not the number of its
/// uploads yet, as long as one carries it (it may wait for a socket, and never get one), and as long as it is in a
/// file that cannot be removed: there it travels again.
extension TrackingSDKSystem {
    /// Seals the acknowledged events that no upload carries any more: those that have left the file, but for
    /// those in open uploads. The first acknowledgement counts. O(requests + acknowledgements).
    private mutating func sealAcknowledged(on device: inout Device, effects: inout DeviceEffects) {
        guard !device.acknowledgements.isEmpty else { return }
        let free = device.rangesCarriedByNone(of: 0..<device.fileStart)
        var kept = ContiguousArray<TrackingSDKAcknowledgement>()
        for answer in device.acknowledgements {
            var sealed = 0
            for range in free where range.overlaps(answer.events) {
                let range = range.clamped(to: answer.events)
                sealed += range.count
                sealRows(in: range, as: .delivered, ackedAt: answer.at, of: &device, effects: &effects)
            }
            if sealed < answer.events.count { kept.append(answer) }
        }
        device.acknowledgements = kept
    }

    /// Seals what is acknowledged, and then those events of a range that have left the file, that nobody has
    /// acknowledged, and that no open request carries.
    mutating func sealCleared(
        _ range: Range<UInt32>, on device: inout Device, effects: inout DeviceEffects
    ) {
        sealAcknowledged(on: &device, effects: &effects)
        guard range.lowerBound < device.fileStart else { return }
        let cleared = range.lowerBound..<min(range.upperBound, device.fileStart)
        for free in device.rangesCarriedByNone(of: cleared) {
            for row in device.log.settle(in: free) {
                seal(row, row.endByClearing, on: device, effects: &effects)
            }
        }
    }

    /// The process is gone: its requests are cut. The file stays.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        device.requests = []
        sealCleared(0..<device.fileStart, on: &device, effects: &effects)
        device.trimLog()
        device.trace = UIKitTrace()
        device.retry = RetryState()
        // The original method never came back to the hook.
        device.held = nil
        device.isUploadOwed = false
        device.isRunning = false
        device.isForeground = false
        effects.died.append(device.slot)
    }

    package mutating func takeBack(_ upload: RequestNumber, isCounted: Bool, of device: inout Device) {
        guard let index = device.requests.firstIndex(where: { $0.number == upload.number }) else { return }
        device.requests[index].isReturned = true
        guard isCounted else { return }
        device.requests[index].isCounted = false
        device.log.update(in: device.requests[index].events) { $0.takeBackAttempt() }
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        for answer in device.acknowledgements {
            sealRows(in: answer.events, as: .delivered, ackedAt: answer.at, of: &device, effects: &effects)
        }
        // What was cleared and is still under way keeps the fate that it had.
        var cleared = ContiguousArray<EventRecord>()
        device.log.forEach(in: 0..<device.fileStart) { if !$0.isSettled { cleared.append($0) } }
        for row in cleared { seal(row, row.endByClearing, on: device, effects: &effects) }
        let file = device.fileStart..<max(device.fileStart, device.nextSequence)
        for idle in device.rangesCarriedByNone(of: file, sentOnly: true) {
            sealRows(in: idle, as: .pending(.stored), of: &device, effects: &effects)
        }
        sealRows(in: file, as: .pending(.inFlight), of: &device, effects: &effects)
        device.requests = []
        device.acknowledgements = []
    }
}
