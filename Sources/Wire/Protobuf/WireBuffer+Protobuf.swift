/// A writer of Protocol Buffers' wire format (protobuf.dev, "Encoding").
///
/// ```swift
/// buffer.appendProtobufField(1) { event in            // repeated EventV3Dto values = 1
///     event.appendProtobufField(1, string: "d-1")     // string device_id = 1
///     event.appendProtobufField(6, varint: 6)         // EventType event_type = 6
/// }
/// ```
///
/// Every call writes its field. Under proto3's implicit presence a field that has its default value
/// (0, false, an empty string) is left out: that is the caller's to decide, who knows the schema.
/// Field numbers are from 1 to 2^29 - 1.
extension WireBuffer {
    /// Appends a number, seven bits to a byte, the lowest first; 1 to 10 bytes.
    @inlinable
    package mutating func appendProtobufVarint(_ value: UInt64) {
        prepare(for: 10)
        var rest = value
        while rest >= 0x80 {
            base.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: used, as: UInt8.self)
            used &+= 1
            rest >>= 7
        }
        base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: used, as: UInt8.self)
        used &+= 1
    }

    /// The bytes of a length as ``appendProtobufVarint(_:)`` writes it.
    @inlinable
    @inline(__always)
    package static func protobufLengthSize(_ length: Int) -> Int {
        var size = 1
        while length >> (7 * size) > 0 { size += 1 }
        return size
    }

    /// Appends a field's number and wire type.
    @inlinable
    package mutating func appendProtobufTag(_ number: UInt32, _ type: ProtobufWireType) {
        precondition(ProtobufWireType.fieldNumbers.contains(number), "field numbers are from 1 to 2^29 - 1")
        appendProtobufVarint(UInt64(number &<< 3 | UInt32(type.rawValue)))
    }

    /// Appends a field of type uint32, uint64 or an enumeration.
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, varint value: UInt64) {
        appendProtobufTag(number, .varint)
        appendProtobufVarint(value)
    }

    /// Appends a field of type int32 or int64; a negative one takes ten bytes.
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, int64 value: Int64) {
        appendProtobufField(number, varint: UInt64(bitPattern: value))
    }

    /// Appends a field of type bool.
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, bool value: Bool) {
        appendProtobufField(number, varint: value ? 1 : 0)
    }

    /// Appends a field of type fixed64.
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, fixed64 value: UInt64) {
        appendProtobufTag(number, .fixed64)
        prepare(for: 8)
        base.storeBytes(of: value.littleEndian, toByteOffset: used, as: UInt64.self)
        used &+= 8
    }

    /// Appends a field of type double.
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, double value: Double) {
        appendProtobufField(number, fixed64: value.bitPattern)
    }

    /// Appends a field of type string or bytes. O(`bytes`).
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, bytes: UnsafeRawBufferPointer) {
        appendProtobufTag(number, .lengthDelimited)
        appendProtobufVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends a field of type string. O(`text`).
    @inlinable
    package mutating func appendProtobufField(_ number: UInt32, string text: String) {
        var text = text
        text.withUTF8 { appendProtobufField(number, bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a field that is a message, whose fields `write` appends.
    ///
    /// Its length is put in front afterwards: a message of 128 bytes or more moves up by a byte for
    /// each further seven bits of its length, O(message) for every level of nesting.
    ///
    /// - Throws: What `write` throws; then nothing is appended.
    @inlinable
    package mutating func appendProtobufField<Failure: Error>(
        _ number: UInt32, message write: (inout WireBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        let start = count
        appendProtobufTag(number, .lengthDelimited)
        append(0 as UInt8)
        let content = count
        do {
            try write(&self)
        } catch {
            truncate(to: start)
            throw error
        }
        putProtobufLength(before: content)
    }

    /// Appends a field of type map<string, string>: a message for each entry, with key and value
    /// even where they are empty, as Google's libraries write it. In the order given.
    package mutating func appendProtobufField(
        _ number: UInt32, map entries: some Sequence<(key: String, value: String)>
    ) {
        for (key, value) in entries {
            appendProtobufField(number) { entry in
                entry.appendProtobufField(1, string: key)
                entry.appendProtobufField(2, string: value)
            }
        }
    }

    /// Writes the length of everything from `content` on before it, where one byte is kept for it.
    @usableFromInline
    mutating func putProtobufLength(before content: Int) {
        precondition(content <= count, "a message's writer removed what was before it")
        let length = count - content
        let size = WireBuffer.protobufLengthSize(length)
        if size > 1 {
            prepare(for: size - 1)
            // May overlap: `copyMemory` is a memmove.
            (base + content + size - 1).copyMemory(from: base + content, byteCount: length)
            used += size - 1
        } else {
            prepare(for: 0)
        }
        for index in 0..<size {
            let bits = UInt8(truncatingIfNeeded: length >> (7 * index)) & 0x7F
            let byte = index < size - 1 ? bits | 0x80 : bits
            base.storeBytes(of: byte, toByteOffset: content - 1 + index, as: UInt8.self)
        }
    }
}
