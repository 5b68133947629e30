import Wire

/// Turns the messages of a repeated field into the elements of a JSON list.
struct MessageList {
    /// The most bytes of messages that one request may hold: as JSON they may become some ten times longer.
    static let messageLimit = 8 << 20
    /// An event with a name and a time has more bytes than these, so nobody's list has more fields than they say.
    private static let leastEventBytes = 8

    /// The JSON list, or a part of it after a refusal.
    private(set) var text = WireBuffer()
    /// Messages that are none of the schema; the list ends with the first whose end cannot be told.
    private(set) var broken: UInt64 = 0

    /// A walk over the fields of a list: as many as its bytes may hold of events.
    static func reader(of list: UnsafeRawBufferPointer) -> ProtobufReader {
        ProtobufReader(list, fieldLimit: ProtobufReader.usualFieldLimit + list.count / leastEventBytes)
    }

    mutating func removeAll() {
        text.removeAll()
        broken = 0
    }

    /// Reads a list's message.
    ///
    /// - Parameters:
    ///   - number: The repeated field.
    ///   - extra: Appends further members to each element, whose index is given.
    /// - Returns: `false` if there are more messages, or the text becomes longer, than may be.
    mutating func read(
        _ message: UnsafeRawBufferPointer, field number: UInt32, as schema: MessageSchema,
        extra: (Int, inout WireBuffer) -> Void = { _, _ in }
    ) -> Bool {
        removeAll()
        guard message.count <= MessageList.messageLimit else { return false }
        text.append(UInt8(ascii: "["))
        var reader = MessageList.reader(of: message)
        var index = 0
        do throws(ProtobufError) {
            while let field = try reader.next() {
                guard field.number == number else { continue }
                append(field, as: schema) { extra(index, &$0) }
                index += 1
                guard text.count <= JSONBatch.textLimit else { return false }
            }
        } catch {
            if case .tooManyFields = error { return false }
            broken += 1
        }
        text.append(UInt8(ascii: "]"))
        return true
    }

    private mutating func append(
        _ field: ProtobufField, as schema: MessageSchema, extra: (inout WireBuffer) -> Void
    ) {
        let start = text.count
        do {
            text.appendJSONComma()
            text.append(UInt8(ascii: "{"))
            let message = try field.message(fieldLimit: ProtobufReader.usualFieldLimit)
            try schema.appendMembers(of: message, to: &text)
            extra(&text)
            text.append(UInt8(ascii: "}"))
        } catch {
            text.truncate(to: start)
            broken += 1
        }
    }
}
