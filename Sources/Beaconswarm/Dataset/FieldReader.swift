import Datasets
import Wire

/// The fields of the table `events`: how they are found in the JSON of each population's events, and what they hold.
struct RowFields: Sendable {
    /// Of each population, in the scenario's order.
    var finders: [FieldFinder]
    /// Of each field.
    var types: [ColumnType]
}

/// A value of a field in a row on its way to the tables.
struct FoundField: BitwiseCopyable {
    /// The field's number.
    var place: UInt32
    /// Bytes of the text behind this; of anything else none: it is in ``word``.
    var textBytes: UInt32
    /// As a table's batch keeps it: a number, the bits of a double, 0 or 1.
    var word: Int64 = 0

    static let size = MemoryLayout<FoundField>.size
}

/// Reads the values of fields from events that were parsed, on the thread that plays their devices: whoever writes rows
/// only copies.
///
/// Confined to one thread.
final class FieldReader {
    private let fields: RowFields
    /// The last event in which each field was found: the first member of a field counts.
    private var seen: [UInt32]
    private var event: UInt32 = 0
    private var text = WireBuffer()

    init(_ fields: RowFields) {
        self.fields = fields
        seen = Array(repeating: 0, count: fields.types.count)
    }

    /// Appends a ``FoundField`` for each value, texts behind theirs. A value that is not of its field's type, nor a text
    /// of it, is left to the payload.
    func append(_ root: JSONValue, population: Int, to output: inout WireBuffer) {
        event &+= 1
        guard root.kind == .object else { return }
        for (name, value) in root.members {
            switch fields.finders[population].place(of: name, in: 0) {
            case .column(let place): append(value, place, to: &output)
            case .group(let group):
                for (name, value) in value.members {
                    guard case .column(let place) = fields.finders[population].place(of: name, in: group)
                    else { continue }
                    append(value, place, to: &output)
                }
            case nil: break
            }
        }
    }

    private func append(_ value: JSONValue, _ place: Int, to output: inout WireBuffer) {
        guard seen[place] != event else { return }
        seen[place] = event
        guard !value.isNull else { return }
        let word: Int64?
        switch fields.types[place] {
        case .string: return append(textOf: value, place, to: &output)
        case .bool: word = value.truth.map { truth -> Int64 in truth ? 1 : 0 }
        case .double:
            word = value.number.flatMap { number -> Int64? in
                number.isFinite ? Int64(bitPattern: number.bitPattern) : nil
            }
        case .int64, .timestampMillis, .timestampMicros: word = value.integer
        }
        guard let word else { return }
        let field = FoundField(place: UInt32(place), textBytes: 0, word: word)
        withUnsafeBytes(of: field) { output.append(contentsOf: $0) }
    }

    /// A text, or any other value as JSON.
    private func append(textOf value: JSONValue, _ place: Int, to output: inout WireBuffer) {
        if let bytes = value.bytes { return append(bytes, place, to: &output) }
        text.removeAll()
        value.appendJSON(to: &text)
        text.withUnsafeBytes { append($0, place, to: &output) }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, _ place: Int, to output: inout WireBuffer) {
        let field = FoundField(place: UInt32(place), textBytes: UInt32(bytes.count))
        withUnsafeBytes(of: field) { output.append(contentsOf: $0) }
        output.append(contentsOf: bytes)
    }
}

extension JSONValue {
    /// A number, or a text of one.
    fileprivate var number: Double? { double ?? string.flatMap(Double.init) }

    fileprivate var integer: Int64? {
        int64 ?? double.flatMap { Int64(exactly: $0) } ?? string.flatMap { Int64($0) }
    }

    fileprivate var truth: Bool? {
        if let bool { return bool }
        switch string ?? int64.map(String.init) {
        case "1", "true": return true
        case "0", "false": return false
        default: return nil
        }
    }
}
