import Accounting
import AppModel
package import DeviceSDK
import Timebase
import Wire
import World

/// The files that processes leave behind, and what a failing disk makes of them.
///
/// - *No room, or read-only*: the memory cannot be written; it is lost (`storage_error`). On a disk that is
///   read-only a file cannot be deleted either: what was acknowledged is sent again at the next trigger.
/// - *Damaged*: the files are; their events are lost.
extension CodelessSystem {
    /// The process is about to end, or an exception was thrown: everything in memory is written, whether or
    /// not it is on its way.
    mutating func writeFile(of device: inout Device, effects: inout DeviceEffects) {
        let memory = device.memoryStart..<device.nextSequence
        guard device.disk == .sound else {
            seal(memory, as: .lost(.storageError), of: &device, effects: &effects)
            return
        }
        if rules.persistEventsID {
            for part in device.parts {
                device.files.append(CodelessFile(events: part.events, eventsID: part.eventsID))
            }
            let rest = device.arrayStart..<device.nextSequence
            if !rest.isEmpty {
                device.files.append(CodelessFile(events: rest, eventsID: device.eventsIDCount))
                device.eventsIDCount += 1
            }
        } else if device.log.count(in: memory) > 0 {
            device.files.append(CodelessFile(events: memory))
        }
        device.memoryStart = device.nextSequence
        device.arrayStart = device.nextSequence
        boundFiles(of: &device, effects: &effects)
    }

    /// `storage.maxBytes`: the oldest files go until the others fit. One that is being sent stays.
    private mutating func boundFiles(of device: inout Device, effects: inout DeviceEffects) {
        guard let limit = rules.storage.maxBytes else { return }
        for index in device.files.indices where device.files[index].bytes == nil {
            var events = WireBuffer()
            append(device.files[index].events, of: device, to: &events)
            device.files[index].bytes = events.count
        }
        let first = device.fileUpload == nil ? 0 : 1
        var bytes = device.files.reduce(0) { $0 + ($1.bytes ?? 0) }
        while bytes > limit, device.files.count > first {
            let file = device.files.remove(at: first)
            bytes -= file.bytes ?? 0
            seal(file, as: .evicted(.storageLimit), of: &device, effects: &effects)
        }
        if device.files.isEmpty { device.files = [] }
        device.trimEpochs()
    }

    /// The upload of the oldest file has ended: it is deleted and the next one's turn, or everything waits
    /// for the next trigger, which begins with the same file.
    mutating func completeFile(
        of device: inout Device, _ verdict: CodelessVerdict, now: Instant, effects: inout DeviceEffects
    ) {
        if verdict == .delivered, device.files[0].ackedAt == nil { device.files[0].ackedAt = now }
        let file = device.files[0]
        if !file.isDamaged, verdict == .kept || device.disk == .readOnly { return }
        if !file.isDamaged, verdict == .halves {
            halveFile(&device)
        } else {
            // What was acknowledged is delivered; the rest was damaged, or is dropped for its answer.
            var end = Disposition.lost(.storageError)
            if !file.isDamaged, case .dropped(let status) = verdict { end = .rejected(status: status) }
            seal(file, as: end, of: &device, effects: &effects)
            device.files.removeFirst()
            if device.files.isEmpty { device.files = [] }
        }
        if verdict != .kept { uploadFile(of: &device, due: now, effects: &effects) }
    }

    /// A file that was too large is written as two; the halves keep no id that the whole had.
    private func halveFile(_ device: inout Device) {
        let file = device.files[0]
        let halves = file.events.halves.map { events in
            var half = CodelessFile(events: events)
            if file.eventsID != nil {
                half.eventsID = device.eventsIDCount
                device.eventsIDCount += 1
            }
            half.ackedAt = file.ackedAt
            return half
        }
        device.files.replaceSubrange(0...0, with: halves)
    }

    /// A cold start: files whose newest event is too old are removed.
    mutating func expireFiles(of device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard let ttl = rules.storage.ttl, device.disk != .readOnly else { return }
        while let file = device.files.first {
            var newest = Instant(nanoseconds: .min)
            device.log.forEach(in: file.events) { newest = max(newest, $0.capturedAt) }
            guard newest <= now - ttl else { break }
            seal(file, as: .evicted(.expired), of: &device, effects: &effects)
            device.files.removeFirst()
        }
        if device.files.isEmpty { device.files = [] }
    }

    package mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects
    ) {
        device.disk = change.condition
        if change.isDamaged { damageFiles(of: &device, effects: &effects) }
    }

    /// What is on its way was read before; its fate waits for the answer.
    private mutating func damageFiles(of device: inout Device, effects: inout DeviceEffects) {
        let isUploading = device.fileUpload != nil
        for file in device.files.dropFirst(isUploading ? 1 : 0) {
            seal(file, as: .lost(.storageError), of: &device, effects: &effects)
        }
        device.files.removeLast(device.files.count - (isUploading ? 1 : 0))
        if isUploading { device.files[0].isDamaged = true }
        device.trimEpochs()
    }

    /// Captures the events of `storage.prefill`: views of the start screen, in files of as many as a part
    /// has, at the times of ``PastEvents``.
    package mutating func arrive(_ device: inout Device, effects: inout DeviceEffects) {
        let count = UInt32(clamping: rules.storage.prefill)
        guard count > 0 else { return }
        device.sessionCount = 1
        device.epochs.change { $0.session = 1 }
        let view = views.controller(of: plan.app.startScreen)
        for age in stride(from: Int64(count), to: 0, by: -1) {
            let record = EventRecord(
                capturedAt: PastEvents.time(age: age, before: plan.start), sequence: device.nextSequence,
                epoch: device.epochs.reference(), template: CodelessTemplate.pageShow.rawValue,
                screen: view.screen, control: view.node, detail: view.detail)
            device.nextSequence += 1
            _ = device.log.append(record)
        }
        let size = UInt32(clamping: rules.upload.batch)
        for first in stride(from: 0, to: count, by: Int(size)) {
            let keepsID = rules.persistEventsID
            device.files.append(
                CodelessFile(
                    events: first..<min(first + size, count),
                    eventsID: keepsID ? device.eventsIDCount : nil))
            if keepsID { device.eventsIDCount += 1 }
        }
        device.memoryStart = count
        device.arrayStart = count
        boundFiles(of: &device, effects: &effects)
    }
}
