/// A JSON value that keeps what reports need kept: the order of keys, and integers exactly.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A whole number without fraction or exponent, −2^63 … −1 on input.
    case integer(Int64)
    /// A whole number without fraction or exponent, 0 … 2^64 − 1 on input.
    case unsigned(UInt64)
    /// Any other number; written as `null` if it is not finite, for JSON has no such numbers.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// An object of pairs in the order given.
    static func members(_ pairs: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(pairs.map { JSONMember($0.key, $0.value) })
    }

    /// The value of a key, or `nil` where this is no object or has no such key.
    package subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// What kind of value this is, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer, .unsigned, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether it has no values inside.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}

/// A key of an object with its value.
package struct JSONMember: Hashable, Sendable {
    package var key: String
    package var value: JSONValue
    package init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// Why a text is no JSON.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Bytes before the fault.
    package var offset: Int
    /// From 1.
    package var line: Int
    package var message: String
    package var description: String { "line \(line): \(message)" }
}

/// JSON as text (RFC 8259), both ways.
package enum JSONText {
    /// Writes a value; the same value gives the same bytes on every machine.
    ///
    /// - Parameter pretty: two spaces of indentation and a final newline, arrays of plain values on
    ///   one line; otherwise no space at all.
    package static func write(_ value: JSONValue, pretty: Bool = true) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(value, depth: 0)
        if pretty { writer.bytes.append(0x0A) }
        return writer.bytes
    }

    /// Reads one value, strictly: no comments, no trailing commas, no repeated keys, valid UTF-8,
    /// at most 64 levels deep.
    ///
    /// - Throws: ``JSONError`` that says what is wrong in which line.
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        return try reader.document()
    }
}
