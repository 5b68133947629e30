import Accounting
import DeviceSDK
import SDKDescription
import Timebase

/// Limits in bytes. A row knows how many its JSON has from its capture on; it is written once more for that.
extension DeclaredSystem {
    /// The row with the bytes of its JSON.
    func measured(_ record: EventRecord, on device: borrowing Device) -> EventRecord {
        guard countsBytes else { return record }
        var record = record
        let size = encoders[Int(lanes[Int(record.template)])].size(
            of: record, epoch: device.epochs[record.epoch], index: Int(device.index), number: device.number)
        record.bytes = size
        return record
    }

    /// Whether an event is larger than the SDK takes.
    func isTooLarge(_ record: EventRecord) -> Bool {
        guard sdk.upload.oversize == .drop, let limit = sdk.upload.maxBytes else { return false }
        return record.bytes + 2 > limit
    }

    /// A row is in the store now.
    func add(_ record: EventRecord, to device: inout Device) {
        _ = device.log.append(record)
        guard countsBytes else { return }
        device.bytes += record.bytes
        device.openBytes += record.bytes
    }

    /// The bytes of rows' JSON, where something asks for them.
    func bytes(of rows: some Sequence<EventRecord>) -> Int {
        countsBytes ? rows.reduce(0) { $0 + $1.bytes } : 0
    }

    /// Closes the file that is being written if an event has no room in it.
    func makeRoomInFile(for record: EventRecord, of device: inout Device) {
        guard let limit = sdk.storage.seal?.bytes, device.openBytes > 0,
            device.openBytes + record.bytes > limit
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
        guard record.bytes <= limit else { return false }
        if sdk.storage.evictFrom == .newest { return device.bytes + record.bytes <= limit }
        while device.bytes + record.bytes > limit, device.log.count > 0 {
            evict(sdk.storage.evict, on: &device, effects: &effects)
        }
        return true
    }

    /// Gives up rows until those that are there keep to the bytes of the store.
    mutating func tidyBytes(_ device: inout Device, effects: inout DeviceEffects) {
        guard let limit = sdk.storage.maxBytes else { return }
        while device.bytes > limit { evict(sdk.storage.evict, on: &device, effects: &effects) }
    }

    /// Those rows of a batch that one request may carry: the first that are sent, and one at least.
    func fitting(_ rows: ContiguousArray<EventRecord>) -> ContiguousArray<EventRecord> {
        guard let limit = sdk.upload.maxBytes, !rows.isEmpty else { return rows }
        let isNewestFirst = sdk.storage.order == .newest
        // Brackets, and commas between.
        var bytes = 1
        var count = 0
        while count < rows.count {
            let row = rows[isNewestFirst ? rows.count - 1 - count : count]
            guard count == 0 || bytes + row.bytes + 1 <= limit else { break }
            bytes += row.bytes + 1
            count += 1
        }
        return isNewestFirst ? ContiguousArray(rows.suffix(count)) : ContiguousArray(rows.prefix(count))
    }
}

extension EventRecord {
    /// The bytes of its JSON, as far as they were asked for; 65,535 for more.
    fileprivate(set) var bytes: Int {
        get { Int(flags) }
        set { flags = UInt16(clamping: newValue) }
    }
}

extension DescribedSDK {
    /// Whether a knob asks for the bytes of events.
    var countsBytes: Bool {
        storage.maxBytes != nil || upload.maxBytes != nil || storage.seal?.bytes != nil
    }
}
