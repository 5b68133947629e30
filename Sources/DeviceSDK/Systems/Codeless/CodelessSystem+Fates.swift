package import Accounting
import AppModel
package import DeviceSDK
import Timebase
package import Wire
import World

/// Where events end. An event leaves the device by a positive answer or with its process, which cuts its
/// requests too; so nothing is on its way that the device no longer has.
extension CodelessSystem {
    package func naturalKey(
        of record: EventRecord, _ disposition: Disposition, on device: borrowing Device
    ) -> NaturalKey? {
        guard !plan.tagsEvents else { return nil }
        let index = Int(device.index)
        let key = encoder.naturalKey(
            record, epoch: device.epochs[record.epoch], index: index, installation: device.installation,
            skew: plan.clockSkew(index: index))
        return NaturalKey(high: key.high, low: key.low)
    }

    /// The batch has no name: none was sent.
    package func encodeAlone(
        _ record: EventRecord, on device: borrowing Device, into plain: inout WireBuffer
    ) -> PlainBody? {
        let index = Int(device.index)
        let epoch = device.epochs[record.epoch]
        encoder.beginBatch(index: index, installation: device.installation, eventsID: "", into: &plain)
        encoder.encode(
            record, epoch: epoch, sessionID: encoder.sessionID(epoch.session, index: index),
            data: configs[Int(epoch.config)], index: index, device: device.number,
            skew: plan.clockSkew(index: index), into: &plain)
        return .messages
    }

    /// A positive answer: all events of a range have arrived. Their rows stay.
    mutating func deliver(
        _ events: Range<UInt32>, of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        sealRows(in: events, as: .delivered, ackedAt: now, of: &device, effects: &effects)
    }

    /// The events of a range end in a way, and their rows go.
    mutating func seal(
        _ events: Range<UInt32>, as disposition: Disposition, of device: inout Device,
        effects: inout DeviceEffects
    ) {
        sealRows(in: events, as: disposition, of: &device, effects: &effects)
        device.log.delete(in: events)
    }

    /// A file is gone: its events were delivered when it was acknowledged first, or end in another way.
    mutating func seal(
        _ file: CodelessFile, as disposition: Disposition, of device: inout Device,
        effects: inout DeviceEffects
    ) {
        if let at = file.ackedAt { deliver(file.events, of: &device, now: at, effects: &effects) }
        seal(file.events, as: disposition, of: &device, effects: &effects)
    }

    /// The process is gone, and with it whatever no file has.
    mutating func die(_ device: inout Device, effects: inout DeviceEffects) {
        revokeUnsentRequests(of: &device, effects: &effects)
        let memory = device.memoryStart..<device.nextSequence
        seal(memory, as: .lost(.killed), of: &device, effects: &effects)
        device.memoryStart = device.nextSequence
        device.arrayStart = device.nextSequence
        device.parts = []
        device.hasPartsToRetry = false
        device.retry = RetryState()
        if device.fileUpload != nil, device.files[0].isDamaged {
            seal(device.files[0], as: .lost(.storageError), of: &device, effects: &effects)
            device.files.removeFirst()
        }
        device.fileUpload = nil
        device.fetch = nil
        device.tickDue = .distantFuture
        device.backgroundSince = .distantFuture
        device.trace = UIKitTrace()
        device.isRunning = false
        device.isForeground = false
        device.trimEpochs()
        effects.died.append(device.slot)
    }

    package mutating func takeBack(_ upload: RequestNumber, isCounted: Bool, of device: inout Device) {
        guard upload.kind == .upload, let content = content(of: upload.number, of: device) else { return }
        if isCounted { device.log.update(in: content.events) { $0.takeBackAttempt() } }
        if device.fileUpload?.number == upload.number {
            device.fileUpload?.isReturned = true
        } else if let index = device.parts.firstIndex(where: { $0.isCarried(by: upload.number) }) {
            device.parts[index].state = .failed
        }
    }

    package mutating func finish(_ device: inout Device, effects: inout DeviceEffects) {
        if let upload = device.fileUpload {
            let isDamaged = device.files[0].isDamaged
            seal(
                device.files[0],
                as: isDamaged ? .lost(.storageError) : .pending(upload.isReturned ? .stored : .inFlight),
                of: &device, effects: &effects)
        }
        for file in device.files where file.ackedAt != nil {
            seal(file, as: .pending(.stored), of: &device, effects: &effects)
        }
        for part in device.parts {
            guard case .uploading = part.state else { continue }
            seal(part.events, as: .pending(.inFlight), of: &device, effects: &effects)
        }
        seal(0..<device.nextSequence, as: .pending(.stored), of: &device, effects: &effects)
        device.parts = []
        device.files = []
        device.fileUpload = nil
    }
}
