import Wire

/// The environment variable in a text, as schema patterns let it pass.
private let variablePattern = #"\$\{[A-Za-z_][A-Za-z0-9_]*\}"#

extension Form where Value == Bool {
    /// `true` or `false`.
    static let boolean = Form(
        decode: { place, reading in
            if case .bool(let value) = place.node.content { return value }
            reading.report(.wrongType, place, allowed: "true or false")
            return nil
        },
        schema: { _ in .object([("type", .text("boolean"))]) },
        encode: { .bool($0) })
}

extension Form where Value == String {
    /// Any text of bounded length; not empty unless allowed.
    static func text(limit: Int = 1000, mayBeEmpty: Bool = false) -> Form {
        Form(
            shape: { .text },
            decode: { place, reading in
                guard let text = place.node.string else {
                    reading.report(.wrongType, place, allowed: "a text")
                    return nil
                }
                guard text.unicodeScalars.count <= limit, mayBeEmpty || !text.isEmpty else {
                    reading.report(
                        .outOfRange, place, allowed: "a text of \(mayBeEmpty ? 0 : 1) to \(limit) characters")
                    return nil
                }
                return reading.refusesNUL(in: text, place) ? nil : text
            },
            schema: { _ in
                var members: [(String, JSONNode)] = [("type", .text("string"))]
                if !mayBeEmpty { members.append(("minLength", .int(1))) }
                return .object(members + [("maxLength", .int(limit))])
            },
            encode: { .text($0) })
    }

    /// A text with a grammar of its own. The pattern is for the schema; the parser decides.
    static func matching<Parsed: Sendable>(
        pattern: String, what: String, parse: @escaping @Sendable (String) -> Parsed?,
        encode: @escaping @Sendable (Parsed) -> JSONNode? = { _ in nil }
    ) -> Form<Parsed> {
        Form<Parsed>(
            shape: { .text },
            decode: { place, reading in
                guard let text = place.node.string else {
                    reading.report(.wrongType, place, allowed: what)
                    return nil
                }
                guard let value = parse(text) else {
                    reading.report(.outOfRange, place, allowed: what)
                    return nil
                }
                return value
            },
            schema: { _ in
                .object([("type", .text("string")), ("pattern", .text("\(pattern)|\(variablePattern)"))])
            },
            encode: encode)
    }

    /// A name that can stand in paths, tags and file names.
    static func identifier(what: String, pattern: String, others: String, limit: Int = 64) -> Form {
        matching(pattern: pattern, what: what) { text in
            let bytes = Array(text.utf8)
            func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
            func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
            let digitsFirst = others.contains(".")
            guard let first = bytes.first, bytes.count <= limit,
                isLetter(first) || digitsFirst && isDigit(first),
                bytes.allSatisfy({ isLetter($0) || isDigit($0) || others.utf8.contains($0) })
            else { return nil }
            return text
        } encode: {
            .text($0)
        }
    }
}

extension Form where Value: Equatable {
    /// One of a set of names.
    ///
    /// - Parameter unsupported: names that belong to the format but that this build does not act on.
    static func name(_ names: [(name: String, value: Value)], unsupported: [String] = [], what: String)
        -> Form
    {
        let known = names.map(\.name)
        return Form(
            shape: { .text },
            decode: { place, reading in
                guard let text = place.node.string else {
                    reading.report(.wrongType, place, allowed: "\(what): " + quotedList(known))
                    return nil
                }
                if let value = names.first(where: { $0.name == text })?.value { return value }
                if unsupported.contains(text) {
                    reading.report(.notSupported, place, allowed: "\(what): " + quotedList(known))
                } else {
                    reading.reportUnknown(text, place, among: known, what: what)
                }
                return nil
            },
            schema: { _ in .object([("enum", .texts(known))]) },
            encode: { value in names.first { $0.value == value }.map { .text($0.name) } })
    }
}

extension Form where Value: Equatable & RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's names.
    static func cases(what: String, unsupported: [String] = []) -> Form {
        name(Value.allCases.map { ($0.rawValue, $0) }, unsupported: unsupported, what: what)
    }
}

/// Names in quotes, with commas.
func quotedList(_ names: [String]) -> String {
    names.map { "\"\($0)\"" }.joined(separator: ", ")
}
