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
    private let finders: [FieldFinder]
    /// Of each field. Memory of our own, since each member looks at it.
    private let types: UnsafeMutablePointer<ColumnType>
    /// The last event in which each field was found: the first member of a field counts.
    private let seen: UnsafeMutablePointer<UInt32>
    private var events: UInt32 = 0
    private var text = WireBuffer()

    init(_ fields: RowFields) {
        finders = fields.finders
        types = .allocate(capacity: fields.types.count)
        seen = .allocate(capacity: fields.types.count)
        seen.initialize(repeating: 0, count: fields.types.count)
        for (place, type) in fields.types.enumerated() { (types + place).initialize(to: type) }
    }

    deinit {
        types.deallocate()
        seen.deallocate()
    }

    /// Appends a ``FoundField`` for each value, texts behind theirs. A value that is not of its field's type, nor a text
    /// of it, is left to the payload.
    func append(_ root: JSONValue, population: Int, to output: inout WireBuffer) {
        events &+= 1
        guard root.kind == .object else { return }
        let (finder, event) = (finders[population], events)
        for (name, value) in root.members {
            switch finder.place(of: name, in: 0) {
            case .column(let place): append(value, place, event, to: &output)
            case .group(let group):
                for (name, value) in value.members {
                    guard case .column(let place) = finder.place(of: name, in: group) else { continue }
                    append(value, place, event, to: &output)
                }
            case nil: break
            }
        }
    }

    @inline(__always)
    private func append(_ value: JSONValue, _ place: Int, _ event: UInt32, to output: inout WireBuffer) {
        guard seen[place] != event else { return }
        seen[place] = event
        if types[place] == .string, let bytes = value.bytes { return append(bytes, place, to: &output) }
        guard !value.isNull else { return }
        appendOther(value, place, to: &output)
    }

    private func appendOther(_ value: JSONValue, _ place: Int, to output: inout WireBuffer) {
        let word: Int64?
        switch types[place] {
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
        output.append(upTo: FoundField.size) { memory in
            memory.storeBytes(of: field, as: FoundField.self)
            return FoundField.size
        }
    }

    /// A value as JSON.
    private func append(textOf value: JSONValue, _ place: Int, to output: inout WireBuffer) {
        text.removeAll()
        value.appendJSON(to: &text)
        text.withUnsafeBytes { append($0, place, to: &output) }
    }

    @inline(__always)
    private func append(_ bytes: UnsafeRawBufferPointer, _ place: Int, to output: inout WireBuffer) {
        let field = FoundField(place: UInt32(place), textBytes: UInt32(bytes.count))
        output.append(upTo: FoundField.size + bytes.count) { memory in
            memory.storeBytes(of: field, as: FoundField.self)
            if let source = bytes.baseAddress {
                (memory + FoundField.size).copyMemory(from: source, byteCount: bytes.count)
            }
            return FoundField.size + bytes.count
        }
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
