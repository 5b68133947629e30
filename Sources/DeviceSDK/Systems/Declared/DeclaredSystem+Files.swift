import DeviceSDK
import SDKDescription
import Timebase

/// Stores whose rows lie in files: batches that are fixed when a file is closed, and sent as they are until they leave.
extension DeclaredSystem {
    /// Closes the file that is being written, if there is something in it.
    func closeFile(of device: inout Device, now: Instant) {
        device.openBytes = 0
        // Files whose rows are gone are gone too.
        let first = device.log.first?.sequence ?? .max
        device.files.removeAll { $0.end <= first }
        let start = device.files.last?.end ?? 0
        guard start < device.nextSequence, device.log.first(in: start..<device.nextSequence) != nil else {
            return
        }
        device.files.append(DeclaredFile(end: device.nextSequence, closedAt: now))
    }

    /// Closes the file that is being written when it has as many events as one may have.
    func closeFullFile(of device: inout Device, now: Instant) {
        guard let limit = sdk.storage.seal?.events else { return }
        let start = device.files.last?.end ?? 0
        guard start < device.nextSequence, device.log.count(in: start..<device.nextSequence) >= limit else {
            return
        }
        closeFile(of: &device, now: now)
    }

    /// The rows of the oldest file that had no turn in the flush.
    func nextFile(of device: inout Device) -> ContiguousArray<EventRecord> {
        var rows = ContiguousArray<EventRecord>()
        var start: UInt32 = 0
        for file in device.files {
            // What it begins with may be gone: where a file begins is no mark of it.
            if file.end > device.fileCursor {
                device.log.forEach(in: start..<file.end) { if !$0.isUploading { rows.append($0) } }
                if !rows.isEmpty {
                    device.fileCursor = file.end
                    return rows
                }
            }
            start = file.end
        }
        return rows
    }

    /// Divides a file in two, whose turn it is again: both are sent in the flush that sent the whole.
    func splitFile(of request: DeclaredRequest, _ device: inout Device) {
        guard let first = request.rows.first?.sequence else { return }
        let middle = request.rows[request.rows.count / 2].sequence
        let index = device.files.firstIndex { $0.end > middle } ?? device.files.count
        let closedAt = request.sealedAt ?? request.plannedAt
        device.files.insert(DeclaredFile(end: middle, closedAt: closedAt), at: index)
        device.fileCursor = device.files.last { $0.end <= first }?.end ?? 0
        allowTwoMore(on: &device)
    }

    /// Writes what is left of a file into the open one, as if it were captured now. Where other closed files lie between
    /// them, it stays a file of its own.
    func reopenFile(of request: DeclaredRequest, _ device: inout Device) {
        let left = request.rows.compactMap { device.log.record(of: $0.sequence) }
        device.sinceFlush &+= UInt32(left.count)
        guard let last = left.last?.sequence, device.files.last?.end ?? 0 > last else { return }
        guard last >= device.files.dropLast().last?.end ?? 0 else { return }
        device.files.removeLast()
        guard countsStoredBytes else { return }
        for row in left { device.openBytes += storedBytes(of: row, on: device) }
    }

    /// When the file with some rows was closed; `nil` where there are no such files.
    func closing(of rows: ContiguousArray<EventRecord>, _ device: borrowing Device) -> Instant? {
        guard sdk.storage.seal?.at == .flush, let first = rows.first?.sequence else { return nil }
        return device.files.first { $0.end > first }?.closedAt
    }

    // MARK: Files of days

    /// The rows of the oldest day that is over and had no turn in the flush, or of all of them.
    func nextDays(of device: inout Device, now: Instant) -> ContiguousArray<EventRecord> {
        let clock = plan.clock(index: Int(device.index))
        let today = clock.day(of: now)
        let isOne = sdk.storage.seal?.together == false
        let cursor = device.fileCursor
        var rows = ContiguousArray<EventRecord>()
        var day: Int64?
        device.log.forEach { row in
            let own = clock.day(of: row.capturedAt)
            guard own != today, row.sequence >= cursor, !row.isUploading else { return }
            if isOne, let day, day != own { return }
            day = own
            rows.append(row)
        }
        if let last = rows.last { device.fileCursor = last.sequence + 1 }
        return rows
    }

    /// The rows of all days but the one of a moment, on the device's calendar.
    func rowsOfOtherDays(at now: Instant, of device: inout Device) -> ContiguousArray<EventRecord> {
        let clock = plan.clock(index: Int(device.index))
        let today = clock.day(of: now)
        return device.allRows.filter { clock.day(of: $0.capturedAt) != today }
    }
}
