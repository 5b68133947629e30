/// The value of a header with parameters: `form-data; name="file"` (RFC 2045, 5.1; RFC 2183, 2).
struct HeaderValue {
    /// What is before the first semicolon, in lower case.
    let value: String
    /// The parameters in their order, names in lower case, values without quotes.
    private(set) var parameters: [(name: String, value: String)] = []

    /// The most parameters.
    static let parameterLimit = 16

    /// Reads a value; `nil` if it is none, is not UTF-8 or has too many parameters. O(`bytes`).
    init?(_ bytes: UnsafeRawBufferPointer) {
        var cursor = HeaderCursor(bytes: bytes)
        cursor.skipSpace()
        guard let value = cursor.text(while: { $0 != UInt8(ascii: ";") && !$0.isSpaceOrTab }), !value.isEmpty
        else { return nil }
        self.value = value.lowercased()
        while true {
            cursor.skipSpace()
            if cursor.isAtEnd { return }
            guard cursor.take(UInt8(ascii: ";")) else { return nil }
            cursor.skipSpace()
            // A semicolon at the end is common.
            if cursor.isAtEnd { return }
            guard let name = cursor.text(while: \.isToken), !name.isEmpty, cursor.take(UInt8(ascii: "=")),
                let value = cursor.parameterValue(), parameters.count < Self.parameterLimit
            else { return nil }
            parameters.append((name.lowercased(), value))
        }
    }
}

/// A position in a header's value.
private struct HeaderCursor {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func skipSpace() {
        while position < bytes.count, bytes[position].isSpaceOrTab { position += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// The text of the bytes from here on that are like this, `nil` if it is not UTF-8.
    mutating func text(while belongs: (UInt8) -> Bool) -> String? {
        let start = position
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
        return String(validating: bytes[start..<position], as: UTF8.self)
    }

    /// A token, or a quoted string without its quotes.
    ///
    /// Of the escapes of a quoted string only `\"` and `\\` are read, since clients write paths with
    /// single backslashes and mean them.
    mutating func parameterValue() -> String? {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        guard take(quote) else {
            let token = text { $0 != UInt8(ascii: ";") && $0 != quote && !$0.isSpaceOrTab }
            return token?.isEmpty == false ? token : nil
        }
        var value: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == quote { return String(validating: value, as: UTF8.self) }
            if byte == backslash, position < bytes.count, [quote, backslash].contains(bytes[position]) {
                value.append(bytes[position])
                position += 1
            } else {
                value.append(byte)
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isSpaceOrTab: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte may be in a token (RFC 9110, section 5.6.2).
    var isToken: Bool {
        switch self {
        case _ where isASCIILetterOrDigit: true
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
