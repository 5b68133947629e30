import Wire

/// A writer of Thrift's compact protocol (thrift/doc/specs/thrift-compact-protocol.md), as much as Parquet's metadata
/// needs: structs, lists, numbers, texts.
///
/// Fields of a struct come in ascending order of their numbers.
struct ThriftWriter {
    /// The protocol's types of values.
    enum Kind: UInt8 {
        case yes = 1
        case no = 2
        case int16 = 4
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    private(set) var buffer = WireBuffer()
    /// The number of the last field of each struct that is open, the outermost first.
    private var last: [Int16] = [0]

    mutating func removeAll() {
        buffer.removeAll()
        last = [0]
    }

    mutating func field(_ number: Int16, int32 value: Int32) {
        head(number, .int32)
        zigzag(Int64(value))
    }

    mutating func field(_ number: Int16, int64 value: Int64) {
        head(number, .int64)
        zigzag(value)
    }

    mutating func field(_ number: Int16, int16 value: Int16) {
        head(number, .int16)
        zigzag(Int64(value))
    }

    mutating func field(_ number: Int16, bool value: Bool) { head(number, value ? .yes : .no) }

    mutating func field(_ number: Int16, text: String) {
        head(number, .binary)
        append(text)
    }

    mutating func field(_ number: Int16, bytes: [UInt8]) {
        head(number, .binary)
        buffer.appendProtobufVarint(UInt64(bytes.count))
        buffer.append(contentsOf: bytes)
    }

    mutating func field(_ number: Int16, _ fields: (inout ThriftWriter) -> Void) {
        head(number, .structure)
        structure(fields)
    }

    mutating func field(_ number: Int16, texts: [String]) {
        list(number, of: .binary, count: texts.count)
        for text in texts { append(text) }
    }

    mutating func field(_ number: Int16, int32s: [Int32]) {
        list(number, of: .int32, count: int32s.count)
        for value in int32s { zigzag(Int64(value)) }
    }

    /// A list of structs, one for each element.
    mutating func field<Element>(
        _ number: Int16, structs: some Collection<Element>, _ fields: (inout ThriftWriter, Element) -> Void
    ) {
        list(number, of: .structure, count: structs.count)
        for element in structs { structure { fields(&$0, element) } }
    }

    /// Ends the outermost struct.
    mutating func stop() { buffer.append(0 as UInt8) }

    private mutating func structure(_ fields: (inout ThriftWriter) -> Void) {
        last.append(0)
        fields(&self)
        last.removeLast()
        stop()
    }

    private mutating func list(_ number: Int16, of kind: Kind, count: Int) {
        head(number, .list)
        if count < 15 {
            buffer.append(UInt8(count) << 4 | kind.rawValue)
        } else {
            buffer.append(0xF0 | kind.rawValue)
            buffer.appendProtobufVarint(UInt64(count))
        }
    }

    private mutating func head(_ number: Int16, _ kind: Kind) {
        let delta = number - last[last.count - 1]
        precondition(delta > 0, "fields come in ascending order")
        last[last.count - 1] = number
        if delta <= 15 {
            buffer.append(UInt8(delta) << 4 | kind.rawValue)
        } else {
            buffer.append(kind.rawValue)
            zigzag(Int64(number))
        }
    }

    private mutating func append(_ text: String) {
        buffer.appendProtobufVarint(UInt64(text.utf8.count))
        buffer.append(text)
    }

    private mutating func zigzag(_ value: Int64) {
        buffer.appendProtobufVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }
}
