extension JSONNode {
    /// The value as JSON text, two spaces a level, keys in their order; short arrays of plain values
    /// stand on one line. The same value gives the same text.
    ///
    /// - Complexity: O(n).
    package func prettyText(indent: Int = 0) -> String {
        let inner = String(repeating: "  ", count: indent + 1)
        let outer = String(repeating: "  ", count: indent)
        switch content {
        case .array(let elements) where !elements.isEmpty:
            let compact = compactText
            if elements.allSatisfy(\.isPlain), compact.count + outer.count <= 100 { return compact }
            let lines = elements.map { inner + $0.prettyText(indent: indent + 1) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map {
                "\(inner)\(JSONNode.quoted($0.key)): \($0.value.prettyText(indent: indent + 1))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
        default:
            return compactText
        }
    }

    /// The value as JSON text without line breaks.
    package var compactText: String {
        switch content {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): JSONNode.quoted(text)
        case .array(let elements): "[" + elements.map(\.compactText).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.map { "\(JSONNode.quoted($0.key)): \($0.value.compactText)" }.joined(
                    separator: ", ") + "}"
        }
    }

    private var isPlain: Bool {
        switch content {
        case .array, .object: false
        default: true
        }
    }

    /// A JSON string with its quotes; only what JSON demands is escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
