package import Wire

/// Something in a template that cannot be.
package struct TemplateProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// `{{…}}` that is not whole or has no name.
        case syntax
        /// A placeholder or a filter that does not exist.
        case unknownName
        /// A value of a kind that cannot stand here.
        case type
        /// A value that is not known here.
        case place
        /// A number that no collector reads.
        case range
    }

    package var kind: Kind
    package var path: JSONPath
    package var node: JSONNode
    package var found: String
    package var allowed: String
    /// The names that would have been known.
    package var names: [String] = []
}

/// Reads templates from JSON.
package struct TemplateParser {
    /// Names that stand for texts, wherever placeholders do.
    package let constants: [String: String]
    /// Which values are known where the template stands.
    package let scopes: Set<Placeholder.Scope>
    /// Values that are not known here though their scope is.
    package let excluded: Set<Placeholder.Source>
    package private(set) var problems: [TemplateProblem] = []
    /// Texts with JSON in each other, at most.
    package static let textDepth = 8
    /// Texts that the value lies in which is being read.
    private var depth = 0

    package init(
        constants: [String: String], scopes: Set<Placeholder.Scope>,
        excluded: Set<Placeholder.Source> = []
    ) {
        self.constants = constants
        self.scopes = scopes
        self.excluded = excluded.union([.harnessID])
    }

    /// Reads a template; what cannot be is noted in ``problems`` and read as `null`.
    package mutating func parse(_ node: JSONNode, at path: JSONPath) -> Template {
        switch node.content {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let digits):
            if !Self.isReadable(digits) {
                report(
                    .range, path, node, found: digits,
                    allowed: "a whole number of 64 bits, or one of a double's range; or a text")
            }
            return .number(digits)
        case .string(let text): return parse(text, node, path)
        case .array(let elements):
            return .list(
                elements.enumerated().map { parse($1, at: path.appending($0)) })
        case .object(let members):
            if members.count == 1, let encoding = Template.Encoding(rawValue: members[0].key),
                isEncodable(members[0].value)
            {
                return encoded(encoding, members[0].value, node, path.appending(members[0].key))
            }
            return .object(Template.flattened(members.map { member($0, path.appending($0.key)) }))
        }
    }

    /// Whether readers of JSON have a number: whole ones as integers, others as doubles.
    private static func isReadable(_ digits: String) -> Bool {
        let isWhole = digits.allSatisfy { $0.isNumber || $0 == "-" }
        return isWhole
            ? Int64(digits) != nil || UInt64(digits) != nil : Double(digits)?.isFinite ?? false
    }

    /// Whether a value is one that JSON would be written of: a text may well be the value of a member with the name of an
    /// encoding, but for a placeholder that is an object or a list.
    private func isEncodable(_ value: JSONNode) -> Bool {
        guard value.isPlain else { return true }
        guard let text = value.string else { return false }
        var reader = TemplateParser(constants: constants, scopes: Set(Placeholder.Scope.allCases))
        guard case .value(let placeholder) = reader.parse(text, value, JSONPath()) else { return false }
        return placeholder.kind == .object || placeholder.kind == .list
    }

    private mutating func encoded(
        _ encoding: Template.Encoding, _ inner: JSONNode, _ node: JSONNode, _ path: JSONPath
    ) -> Template {
        guard depth < Self.textDepth else {
            report(
                .place, path, node, found: "JSON in a text, \(depth + 1) times in each other",
                allowed: "\(Self.textDepth) at most")
            return .null
        }
        depth += 1
        defer { depth -= 1 }
        return .encoded(encoding, parse(inner, at: path))
    }

    private mutating func member(_ member: JSONNode.Member, _ path: JSONPath) -> Template.Member {
        let value = parse(member.value, at: path)
        guard member.key == "..." else { return .key(member.key, value) }
        switch value {
        case .object: break
        case .value(let placeholder) where placeholder.kind == .object: break
        default:
            report(
                .type, path, member.value, found: member.value.summary,
                allowed: "an object, or a placeholder that is one, for \"...\"")
        }
        return .merge(value)
    }

    // MARK: Texts

    private mutating func parse(_ text: String, _ node: JSONNode, _ path: JSONPath) -> Template {
        var segments: [Template.Segment] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex {
                segments.append(.constant(String(rest[..<open.lowerBound])))
            }
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                report(.syntax, path, node, found: node.summary, allowed: "\"}}\" after each \"{{\"")
                return .null
            }
            guard let segment = segment(rest[..<close.lowerBound], node, path) else { return .null }
            segments.append(segment)
            rest = rest[close.upperBound...]
        }
        if case .slot(let placeholder)? = segments.first, segments.count == 1, rest.isEmpty {
            return .value(placeholder)
        }
        if !rest.isEmpty || segments.isEmpty { segments.append(.constant(String(rest))) }
        for case .slot(let placeholder) in segments where [.object, .list].contains(placeholder.kind) {
            report(
                .type, path, node, found: "{{\(placeholder.source.rawValue)}} within a text",
                allowed: "the placeholder by itself: it is no text")
        }
        return .text(Self.joined(segments))
    }

    /// Neighbouring constants in one.
    private static func joined(_ segments: [Template.Segment]) -> [Template.Segment] {
        segments.reduce(into: []) { joined, segment in
            if case .constant(let text) = segment, case .constant(let before)? = joined.last {
                joined[joined.count - 1] = .constant(before + text)
            } else {
                joined.append(segment)
            }
        }
    }

    private mutating func segment(
        _ inner: Substring, _ node: JSONNode, _ path: JSONPath
    ) -> Template.Segment? {
        var parts = inner.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        var name = parts.removeFirst()
        if let text = constants[name], parts.isEmpty { return .constant(text) }
        let isOptional = name.hasSuffix("?")
        if isOptional { name.removeLast() }
        if constants[name] != nil {
            report(
                .type, path, node, found: "\"{{\(inner)}}\"",
                allowed: "no filter and no \"?\": {{\(name)}} is a constant, and stands there as it is")
            return nil
        }
        guard let source = Placeholder.Source(rawValue: name), !excluded.contains(source) else {
            report(
                .unknownName, path, node, found: "\"{{\(inner)}}\"", allowed: "a placeholder",
                names: known)
            return nil
        }
        guard scopes.contains(source.scope) else {
            report(
                .place, path, node, found: "{{\(name)}}, which is not known here", allowed: "a placeholder",
                names: known)
            return nil
        }
        return placeholder(source, parts, isOptional, node, path).map { .slot($0) }
    }

    private mutating func placeholder(
        _ source: Placeholder.Source, _ words: [String], _ isOptional: Bool, _ node: JSONNode,
        _ path: JSONPath
    ) -> Placeholder? {
        var placeholder = Placeholder(source, isOptional: isOptional)
        for word in words {
            guard let filter = Placeholder.Filter(rawValue: word) else {
                report(
                    .unknownName, path, node, found: "\"|\(word)\"", allowed: "a filter",
                    names: Placeholder.Filter.allCases.map(\.rawValue))
                return nil
            }
            placeholder.filters.append(filter)
        }
        if placeholder.kind == nil {
            report(
                .type, path, node, found: "{{\(source.rawValue)|\(words.joined(separator: "|"))}}",
                allowed:
                    "iso, ms, s, us or ns for times; text for numbers and truth values; upper or lower for texts; "
                    + "names for {{properties}}; gzip, base64 and javaHash for {{body}}; {{\(source.rawValue)}} is a \(source.kind.rawValue)"
            )
            return nil
        }
        if isOptional, !source.mayBeAbsent {
            report(
                .type, path, node, found: "{{\(source.rawValue)?}}",
                allowed: "no \"?\" for what is always there")
            return nil
        }
        return placeholder
    }

    /// The names that are known here.
    private var known: [String] {
        Placeholder.Source.allCases.filter { scopes.contains($0.scope) && !excluded.contains($0) }
            .map(\.rawValue) + constants.keys.sorted()
    }

    private mutating func report(
        _ kind: TemplateProblem.Kind, _ path: JSONPath, _ node: JSONNode, found: String, allowed: String,
        names: [String] = []
    ) {
        problems.append(
            TemplateProblem(
                kind: kind, path: path, node: node, found: found, allowed: allowed, names: names))
    }
}
