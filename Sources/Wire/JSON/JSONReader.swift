/// Reads JSON (RFC 8259) into a tree: strictly, or as people write it by hand.
///
/// Input must be UTF-8. Strings may not hold lone surrogates, since no Swift string can.
package struct JSONReader {
    /// Bytes that a text written by hand may have.
    package static let sizeLimit = 16 << 20
    /// Arrays and objects within each other.
    package static let depthLimit = 64

    /// Why reading stopped.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var position: SourcePosition
        package var found: String
        package var allowed: String

        package var description: String {
            guard case .file(let line, let column) = position else { return "\(found); allowed: \(allowed)" }
            return "line \(line), column \(column): \(found); allowed: \(allowed)"
        }
    }

    /// A key that its object has already.
    package struct Duplicate {
        package var path: JSONPath
        package var position: SourcePosition
        package var first: SourcePosition
    }

    let bytes: [UInt8]
    /// Whether comments and the like are taken, and positions are kept.
    let isByHand: Bool
    var index = 0
    private var duplicates: [Duplicate] = []
    private var path = JSONPath()
    /// Where `markIndex` stands; moves forward only, so that positions cost O(n) in all.
    private var markIndex = 0
    private var line = 1
    private var column = 1

    private init(bytes: [UInt8], isByHand: Bool) {
        self.bytes = bytes
        self.isByHand = isByHand
    }

    /// Reads a whole document as people write it: with `//` comments, trailing commas and a byte order mark
    /// where they like. Every value has its position.
    ///
    /// - Returns: the value, and every duplicate key met on the way (the first one counts).
    /// - Throws: ``Failure`` at the first byte that is not JSON, and for more than ``sizeLimit`` bytes.
    /// - Complexity: O(n).
    package static func read(_ bytes: [UInt8]) throws(Failure) -> (JSONNode, [Duplicate]) {
        guard bytes.count <= sizeLimit else {
            throw Failure(
                position: .none, found: "\(bytes.count) bytes", allowed: "at most \(sizeLimit) bytes")
        }
        var reader = JSONReader(bytes: bytes, isByHand: true)
        return (try reader.document(), reader.duplicates)
    }

    /// Reads a whole document as programs write it: nothing but JSON, no key twice, and no number beyond a
    /// double's range. Values have no positions.
    ///
    /// - Throws: ``Failure`` at the first byte that is not so.
    /// - Complexity: O(n).
    package static func readStrictly(_ bytes: [UInt8]) throws(Failure) -> JSONNode {
        var reader = JSONReader(bytes: bytes, isByHand: false)
        return try reader.document()
    }

    private mutating func document() throws(Failure) -> JSONNode {
        if let bad = JSONReader.firstInvalidByte(in: bytes) {
            index = bad
            throw failure(found: "bytes that are not UTF-8", allowed: "UTF-8")
        }
        if isByHand, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            index = 3
            markIndex = 3
        }
        let node = try value(depth: 0)
        try skipBlanks()
        guard index == bytes.count else { throw failure(found: here, allowed: "the end of the file") }
        return node
    }

    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// What stands at the present index, for a message.
    var here: String {
        guard let byte else { return "the end of the file" }
        guard byte >= 0x20 else { return "a control character (\(byte))" }
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        let code = text.unicodeScalars.first.flatMap(InvisibleCharacter.code)
        return code.map { "U+\($0), a character that cannot be seen" } ?? "\"\(text)\""
    }

    /// The position of the present index, where positions are kept.
    private mutating func kept() -> SourcePosition { isByHand ? position(at: index) : .none }

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

    mutating func failure(found: String, allowed: String) -> Failure {
        Failure(position: position(at: index), found: found, allowed: allowed)
    }

    private mutating func skipBlanks() throws(Failure) {
        while let byte {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D:
                index += 1
            case 0x2F where isByHand:
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
        let position = kept()
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
            if byte == 0x5D, isByHand || elements.isEmpty { break }
            if isByHand { path.tokens.append(String(elements.count)) }
            elements.append(try value(depth: depth + 1))
            if isByHand { path.tokens.removeLast() }
            try skipBlanks()
            guard byte == 0x2C else { break }
            index += 1
        }
        guard byte == 0x5D else { throw failure(found: here, allowed: "\",\" or \"]\"") }
        index += 1
        return elements
    }

    private mutating func object(depth: Int) throws(Failure) -> [JSONNode.Member] {
        try enter(depth)
        var members: [JSONNode.Member] = []
        var indices: [String: Int] = [:]
        while true {
            try skipBlanks()
            if byte == 0x7D, isByHand || members.isEmpty { break }
            guard byte == 0x22 else { throw failure(found: here, allowed: "a key in quotes or \"}\"") }
            let start = index
            let keyPosition = kept()
            let key = try string()
            let earlier = indices.updateValue(indices[key] ?? members.count, forKey: key)
            if earlier != nil, !isByHand {
                index = start
                throw failure(found: "a second \"\(key)\"", allowed: "each key once")
            }
            try skipBlanks()
            guard byte == 0x3A else { throw failure(found: here, allowed: "\":\"") }
            index += 1
            if isByHand { path.tokens.append(key) }
            let value = try value(depth: depth + 1)
            if let earlier {
                let first = members[earlier].keyPosition
                duplicates.append(Duplicate(path: path, position: keyPosition, first: first))
            } else {
                members.append(JSONNode.Member(key, value, keyPosition: keyPosition))
            }
            if isByHand { path.tokens.removeLast() }
            try skipBlanks()
            guard byte == 0x2C else { break }
            index += 1
        }
        guard byte == 0x7D else { throw failure(found: here, allowed: "\",\" or \"}\"") }
        index += 1
        return members
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
