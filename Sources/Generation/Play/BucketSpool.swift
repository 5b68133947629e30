package import Files
import Glibc

/// Records on the disk, sorted into buckets as they come, and read back bucket by bucket.
///
/// One file whose chunks belong to one bucket each: what is in memory is a chunk per bucket, whatever the number of
/// records. Confined to one thread at a time.
package final class BucketSpool<Record: BitwiseCopyable> {
    /// Bytes of a chunk at most.
    private static var chunkBytes: Int { 1 << 13 }

    private struct Chunk {
        var offset: Int
        var count: Int
    }

    private let file: GrowingFile
    private var chunks: [[Chunk]]
    private var open: [[Record]]

    /// Creates the file.
    package init(_ path: String, buckets: Int) throws(FileFailure) {
        file = try GrowingFile(path: path)
        chunks = Array(repeating: [], count: buckets)
        open = Array(repeating: [], count: buckets)
    }

    deinit { remove() }

    /// Removes the file, of which nobody reads any more.
    package func remove() { unlink(file.path) }

    func append(_ record: Record, to bucket: Int) throws(FileFailure) {
        open[bucket].append(record)
        let limit = BucketSpool.chunkBytes / MemoryLayout<Record>.stride
        if open[bucket].count >= limit { try flush(bucket) }
    }

    /// How many records a bucket has.
    func count(of bucket: Int) -> Int { chunks[bucket].reduce(open[bucket].count) { $0 + $1.count } }

    /// Reads those records of a bucket that are wanted, in the order in which they came.
    func records(of bucket: Int, where isWanted: (Record) -> Bool) throws(FileFailure) -> [Record] {
        var records: [Record] = []
        try forEachChunk(of: bucket) { records += $0.lazy.filter(isWanted) }
        return records
    }

    /// Reads a bucket chunk by chunk: what was appended at once lies in one.
    func forEachChunk(of bucket: Int, _ body: (ArraySlice<Record>) -> Void) throws(FileFailure) {
        try flush(bucket)
        let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("read", file.path) }
        defer { close(descriptor) }
        for chunk in chunks[bucket] {
            let part = [Record](unsafeUninitializedCapacity: chunk.count) { buffer, count in
                let bytes = chunk.count * MemoryLayout<Record>.stride
                count = pread(descriptor, buffer.baseAddress, bytes, chunk.offset) == bytes ? chunk.count : 0
            }
            guard part.count == chunk.count else { throw FileFailure("read", file.path) }
            body(part[...])
        }
    }

    private func flush(_ bucket: Int) throws(FileFailure) {
        guard !open[bucket].isEmpty else { return }
        chunks[bucket].append(Chunk(offset: file.size, count: open[bucket].count))
        let failure = open[bucket].withUnsafeBytes { bytes -> FileFailure? in
            do throws(FileFailure) { try file.append(bytes) } catch { return error }
            return nil
        }
        if let failure { throw failure }
        open[bucket].removeAll(keepingCapacity: true)
    }
}

extension BucketSpool<UInt8> {
    func append(contentsOf bytes: UnsafeRawBufferPointer, to bucket: Int) throws(FileFailure) {
        open[bucket].append(contentsOf: bytes)
        if open[bucket].count >= BucketSpool.chunkBytes { try flush(bucket) }
    }
}

/// The fate of an event, as it is kept until the truth is written.
struct FateRecord: BitwiseCopyable {
    var capturedAt: Int64
    /// Nanoseconds since 1970; the greatest number for none.
    var ackedAt: Int64
    var device: UInt32
    var sequence: UInt32
    /// ``Accounting/Disposition/code``.
    var disposition: UInt32
    var label: UInt16
    var attempts: UInt16
}

/// A row that an event became.
package struct CopyRecord: BitwiseCopyable {
    var row: Int64
    /// When it arrived, in nanoseconds since 1970.
    var at: Int64
    var device: UInt32
    var sequence: UInt32
}

/// How devices are divided among buckets: neighbours together, so that what is read bucket by bucket comes in the order
/// of devices.
package struct DeviceBuckets {
    /// Buckets at most: of each, a chunk is in memory while records come.
    static let limit = 256
    /// Records that are read at a time.
    static let sliceSize = 1 << 16

    package let count: Int
    private let size: Int

    init(devices: Int) {
        size = max(1, (devices + DeviceBuckets.limit - 1) / DeviceBuckets.limit)
        count = max(1, (devices + size - 1) / size)
    }

    subscript(device: UInt32) -> Int { Int(device) / size }

    /// The devices of a bucket, of so many in all, in runs of neighbours that have about ``sliceSize`` records at most:
    /// what is in memory at a time, however many records there are.
    ///
    /// - Parameter records: Those of the whole bucket.
    func slices(of bucket: Int, total: Int, records: Int) -> [Range<Int>] {
        let devices = bucket * size..<min((bucket + 1) * size, total)
        let wanted = (records + DeviceBuckets.sliceSize - 1) / DeviceBuckets.sliceSize
        let each = max(1, devices.count / max(1, wanted))
        return stride(from: devices.lowerBound, to: devices.upperBound, by: each).map {
            $0..<min($0 + each, devices.upperBound)
        }
    }
}
