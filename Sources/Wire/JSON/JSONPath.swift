/// The way from a document's root to a value.
package struct JSONPath: Hashable, Sendable {
    package var tokens: [String]

    package init(_ tokens: [String] = []) { self.tokens = tokens }

    package func appending(_ token: String) -> JSONPath { JSONPath(tokens + [token]) }
    package func appending(_ index: Int) -> JSONPath { appending(String(index)) }

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
