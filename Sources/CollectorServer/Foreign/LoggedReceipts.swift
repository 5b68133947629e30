import Foundation

/// Rows that a collector has acknowledged and not brought into its table yet: those in its log, while it runs or where it was
/// killed.
struct LoggedReceipts {
    private let files: [Data]

    /// Opens the log's files, if there are any; what is deleted later stays readable.
    init(beside store: String) {
        files = LogFile.all(beside: store).compactMap {
            try? Data(contentsOf: URL(fileURLWithPath: $0), options: .alwaysMapped)
        }
    }

    var isEmpty: Bool { files.isEmpty }

    /// Takes the rows of requests beyond a number.
    func read(after batch: Int64, into sink: inout ReceiptsSink) {
        let unpacker = RowUnpacker()
        for file in files {
            file.withUnsafeBytes { bytes in
                guard let content = LogFile.Content(bytes) else { return }
                for frame in LogFrames(content.frames) where frame.lastBatch > batch {
                    var reader = RowReader(frame.rows, unpacker: unpacker)
                    while let row = reader.next() { _ = sink.take(LoggedReceipts.receipt(row)) }
                }
            }
        }
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
