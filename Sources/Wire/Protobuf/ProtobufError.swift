/// Why bytes are not a message of Protocol Buffers, or not one of the schema. Offsets are from the
/// beginning of the outermost message.
package enum ProtobufError: Error, Equatable, CustomStringConvertible {
    /// The message ends within the field that begins at this offset.
    case truncated(offset: Int)
    /// A number of more than 64 bits in the field that begins at this offset.
    case malformedVarint(offset: Int)
    /// A field number out of 1 to 2^29 - 1.
    case invalidFieldNumber(UInt64, offset: Int)
    /// A wire type that does not exist, or a group's (3 or 4).
    case unsupportedWireType(UInt8, field: UInt32, offset: Int)
    /// A field of the schema that is laid out as another type's.
    case wrongWireType(ProtobufWireType, expected: ProtobufWireType, field: UInt32, offset: Int)
    /// A string that is not UTF-8.
    case invalidUTF8(field: UInt32, offset: Int)
    /// More fields in one message than the limit.
    case tooManyFields(limit: Int)

    package var description: String {
        switch self {
        case .truncated(let offset): "the message ends within the field at byte \(offset)"
        case .malformedVarint(let offset): "the field at byte \(offset) has a number of more than 64 bits"
        case .invalidFieldNumber(let number, let offset):
            "field number \(number) at byte \(offset); allowed are 1 to \(ProtobufWireType.fieldNumbers.upperBound)"
        case .unsupportedWireType(let type, let field, let offset):
            "field \(field) at byte \(offset) has wire type \(type); allowed are 0, 1, 2 and 5"
        case .wrongWireType(let found, let expected, let field, let offset):
            "field \(field) at byte \(offset) has wire type \(found.rawValue) in place of \(expected.rawValue)"
        case .invalidUTF8(let field, let offset): "field \(field) at byte \(offset) is not UTF-8"
        case .tooManyFields(let limit): "more than the \(limit) fields that are allowed in a message"
        }
    }
}
