import Accounting
import CollectorModel
import Wire

/// Rows as NDJSON: each line an object (a row with `bs_id`, `id` or `payload`, or an event itself), a JSON
/// string, or a bare id. Empty lines are skipped.
enum LineReceipts {
    static func read(_ bytes: UnsafeRawBufferPointer, path: String) throws -> Receipts {
        var receipts = Receipts()
        let parser = JSONParser()
        let reader = EventKeyReader()
        var line = 0
        var start = 0
        while start < bytes.count {
            line += 1
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let text = trimmed(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            start = end + 1
            guard !text.isEmpty else { continue }
            if ForeignReceipts.isKnownForm(text) {
                ForeignReceipts.record(text, in: &receipts)
            } else if let problem = record(text, in: &receipts, parser: parser, reader: reader) {
                throw ForeignReceiptsError.badLine(path: path, line: line, found: problem)
            }
        }
        return receipts
    }

    /// Records a line of JSON.
    ///
    /// - Returns: what is wrong with it, or `nil`.
    private static func record(
        _ text: UnsafeRawBufferPointer, in receipts: inout Receipts, parser: JSONParser,
        reader: EventKeyReader
    ) -> String? {
        let value: JSONValue
        do {
            value = try parser.parse(text)
        } catch {
            return "neither an id nor JSON (\(error)): \(excerpt(text))"
        }
        if let id = value.bytes, !id.isEmpty {
            ForeignReceipts.record(id, in: &receipts)
            return nil
        }
        guard value.kind == .object else { return "no id, no object: \(excerpt(text))" }
        var row = ReceiptRow()
        for (index, column) in ForeignReceipts.columns.enumerated() {
            row.values[index] = member(column, of: value)
        }
        // An event without id columns is its own payload.
        if row.values[2] == nil { row.values[2] = Array(text) }
        return row.record(in: &receipts, reader: reader)
            ? nil : "nothing that names an event: \(excerpt(text))"
    }

    /// A member's text: a string as it is, anything else as JSON.
    private static func member(_ name: String, of value: JSONValue) -> [UInt8]? {
        for (found, member) in value.members where found.elementsEqual(name.utf8) && !member.isNull {
            if let text = member.bytes { return Array(text) }
            var json = WireBuffer()
            member.appendJSON(to: &json)
            return json.bytes
        }
        return nil
    }

    private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, text.count)
        while start < end, text[start] <= 0x20 { start += 1 }
        while end > start, text[end - 1] <= 0x20 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    private static func excerpt(_ text: UnsafeRawBufferPointer) -> String {
        String(decoding: text.prefix(80), as: UTF8.self) + (text.count > 80 ? "…" : "")
    }
}
