package import Wire

extension Template {
    /// The template with others in the place of some placeholders.
    ///
    /// - Parameter replacement: What stands for a placeholder; `nil` leaves it.
    package func replacing(_ replacement: (Placeholder) -> Template?) -> Template {
        switch self {
        case .null, .bool, .number: return self
        case .value(let placeholder): return replacement(placeholder) ?? self
        case .text(let segments):
            return .text(
                segments.flatMap { segment -> [Segment] in
                    guard case .slot(let placeholder) = segment,
                        case .text(let own)? = replacement(placeholder)
                    else { return [segment] }
                    return own
                })
        case .list(let elements): return .list(elements.map { $0.replacing(replacement) })
        case .encoded(let encoding, let value): return .encoded(encoding, value.replacing(replacement))
        case .object(let members):
            return .object(
                Template.flattened(
                    members.map { member in
                        switch member {
                        case .key(let name, let value): .key(name, value.replacing(replacement))
                        case .merge(let value): .merge(value.replacing(replacement))
                        }
                    }))
        }
    }

    /// Members in which no merged object is known beforehand: a key of the object itself wins over a merged one of its
    /// name, and a later one over an earlier one.
    package static func flattened(_ members: [Member]) -> [Member] {
        let own = Set(members.compactMap(\.name))
        var flat: [Member] = []
        for member in members {
            guard case .merge(.object(let merged)) = member else {
                flat.append(member)
                continue
            }
            flat += merged.filter { $0.name.map { !own.contains($0) } ?? true }
        }
        var seen: Set<String> = []
        return flat.reversed().filter { member in member.name.map { seen.insert($0).inserted } ?? true }
            .reversed()
    }

    /// The event that an action makes of an envelope: its name and its properties are filled in.
    package func event(name: Template, properties: Template) -> Template {
        replacing { placeholder in
            switch placeholder.source {
            case .name: name.through(placeholder.filters)
            case .properties: placeholder.filters.isEmpty ? properties : nil
            default: nil
            }
        }
    }

    /// A text through the filters of letters, segment by segment; what is no text stays as it is.
    package func through(_ filters: [Placeholder.Filter]) -> Template {
        guard !filters.isEmpty, case .text(let segments) = self else { return self }
        return .text(
            segments.map { segment in
                switch segment {
                case .constant(let text): return .constant(Placeholder.Filter.apply(filters, to: text))
                case .slot(var placeholder):
                    // Digits are the same in all letters.
                    if placeholder.kind == .text { placeholder.filters += filters }
                    return .slot(placeholder)
                }
            })
    }

    /// The template with one more member, as the last of the object in which it shall stand.
    ///
    /// - Parameter path: Its place; a way into JSON that is written as a text goes on in there.
    /// - Returns: `nil` where there is no object at the place around it, or where the key is taken.
    package func inserting(_ value: Template, at path: JSONPath) -> Template? {
        guard let token = path.tokens.first else { return nil }
        let rest = JSONPath(Array(path.tokens.dropFirst()))
        switch self {
        case .encoded(let encoding, let inner):
            return inner.inserting(value, at: path).map { .encoded(encoding, $0) }
        case .value(let placeholder) where placeholder.source == .properties && rest.tokens.isEmpty:
            return .object([.merge(self), .key(token, value)])
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.name == token }) else {
                return rest.tokens.isEmpty ? .object(members + [.key(token, value)]) : nil
            }
            guard let inner = members[index].value.inserting(value, at: rest) else { return nil }
            members[index] = .key(token, inner)
            return .object(members)
        case .list(var elements):
            guard let index = Int(token), elements.indices.contains(index),
                let inner = elements[index].inserting(value, at: rest)
            else { return nil }
            elements[index] = inner
            return .list(elements)
        default: return nil
        }
    }

    /// What stands at a place; a way into JSON that is written as a text goes on in there.
    package func value(at path: JSONPath) -> Template? {
        guard let token = path.tokens.first else { return self }
        let rest = JSONPath(Array(path.tokens.dropFirst()))
        switch self {
        case .encoded(_, let inner): return inner.value(at: path)
        case .object(let members): return members.first { $0.name == token }?.value.value(at: rest)
        case .list(let elements):
            guard let index = Int(token), elements.indices.contains(index) else { return nil }
            return elements[index].value(at: rest)
        default: return nil
        }
    }

    /// Texts with JSON in each other that lie around a placeholder; `nil` where it is not there.
    package func texts(around source: Placeholder.Source) -> Int? {
        // In loops: a lazy sequence would look at the first twice, at each level.
        switch self {
        case .value(let placeholder): return placeholder.source == source ? 0 : nil
        case .encoded(_, let inner): return inner.texts(around: source).map { $0 + 1 }
        case .object(let members):
            for member in members { if let count = member.value.texts(around: source) { return count } }
        case .list(let elements):
            for element in elements { if let count = element.texts(around: source) { return count } }
        default: break
        }
        return nil
    }

    /// The way to the first place that a condition holds for, merged objects left out; `nil` without one.
    package func path(where isWanted: (Template) -> Bool) -> JSONPath? {
        if isWanted(self) { return JSONPath() }
        switch self {
        case .encoded(_, let inner): return inner.path(where: isWanted)
        case .object(let members):
            for case .key(let name, let value) in members {
                if let rest = value.path(where: isWanted) { return JSONPath([name] + rest.tokens) }
            }
        case .list(let elements):
            for (index, element) in elements.enumerated() {
                if let rest = element.path(where: isWanted) { return JSONPath([String(index)] + rest.tokens) }
            }
        default: break
        }
        return nil
    }
}

extension Placeholder {
    /// A text that is known by now, through the filters.
    package func applied(to text: String) -> Template { .constant(Filter.apply(filters, to: text)) }
}

extension Placeholder.Filter {
    fileprivate static func apply(_ filters: [Placeholder.Filter], to text: String) -> String {
        filters.reduce(text) { text, filter in
            switch filter {
            case .upper: text.uppercased()
            case .lower: text.lowercased()
            default: text
            }
        }
    }
}
