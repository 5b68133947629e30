import DeviceSDK
import Wire

/// Takes an event's fields in order, and makes one of the forms of it.
protocol GrowingWriter {
    mutating func put(_ fields: GrowingCompiledFields)
    mutating func put(_ field: GrowingField, _ value: Int64)
    mutating func put(_ field: GrowingField, _ value: Double)
    mutating func put(_ field: GrowingField, _ text: String)
    mutating func put(type: GrowingTypeName)
    mutating func beginAttributes()
    /// - Parameter text: The value's UTF-8.
    mutating func putAttribute(_ key: GrowingAttributeKey, _ text: UnsafeRawBufferPointer)
    mutating func endAttributes()
}

extension GrowingWriter {
    mutating func put(_ field: GrowingField, _ value: GrowingEventBuilder.Value) {
        switch value {
        case .text(let text): put(field, text)
        case .integer(let number): put(field, number)
        case .number(let number): put(field, number)
        }
    }

    mutating func putAttribute(_ key: GrowingAttributeKey, _ text: String) {
        var text = text
        text.withUTF8 { putAttribute(key, UnsafeRawBufferPointer($0)) }
    }
}

/// The name of a type of event: texts in JSON, numbers in messages.
final class GrowingTypeName: Sendable {
    let name: String
    /// `EventType` of the schema. An own type has that of no other: it is CUSTOM there.
    let number: UInt64
    let field: GrowingField
    let json: [UInt8]

    init(_ name: String, number: UInt8?, field: GrowingField = .eventType) {
        self.name = name
        self.field = field
        self.number = UInt64(number ?? GrowingEventType.custom.rawValue)
        json = field.key + JSONFragment(string: name, slashes: .escaped).bytes + [UInt8(ascii: ",")]
    }
}

/// The key of an attribute, in both forms.
final class GrowingAttributeKey: Sendable {
    let name: String
    /// `"key":`.
    let json: [UInt8]
    /// Field 1 of the map's entry.
    let message: [UInt8]

    init(_ name: String) {
        self.name = name
        json = JSONFragment(name: name, slashes: .escaped).bytes
        var buffer = WireBuffer()
        buffer.appendProtobufField(1, string: name)
        message = buffer.bytes
    }
}

/// JSON as `NSJSONSerialization` writes it, with each member's comma behind it.
struct GrowingJSONWriter: GrowingWriter {
    var buffer = WireBuffer()
    private var hasAttributes = false

    mutating func put(_ fields: GrowingCompiledFields) { buffer.append(contentsOf: fields.json) }

    mutating func put(_ field: GrowingField, _ value: Int64) {
        buffer.append(contentsOf: field.key)
        buffer.appendDecimal(value)
        buffer.append(UInt8(ascii: ","))
    }

    mutating func put(_ field: GrowingField, _ value: Double) {
        buffer.append(contentsOf: field.key)
        buffer.appendDecimal(value)
        buffer.append(UInt8(ascii: ","))
    }

    mutating func put(_ field: GrowingField, _ text: String) {
        buffer.append(contentsOf: field.key)
        buffer.appendJSONString(text, slashes: .escaped)
        buffer.append(UInt8(ascii: ","))
    }

    mutating func put(type: GrowingTypeName) { buffer.append(contentsOf: type.json) }

    mutating func beginAttributes() { hasAttributes = false }

    mutating func putAttribute(_ key: GrowingAttributeKey, _ text: UnsafeRawBufferPointer) {
        if !hasAttributes {
            buffer.append(contentsOf: GrowingField.attributes.key)
            buffer.append(UInt8(ascii: "{"))
            hasAttributes = true
        }
        buffer.append(contentsOf: key.json)
        buffer.appendJSONString(utf8: text, slashes: .escaped)
        buffer.append(UInt8(ascii: ","))
    }

    mutating func endAttributes() {
        guard hasAttributes else { return }
        buffer.truncate(to: buffer.count - 1)
        buffer.append("},")
    }
}

/// `EventV3Dto` of `event_v3.proto`. Fields of the schema's default value are left out by those who put them.
struct GrowingMessageWriter: GrowingWriter {
    var buffer = WireBuffer()
    private let attributes = GrowingField.attributes.number

    mutating func put(_ fields: GrowingCompiledFields) { buffer.append(contentsOf: fields.message) }

    mutating func put(_ field: GrowingField, _ value: Int64) {
        guard field.number > 0, value != 0 else { return }
        buffer.appendProtobufField(field.number, int64: value)
    }

    mutating func put(_ field: GrowingField, _ value: Double) {
        guard field.number > 0, value != 0 else { return }
        buffer.appendProtobufField(field.number, double: value)
    }

    mutating func put(_ field: GrowingField, _ text: String) {
        guard !text.isEmpty else { return }
        guard field.number > 0 else {
            // A parameter of the app's own, which the schema has no field for.
            putAttribute(GrowingAttributeKey(field.name), text)
            return
        }
        buffer.appendProtobufField(field.number, string: text)
    }

    mutating func put(type: GrowingTypeName) {
        // VISIT is 0, which proto3 leaves out.
        if type.number > 0 { buffer.appendProtobufField(GrowingField.eventType.number, varint: type.number) }
    }

    mutating func beginAttributes() {}

    mutating func putAttribute(_ key: GrowingAttributeKey, _ text: UnsafeRawBufferPointer) {
        // The entry's length is known before it: nothing has to move for it afterwards.
        let lengthBytes = WireBuffer.protobufLengthSize(text.count)
        buffer.appendProtobufTag(attributes, .lengthDelimited)
        buffer.appendProtobufVarint(UInt64(key.message.count + 1 + lengthBytes + text.count))
        buffer.append(contentsOf: key.message)
        buffer.appendProtobufField(2, bytes: text)
    }

    mutating func endAttributes() {}
}

/// The event as interceptors see it.
struct GrowingBuilderWriter: GrowingWriter {
    var builder: GrowingEventBuilder

    mutating func put(_ fields: GrowingCompiledFields) {
        for (field, value) in fields.fields { builder[field.name] = value }
    }

    mutating func put(_ field: GrowingField, _ value: Int64) { builder[field.name] = .integer(value) }
    mutating func put(_ field: GrowingField, _ value: Double) { builder[field.name] = .number(value) }
    mutating func put(_ field: GrowingField, _ text: String) { builder[field.name] = .text(text) }
    mutating func put(type: GrowingTypeName) { builder[type.field.name] = .text(type.name) }
    mutating func beginAttributes() {}

    mutating func putAttribute(_ key: GrowingAttributeKey, _ text: UnsafeRawBufferPointer) {
        builder["attributes." + key.name] = .text(String(decoding: text, as: UTF8.self))
    }

    mutating func endAttributes() {}
}

extension GrowingEventBuilder {
    /// Writes the event in another form.
    func write(to writer: inout some GrowingWriter, types: [String: GrowingTypeName]) {
        for (name, value) in fields {
            if name == "eventType", case .text(let text) = value {
                writer.put(type: types[text] ?? GrowingTypeName(text, number: nil))
            } else {
                writer.put(GrowingField.all[name] ?? GrowingField(name, 0), value)
            }
        }
        writer.beginAttributes()
        for (name, value) in attributes { writer.putAttribute(GrowingAttributeKey(name), value) }
        writer.endAttributes()
    }
}
