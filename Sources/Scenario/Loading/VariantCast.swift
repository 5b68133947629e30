import Wire

/// Tries a scenario's variants: each is read whole, so that what is wrong with one is told before anything runs.
struct VariantCast {
    private let variants: [Named<VariantDraft>]

    init(_ variants: [Named<VariantDraft>]) { self.variants = variants }

    /// What is wrong with variants, and not with the scenario itself.
    ///
    /// - Parameter known: The problems that are told already.
    func problems(of request: ScenarioLoader.Request, beside known: [Problem]) -> [Problem] {
        var all = known
        for variant in variants {
            let (_, reading) = request.attempt(variant)
            all += reading.problems.filter { !all.contains($0) }.map { VariantCast.told($0, of: variant) }
                .filter { !all.contains($0) }
        }
        return Array(all.dropFirst(known.count))
    }

    /// A problem where the variant causes it: at its own value if that is what is wrong, and with its name elsewhere.
    private static func told(_ problem: Problem, of variant: Named<VariantDraft>) -> Problem {
        var told = problem
        // A value that was put into the scenario still knows where it stood.
        let cause = variant.value.first { problem.position.lies(in: $0.value.node) }
        guard let cause else {
            told.allowed += " (in the variant \"\(variant.name)\")"
            return told
        }
        let target = JSONPath(text: cause.name)?.tokens.count ?? 0
        let inner = problem.pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let rest = problem.kind == .badOverride ? [] : inner.dropFirst(target)
        told.pointer = cause.place.path.pointer + rest.map { "/\($0)" }.joined()
        return told
    }
}

extension SourcePosition {
    /// Whether it is the position of a value or of anything in it.
    fileprivate func lies(in node: JSONNode) -> Bool {
        if self == node.position, self != .none { return true }
        if let members = node.members {
            return members.contains { self == $0.keyPosition || lies(in: $0.value) }
        }
        return (node.elements ?? []).contains(where: lies)
    }
}

extension JSONNode {
    /// The same value, its texts without secrets. The name of a variable that holds one, and nothing else, stays.
    func redacted(by redactor: Redactor) -> JSONNode {
        let content: Content =
            switch content {
            case .string(let text): .string(redactor.redact(text))
            case .array(let elements): .array(elements.map { $0.redacted(by: redactor) })
            case .object(let members):
                .object(
                    members.map { member in
                        guard let text = member.value.string, !Substitution.isOnlyVariables(text),
                            SecretNames.contain(member.key, in: .member)
                        else { return Member(member.key, member.value.redacted(by: redactor)) }
                        return Member(member.key, .text(Redactor.mask))
                    })
            default: content
            }
        return JSONNode(content)
    }
}
