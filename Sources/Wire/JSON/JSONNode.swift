/// A JSON value of its own: as a tree, in the order of its text, and with the place where it stood.
///
/// For documents that people and programs keep (scenarios, reports). What devices send is read by ``JSONParser``.
package struct JSONNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case null
        case bool(Bool)
        /// The digits as written, so that no number loses precision on its way.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// Members in the order of the file.
        case object([Member])
    }

    /// A key with its value.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var keyPosition: SourcePosition
        package var value: JSONNode

        package init(_ key: String, _ value: JSONNode, keyPosition: SourcePosition = .none) {
            self.key = key
            self.keyPosition = keyPosition
            self.value = value
        }
    }

    package var content: Content
    package var position: SourcePosition

    package init(_ content: Content, position: SourcePosition = .none) {
        self.content = content
        self.position = position
    }

    /// The members of an object, or `nil` for any other value.
    package var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    /// The elements of an array, or `nil` for any other value.
    package var elements: [JSONNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The text of a string, or `nil` for any other value.
    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// The digits of a number, or `nil` for any other value.
    package var digits: String? {
        if case .number(let text) = content { text } else { nil }
    }

    /// Whether it holds no other values.
    package var isPlain: Bool {
        switch content {
        case .array, .object: false
        default: true
        }
    }

    /// The value under a key of an object.
    ///
    /// - Complexity: O(members).
    package subscript(key: String) -> JSONNode? {
        members?.first { $0.key == key }?.value
    }

    /// The value at the end of a path of keys and of indices in arrays; `nil` if nothing is there.
    package func value(at path: [String]) -> JSONNode? {
        path.reduce(JSONNode?.some(self)) { node, token in
            if let elements = node?.elements {
                Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                node?[token]
            }
        }
    }

    /// What the value is, for a message: its type, and for short values the value itself.
    package var summary: String {
        switch content {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text.count <= 40 ? text : "a number of \(text.count) digits"
        case .string(let text): text.count <= 80 ? "\"\(text)\"" : "\"\(text.prefix(77))…\""
        case .array(let elements): elements.isEmpty ? "[]" : "an array"
        case .object(let members): members.isEmpty ? "{}" : "an object"
        }
    }
}

extension JSONNode {
    // Values of a document that a program makes: they have no position.

    package static let null = JSONNode(.null)
    package static func text(_ text: String) -> JSONNode { JSONNode(.string(text)) }
    package static func bool(_ value: Bool) -> JSONNode { JSONNode(.bool(value)) }
    package static func int(_ value: some BinaryInteger) -> JSONNode { JSONNode(.number(String(value))) }
    /// `null` for what is not finite: JSON has no such numbers.
    package static func number(_ value: Double) -> JSONNode {
        value.isFinite ? JSONNode(.number(digits(of: value))) : .null
    }
    package static func list(_ elements: [JSONNode]) -> JSONNode { JSONNode(.array(elements)) }
    package static func texts(_ elements: [String]) -> JSONNode { .list(elements.map(JSONNode.text)) }
    package static func object(_ members: [(String, JSONNode)]) -> JSONNode {
        JSONNode(.object(members.map { Member($0.0, $0.1) }))
    }

    /// The shortest digits that read back as the same number; whole numbers without a fraction, and `null` for
    /// what is not finite.
    package static func digits(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        if number == number.rounded(), abs(number) < 9_007_199_254_740_992 { return String(Int64(number)) }
        return number.description
    }
}

/// Where a value comes from.
package enum SourcePosition: Hashable, Sendable {
    /// Line and column in the scenario file, both from 1; a column is a Unicode scalar.
    case file(line: Int, column: Int)
    /// An option or environment variable, as the user wrote it.
    case override(String)
    /// A description that comes with the program, by its name and version.
    case preset(String)
    /// Nowhere: made by the program.
    case none
}
