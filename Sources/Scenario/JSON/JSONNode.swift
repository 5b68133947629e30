/// A JSON value that knows where it stands.
package struct JSONNode: Hashable, Sendable {
    package indirect enum Content: Hashable, Sendable {
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
    var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    /// The elements of an array, or `nil` for any other value.
    var elements: [JSONNode]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The text of a string, or `nil` for any other value.
    var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// The value under a key of an object.
    ///
    /// - Complexity: O(members).
    subscript(key: String) -> JSONNode? {
        members?.first { $0.key == key }?.value
    }

    /// What the value is, for a message: its type, and for short values the value itself.
    var summary: String {
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
    /// Makes values of a generated document; they have no position.
    static func text(_ text: String) -> JSONNode { JSONNode(.string(text)) }
    static func int(_ value: Int) -> JSONNode { JSONNode(.number(String(value))) }
    static func bool(_ value: Bool) -> JSONNode { JSONNode(.bool(value)) }
    static func list(_ elements: [JSONNode]) -> JSONNode { JSONNode(.array(elements)) }
    static func texts(_ elements: [String]) -> JSONNode { .list(elements.map(JSONNode.text)) }
    static func number(_ value: Double) -> JSONNode {
        value == value.rounded() && abs(value) < 1e15 ? .int(Int(value)) : JSONNode(.number("\(value)"))
    }
    static func object(_ members: [(String, JSONNode)]) -> JSONNode {
        JSONNode(.object(members.map { Member($0.0, $0.1) }))
    }
}

/// Where a value comes from.
package enum SourcePosition: Hashable, Sendable {
    /// Line and column in the scenario file, both from 1; a column is a Unicode scalar.
    case file(line: Int, column: Int)
    /// An option or environment variable, as the user wrote it.
    case override(String)
    /// Nowhere: made by the program.
    case none
}

/// The way from a document's root to a value.
package struct JSONPath: Hashable, Sendable {
    package var tokens: [String]

    package init(_ tokens: [String] = []) { self.tokens = tokens }

    func appending(_ token: String) -> JSONPath { JSONPath(tokens + [token]) }
    func appending(_ index: Int) -> JSONPath { appending(String(index)) }

    /// The JSON pointer (RFC 6901); empty for the root.
    package var pointer: String {
        tokens.map { token in
            var escaped = "/"
            for character in token.unicodeScalars {
                switch character {
                case "~": escaped += "~0"
                case "/": escaped += "~1"
                default: escaped.unicodeScalars.append(character)
                }
            }
            return escaped
        }
        .joined()
    }

    /// Reads a dotted path (`populations.0.devices`) or a JSON pointer (`/populations/0/devices`).
    ///
    /// - Returns: `nil` for an empty path or one with an empty dotted part.
    package init?(text: String) {
        guard !text.isEmpty else { return nil }
        if text.first == "/" {
            tokens = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
                JSONPath.unescape($0)
            }
        } else {
            tokens = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard tokens.allSatisfy({ !$0.isEmpty }) else { return nil }
        }
    }

    private static func unescape(_ token: Substring) -> String {
        var result = ""
        var rest = token
        while let character = rest.popFirst() {
            guard character == "~", let code = rest.first, code == "0" || code == "1" else {
                result.append(character)
                continue
            }
            rest.removeFirst()
            result += code == "0" ? "~" : "/"
        }
        return result
    }
}
