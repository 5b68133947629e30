import CollectorModel
import Wire

/// Rows as NDJSON: each line an object (a row with `bs_id`, `id` or `payload`, or an event itself), a JSON
/// string, or a bare id. Empty lines are skipped.
enum LineReceipts {
    static func read(
        _ bytes: UnsafeRawBufferPointer, path: String, into sink: inout ReceiptsSink
    ) throws {
        let parser = JSONParser()
        var line = 0
        var start = 0
        while start < bytes.count {
            line += 1
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end]).trimmed
            start = end + 1
            guard !text.isEmpty else { continue }
            if ForeignReceipts.isKnownForm(text) {
                sink.take(id: text)
            } else if let problem = take(text, into: &sink, parser: parser) {
                throw ForeignReceiptsError.badLine(path: path, line: line, found: problem)
            }
        }
    }

    /// Takes a line of JSON.
    ///
    /// - Returns: what is wrong with it, or `nil`.
    private static func take(
        _ text: UnsafeRawBufferPointer, into sink: inout ReceiptsSink, parser: JSONParser
    ) -> String? {
        let value: JSONValue
        do {
            value = try parser.parse(text)
        } catch {
            if text.first == UInt8(ascii: "{"), let cut = ReceiptRow.cutJSON(text) {
                return "an object that \(cut)"
            }
            return
                "neither an id nor JSON: \(excerpt(text)); allowed are lines of ids or of JSON, CSV and SQLite"
        }
        if let id = value.bytes, !id.isEmpty {
            sink.take(id: id)
            return nil
        }
        guard value.kind == .object else { return "no id, no object: \(excerpt(text))" }
        var row = ReceiptRow(
            values: ForeignReceipts.columns.map { member($0, of: value) },
            times: ForeignReceipts.timeColumns.map { member($0, of: value) })
        // An event without id columns is its own payload.
        if row.values[2] == nil { row.values[2] = Array(text) }
        if sink.take(row) { return nil }
        return sink.timeProblem ?? row.payloadProblem ?? "nothing that names an event: \(excerpt(text))"
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

    private static func excerpt(_ text: UnsafeRawBufferPointer) -> String {
        let shown = String(decoding: text.prefix(80), as: UTF8.self)
        // The last character may be cut.
        guard !shown.unicodeScalars.dropLast().contains("\u{FFFD}") else { return "bytes that are no text" }
        return shown + (text.count > 80 ? "…" : "")
    }
}
