import Wire

/// What lies around the events in a body, and around the body in a form.
extension DraftBuilder {
    /// The body with `{{events}}` where its list is.
    mutating func body() -> JSONNode {
        guard list.framing == .list, !list.path.tokens.isEmpty else { return .text("{{events}}") }
        let root = JSONPath(["request", "body"])
        guess(JSONPath(root.tokens + list.path.tokens).pointer, "the list of events", .sure)
        // One without the list, such as a greeting before the first events, has nothing that lies around it.
        let bodies = route.bodies.map(\.json).filter { $0.value(at: list.path) != nil }
        if bodies.count < route.requests.count {
            guess(
                "",
                "\(route.requests.count - bodies.count) of \(route.requests.count) requests to this path: no such list, so nothing of their bodies is here",
                .sure)
        }
        return around(bodies, at: root, rest: list.path.tokens[...])
    }

    private mutating func around(
        _ values: [JSONNode], at path: JSONPath, rest: ArraySlice<String>
    ) -> JSONNode {
        if let texts = CapturedBody.texts(values) {
            return .object([(texts.encoding, around(texts.inner, at: path, rest: rest))])
        }
        guard let next = rest.first else { return .text("{{events}}") }
        var members: [(String, JSONNode)] = []
        let found = MemberValues(values)
        for member in values.first?.members ?? [] where member.key != EventTemplateDraft.spread {
            let own = path.appending(member.key)
            if member.key == next {
                members.append((member.key, around(found[next], at: own, rest: rest.dropFirst())))
            } else if let value = beside(member.key, found[member.key], at: own) {
                members.append((member.key, value))
            }
        }
        return .object(members)
    }

    /// What stands in a body, or in a form, beside its events; `nil` for what is left out.
    private mutating func beside(_ key: String, _ values: [JSONNode], at path: JSONPath) -> JSONNode? {
        let roles = FieldRole.candidates(key).map(\.role)
        if values.allSatisfy(\.isPlain), values.allSatisfy({ ValueForm($0).isTime }),
            roles.contains(.sent) || roles.contains(.time)
        {
            let fields = EventTemplateDraft(fields, at: path, idIsLower: false)
            guess(path.pointer, "the time of the attempt", .likely)
            return fields.time("sent", values)
        }
        if roles.contains(.secret), values.allSatisfy({ $0.string != nil }) {
            return secret(key, at: path)
        }
        guard let first = values.first else { return nil }
        if values.allSatisfy({ $0.members != nil }) { return object(values, at: path) }
        guard values.allSatisfy({ $0.content == first.content }) else {
            guess(path.pointer, "is left out: it differs from request to request", .unsure)
            return nil
        }
        return keep(first, at: path)
    }

    private mutating func secret(_ key: String, at path: JSONPath) -> JSONNode {
        let variable = CapturedHeaders.variable(key)
        guess(Guess.secret(path.pointer, "a key", variable, .likely))
        return .text("${\(variable)}")
    }

    /// An object member by member: one that differs takes no others along.
    private mutating func object(_ objects: [JSONNode], at path: JSONPath) -> JSONNode {
        var members: [(String, JSONNode)] = []
        let found = MemberValues(objects)
        for member in objects.first?.members ?? [] where member.key != EventTemplateDraft.spread {
            let own = path.appending(member.key)
            if let value = beside(member.key, found[member.key], at: own) {
                members.append((member.key, value))
            }
        }
        return .object(members)
    }

    /// How bodies are packed, as far as a description can say it.
    mutating func compress() -> JSONNode? {
        let codings = route.requests.compactMap { $0.header("content-encoding")?.lowercased() }
        for coding in Set(codings).subtracting(["gzip", "identity", ""]).sorted() {
            guess(
                "/request/compress",
                "bodies were packed with \(coding.prefix(40)), which no description says: the draft sends them without",
                .sure)
        }
        return route.bodies.contains(where: \.isGzip) ? JSONNode.text("gzip") : nil
    }

    // MARK: Forms

    private var isForm: Bool { route.bodies.contains { $0.field != nil } }

    /// The fields of the form that the bodies lie in; `nil` without a form, and where no description could say it.
    mutating func form() -> [(String, JSONNode)]? {
        guard let sample = route.bodies.first(where: { $0.field != nil }), let field = sample.field else {
            return nil
        }
        let captured = "the captured bodies are forms with the JSON in the field \"\(field)\""
        let isOne = route.bodies.allSatisfy {
            $0.field == field && $0.packing == sample.packing && !$0.isGzip
        }
        guard isOne, sample.form.count <= 50 else {
            guess(
                "/request/body",
                "\(captured), which request.form cannot say: packed as a whole, or not all alike; the draft sends the JSON by itself, and the Content-Type of forms is left out",
                .sure)
            return nil
        }
        guess("/request/form", "\(captured): \(sample.packing.placeholder)", .sure)
        var members: [(String, JSONNode)] = []
        var seen: Set<String> = []
        for name in route.bodies.flatMap({ $0.form.map(\.name) }) where seen.insert(name).inserted {
            if route.bodies.contains(where: { body in body.form.count { $0.name == name } > 1 }) {
                guessFirst(JSONPath(["request", "form", name]).pointer)
            }
            if name == field {
                members.append((field, .text(sample.packing.placeholder)))
            } else if let value = formField(name) {
                members.append((name, value))
            }
        }
        return members
    }

    /// A field of a form that does not hold the body.
    private mutating func formField(_ name: String) -> JSONNode? {
        let path = JSONPath(["request", "form", name])
        if CapturedHeaders.isSecret(name, in: .parameter) { return secret(name, at: path) }
        let values = route.bodies.compactMap { body in body.form.first { $0.name == name }?.value }
        guard values.count == route.bodies.count else {
            guess(path.pointer, "is left out: only some requests have it", .sure)
            return nil
        }
        return beside(name, values.map(JSONNode.text), at: path)
    }

    /// The headers of a draft; `nil` where a request without this key has the same.
    mutating func headers(_ kept: [(String, JSONNode)], saysForm: Bool) -> [(String, JSONNode)]? {
        guard !route.requests.allSatisfy(\.headers.isEmpty) else { return nil }
        guard isForm else { return kept }
        let type = "application/x-www-form-urlencoded"
        func isType(_ header: (String, JSONNode), _ type: String) -> Bool {
            header.0.lowercased() == "content-type"
                && (header.1.string ?? "").lowercased().hasPrefix(type)
        }
        func isFormType(_ header: (String, JSONNode)) -> Bool { isType(header, type) }
        var kept = kept
        if route.requests.contains(where: \.isMultipart) {
            kept.removeAll { isType($0, "multipart/form-data") }
            if !kept.contains(where: isFormType) { kept.insert(("Content-Type", .text(type)), at: 0) }
            guess(
                "/request/form",
                "multipart/form-data, which no description says: the draft sends the fields as \(type)", .sure
            )
        }
        let others = kept.filter { !isFormType($0) }
        guard !saysForm else {
            return kept.allSatisfy { isFormType($0) && $0.1.string?.lowercased() == type } ? nil : kept
        }
        // With other headers, the key stands in place of the default: JSON has to be said.
        return others.isEmpty
            ? nil : kept.map { isFormType($0) ? ($0.0, JSONNode.text("application/json")) : $0 }
    }
}
