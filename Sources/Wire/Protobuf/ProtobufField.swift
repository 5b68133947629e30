/// One field of a message; valid as long as the message's memory is.
///
/// The accessors say what type the schema has the field as.
package struct ProtobufField {
    /// A value as its wire type has it.
    package enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case lengthDelimited(UnsafeRawBufferPointer)

        package var wireType: ProtobufWireType {
            switch self {
            case .varint: .varint
            case .fixed64: .fixed64
            case .fixed32: .fixed32
            case .lengthDelimited: .lengthDelimited
            }
        }
    }

    /// The field's number in the schema.
    package let number: UInt32
    package let value: Value
    /// The offset of the field's first byte in the outermost message.
    package let offset: Int

    private let end: Int
    private let fieldLimit: Int

    init(number: UInt32, value: Value, offset: Int, end: Int, fieldLimit: Int) {
        self.number = number
        self.value = value
        self.offset = offset
        self.end = end
        self.fieldLimit = fieldLimit
    }

    /// A uint64.
    ///
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``, as all accessors do.
    package func uint64() throws(ProtobufError) -> UInt64 {
        guard case .varint(let value) = value else { throw wrongType(expected: .varint) }
        return value
    }

    /// An int64.
    ///
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``.
    package func int64() throws(ProtobufError) -> Int64 { Int64(bitPattern: try uint64()) }

    /// An int32 or an enumeration's case: the low 32 bits, as Google's libraries read a longer one.
    ///
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``.
    package func int32() throws(ProtobufError) -> Int32 { Int32(truncatingIfNeeded: try uint64()) }

    /// A bool: false for 0 alone.
    ///
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``.
    package func bool() throws(ProtobufError) -> Bool { try uint64() != 0 }

    /// A double.
    ///
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``.
    package func double() throws(ProtobufError) -> Double {
        guard case .fixed64(let bits) = value else { throw wrongType(expected: .fixed64) }
        return Double(bitPattern: bits)
    }

    /// The bytes of a string, a message or bytes, in place.
    ///
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``.
    package func bytes() throws(ProtobufError) -> UnsafeRawBufferPointer {
        guard case .lengthDelimited(let bytes) = value else { throw wrongType(expected: .lengthDelimited) }
        return bytes
    }

    /// A string.
    ///
    /// - Throws: also ``ProtobufError/invalidUTF8(field:offset:)``.
    package func string() throws(ProtobufError) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else {
            throw .invalidUTF8(field: number, offset: offset)
        }
        return text
    }

    /// A walk over a nested message.
    ///
    /// - Parameter limit: The most fields that it may have, and each message in it; by default as many as the message
    ///   around it.
    /// - Throws: ``ProtobufError/wrongWireType(_:expected:field:offset:)``.
    package func message(fieldLimit limit: Int? = nil) throws(ProtobufError) -> ProtobufReader {
        let bytes = try bytes()
        return ProtobufReader(bytes, fieldLimit: limit ?? fieldLimit, origin: end - bytes.count)
    }

    /// An entry of a map<string, string>; a key or value that is absent is empty.
    ///
    /// - Throws: any ``ProtobufError``, since it walks the entry.
    package func mapEntry() throws(ProtobufError) -> (key: String, value: String) {
        var entry = (key: "", value: "")
        var reader = try message()
        while let field = try reader.next() {
            switch field.number {
            case 1: entry.key = try field.string()
            case 2: entry.value = try field.string()
            default: continue
            }
        }
        return entry
    }

    private func wrongType(expected: ProtobufWireType) -> ProtobufError {
        .wrongWireType(value.wireType, expected: expected, field: number, offset: offset)
    }
}
