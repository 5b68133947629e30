package import Accounting
package import DeviceSDK
import SDKDescription
import Timebase
package import Wire

/// Where events end.
extension DeclaredSystem {
    package func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey? {
        guard !isTagged, disposition.fate != .suppressed else { return nil }
        return encoders[0].naturalKey(
            record, epoch: device.epochs[record.epoch], index: Int(device.index), number: device.number)
    }

    /// What an attempt adds is as if it had been made at once.
    package func encodeAlone(
        _ record: EventRecord, on device: borrowing Device, into plain: inout WireBuffer
    ) -> PlainBody? {
        encoders[Int(lanes[Int(record.template)])].encodeList(
            [record], index: Int(device.index), number: device.number, epochs: device.epochs,
            at: record.capturedAt, into: &plain)
        return .list
    }

    /// The process is gone: its requests are cut, and what it had in memory is lost.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        sealDetached(of: &device, effects: &effects)
        // Rows that no request carries have nothing to forget.
        if !device.requests.isEmpty || !device.parts.isEmpty {
            device.log.updateAll { row in
                row.inFlight = 0
                row.isUploading = false
            }
        }
        if sdk.storage.backend == .memory {
            for row in device.allRows { end(row, as: .lost(.killed), on: device, effects: &effects) }
            device.log = EventLog()
            device.files = []
            (device.bytes, device.openBytes) = (0, 0)
        } else if device.volatileFrom < device.nextSequence {
            remove(heldRows(of: device), as: .lost(.killed), of: &device, effects: &effects)
        }
        device.volatileFrom = sdk.storage.persist == .each ? .max : device.nextSequence
        device.requests = []
        device.fetches = []
        device.fetchedAt = []
        device.parts = []
        device.failedRows = []
        device.flushDue = .distantFuture
        device.retryDue = .distantFuture
        device.quietUntil = Instant(nanoseconds: .min)
        device.failures = 0
        device.sinceFlush = 0
        device.eventLimit = .max
        device.bulkLimit = .max
        device.batchesLeft = 0
        device.lanesLeft = 0
        device.fileCursor = 0
        (device.screen, device.previousScreen) = (.max, .max)
        device.state = []
        device.trimEpochs()
        effects.died.append(device.slot)
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        sealAll(of: &device, effects: &effects)
    }
}
