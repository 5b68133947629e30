import Accounting
import DeviceSDK
import SDKDescription
import Timebase

/// Limits in bytes. A row knows how many its JSON has from its capture on; it is written once more for that.
///
/// What `request.perEvent` adds counts in requests, and not in the store. A row can note one number: its bytes in the store
/// if a limit there asks for them, else those in a request.
extension DeclaredSystem {
    /// The row with the bytes of its JSON.
    func measured(_ record: EventRecord, on device: borrowing Device) -> EventRecord {
        guard countsBytes else { return record }
        var record = record
        let encoders = countsStoredBytes ? storeEncoders : encoders
        record.notedBytes = UInt16(clamping: written(record, by: encoders, on: device))
        return record
    }

    /// - Parameter sender: The device's state at the attempt; `nil` for that of the capture.
    private func written(
        _ record: EventRecord, by encoders: [DeclaredEncoder], sender: DeclaredEpoch? = nil,
        on device: borrowing Device
    ) -> Int {
        let epoch = device.epochs[record.epoch]
        return encoders[Int(lanes[Int(record.template)])].size(
            of: record, epoch: epoch, sender: sender ?? epoch, index: Int(device.index), number: device.number
        )
    }

    /// The bytes of a row's JSON in the store. A row with more than it can note is written each time.
    func storedBytes(of row: EventRecord, on device: borrowing Device) -> Int {
        row.notedBytes < .max ? Int(row.notedBytes) : written(row, by: storeEncoders, on: device)
    }

    /// The bytes of a row's JSON in a request that is made now.
    private func sentBytes(of row: EventRecord, on device: borrowing Device) -> Int {
        let lane = Int(lanes[Int(row.template)])
        // Whoever sends it may be called by something else than at the capture.
        let isNoted =
            (!countsStoredBytes || encoders[lane] === storeEncoders[lane]) && !tellsSender[lane]
        return isNoted && row.notedBytes < .max
            ? Int(row.notedBytes)
            : written(row, by: encoders, sender: device.epochs.current, on: device)
    }

    /// Whether an event is larger than the SDK takes.
    func isTooLarge(_ record: EventRecord, on device: borrowing Device) -> Bool {
        guard sdk.upload.oversize == .drop, let limit = sdk.upload.maxBytes else { return false }
        return sentBytes(of: record, on: device) + 2 > limit
    }

    /// A row is in the store now.
    func add(_ record: EventRecord, to device: inout Device) {
        _ = device.log.append(record)
        guard countsStoredBytes else { return }
        let bytes = storedBytes(of: record, on: device)
        device.bytes += bytes
        device.openBytes += bytes
    }

    /// Rows are in the store no more; `device.files` are still those that they were in.
    func discount(_ rows: ContiguousArray<EventRecord>, from device: inout Device) {
        guard countsStoredBytes else { return }
        let open = device.files.last?.end ?? 0
        for row in rows {
            let bytes = storedBytes(of: row, on: device)
            device.bytes -= bytes
            if row.sequence >= open { device.openBytes -= bytes }
        }
        // What is written anew may say something else by now.
        if device.log.count == 0 { (device.bytes, device.openBytes) = (0, 0) }
    }

    /// Closes the file that is being written if an event has no room in it.
    func makeRoomInFile(for record: EventRecord, of device: inout Device) {
        guard let limit = sdk.storage.seal?.bytes, device.openBytes > 0,
            device.openBytes + storedBytes(of: record, on: device) > limit
        else { return }
        closeFile(of: &device, now: record.capturedAt)
    }

    /// Gives up rows until a row has room in the bytes of the store.
    ///
    /// - Returns: whether it has.
    mutating func makeRoom(
        for record: EventRecord, on device: inout Device, effects: inout DeviceEffects
    ) -> Bool {
        guard sdk.storage.evictAt == .insert, let limit = sdk.storage.maxBytes else { return true }
        let bytes = storedBytes(of: record, on: device)
        guard bytes <= limit else { return false }
        if sdk.storage.evictFrom == .newest, device.bytes + bytes > limit {
            // The new event is the newest.
            evict(sdk.storage.evict - 1, on: &device, effects: &effects)
            return false
        }
        while device.bytes + bytes > limit, device.log.count > 0 {
            evict(sdk.storage.evict, on: &device, effects: &effects)
        }
        return true
    }

    /// Gives up rows until those that are there keep to the bytes of the store.
    mutating func tidyBytes(_ device: inout Device, effects: inout DeviceEffects) {
        guard let limit = sdk.storage.maxBytes else { return }
        while device.bytes > limit, device.log.count > 0 {
            evict(sdk.storage.evict, on: &device, effects: &effects)
        }
    }

    /// Those rows of a batch that one request may carry: the first that are sent, and one at least.
    func fitting(
        _ rows: ContiguousArray<EventRecord>, of device: borrowing Device
    ) -> ContiguousArray<EventRecord> {
        guard let limit = sdk.upload.maxBytes, !rows.isEmpty else { return rows }
        let isNewestFirst = sdk.storage.order == .newest
        // Brackets, and commas between.
        var bytes = 1
        var count = 0
        while count < rows.count {
            let row = rows[isNewestFirst ? rows.count - 1 - count : count]
            let own = sentBytes(of: row, on: device)
            guard count == 0 || bytes + own + 1 <= limit else { break }
            bytes += own + 1
            count += 1
        }
        return isNewestFirst ? ContiguousArray(rows.suffix(count)) : ContiguousArray(rows.prefix(count))
    }
}

extension EventRecord {
    /// The bytes of its JSON, as far as they were asked for; 65,535 for that many and more.
    fileprivate var notedBytes: UInt16 {
        get { flags }
        set { flags = newValue }
    }
}

extension DescribedSDK {
    /// Whether a knob asks for the bytes of events.
    var countsBytes: Bool { countsStoredBytes || upload.maxBytes != nil }

    /// Whether one asks for the bytes of events in the store.
    var countsStoredBytes: Bool { storage.maxBytes != nil || storage.seal?.bytes != nil }
}
