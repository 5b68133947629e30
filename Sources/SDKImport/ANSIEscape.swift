/// Escapes within `$'…'`, as bash reads them. Characters beyond 16 bits may come as a pair of surrogates too, since
/// that is how browsers write them.
enum ANSIEscape {
    /// Reads one.
    ///
    /// - Parameter rest: What stands behind the backslash; the escape is taken off it.
    /// - Returns: The bytes that it stands for. What is no escape stands for itself, with its backslash.
    static func read(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let whole = rest
        guard let first = rest.popFirst() else { return [backslash] }
        switch UnicodeScalar(first) {
        case "a": return [0x07]
        case "b": return [0x08]
        case "e", "E": return [0x1B]
        case "f": return [0x0C]
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "v": return [0x0B]
        case "\\", "'", "\"", "?": return [first]
        case "0"..."7":
            rest = whole
            return byte(&rest, radix: 8, digits: 3) ?? [backslash, first]
        case "x": return byte(&rest, radix: 16, digits: 2) ?? [backslash, first]
        case "u": return character(&rest, digits: 4) ?? [backslash, first]
        case "U": return character(&rest, digits: 8) ?? [backslash, first]
        case "c": return control(&rest) ?? [backslash, first]
        default: return [backslash, first]
        }
    }

    private static let backslash = UInt8(ascii: "\\")

    /// - Returns: `nil` where no digit stands.
    private static func byte(_ rest: inout ArraySlice<UInt8>, radix: UInt32, digits: Int) -> [UInt8]? {
        number(&rest, radix: radix, digits: digits).map { [UInt8(truncatingIfNeeded: $0)] }
    }

    /// A character in UTF-8; U+FFFD for half of a pair.
    private static func character(_ rest: inout ArraySlice<UInt8>, digits: Int) -> [UInt8]? {
        guard var value = number(&rest, radix: 16, digits: digits) else { return nil }
        if (0xD800..<0xDC00).contains(value), rest.starts(with: [backslash, UInt8(ascii: "u")]) {
            var next = rest.dropFirst(2)
            if let low = number(&next, radix: 16, digits: 4), (0xDC00..<0xE000).contains(low) {
                value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
                rest = next
            }
        }
        return Array(String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
    }

    /// Control and a character from `?` to `~`: DEL for `?`, else its lower five bits. A backslash is written twice.
    private static func control(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let key = rest.first, (0x3F...0x7E).contains(key) else { return nil }
        rest = rest.dropFirst(key == backslash && rest.dropFirst().first == backslash ? 2 : 1)
        return [key == UInt8(ascii: "?") ? 0x7F : key & 0x1F]
    }

    /// A number of at most eight digits; `nil` where none stands.
    private static func number(_ rest: inout ArraySlice<UInt8>, radix: UInt32, digits: Int) -> UInt32? {
        var value: UInt32?
        for _ in 0..<digits {
            guard let byte = rest.first, let digit = Character(UnicodeScalar(byte)).hexDigitValue,
                UInt32(digit) < radix
            else { break }
            value = (value ?? 0) * radix + UInt32(digit)
            rest = rest.dropFirst()
        }
        return value
    }
}
