import Datasets
import Files
import Generation
import Glibc
import Timebase

/// Sends rows to standard output at a rate, until it is told to end or nobody reads any more.
final class RowStream {
    /// What the rows are written by.
    private enum Lines {
        case rows(TextWriter)
        case raw(RawLines)
    }

    private let lines: Lines
    private let output = StandardOutput()
    private let rate: Double
    private let table: EventTable
    private var batch: TableBatch
    private var uploads: Int64 = 0
    private var upload: (at: Int64, device: UInt32, request: UInt32)?
    private let began = Host.monotonic
    private(set) var rows: Int64 = 0
    /// When the last row arrived.
    private(set) var last: Instant?

    /// Rows are sent together for so long, seconds.
    private static let pause = 0.005

    /// - Parameter rate: Rows a second.
    init(_ table: EventTable, isRaw: Bool, rate: Double) {
        self.table = table
        self.rate = rate
        batch = TableBatch(table.schema, capacity: 1)
        lines = isRaw ? .raw(RawLines(into: output)) : .rows(.ndjson(table.schema, into: output))
    }

    /// Sends a row when it is due.
    ///
    /// - Parameter isEnded: Whether rows are to end; asked at least every twentieth of a second.
    /// - Returns: Whether to go on. Rows of one instant come all or not at all.
    func send(_ row: ArrivalRow, isEnded: () -> Bool) throws(FileFailure) -> Bool {
        if let last, last.nanoseconds == row.head.at {
            try put(row)
            return true
        }
        let due = Double(rows) / rate
        while !isEnded(), !output.isClosed {
            let wait = due - (Host.monotonic - began).fractionalSeconds
            guard wait > 0 else {
                try put(row)
                return true
            }
            try flush()
            usleep(UInt32(min(0.05, max(wait, RowStream.pause)) * 1e6))
        }
        try flush()
        return false
    }

    func flush() throws(FileFailure) {
        switch lines {
        case .rows(let writer): try writer.flush()
        case .raw(let raw): try raw.flush()
        }
    }

    private func put(_ row: ArrivalRow) throws(FileFailure) {
        let head = row.head
        last = Instant(nanoseconds: head.at)
        rows += 1
        if upload.map({ $0 != (head.at, head.device, head.request) }) ?? true { uploads += 1 }
        upload = (head.at, head.device, head.request)
        switch lines {
        case .raw(let raw): try raw.write(row)
        case .rows(let writer):
            batch.removeAll()
            _ = table.put(row, number: rows, upload: uploads, amount: nil, into: &batch)
            try writer.write(batch, rows: 0..<1)
        }
    }
}

/// Standard output: who reads it may close it, which is no failure.
private final class StandardOutput: ByteSink {
    private(set) var size = 0
    private(set) var isClosed = false
    var isPacking: Bool { false }

    init() { signal(SIGPIPE, SIG_IGN) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        guard !isClosed else { return }
        let outcome = GivenDescriptor.write(bytes, to: STDOUT_FILENO)
        size += outcome.count
        isClosed = outcome.error == EPIPE
        guard outcome.error == 0 || isClosed else {
            throw FileFailure("write", "standard output", reason: String(cString: strerror(outcome.error)))
        }
    }

    func finish() throws(FileFailure) {}
}
