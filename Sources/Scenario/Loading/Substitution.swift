import Wire

/// Replaces `${NAME}` in texts by environment variables. What came so is secret.
struct Substitution {
    let environment: [String: String]
    private(set) var secrets: [String] = []
    private(set) var problems: [Problem] = []
    /// Of the variables that were replaced: ``ScenarioDocument/variables``.
    private(set) var variables: [String: String] = [:]

    init(environment: [String: String]) { self.environment = environment }

    /// The value with every text of it substituted; keys stay as they are. What a variable holds is
    /// not substituted again.
    mutating func apply(to node: JSONNode, at path: JSONPath = JSONPath()) -> JSONNode {
        var result = node
        switch node.content {
        case .string(let text):
            if text.utf8.contains(UInt8(ascii: "$")) {
                result.content = .string(expand(text, Place(node: node, path: path)))
            }
        case .array(let elements):
            result.content = .array(
                elements.enumerated().map { apply(to: $1, at: path.appending($0)) })
        case .object(let members):
            result.content = .object(
                members.map { member in
                    var copy = member
                    copy.value = apply(to: member.value, at: path.appending(member.key))
                    return copy
                })
        case .null, .bool, .number: break
        }
        return result
    }

    /// Whether a text is `${NAME}`, or several of them, and nothing else.
    static func isOnlyVariables(_ text: String) -> Bool {
        text.hasSuffix("}") && text.split(separator: "}").allSatisfy { $0.hasPrefix("${") }
    }

    private mutating func expand(_ text: String, _ place: Place) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "{")
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.count
            let name = String(decoding: bytes[(index + 2)..<max(end, index + 2)], as: UTF8.self)
            result += Array(value(of: name, closed: end < bytes.count, place).utf8)
            index = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func value(of name: String, closed: Bool, _ place: Place) -> String {
        let isName =
            closed && !name.isEmpty && name.first?.isNumber != true
            && name.unicodeScalars.allSatisfy {
                $0 == "_" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
            }
        if isName, let value = environment[name] {
            if !value.isEmpty, !secrets.contains(value) { secrets.append(value) }
            if variables[name] == nil {
                variables[name] = ScenarioDocument.sum(ofVariable: name, value: value)
            }
            return value
        }
        let nearest = isName ? NameDistance.nearest(to: name, among: environment.keys.sorted()) : nil
        problems.append(
            Problem(
                .unsetVariable, at: place.path, position: place.node.position,
                found: closed ? "${\(name)}" : "\"${\" without \"}\"",
                allowed: isName ? "an environment variable that is set" : "${NAME}", nearest: nearest))
        return ""
    }
}
