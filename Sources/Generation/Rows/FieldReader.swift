import Datasets
import Wire

/// The fields of the table `events`: how they are found in the JSON of each population's events, and what they hold.
package struct RowFields: Sendable {
    /// Of each population, in the scenario's order.
    var finders: [FieldFinder]
    /// Of each field.
    var types: [ColumnType]
}

/// What a value of a field begins with in a row on its way to the tables. Behind it lies the text, or a word as a table's
/// batch keeps it: a number, the bits of a double, 0 or 1.
struct FoundField: BitwiseCopyable {
    /// The field's number.
    var number: UInt16
    var isText: Bool
    var reserved: UInt8 = 0
    /// Bytes of the text.
    var textBytes: UInt32 = 0

    static let size = 8
}

/// The values of the fields of one row; memory that is used again for the next.
struct FoundFields: ~Copyable {
    private var base: UnsafeMutableRawPointer
    private var capacity = 1 << 12
    private(set) var count = 0

    init() { base = .allocate(byteCount: capacity, alignment: 8) }

    deinit { base.deallocate() }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    mutating func append(_ text: UnsafeRawBufferPointer, _ number: Int) {
        let size = FoundField.size &+ text.count
        if capacity &- count < size { grow(size) }
        let field = FoundField(
            number: UInt16(truncatingIfNeeded: number), isText: true,
            textBytes: UInt32(truncatingIfNeeded: text.count))
        (base + count).storeBytes(of: field, as: FoundField.self)
        (base + count + FoundField.size).copyText(text)
        count &+= size
    }

    mutating func append(word: Int64, _ number: Int) {
        let size = FoundField.size &+ 8
        if capacity &- count < size { grow(size) }
        let field = FoundField(number: UInt16(truncatingIfNeeded: number), isText: false)
        (base + count).storeBytes(of: field, as: FoundField.self)
        (base + count + FoundField.size).storeBytes(of: word, as: Int64.self)
        count &+= size
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        capacity = max(capacity * 2, count + additional)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        memory.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = memory
    }
}

/// Reads the values of fields from events that were parsed, on the thread that plays their devices: whoever writes rows
/// only copies.
///
/// Confined to one thread.
final class FieldReader {
    private let finders: [FieldFinder]
    /// Those of the row that was read last.
    private var found = FoundFields()
    /// Of each field. Memory of our own, since each member looks at it.
    private let types: UnsafeMutablePointer<ColumnType>
    /// The last event in which each field was found: the first member of a field counts.
    private let seen: UnsafeMutablePointer<UInt32>
    private var events: UInt32 = 0
    private var text = WireBuffer()

    /// - Precondition: there are fewer than 65,536 fields.
    init(_ fields: RowFields) {
        precondition(fields.types.count <= UInt16.max)
        finders = fields.finders
        types = .allocate(capacity: fields.types.count)
        seen = .allocate(capacity: fields.types.count)
        seen.initialize(repeating: 0, count: fields.types.count)
        for (number, type) in fields.types.enumerated() { (types + number).initialize(to: type) }
    }

    deinit {
        types.deallocate()
        seen.deallocate()
    }

    /// Reads an event's values. One that is not of its field's type, nor a text of it, is left to the payload.
    ///
    /// - Returns: Memory that is valid until the next event.
    func read(_ root: JSONValue, population: Int) -> UnsafeRawBufferPointer {
        events &+= 1
        found.removeAll()
        if root.kind == .object { read(root, finders[population], into: &found) }
        return found.bytes
    }

    private func read(_ root: JSONValue, _ finder: FieldFinder, into found: inout FoundFields) {
        let event = events
        for (name, value) in root.members {
            switch finder.match(of: name, in: 0) {
            case .column(let number): append(value, number, event, to: &found)
            case .group(let group):
                for (name, value) in value.members {
                    guard case .column(let number) = finder.match(of: name, in: group) else { continue }
                    append(value, number, event, to: &found)
                }
            case nil: break
            }
        }
    }

    @inline(__always)
    private func append(_ value: JSONValue, _ number: Int, _ event: UInt32, to found: inout FoundFields) {
        guard seen[number] != event else { return }
        seen[number] = event
        if types[number] == .string, let bytes = value.bytes { return found.append(bytes, number) }
        guard !value.isNull else { return }
        appendOther(value, number, to: &found)
    }

    private func appendOther(_ value: JSONValue, _ number: Int, to found: inout FoundFields) {
        let word: Int64?
        switch types[number] {
        case .string:
            text.removeAll()
            value.appendJSON(to: &text)
            return text.withUnsafeBytes { found.append($0, number) }
        case .bool: word = value.truth.map { truth -> Int64 in truth ? 1 : 0 }
        case .double:
            word = value.number.flatMap { number -> Int64? in
                number.isFinite ? Int64(bitPattern: number.bitPattern) : nil
            }
        case .int64, .timestampMillis, .timestampMicros: word = value.integer
        }
        if let word { found.append(word: word, number) }
    }
}

extension JSONValue {
    /// A number, or a text of one.
    fileprivate var number: Double? { double ?? string.flatMap(Double.init) }

    /// A whole number, or a text of one, in whatever form: `2`, `-0.0`, `2.0e+16`.
    fileprivate var integer: Int64? {
        int64 ?? string.flatMap { Int64($0) } ?? number.flatMap { Int64(exactly: $0) }
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
