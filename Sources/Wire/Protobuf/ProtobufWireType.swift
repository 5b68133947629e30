/// How a field's value is laid out (protobuf.dev, "Encoding", message structure).
///
/// Groups (3 and 4) are left out: they are deprecated since proto2, and no schema here has one.
package enum ProtobufWireType: UInt8, Sendable {
    /// A number of 64 bits, seven to a byte, the lowest first.
    case varint = 0
    /// Eight bytes, the lowest first.
    case fixed64 = 1
    /// A varint of the length and so many bytes: strings, messages, packed numbers.
    case lengthDelimited = 2
    /// Four bytes, the lowest first.
    case fixed32 = 5
}

extension ProtobufWireType {
    /// What field numbers may be: 29 bits, from 1 on.
    @inlinable
    package static var fieldNumbers: ClosedRange<UInt32> { 1...0x1FFF_FFFF }
}
