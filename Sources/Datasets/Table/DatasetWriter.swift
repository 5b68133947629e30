package import Files
import Wire

/// Writes the rows of one table in one format.
///
/// The same rows give the same bytes, however they are cut into batches. What is in memory is bounded, whatever the
/// number of rows. After a failure nothing more is written, and what is there is not to be taken for whole.
/// `DatasetConformanceTests` and `test_datasets.py` hold every format to that.
package protocol DatasetWriter: AnyObject {
    /// Appends some rows of a batch of this table.
    func write(_ batch: borrowing TableBatch, rows: Range<Int>) throws(FileFailure)

    /// About how many bytes the rows so far take in the end, those in memory included.
    var size: Int { get }

    /// Writes what is left. Nothing may be written after it.
    func finish() throws(FileFailure)
}

/// Where a format's bytes go.
package protocol ByteSink: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure)

    /// The bytes that have left for good.
    var size: Int { get }

    /// Whether fewer bytes leave than come.
    var isPacking: Bool { get }

    /// Ends what was written, and makes it last.
    func finish() throws(FileFailure)
}

/// A file that gets its final name when it is whole.
package final class FileSink: ByteSink {
    private let file: GrowingFile
    private let final: String

    /// Creates the file under its unfinished name.
    package init(_ path: String) throws(FileFailure) {
        final = path
        file = try GrowingFile(path: path + GrowingFile.partialSuffix)
    }

    package var size: Int { file.size }
    package var isPacking: Bool { false }
    /// Of the bytes so far: CRC-32, which costs next to nothing beside writing them.
    package private(set) var checksum: UInt32 = 0

    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        try file.append(bytes)
        checksum = CRC32.checksum(of: bytes, after: checksum)
    }

    package func finish() throws(FileFailure) { try file.finish(renamingTo: final) }
}
