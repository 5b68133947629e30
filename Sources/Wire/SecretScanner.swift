/// Masks `name=value`, `name: value` and `"name": "value"` wherever the name speaks of a credential
/// (``SecretNames``).
///
/// Text is read as it is and as it would be after percent-decoding, so `redirect=%2F%3Fsig%3Dx` hides nothing; JSON
/// in a string of JSON (`\"token\": \"x\"`) hides nothing either. What is masked keeps its quotes, so a text that could
/// be parsed still can.
package struct SecretScanner {
    /// What stands in place of a secret.
    package static let mask = "[redacted]"

    /// The text without such values, and without names and passwords in URLs. O(n).
    package static func masking(_ text: [UInt8]) -> String { SecretScanner(maskingUserInfo(text)).masked }

    /// A byte of the text, or one that three of them (`%3D`) stand for.
    private struct Unit {
        var byte: UInt8
        var start: Int
        var isEncoded: Bool
    }

    /// Where a value stands, in units.
    private struct Value {
        var range: Range<Int>
        /// What stands around the mask, where the value had no quotes of its own.
        var quote: [UInt8] = []
    }

    private let bytes: [UInt8]
    private let units: [Unit]

    /// Names whose values take the rest of the line, not one word.
    private static let lineNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        units = SecretScanner.units(of: bytes)
    }

    private static func units(of bytes: [UInt8]) -> [Unit] {
        var units: [Unit] = []
        units.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
            {
                units.append(Unit(byte: high << 4 | low, start: index, isEncoded: true))
                index += 3
            } else {
                units.append(Unit(byte: bytes[index], start: index, isEncoded: false))
                index += 1
            }
        }
        return units
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    /// The text without the values of secrets. O(n).
    private var masked: String {
        var result: [UInt8] = []
        var index = 0
        while index < units.count {
            var end = index
            while isNamePart(end) { end += 1 }
            guard end > index else {
                result += raw(index..<index + 1)
                index += 1
                continue
            }
            result += raw(index..<end)
            if let value = value(ofName: index..<end) {
                result += raw(end..<value.range.lowerBound)
                result += value.quote
                result += SecretScanner.mask.utf8
                result += value.quote
                end = value.range.upperBound
            }
            index = end
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Masks what stands between `://` and `@` in a URL's authority: user names and passwords.
    private static func maskingUserInfo(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("://".utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index...].starts(with: mark) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += mark
            index += mark.count
            let end = bytes[index...].firstIndex { Array("/?# \"'\r\n\t".utf8).contains($0) } ?? bytes.count
            guard let at = bytes[index..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            result += Array(mask.utf8)
            index = at
        }
        return result
    }

    /// The bytes of the text that units stand for.
    private func raw(_ range: Range<Int>) -> ArraySlice<UInt8> {
        guard !range.isEmpty else { return [] }
        let end = range.upperBound < units.count ? units[range.upperBound].start : bytes.count
        return bytes[units[range.lowerBound].start..<end]
    }

    private func byte(_ index: Int) -> UInt8? { units.indices.contains(index) ? units[index].byte : nil }

    private func isNamePart(_ index: Int) -> Bool {
        guard let byte = byte(index) else { return false }
        return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// The value that a name has, if it is a secret.
    private func value(ofName range: Range<Int>) -> Value? {
        let name = String(decoding: units[range].map(\.byte), as: UTF8.self)
        var index = range.upperBound
        // `credentials[token]=x`
        if byte(index) == UInt8(ascii: "]") { index += 1 }
        if byte(index) == UInt8(ascii: "=") {
            guard SecretNames.contain(name, in: .parameter) else { return nil }
            // An option's path (`--set target.headers.Cookie=a=1; b=2`) has all that follows for its value.
            let isPath = Array("./".utf8).contains(byte(range.lowerBound - 1) ?? 0x20)
            return parameterValue(
                from: index + 1, isEncoded: units[index].isEncoded, name: name, isPath: isPath)
        }
        let nameQuote = quote(at: range.upperBound)
        index = skipBlanks(from: range.upperBound + nameQuote)
        guard byte(index) == UInt8(ascii: ":"), SecretNames.contain(name, in: .member) else { return nil }
        index = skipBlanks(from: index + 1)
        // A member of JSON may have its value in another line.
        while nameQuote > 0, isLineEnd(index) { index = skipBlanks(from: index + 1) }
        return memberValue(from: index, name: name, range, nameQuote: nameQuote)
    }

    private func parameterValue(from start: Int, isEncoded: Bool, name: String, isPath: Bool) -> Value? {
        let quote = quote(at: start)
        if quote > 0 { return quotedValue(from: start, quote: quote) }
        guard SecretScanner.lineNames.contains(name.lowercased()) else {
            return wordValue(from: start, isEncoded: isEncoded)
        }
        return lineValue(from: start, closing: isPath ? nil : UInt8(ascii: "&"))
    }

    private func memberValue(from start: Int, name: String, _ range: Range<Int>, nameQuote: Int) -> Value? {
        if nameQuote == 0, let value = foldedValue(from: start, ofName: range) { return value }
        let quote = quote(at: start)
        if quote > 0 { return quotedValue(from: start, quote: quote) }
        if nameQuote > 0 {
            // An object's own members are looked at next; what is no text keeps the form of JSON.
            guard let first = byte(start), !Array("{[".utf8).contains(first), !isLiteral(start) else {
                return nil
            }
            guard var value = wordValue(from: start, isEncoded: units[start].isEncoded, ends: "}]") else {
                return nil
            }
            value.quote = Array(raw(range.upperBound..<range.upperBound + nameQuote))
            return value
        }
        guard SecretScanner.lineNames.contains(name.lowercased()) else {
            return wordValue(from: start, isEncoded: false)
        }
        // `-H 'Cookie: a=b'` ends with its quote.
        let before = byte(range.lowerBound - 1)
        return lineValue(from: start, closing: before.flatMap { "\"'".utf8.contains($0) ? $0 : nil })
    }

    // MARK: - Ends of values

    /// Up to the quote that closes: an escaped one in the same way as it was opened, a plain one not escaped.
    private func quotedValue(from start: Int, quote: Int) -> Value? {
        let first = start + quote
        let mark = byte(first - 1)
        var index = first
        var backslashes = 0
        while let byte = byte(index) {
            if byte == mark, quote == 1 ? backslashes % 2 == 0 : backslashes == quote - 1 { break }
            backslashes = byte == UInt8(ascii: "\\") ? backslashes + 1 : 0
            index += 1
        }
        let end = index < units.count ? index - (quote - 1) : units.count
        return end > first ? Value(range: first..<end) : nil
    }

    private func lineValue(from start: Int, closing: UInt8?) -> Value? {
        var end = start
        while let byte = byte(end), !isLineEnd(end), byte != closing { end += 1 }
        return end > start ? Value(range: start..<end) : nil
    }

    /// The value of a field of HTTP that goes on in the next line, as blanks at that one's beginning say (RFC 9112,
    /// 5.2): all of it, whatever its name. `nil` if it does not, or if the name does not begin a line.
    private func foldedValue(from start: Int, ofName name: Range<Int>) -> Value? {
        guard name.lowerBound == 0 || isLineEnd(name.lowerBound - 1) else { return nil }
        var end = start
        var isFolded = false
        while end < units.count {
            if isLineEnd(end) {
                let next = end + (byte(end) == 0x0D && byte(end + 1) == 0x0A ? 2 : 1)
                guard skipBlanks(from: next) > next else { break }
                isFolded = true
                end = next
            }
            end += 1
        }
        return isFolded ? Value(range: start..<end) : nil
    }

    private func isLineEnd(_ index: Int) -> Bool { byte(index) == 0x0A || byte(index) == 0x0D }

    /// Up to what separates parameters or words. Behind an encoded `=` encoded separators count, behind a plain one
    /// they are part of the value.
    private func wordValue(from start: Int, isEncoded: Bool, ends more: String = "") -> Value? {
        let ends = Array("&\"'<>#\\".utf8) + Array(more.utf8)
        var end = start
        while end < units.count {
            let unit = units[end]
            if isEncoded || !unit.isEncoded {
                if unit.byte <= 0x20 || ends.contains(unit.byte) { break }
                // In sentences and in lists of cookies; in a password they have no blank behind them.
                if isPunctuation(unit.byte), !more.isEmpty || endsWord(after: end) { break }
            }
            end += 1
        }
        return end > start ? Value(range: start..<end) : nil
    }

    private func isPunctuation(_ byte: UInt8) -> Bool { Array(";,)".utf8).contains(byte) }

    /// Whether nothing but punctuation follows in the word.
    private func endsWord(after index: Int) -> Bool {
        var next = index + 1
        while let byte = byte(next), isPunctuation(byte) { next += 1 }
        return byte(next) ?? 0x20 <= 0x20
    }

    private func isLiteral(_ start: Int) -> Bool {
        ["true", "false", "null"].contains { word in
            word.utf8.enumerated().allSatisfy { byte(start + $0.offset) == $0.element }
                && !isNamePart(start + word.utf8.count)
        }
    }

    /// The length of a quote with the backslashes before it; 0 where there is none.
    private func quote(at index: Int) -> Int {
        var end = index
        while byte(end) == UInt8(ascii: "\\") { end += 1 }
        guard let mark = byte(end), "\"'".utf8.contains(mark) else { return 0 }
        return end - index + 1
    }

    private func skipBlanks(from index: Int) -> Int {
        var index = index
        while byte(index) == 0x20 || byte(index) == 0x09 { index += 1 }
        return index
    }
}
