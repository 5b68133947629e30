import Accounting
package import DeviceSDK
package import Timebase
import Wire
import World

/// The archive of a start of the app, and what its answer does to the files.
extension KitSystem {
    /// Packs every file whose name lacks today's date, if there is one, and sends the archive.
    mutating func upload(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard networkMask.contains(device.network), !device.retry.isQuiet(at: now) else { return }
        // The archive is a file, and no error of its making is looked at: without it nothing is sent.
        guard device.disk == .sound else { return }
        let today = device.day(of: now)
        var rows = 0
        var end: UInt32 = 0
        var isRetry = false
        device.log.forEach { row in
            guard device.day(of: row.capturedAt) != today else { return }
            rows += 1
            end = row.sequence + 1
            isRetry = isRetry || row.attempts > 0
        }
        guard rows > 0 else { return }
        let number = RequestNumber(kind: .upload, number: device.uploadCount)
        device.uploadCount += 1
        device.request = KitRequest(number: number.number, end: end, plannedAt: now)
        effects.requests.append(
            OutgoingRequest(
                slot: device.slot, number: number, plannedAt: now, timeout: rules.upload.timeout,
                eventCount: UInt32(clamping: rows), isRetry: isRetry, network: device.network,
                wantsBody: true))
        // Without a radio nothing leaves: no upload that carried the events.
        guard device.network != .none else { return }
        device.log.update(in: 0..<end) { $0.countAttempt() }
    }

    package mutating func complete(
        _ request: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) {
        // A request of a process that died in between has nobody who waits for it.
        guard let ended = device.request, ended.number == request.number else { return }
        device.request = nil
        var isKept = true
        if isPositive(outcome) {
            effects.isAcknowledged = true
            device.acknowledgements.append(.init(end: ended.end, at: now))
            removeFiles(after: ended, of: &device, now: now, effects: &effects)
            isKept = false
        } else if case .answered(let status, _, _, _) = outcome, !(200...299).contains(status),
            !rules.upload.keeps.keeps(status), device.disk != .readOnly
        {
            leave(from: 0, until: ended.end, as: .rejected(status: status), of: &device, effects: &effects)
            isKept = false
        }
        device.retry.note(
            outcome, of: request.number, begun: device.uploadCount, isKept: isKept,
            under: rules.upload.retry, at: now,
            streams.retries(ofUpload: request, index: device.index))
        dropDamaged(&device, effects: &effects)
        device.trimEpochs()
    }

    /// AFNetworking's JSON serializer takes 2xx with one of three content types; the SDK then asks the
    /// object for `statusCode`, formats it as text (`%@`), and compares that with `200`. So a number may be
    /// written as `200.0`, and a text has to be these three digits.
    ///
    /// JSON that is no object would raise in the callback and end the app; here it counts as a failure.
    private func isPositive(_ outcome: RequestOutcome) -> Bool {
        guard case .answered(let status, let body, _, let contentType) = outcome,
            (200...299).contains(status)
        else { return false }
        let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard ["application/json", "text/json", "text/javascript"].contains(type) else { return false }
        let isSuccess = body.withUnsafeBytes { bytes in
            try? parser.withParsed(bytes) { answer in
                let code = answer["statusCode"]
                return code?.double == 200 || code?.string == "200"
            }
        }
        return isSuccess ?? false
    }

    /// Removes the files whose names lack the date of this moment: what was written after the archive was
    /// made goes unsent if its day is over. Or, corrected, the files in the archive alone.
    private mutating func removeFiles(
        after request: KitRequest, of device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        guard device.disk != .readOnly else { return }
        var end = request.end
        if rules.clear == .otherDays {
            let today = device.day(of: now)
            device.log.forEach { row in
                if device.day(of: row.capturedAt) != today { end = max(end, row.sequence + 1) }
            }
        }
        leave(from: 0, until: end, as: .lost(.clearedUnsent), of: &device, effects: &effects)
    }
}
