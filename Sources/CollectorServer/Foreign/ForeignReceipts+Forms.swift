import Foundation
import Wire

/// The forms that receipts come in.
extension ForeignReceipts {
    private static let sqliteMagic = Array("SQLite format 3\0".utf8)

    static func read(path: String, sink: ReceiptsSink) throws -> ForeignReading {
        if let problem = SystemWords.readingProblem(path) {
            throw ForeignReceiptsError.unreadable(path: path, reason: problem)
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            throw ForeignReceiptsError.unreadable(path: path, reason: "the file cannot be read whole")
        }
        var sink = sink
        if data.starts(with: sqliteMagic) {
            try SQLiteReceipts.read(StoreFiles.resolved(path), into: &sink)
        } else if GzipDecoder.isGzip(data) {
            let text = try unpacked(data, path: path)
            let name = path.lowercased().hasSuffix(".gz") ? String(path.dropLast(3)) : path
            try text.withUnsafeBytes { bytes in
                guard !bytes.starts(with: sqliteMagic) else {
                    throw ForeignReceiptsError.unreadable(
                        path: path, reason: "a packed SQLite database; give it unpacked")
                }
                try readText(bytes, path: path, name: name, into: &sink)
            }
        } else {
            try data.withUnsafeBytes { try readText($0, path: path, name: path, into: &sink) }
        }
        return sink.reading
    }

    private static func unpacked(_ data: Data, path: String) throws -> WireBuffer {
        var text = WireBuffer()
        let decoder = GzipDecoder(limit: unpackedLimit)
        do {
            try data.withUnsafeBytes { try decoder.decompress($0, into: &text) }
        } catch GzipError.tooLarge {
            throw ForeignReceiptsError.unreadable(
                path: path, reason: "unpacks to more than \(unpackedLimit >> 20) MiB; give it unpacked")
        } catch {
            throw ForeignReceiptsError.unreadable(path: path, reason: "the packed file is cut or damaged")
        }
        return text
    }

    private static func readText(
        _ bytes: UnsafeRawBufferPointer, path: String, name: String, into sink: inout ReceiptsSink
    ) throws {
        // A byte order mark is no part of the first line.
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let text = UnsafeRawBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...])
        // An export that failed leaves nothing, too: that is not what a collector answers for.
        guard text.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
            throw ForeignReceiptsError.unreadable(
                path: path,
                reason:
                    "the file is empty; where a store really holds nothing, give a CSV of its header alone")
        }
        if name.lowercased().hasSuffix(".csv") || looksLikeCSV(text) {
            try CSVReceipts.read(text, path: path, into: &sink)
        } else {
            try LineReceipts.read(text, path: path, into: &sink)
        }
    }
}
