import Files
import Foundation

/// Rows that a collector has acknowledged and not brought into its table yet: those in its log, while it runs or where it was
/// killed.
struct LoggedReceipts {
    private let files: [(path: String, data: Data)]

    /// Opens the log's files, if there are any; what is deleted later stays readable.
    ///
    /// - Throws: ``ForeignReceiptsError`` for files that cannot be looked for, or not be read.
    init(beside store: String) throws {
        var files: [(path: String, data: Data)] = []
        do {
            for path in try LogFile.all(beside: store) {
                guard let data = try LoggedReceipts.open(path) else { continue }
                files.append((path, data))
            }
        } catch let failure as FileFailure {
            throw ForeignReceiptsError.unreadable(
                path: store, reason: "whether it has a log cannot be told: \(failure)")
        }
        self.files = files
    }

    /// A file's bytes; `nil` for one that has none, or is gone by now, since its rows are in the table.
    private static func open(_ path: String) throws -> Data? {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        } catch {
            guard (Folder.size(of: path) ?? 0) > 0 else { return nil }
            throw ForeignReceiptsError.unreadable(
                path: path, reason: SystemWords.readingProblem(path) ?? "the file cannot be read")
        }
    }

    var isEmpty: Bool { files.isEmpty }

    /// Takes the rows of requests beyond a number.
    ///
    /// - Parameter identity: The store's; `nil` for one that has none.
    /// - Throws: ``ForeignReceiptsError``, for another store's log and for one that is damaged.
    func read(after batch: Int64, of identity: Int64?, into sink: inout ReceiptsSink) throws {
        for (path, data) in files {
            try data.withUnsafeBytes { bytes in
                switch LogContent(bytes) {
                case .unmade: break
                case .damaged: throw LoggedReceipts.damage(path, at: 0, after: 0)
                case .frames(let part):
                    guard part.belongs(to: identity) else {
                        // A collector that started meanwhile has brought it in, and the store has another identity.
                        guard Folder.size(of: path) != nil else { break }
                        throw ForeignReceiptsError.unreadable(path: path, reason: LogWords.foreign)
                    }
                    let rest = LoggedReceipts.read(part, after: batch, into: &sink)
                    if let offset = part.damage(in: rest) {
                        throw LoggedReceipts.damage(path, at: offset, after: part.requests)
                    }
                }
            }
        }
    }

    private static func damage(_ path: String, at offset: Int, after requests: Int) -> ForeignReceiptsError {
        .unreadable(path: path, reason: LogWords.damage(at: offset, after: requests))
    }

    /// - Returns: What lies behind the whole frames.
    private static func read(
        _ part: LogPart, after batch: Int64, into sink: inout ReceiptsSink
    ) -> UnsafeRawBufferPointer {
        let unpacker = RowUnpacker()
        var frames = LogFrames(part.frames)
        while let frame = frames.next() {
            guard frame.lastBatch > batch else { continue }
            var reader = RowReader(frame.rows, unpacker: unpacker)
            while let row = reader.next() { _ = sink.take(receipt(row)) }
        }
        return frames.rest
    }

    private static func receipt(_ row: StoredRow) -> ReceiptRow {
        var receipt = ReceiptRow()
        func column(_ name: String, of names: [String]) -> Int { names.firstIndex(of: name) ?? 0 }
        receipt.values[column("id", of: ForeignReceipts.columns)] = Array(row.id)
        receipt.values[column("payload", of: ForeignReceipts.columns)] = Array(row.payload)
        receipt.times[column("received_at", of: ForeignReceipts.timeColumns)] = Array(
            "\(row.receivedAt)".utf8)
        receipt.times[column("captured_at", of: ForeignReceipts.timeColumns)] = Array(
            "\(row.capturedAt)".utf8)
        return receipt
    }
}
