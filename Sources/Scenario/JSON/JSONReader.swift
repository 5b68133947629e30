/// Reads JSON (RFC 8259) with positions, `//` comments and trailing commas.
///
/// Input must be UTF-8, with or without a byte order mark. Strings may not hold lone surrogates,
/// since no Swift string can.
struct JSONReader {
    /// Bytes that a scenario may have.
    static let sizeLimit = 16 << 20
    /// Arrays and objects within each other.
    static let depthLimit = 64

    /// Why reading stopped.
    struct Failure: Error {
        var position: SourcePosition
        var found: String
        var allowed: String
    }

    /// A key that its object has already.
    struct Duplicate {
        var path: JSONPath
        var position: SourcePosition
        var first: SourcePosition
    }

    private let bytes: [UInt8]
    private var index = 0
    private var duplicates: [Duplicate] = []
    private var path = JSONPath()
    /// Where `markIndex` stands; moves forward only, so that positions cost O(n) in all.
    private var markIndex = 0
    private var line = 1
    private var column = 1

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a whole document.
    ///
    /// - Returns: the value, and every duplicate key met on the way (the first one counts).
    /// - Throws: ``Failure`` at the first place that is not JSON.
    /// - Complexity: O(n), beside O(k²) for an object of k keys.
    static func read(_ bytes: [UInt8]) throws(Failure) -> (JSONNode, [Duplicate]) {
        guard bytes.count <= sizeLimit else {
            throw Failure(
                position: .none, found: "\(bytes.count) bytes", allowed: "at most \(sizeLimit) bytes")
        }
        var reader = JSONReader(bytes: bytes)
        if let bad = firstInvalidByte(in: bytes) {
            reader.index = bad
            throw reader.failure(found: "bytes that are not UTF-8", allowed: "UTF-8")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            reader.index = 3
            reader.markIndex = 3
        }
        let node = try reader.value(depth: 0)
        try reader.skipBlanks()
        guard reader.index == bytes.count else {
            throw reader.failure(found: reader.here, allowed: "the end of the file")
        }
        return (node, reader.duplicates)
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// What stands at the present index, for a message.
    private var here: String {
        guard let byte else { return "the end of the file" }
        guard byte >= 0x20 else { return "a control character (\(byte))" }
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return "\"\(String(decoding: bytes[index..<end], as: UTF8.self))\""
    }

    private mutating func position(at target: Int) -> SourcePosition {
        while markIndex < min(target, bytes.count) {
            if bytes[markIndex] == 0x0A {
                line += 1
                column = 1
            } else if bytes[markIndex] & 0xC0 != 0x80 {
                column += 1
            }
            markIndex += 1
        }
        return .file(line: line, column: column)
    }

    private mutating func failure(found: String, allowed: String) -> Failure {
        Failure(position: position(at: index), found: found, allowed: allowed)
    }

    private mutating func skipBlanks() throws(Failure) {
        while let byte {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D:
                index += 1
            case 0x2F:
                guard index + 1 < bytes.count, bytes[index + 1] == 0x2F else {
                    throw failure(found: here, allowed: "a comment beginning with //")
                }
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            default:
                return
            }
        }
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Failure) -> JSONNode {
        try skipBlanks()
        let position = position(at: index)
        guard let byte else { throw failure(found: here, allowed: "a JSON value") }
        switch byte {
        case 0x7B: return JSONNode(.object(try object(depth: depth)), position: position)
        case 0x5B: return JSONNode(.array(try array(depth: depth)), position: position)
        case 0x22: return JSONNode(.string(try string()), position: position)
        case 0x2D, 0x30...0x39: return JSONNode(.number(try number()), position: position)
        case 0x74: return JSONNode(try literal("true", .bool(true)), position: position)
        case 0x66: return JSONNode(try literal("false", .bool(false)), position: position)
        case 0x6E: return JSONNode(try literal("null", .null), position: position)
        default: throw failure(found: here, allowed: "a JSON value")
        }
    }

    private mutating func literal(_ word: StaticString, _ content: JSONNode.Content) throws(Failure)
        -> JSONNode.Content
    {
        let text = "\(word)".utf8
        guard bytes[index...].starts(with: text) else {
            throw failure(found: here, allowed: "true, false or null")
        }
        index += text.count
        return content
    }

    private mutating func enter(_ depth: Int) throws(Failure) {
        guard depth < JSONReader.depthLimit else {
            throw failure(found: "more than \(JSONReader.depthLimit) levels", allowed: "fewer levels")
        }
        index += 1
    }

    private mutating func array(depth: Int) throws(Failure) -> [JSONNode] {
        try enter(depth)
        var elements: [JSONNode] = []
        while true {
            try skipBlanks()
            if byte == 0x5D { break }
            path.tokens.append(String(elements.count))
            elements.append(try value(depth: depth + 1))
            path.tokens.removeLast()
            try skipBlanks()
            if byte == 0x2C {
                index += 1
            } else if byte != 0x5D {
                throw failure(found: here, allowed: "\",\" or \"]\"")
            }
        }
        index += 1
        return elements
    }

    private mutating func object(depth: Int) throws(Failure) -> [JSONNode.Member] {
        try enter(depth)
        var members: [JSONNode.Member] = []
        while true {
            try skipBlanks()
            if byte == 0x7D { break }
            guard byte == 0x22 else { throw failure(found: here, allowed: "a key in quotes or \"}\"") }
            let keyPosition = position(at: index)
            let key = try string()
            try skipBlanks()
            guard byte == 0x3A else { throw failure(found: here, allowed: "\":\"") }
            index += 1
            path.tokens.append(key)
            let value = try value(depth: depth + 1)
            if let first = members.first(where: { $0.key == key }) {
                duplicates.append(Duplicate(path: path, position: keyPosition, first: first.keyPosition))
            } else {
                members.append(JSONNode.Member(key, value, keyPosition: keyPosition))
            }
            path.tokens.removeLast()
            try skipBlanks()
            if byte == 0x2C {
                index += 1
            } else if byte != 0x7D {
                throw failure(found: here, allowed: "\",\" or \"}\"")
            }
        }
        index += 1
        return members
    }

    private mutating func digits() throws(Failure) {
        let start = index
        while let byte, (0x30...0x39).contains(byte) { index += 1 }
        guard index > start else { throw failure(found: here, allowed: "a digit") }
    }

    private mutating func number() throws(Failure) -> String {
        let start = index
        if byte == 0x2D { index += 1 }
        if byte == 0x30 {
            index += 1
            if let byte, (0x30...0x39).contains(byte) {
                throw failure(found: here, allowed: "no digit after a leading 0")
            }
        } else {
            try digits()
        }
        if byte == 0x2E {
            index += 1
            try digits()
        }
        if byte == 0x65 || byte == 0x45 {
            index += 1
            if byte == 0x2B || byte == 0x2D { index += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    // MARK: Strings

    private mutating func string() throws(Failure) -> String {
        index += 1
        var result: [UInt8] = []
        while let byte {
            switch byte {
            case 0x22:
                index += 1
                return String(decoding: result, as: UTF8.self)
            case 0x5C:
                try escape(into: &result)
            case ..<0x20:
                throw failure(found: here, allowed: "an escape such as \\n")
            default:
                result.append(byte)
                index += 1
            }
        }
        throw failure(found: here, allowed: "the end of the string")
    }

    private mutating func escape(into result: inout [UInt8]) throws(Failure) {
        index += 1
        guard let code = byte else { throw failure(found: here, allowed: "an escape") }
        let plain: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        if let byte = plain[code] {
            result.append(byte)
            index += 1
            return
        }
        guard code == 0x75 else { throw failure(found: here, allowed: "one of \" \\ / b f n r t u") }
        let high = try unit()
        var value = UInt32(high)
        if (0xD800..<0xDC00).contains(high), byte == 0x5C, index + 1 < bytes.count, bytes[index + 1] == 0x75 {
            index += 1
            let low = try unit()
            if (0xDC00..<0xE000).contains(low) {
                value = 0x10000 + (value - 0xD800) << 10 + UInt32(low) - 0xDC00
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw failure(found: "a lone surrogate", allowed: "a pair of surrogates")
        }
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar())
    }

    /// Reads the four digits after `\u`, from the `u` on.
    private mutating func unit() throws(Failure) -> UInt16 {
        index += 1
        guard index + 4 <= bytes.count,
            bytes[index..<index + 4].allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
            }),
            let value = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw failure(found: here, allowed: "four hexadecimal digits") }
        index += 4
        return value
    }

    /// The index of the first byte that belongs to no UTF-8 sequence.
    private static func firstInvalidByte(in bytes: [UInt8]) -> Int? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var index = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): index += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return index
            }
        }
    }
}
