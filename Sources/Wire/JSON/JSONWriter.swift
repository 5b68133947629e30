/// JSON as finished bytes: a constant name, a template's constant segment or a whole value that is escaped
/// once and then copied into every event.
package struct JSONFragment: Sendable, Equatable {
    /// The bytes as they go onto the wire.
    package let bytes: [UInt8]

    /// Takes over bytes that are JSON, or a part of it, already.
    package init(verbatim bytes: [UInt8]) { self.bytes = bytes }

    /// Takes over a text that is JSON, or a part of it, already.
    package init(verbatim text: String) { bytes = Array(text.utf8) }

    /// A string value with its quotes.
    ///
    /// - Parameter slashes: How `/` is written.
    package init(string: String, slashes: JSONSlashes = .plain) {
        var buffer = WireBuffer(capacity: string.utf8.count + 2)
        buffer.appendJSONString(string, slashes: slashes)
        bytes = buffer.bytes
    }

    /// A member's name with its quotes and the colon.
    ///
    /// - Parameter slashes: How `/` is written.
    package init(name: String, slashes: JSONSlashes = .plain) {
        var buffer = WireBuffer(capacity: name.utf8.count + 3)
        buffer.appendJSONString(name, slashes: slashes)
        buffer.append(UInt8(ascii: ":"))
        bytes = buffer.bytes
    }
}

/// How a writer of JSON writes `/`; a reader sees no difference.
package enum JSONSlashes: Sendable {
    /// As itself.
    case plain
    /// As `\/`, the way of Foundation's `NSJSONSerialization`.
    case escaped
}

extension WireBuffer {
    /// Appends finished JSON.
    @inlinable
    package mutating func append(_ fragment: JSONFragment) {
        append(contentsOf: fragment.bytes)
    }

    /// Appends a comma, unless the buffer is empty or something was just opened: to be called
    /// before each member or element.
    @inlinable
    package mutating func appendJSONComma() {
        switch last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): break
        default: append(UInt8(ascii: ","))
        }
    }

    /// Appends `true` or `false`.
    @inlinable
    package mutating func appendJSON(_ value: Bool) {
        if value { append("true") } else { append("false") }
    }

    /// Appends a string value with its quotes.
    ///
    /// - Parameter slashes: How `/` is written.
    package mutating func appendJSONString(_ text: String, slashes: JSONSlashes = .plain) {
        var text = text
        text.withUTF8 { appendJSONString(utf8: UnsafeRawBufferPointer($0), slashes: slashes) }
    }

    /// Appends a string value with its quotes.
    ///
    /// - Parameters:
    ///   - utf8: Valid UTF-8; it is copied as it is, but for what JSON must escape.
    ///   - slashes: How `/` is written.
    package mutating func appendJSONString(
        utf8: UnsafeRawBufferPointer, slashes: JSONSlashes = .plain
    ) {
        append(UInt8(ascii: "\""))
        appendJSONEscaped(utf8: utf8, slashes: slashes)
        append(UInt8(ascii: "\""))
    }

    /// Appends the inside of a string value: `"`, `\` and control characters escaped (RFC 8259,
    /// section 7, short forms where there are any), all else as it is.
    ///
    /// - Parameters:
    ///   - utf8: Valid UTF-8.
    ///   - slashes: How `/` is written.
    package mutating func appendJSONEscaped(
        utf8: UnsafeRawBufferPointer, slashes: JSONSlashes = .plain
    ) {
        var start = 0
        while start < utf8.count {
            let end = WireBuffer.firstEscape(in: utf8, from: start, slashes: slashes)
            append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<end]))
            if end < utf8.count { appendJSONEscape(of: utf8[end]) }
            start = end + 1
        }
    }

    /// The offset of the first byte from `start` on that JSON must escape, or the end.
    ///
    /// Looks at eight bytes a step: `(x - 0x01…) & ~x & 0x80…` marks the zero bytes of x, and so
    /// with 0x20 those below a space. Marks above the lowest one may be false; it alone is used.
    private static func firstEscape(
        in utf8: UnsafeRawBufferPointer, from start: Int, slashes: JSONSlashes
    ) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Without a fourth byte to look for, the first is looked for twice.
        let slash = UInt64(slashes == .escaped ? UInt8(ascii: "/") : UInt8(ascii: "\""))
        var index = start
        while index &+ 8 <= utf8.count {
            let word = UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            let others = word ^ ones &* slash
            let marks =
                (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
                | (backslashes &- ones) & ~backslashes | (others &- ones) & ~others
            let hits = marks & (ones &* 0x80)
            if hits != 0 { return index &+ hits.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < utf8.count {
            let byte = utf8[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                || UInt64(byte) == slash
            {
                return index
            }
            index &+= 1
        }
        return utf8.count
    }

    /// Appends the escape of one byte below 0x80.
    private mutating func appendJSONEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append("u00")
            append(byte >> 4 &+ UInt8(ascii: "0"))
            let low = byte & 0xF
            append(low < 10 ? low &+ UInt8(ascii: "0") : low &- 10 &+ UInt8(ascii: "a"))
        }
    }
}
