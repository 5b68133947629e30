import Accounting
import AppModel
package import DeviceSDK
package import Timebase
package import Wire
import World

/// Uploads of parts and of files, and what their answers do. Success is any answer of 2xx: our choice.
extension CodelessSystem {
    /// Starts the parts that wait, oldest first, as far as the queue's limit reaches.
    mutating func startParts(of device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard mayUpload(device, now: now) else { return }
        var free = rules.upload.concurrency
        var waits = false
        for part in device.parts {
            switch part.state {
            case .uploading: free -= 1
            case .waiting: waits = true
            case .failed: break
            }
        }
        guard waits else { return }
        for index in device.parts.indices where free > 0 {
            guard case .waiting = device.parts[index].state else { continue }
            free -= 1
            device.parts[index].state = .uploading(device.uploadCount)
            let part = device.parts[index]
            send(part.events, of: &device, due: part.plannedAt, effects: &effects)
        }
    }

    /// The uploader of files begins with the oldest, unless it is at it already.
    mutating func uploadFile(of device: inout Device, due: Instant, effects: inout DeviceEffects) {
        guard device.fileUpload == nil, let file = device.files.first, mayUpload(device, now: due)
        else { return }
        if file.eventsID == nil { device.eventsIDCount += 1 }
        device.fileUpload = CodelessFileUpload(
            number: device.uploadCount, eventsID: file.eventsID ?? device.eventsIDCount - 1)
        send(file.events, of: &device, due: due, effects: &effects)
    }

    /// Asks for the request of some events, under the next upload's number.
    private func send(
        _ events: Range<UInt32>, of device: inout Device, due: Instant, effects: inout DeviceEffects
    ) {
        let wasCarried = device.log.first(in: events).map { $0.attempts > 0 } ?? false
        effects.requests.append(
            OutgoingRequest(
                slot: device.slot, number: RequestNumber(kind: .upload, number: device.uploadCount),
                plannedAt: due, timeout: rules.upload.timeout,
                eventCount: UInt32(clamping: device.log.count(in: events)), isRetry: wasCarried,
                network: device.network))
        device.uploadCount += 1
        // Without a radio nothing leaves: no upload that carried the events.
        guard device.network != .none else { return }
        device.log.update(in: events) { $0.countAttempt() }
    }

    package mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        guard request.kind == .upload else {
            return endpoints.fetch(appVersion: plan.app.versions[Int(device.epochs.current.appVersion)])
        }
        guard let (events, id) = content(of: request.number, of: device) else {
            return endpoints.upload(eventsID: "")
        }
        let eventsID = eventsID(id, of: device)
        encoder.beginBatch(
            index: Int(device.index), installation: device.installation, eventsID: eventsID, into: &body)
        append(events, of: device, to: &body)
        return endpoints.upload(eventsID: eventsID)
    }

    /// Appends the events of a batch.
    func append(_ events: Range<UInt32>, of device: borrowing Device, to body: inout WireBuffer) {
        let skew = plan.clockSkew(index: Int(device.index))
        let epochs = device.epochs
        let number = device.number
        let index = Int(device.index)
        // Neighbours mostly belong to one session.
        var session = (number: UInt32.max, id: "")
        device.log.forEach(in: events) { record in
            let epoch = epochs[record.epoch]
            if epoch.session != session.number {
                session = (epoch.session, encoder.sessionID(epoch.session, index: index))
            }
            encoder.encode(
                record, epoch: epoch, sessionID: session.id, data: configs[Int(epoch.config)], index: index,
                device: number, skew: skew, into: &body)
        }
    }

    /// The events of an open upload and the number of their `eventsID`.
    func content(
        of upload: UInt32, of device: borrowing Device
    ) -> (events: Range<UInt32>, eventsID: UInt32)? {
        if let file = device.fileUpload, file.number == upload, let first = device.files.first {
            return (first.events, file.eventsID)
        }
        return device.parts.first { $0.isCarried(by: upload) }.map { ($0.events, $0.eventsID) }
    }

    package mutating func complete(
        _ request: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) {
        if request.kind == .config {
            completeFetch(request.number, of: &device, outcome: outcome)
            return
        }
        // Of a process that died in between, nobody waits any more.
        guard let carried = content(of: request.number, of: device)?.events else { return }
        let count = device.log.count(in: carried)
        let verdict = CodelessVerdict(
            outcome, device.retry.split(outcome, count: count, under: rules.upload.retry), rules.upload.keeps)
        effects.isAcknowledged = verdict == .delivered
        if verdict != .halves {
            device.retry.note(
                outcome, of: request.number, begun: device.uploadCount, isKept: verdict == .kept,
                under: rules.upload.retry, at: now,
                streams.retries(ofUpload: request, index: device.index))
        }
        if device.fileUpload?.number == request.number {
            device.fileUpload = nil
            completeFile(of: &device, verdict, now: now, effects: &effects)
        } else if let index = device.parts.firstIndex(where: { $0.isCarried(by: request.number) }) {
            completePart(index, of: &device, verdict, now: now, effects: &effects)
        }
        device.trimEpochs()
    }

    private mutating func completePart(
        _ index: Int, of device: inout Device, _ verdict: CodelessVerdict, now: Instant,
        effects: inout DeviceEffects
    ) {
        switch verdict {
        case .delivered:
            let part = device.parts.remove(at: index)
            deliver(part.events, of: &device, now: now, effects: &effects)
            device.log.delete(in: part.events)
        case .dropped(let status):
            let part = device.parts.remove(at: index)
            seal(part.events, as: .rejected(status: status), of: &device, effects: &effects)
        case .halves: halvePart(index, of: &device, due: now)
        case .kept:
            device.parts[index].state = .failed
            device.hasPartsToRetry = rules.sendsPartsAgain
            // With nothing captured meanwhile, ticks were skipped.
            bringForwardTimer(of: &device, to: now)
        }
        startParts(of: &device, now: now, effects: &effects)
    }

    /// A part that was too large goes on as two, each under an id of its own.
    private func halvePart(_ index: Int, of device: inout Device, due: Instant) {
        let halves = device.parts[index].events.halves.map { events in
            device.eventsIDCount += 1
            return CodelessPart(eventsID: device.eventsIDCount - 1, events: events, plannedAt: due)
        }
        device.parts.replaceSubrange(index...index, with: halves)
    }
}

/// What an upload's end means for its events.
enum CodelessVerdict: Equatable {
    case delivered, kept, halves
    case dropped(status: UInt16)

    init(_ outcome: RequestOutcome, _ split: RetryState.Split, _ keeps: KeepRule) {
        guard case .answered(let status, _, _, _) = outcome else {
            self = .kept
            return
        }
        let isDropped = split == .drops || !keeps.keeps(status)
        if (200...299).contains(status) {
            self = .delivered
        } else if split == .halves {
            self = .halves
        } else {
            self = isDropped ? .dropped(status: status) : .kept
        }
    }
}

extension Range<UInt32> {
    /// Its two halves; the first is the smaller one.
    var halves: [Range<UInt32>] {
        let middle = lowerBound + UInt32(count / 2)
        return [lowerBound..<middle, middle..<upperBound]
    }
}

extension CodelessPart {
    /// Whether an upload is the part's present one.
    func isCarried(by upload: UInt32) -> Bool {
        if case .uploading(upload) = state { return true }
        return false
    }
}
