import SDKDescription
import Wire

/// A captured value as a draft has it: its texts stand for themselves, and what is secret comes from the environment.
struct CapturedValue {
    private(set) var node = JSONNode.null
    /// What of it stands in the draft as it was captured.
    private(set) var kept: [KeptValue] = []
    /// What does not: its secrets.
    private(set) var guesses: [Guess] = []

    /// - Parameter path: Its place in the draft.
    init(_ captured: JSONNode, at path: JSONPath) { self.init(captured, at: path, texts: 0) }

    /// - Parameter texts: How many texts it lies in that hold JSON.
    private init(_ captured: JSONNode, at path: JSONPath, texts: Int) {
        self.texts = texts
        var secret: String?
        for count in path.tokens.indices {
            secret = CapturedValue.secret(at: JSONPath(Array(path.tokens[...count])), within: secret)
        }
        node = drafted(captured, at: path, secret)
    }

    private let texts: Int

    /// Whether nothing of it is in the draft.
    var isSecret: Bool { kept.isEmpty && !guesses.isEmpty }

    /// What a value is called that is secret by its key, or by a key around it; `nil` for any other.
    private static func secret(at path: JSONPath, within outer: String?) -> String? {
        guard let key = path.tokens.last, Int(key) == nil else { return outer }
        return FieldRole.isSecret(at: path) ? key : outer.map { "\($0)_\(key)" }
    }

    private mutating func drafted(_ node: JSONNode, at path: JSONPath, _ secret: String?) -> JSONNode {
        switch node.content {
        case .null: return node
        case .array(let elements):
            return .list(elements.enumerated().map { drafted($1, at: path.appending($0), secret) })
        case .object(let members):
            return .object(
                members.filter { $0.key != EventTemplateDraft.spread }.map { member in
                    let own = path.appending(member.key)
                    let name = CapturedValue.secret(at: own, within: secret)
                    return (member.key, drafted(member.value, at: own, name))
                })
        case .number:
            if let secret { return variable(secret, "a key", at: path) }
        case .string(let text) where !text.isEmpty:
            if let secret { return variable(secret, "a key", at: path) }
            if CapturedText.showsSecret(text) || holdsSecret(node, at: path) {
                let key = path.tokens.last { Int($0) == nil }
                return variable(key ?? "text", "a text with a key in it", at: path)
            }
        case .bool, .string: break
        }
        kept.append(KeptValue(path: path, node: node))
        return node.string.map { .text(CapturedText.literal($0)) } ?? node
    }

    /// Whether a text holds JSON with a secret in it, however that is packed. What lies in more texts than a template
    /// has may hold one.
    private func holdsSecret(_ text: JSONNode, at path: JSONPath) -> Bool {
        guard let inner = CapturedBody.json(in: text)?.json else { return false }
        return texts >= TemplateParser.textDepth
            || !CapturedValue(inner, at: path, texts: texts + 1).guesses.isEmpty
    }

    private mutating func variable(_ name: String, _ what: String, at path: JSONPath) -> JSONNode {
        let variable = CapturedHeaders.variable(name)
        guesses.append(Guess.secret(path.pointer, what, variable, .likely))
        return .text("${\(variable)}")
    }
}
