/// A strict reader of RFC 8259.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSONValue {
        let result = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw error("text after the end of the value") }
        return result
    }

    private func error(_ message: String, at offset: Int? = nil) -> JSONError {
        let offset = offset ?? position
        let line = 1 + bytes.prefix(offset).count { $0 == 0x0A }
        return JSONError(offset: offset, line: line, message: message)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < 64 else { throw error("more than 64 levels deep") }
        skipSpace()
        switch current {
        case 0x7B: return try object(depth: depth)
        case 0x5B: return try array(depth: depth)
        case 0x22: return .string(try string())
        case 0x74: return try word("true", .boolean(true))
        case 0x66: return try word("false", .boolean(false))
        case 0x6E: return try word("null", .null)
        case nil: throw error("the text ends where a value is expected")
        case .some(0x2D), .some(0x30...0x39): return try number()
        default: throw error("no value begins with this character")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual(word.description.utf8) else {
            throw error("expected \(word)")
        }
        position = end
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var members: [JSONMember] = []
        var keys: Set<String> = []
        skipSpace()
        if take(0x7D) { return .object([]) }
        repeat {
            skipSpace()
            guard current == 0x22 else { throw error("expected a key in double quotes") }
            let start = position
            let key = try string()
            guard keys.insert(key).inserted else { throw error("the key \(key) appears twice", at: start) }
            skipSpace()
            guard take(0x3A) else { throw error("expected ':' after the key \(key)") }
            members.append(JSONMember(key, try value(depth: depth + 1)))
            skipSpace()
        } while take(0x2C)
        guard take(0x7D) else { throw error("expected ',' or '}'") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take(0x5D) { return .array([]) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(0x2C)
        guard take(0x5D) else { throw error("expected ',' or ']'") }
        return .array(values)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let negative = take(0x2D)
        let first = current
        let count = digits()
        guard count > 0 else { throw error("expected a digit") }
        guard first != 0x30 || count == 1 else { throw error("a number has a leading zero", at: start) }
        var whole = true
        if take(0x2E) {
            whole = false
            guard digits() > 0 else { throw error("expected a digit after the point") }
        }
        if take(0x65) || take(0x45) {
            whole = false
            if !take(0x2B) { _ = take(0x2D) }
            guard digits() > 0 else { throw error("expected a digit in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if whole, !negative, let number = UInt64(text) { return .unsigned(number) }
        if whole, negative, let number = Int64(text), number != 0 { return .integer(number) }
        guard let number = Double(text), number.isFinite else {
            throw error("a number out of range", at: start)
        }
        return .double(number)
    }

    private mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case 0x22:
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw error("a string is not valid UTF-8", at: start)
                }
                return text
            case 0x5C: try escape(into: &content)
            case 0..<0x20: throw error("a control character in a string", at: position - 1)
            default: content.append(byte)
            }
        }
        throw error("a string has no end", at: start)
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        guard let byte = current else { throw error("a string has no end") }
        position += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: content.append(byte)
        case 0x62: content.append(0x08)
        case 0x66: content.append(0x0C)
        case 0x6E: content.append(0x0A)
        case 0x72: content.append(0x0D)
        case 0x74: content.append(0x09)
        case 0x75:
            let scalar = try codePoint()
            content.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: throw error("no such escape", at: position - 1)
        }
    }

    private mutating func codePoint() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let high = try fourDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard (0xD800..<0xDC00).contains(high), take(0x5C), take(0x75) else {
            throw error("half of a surrogate pair", at: start)
        }
        let low = try fourDigits()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("half of a surrogate pair", at: start) }
        return scalar
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("expected four hexadecimal digits")
            }
            value = value << 4 + UInt32(digit)
            position += 1
        }
        return value
    }
}
