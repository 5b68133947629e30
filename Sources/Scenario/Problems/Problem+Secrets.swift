import Wire

extension Problem {
    /// The problem without secrets: those that are known, and what stands where a secret belongs, which nobody knew if it
    /// was refused.
    func redacted(by redactor: Redactor) -> Problem {
        var copy = self
        copy.found = showsSecret ? Redactor.mask : redactor.redact(found)
        copy.allowed = redactor.redact(allowed)
        // A hint that is masked helps nobody.
        copy.nearest = nearest.flatMap { redactor.redact($0) == $0 ? $0 : nil }
        if case .override(let text) = position { copy.position = .override(redactor.redact(text)) }
        return copy
    }

    /// Whether what was found is a value that is secret by its name.
    private var showsSecret: Bool {
        guard [.wrongType, .outOfRange, .badOverride].contains(kind), let first = found.first,
            // Not the words for what a value is, such as "an array".
            first == "\"" || first == "-" || first.isNumber, let name = places.last
        else { return false }
        // Of headers with wrong names, the name was found and not the value.
        guard found != "\"\(name)\"" else { return false }
        switch places.dropLast().last ?? "" {
        case "headers": return SecretNames.contain(name, in: .header)
        case "query": return SecretNames.contain(name, in: .parameter)
        default: return SecretNames.contain(name, in: .member) || Problem.keyNames.contains(name)
        }
    }

    /// Keys of the format whose names alone do not say that they are secret.
    private static let keyNames = ["aesKey"]

    /// The keys that lead to the value: of a variant's value, those of its path.
    private var places: [String] {
        guard let tokens = JSONPath(text: pointer)?.tokens else { return [] }
        guard tokens.first == "variants", tokens.count > 2, let path = JSONPath(text: tokens[2]) else {
            return tokens
        }
        return path.tokens + tokens.dropFirst(3)
    }
}
