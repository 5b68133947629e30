import Wire

/// The template of an event, drafted from events.
struct EventTemplateDraft {
    /// What stands in a template in the place of a name, for members that are inserted.
    static let spread = "..."

    private let fields: EventFields
    /// Where the template begins in the draft.
    private let root: JSONPath
    private let idIsLower: Bool
    private(set) var perEvent: [(String, JSONNode)] = []
    private(set) var guesses: [Guess] = []
    /// The values that stand in the draft as they were captured, by their places in it.
    private(set) var kept: [KeptValue] = []

    init(_ fields: EventFields, at root: JSONPath, idIsLower: Bool) {
        (self.fields, self.root, self.idIsLower) = (fields, root, idIsLower)
    }

    /// The template for values that stand at one path of some events.
    mutating func template(_ values: [JSONNode], at path: JSONPath) -> JSONNode {
        if let texts = CapturedBody.texts(values) {
            return .object([(texts.encoding, template(texts.inner, at: path))])
        }
        if values.allSatisfy({ $0.members != nil }) { return object(values, at: path) }
        if let role = fields.roles[path], let text = placeholder(role, values, at: path) { return text }
        return constant(values, at: path)
    }

    private mutating func object(_ objects: [JSONNode], at path: JSONPath) -> JSONNode {
        let isProperties = path == fields.properties
        var members: [(String, JSONNode)] = []
        if isProperties || (fields.properties == nil && path.tokens.isEmpty) {
            members.append((EventTemplateDraft.spread, .text("{{properties}}")))
        }
        let found = MemberValues(objects)
        // A property is the SDK's own if it is the same in every event, where events differ in what else they have.
        let differ = isProperties && found.keys.contains { found[$0].count < objects.count }
        for key in found.keys {
            let own = path.appending(key)
            guard key != EventTemplateDraft.spread else {
                note(own, "is left out: a template's own word, so no field can have this name", .sure)
                continue
            }
            let values = found[key]
            let role = fields.roles[own]
            if role == .sent, path.tokens.isEmpty {
                perEvent.append((key, time("sent", values)))
            } else if values.count < objects.count, role != .userID, role != .screenName,
                !leadsToProperties(own)
            {
                guard !isProperties else { continue }
                note(own, "is left out: only \(values.count) of \(objects.count) events have it", .sure)
            } else if isProperties, role == nil,
                !differ || !values.allSatisfy({ $0.content == values.first?.content })
            {
                continue
            } else {
                members.append((key, template(values, at: own)))
            }
        }
        return .object(members)
    }

    /// Whether the app's properties are at a path, or below it.
    private func leadsToProperties(_ path: JSONPath) -> Bool {
        fields.properties?.tokens.starts(with: path.tokens) ?? false
    }

    // MARK: Values

    private mutating func placeholder(
        _ role: FieldRole, _ values: [JSONNode], at path: JSONPath
    ) -> JSONNode? {
        switch role {
        case .id: return .text(idIsLower ? "{{id|lower}}" : "{{id}}")
        case .name: return .text("{{name}}")
        case .time:
            note(path, "the time of the capture, by its name and its values", .likely)
            return time("time", values)
        case .sent: return time("sent", values)
        case .secret: return secret(path)
        case .row, .sessionIndex:
            let isText = values.contains { $0.string != nil }
            let name = role == .row ? "row" : "session.index"
            note(path, "{{\(name)}}, by its name", .unsure)
            return .text("{{\(name)\(isText ? "|text" : "")}}")
        default:
            guard let name = EventTemplateDraft.sources[role] else { return nil }
            note(path, "{{\(name)}}, by its name", role == .userID || role == .distinctID ? .likely : .unsure)
            return .text("{{\(name)}}")
        }
    }

    private static let sources: [FieldRole: String] = [
        .distinctID: "distinctId", .userID: "userId?", .anonymousID: "anonymousId", .deviceID: "device.id",
        .sessionID: "session.id", .appVersion: "app.version", .appBuild: "app.build|text", .appID: "app.id",
        .osVersion: "os.version", .deviceModel: "device.model", .carrier: "device.carrier?",
        .screenName: "screen.name?",
    ]

    func time(_ source: String, _ values: [JSONNode]) -> JSONNode {
        let form = values.first.map { ValueForm($0) }
        let isText = values.contains { $0.string != nil } ? "|text" : ""
        return switch form {
        case .isoTime: .text("{{\(source)|iso}}")
        case .seconds: .text("{{\(source)|s\(isText)}}")
        default: .text("{{\(source)|ms\(isText)}}")
        }
    }

    private mutating func secret(_ path: JSONPath) -> JSONNode {
        let variable = CapturedHeaders.variable(path.tokens.last ?? "key")
        let pointer = JSONPath(root.tokens + path.tokens).pointer
        guesses.append(Guess.secret(pointer, "a key", variable, .likely))
        return .text("${\(variable)}")
    }

    /// The one value that all have; else the first.
    private mutating func constant(_ values: [JSONNode], at path: JSONPath) -> JSONNode {
        guard let first = values.first else { return .null }
        let value = CapturedValue(first, at: JSONPath(root.tokens + path.tokens))
        guesses += value.guesses
        if values.allSatisfy({ $0.content == first.content }) {
            kept += value.kept
        } else if !value.isSecret {
            note(path, "differs from event to event; every event gets the first one's", .unsure)
        }
        return value.node
    }

    private mutating func note(_ path: JSONPath, _ text: String, _ sureness: Guess.Sureness) {
        guesses.append(Guess(JSONPath(root.tokens + path.tokens).pointer, text, sureness))
    }
}
