import Accounting
import Files
import Wire

/// The JSON of events that had not arrived when they ended, on the disk until the truth is written: one that is on its way
/// may arrive yet.
final class UnsentEvents {
    private struct Head: BitwiseCopyable {
        var device: UInt32
        var sequence: UInt32
        var bytes: UInt32
    }

    private let spool: BucketSpool<UInt8>
    private let buckets: DeviceBuckets
    private var record = WireBuffer()

    /// Creates the file.
    init(_ path: String, _ buckets: DeviceBuckets) throws(FileFailure) {
        spool = try BucketSpool(path, buckets: buckets.count)
        self.buckets = buckets
    }

    func append(_ payload: UnsafeRawBufferPointer, of event: EventID) throws(FileFailure) {
        record.removeAll()
        let head = Head(device: event.device, sequence: event.sequence, bytes: UInt32(payload.count))
        withUnsafeBytes(of: head) { record.append(contentsOf: $0) }
        record.append(contentsOf: payload)
        let bucket = buckets[event.device]
        try record.withUnsafeBytes { bytes throws(FileFailure) in
            try spool.append(contentsOf: bytes, to: bucket)
        }
    }

    /// The events of a bucket.
    func texts(of bucket: Int) throws(FileFailure) -> UnsentTexts {
        let bytes = try spool.records(of: bucket)
        var places: [EventID: Range<Int>] = [:]
        var offset = 0
        while offset < bytes.count {
            let head = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: offset, as: Head.self)
            }
            offset += MemoryLayout<Head>.size
            places[EventID(device: head.device, sequence: head.sequence)] = offset..<offset + Int(head.bytes)
            offset += Int(head.bytes)
        }
        return UnsentTexts(bytes: bytes, places: places)
    }
}

/// The JSON of some events.
struct UnsentTexts {
    fileprivate var bytes: [UInt8] = []
    fileprivate var places: [EventID: Range<Int>] = [:]

    fileprivate init(bytes: [UInt8], places: [EventID: Range<Int>]) {
        (self.bytes, self.places) = (bytes, places)
    }

    init() {}

    /// Adds other events.
    mutating func merge(_ other: UnsentTexts) {
        let first = bytes.count
        bytes += other.bytes
        for (event, range) in other.places {
            places[event] = first + range.lowerBound..<first + range.upperBound
        }
    }

    subscript(event: EventID) -> ArraySlice<UInt8>? { places[event].map { bytes[$0] } }
}
