import Accounting
import CollectorServer
import Glibc
import Timebase
import Wire

/// Receipts of a foreign collector: rows as CSV, as NDJSON, or as bare ids.
///
/// The first character says which ending the file has: `c` for `.csv`, `n` for another.
final class ReceiptsTarget: FuzzTarget {
    static let name = "receipts"
    static let modes = "cn"
    static let dictionary = [
        "bs_id,id,payload\n", "bs_id\n", "0-0", "4294967295-4294967295", "\"\"", "\r\n",
        "0123456789abcdef0123456789abcdef",
        "{\"id\":\"1-2\"}", "{\"payload\":\"{}\"}",
        "{\"type\":\"track\",\"time\":1,\"properties\":{\"bs_id\":\"3-4\"}}",
        "SQLite format 3\0", "\u{FEFF}", "bs_id,received_at,captured_at\n", "1700000000000", "1700000000.5",
        "50000000000.5",
        "2023-11-14 22:13:20 UTC", "\"received_at\":",
    ]

    /// A run of one hour, so that the times of rows are read too.
    private static let window: ReceiptsWindow = {
        let hour =
            Instant(nanoseconds: 1_700_000_000_000_000_000)...Instant(nanoseconds: 1_700_003_600_000_000_000)
        return ReceiptsWindow(received: [hour], captured: hour)
    }()

    private let folder: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/beaconswarm-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FuzzFinding("no folder for the files: errno \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for ending in ["csv", "txt"] { unlink("\(folder)/receipts.\(ending)") }
        rmdir(folder)
    }

    func check(_ input: [UInt8]) throws {
        let path = "\(folder)/receipts.\(input.first == UInt8(ascii: "c") ? "csv" : "txt")"
        try write(Array(input.dropFirst()), to: path)
        let reading: ForeignReading
        do { reading = try ForeignReceipts.read(path: path, window: ReceiptsTarget.window) } catch let error
            as ForeignReceiptsError
        {
            return try demand(!error.description.isEmpty, "an error without a text")
        }
        let receipts = reading.receipts
        try demand(
            receipts.received == receipts.unique + receipts.duplicates, "received ≠ unique + duplicates")
        let isPacked = GzipDecoder.isGzip(input.dropFirst())
        let lines = input.dropFirst().count { $0 == 0x0A } + 1
        try demand(isPacked || receipts.received <= lines, "\(receipts.received) receipts in \(lines) lines")
        var merged = receipts
        merged.merge(receipts)
        try demand(merged.unique == receipts.unique, "merging with itself finds new events")
        try demand(merged.received == 2 * receipts.received, "merging with itself loses copies")
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        // ext4 writes a file to the disk that is cut to nothing and filled again; a new one may stay in memory.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw FuzzFinding("cannot write \(path): errno \(errno)") }
        defer { close(descriptor) }
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count else { throw FuzzFinding("cannot write \(path): errno \(errno)") }
    }
}
