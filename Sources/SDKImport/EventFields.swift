import Wire

/// What each field of events is for: one field for each role, and the object with what the app hands over.
struct EventFields {
    /// A field, with its value in each event that has it.
    struct Field {
        var path: JSONPath
        var values: [JSONNode]
    }

    /// What some events have, in the order in which it comes first.
    private struct Found {
        private(set) var fields: [Field] = []
        /// The paths of objects within the events.
        private(set) var objects: [JSONPath] = []
        /// Where in ``fields`` each path is.
        private var indices: [JSONPath: Int] = [:]
        private var seen: Set<JSONPath> = []

        mutating func collect(_ node: JSONNode, at path: JSONPath) {
            if let members = (node.jsonOfText ?? node).members, path.tokens.count < 6 {
                if !path.tokens.isEmpty, seen.insert(path).inserted { objects.append(path) }
                // The place of a field that has a role is a text of the draft.
                for member in members where !CapturedText.hasVariable(member.key) {
                    collect(member.value, at: path.appending(member.key))
                }
            } else if node.isPlain, node.content != .null {
                if let index = indices[path] {
                    fields[index].values.append(node)
                } else {
                    indices[path] = fields.count
                    fields.append(Field(path: path, values: [node]))
                }
            }
        }
    }

    private(set) var roles: [JSONPath: FieldRole] = [:]
    private(set) var properties: JSONPath?
    /// A whole number that is called like an id and differs in all events, where no text does: `{{row}}`.
    private(set) var number: JSONPath?
    let eventCount: Int

    init(_ events: [JSONNode]) {
        eventCount = events.count
        var found = Found()
        for event in events { found.collect(event, at: JSONPath()) }
        let fields = found.fields
        properties = EventFields.properties(among: found.objects)
        choose(.id, among: fields)
        if path(of: .id) == nil { chooseNumber(among: fields) }
        for role in [FieldRole.time, .name] { choose(role, among: fields) }
        for field in fields where roles[field.path] == nil {
            roles[field.path] = EventFields.freeRole(of: field)
        }
    }

    /// The path of the field with a role.
    func path(of role: FieldRole) -> JSONPath? {
        roles.filter { $0.value == role }.keys.min {
            ($0.tokens.count, $0.pointer) < ($1.tokens.count, $1.pointer)
        }
    }

    /// The likeliest object; the outer one of two alike, but for an envelope around another.
    private static func properties(among objects: [JSONPath]) -> JSONPath? {
        let named = objects.compactMap { path in
            path.tokens.last.flatMap { FieldRole.propertyRank($0) }.map { (path: path, rank: $0) }
        }
        // `data` around `data` is an envelope.
        var envelopes: Set<JSONPath> = []
        for tokens in named.map(\.path.tokens) {
            for count in 1..<tokens.count where tokens[count - 1] == tokens.last {
                envelopes.insert(JSONPath(Array(tokens.prefix(count))))
            }
        }
        return named.filter { !envelopes.contains($0.path) }
            .min { ($0.rank, $0.path.tokens.count) < ($1.rank, $1.path.tokens.count) }?.path
    }

    /// Gives a role to the one field that fits best.
    private mutating func choose(_ role: FieldRole, among fields: [Field]) {
        guard let best = likeliest(role, among: fields, where: { fits(role, $0) }) else { return }
        roles[best.path] = role
    }

    /// A description's own ids are texts: a number in the place of one counts the events of a device. What the app hands
    /// over is its own.
    private mutating func chooseNumber(among fields: [Field]) {
        let best = likeliest(.id, among: fields) { field in
            let isOwn = properties.map { !field.path.tokens.starts(with: $0.tokens) } ?? true
            let numbers = Set(field.values.compactMap { $0.digits.flatMap { Int64($0) } })
            return isOwn && eventCount > 1 && numbers.count == eventCount
        }
        guard let best else { return }
        roles[best.path] = .row
        number = best.path
    }

    /// The field of all events that is most likely called as a role says, of those that fit it.
    private func likeliest(
        _ role: FieldRole, among fields: [Field], where fits: (Field) -> Bool
    ) -> Field? {
        let fitting = fields.compactMap { field -> (field: Field, rank: Int)? in
            guard field.values.count == eventCount, let key = field.path.tokens.last,
                roles[field.path] == nil,
                let found = FieldRole.candidates(key).first(where: { $0.role == role }), fits(field)
            else { return nil }
            // Fields of the event itself are likelier than those within others.
            return (field, found.rank + 20 * (field.path.tokens.count - 1))
        }
        return fitting.min { $0.rank < $1.rank }?.field
    }

    private func fits(_ role: FieldRole, _ field: Field) -> Bool {
        let forms = Set(field.values.map { ValueForm($0) })
        switch role {
        case .id:
            let isUnique = Set(field.values.map(\.compactText)).count == eventCount
            // Several that all differ need not look like ids.
            let isText = eventCount > 1 && field.values.allSatisfy { $0.string != nil }
            return isUnique && (isText || forms.allSatisfy(\.isID))
        case .time: return forms.allSatisfy(\.isTime)
        case .name:
            return field.values.allSatisfy { $0.string != nil } && !forms.contains { $0.isID && $0 != .token }
        default: return true
        }
    }

    /// The role of a field that may be one of several of its kind.
    private static func freeRole(of field: Field) -> FieldRole? {
        let forms = Set(field.values.map { ValueForm($0) })
        for (role, _) in FieldRole.candidates(at: field.path) {
            switch role {
            case .id, .name, .time: continue
            case .sent: if forms.allSatisfy(\.isTime) { return role }
            case .row, .sessionIndex: if field.values.allSatisfy({ $0.digits != nil }) { return role }
            case .secret: if field.values.allSatisfy({ ($0.string?.count ?? 0) > 0 }) { return role }
            default: if field.values.allSatisfy({ $0.string != nil }) { return role }
            }
        }
        return nil
    }
}
