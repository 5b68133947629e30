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

    /// Removes the file, of which nobody reads any more.
    func remove() { spool.remove() }

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

    /// The events of some devices of a bucket.
    func texts(of bucket: Int, devices: Range<Int>) throws(FileFailure) -> UnsentTexts {
        var texts = UnsentTexts()
        try spool.forEachChunk(of: bucket) { bytes in
            var offset = bytes.startIndex
            while offset < bytes.endIndex {
                let head = bytes[offset...].withUnsafeBytes { $0.loadUnaligned(as: Head.self) }
                offset += MemoryLayout<Head>.size
                let payload = bytes[offset..<offset + Int(head.bytes)]
                offset = payload.endIndex
                guard devices.contains(Int(head.device)) else { continue }
                texts.add(payload, of: EventID(device: head.device, sequence: head.sequence))
            }
        }
        return texts
    }
}

/// The JSON of some events.
struct UnsentTexts {
    private var bytes: [UInt8] = []
    private var ranges: [EventID: Range<Int>] = [:]

    init() {}

    fileprivate mutating func add(_ payload: ArraySlice<UInt8>, of event: EventID) {
        ranges[event] = bytes.count..<bytes.count + payload.count
        bytes += payload
    }

    /// Adds other events.
    mutating func merge(_ other: UnsentTexts) {
        let first = bytes.count
        bytes += other.bytes
        for (event, range) in other.ranges {
            ranges[event] = first + range.lowerBound..<first + range.upperBound
        }
    }

    subscript(event: EventID) -> ArraySlice<UInt8>? { ranges[event].map { bytes[$0] } }
}
