/// Walks the fields of a message in Protocol Buffers' wire format (protobuf.dev, "Encoding") without
/// copying any.
///
/// ```swift
/// var list = ProtobufReader(body)
/// while let field = try list.next() {
///     guard field.number == 1 else { continue }        // unknown: skipped
///     var event = try field.message()
///     …
/// }
/// ```
///
/// Fields come as they lie in the message: of one that is not repeated the last counts, and a field
/// that is absent has its default value. O(message) over all fields; no memory is taken, and nothing
/// here recurses: how deep messages nest is the caller's schema.
package struct ProtobufReader {
    /// The most fields that a message may have where nobody says otherwise.
    package static let usualFieldLimit = 10_000

    /// The most fields that the message may have, and each message in it.
    package let fieldLimit: Int

    /// The offset of the message's first byte in the outermost one.
    private let origin: Int
    private let message: UnsafeRawBufferPointer
    private var position = 0
    private var fieldCount = 0

    /// Makes a walk over a message, whose memory must outlive the walk and its fields.
    package init(_ message: UnsafeRawBufferPointer, fieldLimit: Int = ProtobufReader.usualFieldLimit) {
        self.init(message, fieldLimit: fieldLimit, origin: 0)
    }

    init(_ message: UnsafeRawBufferPointer, fieldLimit: Int, origin: Int) {
        self.message = message
        self.fieldLimit = fieldLimit
        self.origin = origin
    }

    /// The next field, or `nil` at the end.
    ///
    /// - Throws: ``ProtobufError`` for a field that is broken, whether it is known or not. The walk
    ///   is over then.
    package mutating func next() throws(ProtobufError) -> ProtobufField? {
        guard position < message.count else { return nil }
        fieldCount += 1
        guard fieldCount <= fieldLimit else { throw .tooManyFields(limit: fieldLimit) }
        let start = position
        let tag = try varint(ofFieldAt: start)
        guard let number = UInt32(exactly: tag >> 3), ProtobufWireType.fieldNumbers.contains(number) else {
            throw .invalidFieldNumber(tag >> 3, offset: origin + start)
        }
        guard let type = ProtobufWireType(rawValue: UInt8(tag & 7)) else {
            throw .unsupportedWireType(UInt8(tag & 7), field: number, offset: origin + start)
        }
        let value: ProtobufField.Value
        switch type {
        case .varint: value = .varint(try varint(ofFieldAt: start))
        case .fixed64: value = .fixed64(UInt64(littleEndian: try load(ofFieldAt: start)))
        case .fixed32: value = .fixed32(UInt32(littleEndian: try load(ofFieldAt: start)))
        case .lengthDelimited:
            let length = try varint(ofFieldAt: start)
            guard length <= UInt64(message.count - position) else { throw .truncated(offset: origin + start) }
            let end = position + Int(length)
            value = .lengthDelimited(UnsafeRawBufferPointer(rebasing: message[position..<end]))
            position = end
        }
        return ProtobufField(
            number: number, value: value, offset: origin + start, end: origin + position,
            fieldLimit: fieldLimit)
    }

    private mutating func varint(ofFieldAt start: Int) throws(ProtobufError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < message.count {
            let byte = message[position]
            position &+= 1
            // Of the tenth byte one bit is left.
            guard shift < 63 || byte <= 1 else { throw .malformedVarint(offset: origin + start) }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
        throw .truncated(offset: origin + start)
    }

    private mutating func load<Value: FixedWidthInteger & BitwiseCopyable>(
        ofFieldAt start: Int
    ) throws(ProtobufError) -> Value {
        let size = MemoryLayout<Value>.size
        guard size <= message.count - position else { throw .truncated(offset: origin + start) }
        defer { position += size }
        return message.loadUnaligned(fromByteOffset: position, as: Value.self)
    }
}
