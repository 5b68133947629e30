import AppModel
import Timebase
import Wire

extension PropertyValue {
    /// The value in JSON; dates become ISO texts.
    var json: [UInt8] {
        var buffer = WireBuffer()
        buffer.appendDeclared(self)
        return buffer.bytes
    }
}

extension WireBuffer {
    private mutating func appendISO(_ instant: Instant) {
        append(limit: DeclaredCursor.timeLimit) { $0.put(iso: instant) }
    }

    /// Appends a property's value as JSON.
    fileprivate mutating func appendDeclared(_ value: PropertyValue) {
        switch value {
        case .string(let text): appendJSONString(text)
        case .number(let number): appendDecimal(number)
        case .bool(let bool): appendJSON(bool)
        case .date(let instant):
            append(UInt8(ascii: "\""))
            appendISO(instant)
            append(UInt8(ascii: "\""))
        case .null: append("null")
        case .list(let values):
            append(UInt8(ascii: "["))
            for value in values {
                appendJSONComma()
                appendDeclared(value)
            }
            append(UInt8(ascii: "]"))
        }
    }
}
