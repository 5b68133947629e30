package import Wire

/// A value in which two scenarios differ.
package struct ScenarioDifference: Hashable, Sendable {
    package var pointer: String
    /// JSON on one line; `nil` for what is not there.
    package var base: String?
    package var candidate: String?
    /// Whether it is what a comparison is for: another policy for the same users in the same world.
    package var isAllowed: Bool

    /// All values in which two sides differ, in the order of the base's scenario.
    static func between(_ base: Comparison.Side, _ candidate: Comparison.Side) -> [ScenarioDifference] {
        var found = between(base.resolved, candidate.resolved)
        if base.resolved == .null || candidate.resolved == .null { found = ofUnknown(base, candidate) }
        // Two targets that took turns are what the user asked to have compared.
        if base.target != candidate.target, base.run == candidate.run {
            found.append(
                ScenarioDifference(
                    pointer: "target", base: base.target, candidate: candidate.target, isAllowed: true))
        }
        if base.mode != candidate.mode {
            found.append(
                ScenarioDifference(
                    pointer: "mode", base: base.mode.rawValue, candidate: candidate.mode.rawValue,
                    isAllowed: false))
        }
        return found
    }

    /// Where a report's scenario was not kept, all that is known is whether it was the same file.
    private static func ofUnknown(_ base: Comparison.Side, _ candidate: Comparison.Side)
        -> [ScenarioDifference]
    {
        func text(_ side: Comparison.Side) -> String {
            let changes = side.scenario.typedOverrides.filter { !$0.hasPrefix("--seed ") }
            return "sha256 \(side.scenario.sha256.prefix(12))" + changes.map { ", \($0)" }.joined()
        }
        guard text(base) != text(candidate) else { return [] }
        return [
            ScenarioDifference(
                pointer: "scenario (what it says was not kept)", base: text(base), candidate: text(candidate),
                isAllowed: false)
        ]
    }

    /// The values in which two scenarios differ.
    package static func between(_ base: JSONNode, _ candidate: JSONNode) -> [ScenarioDifference] {
        changes(from: base, to: candidate).map { change in
            ScenarioDifference(
                pointer: change.pointer, base: change.before?.compactText,
                candidate: change.after?.compactText,
                isAllowed: isAllowed(change.pointer))
        }
    }

    /// What may differ: `populations.*.{sdk,system,version}`, `name`, `description`, `thresholds`, `seed`.
    static func isAllowed(_ pointer: String) -> Bool {
        let tokens = pointer.split(separator: "/").map(String.init)
        guard let first = tokens.first else { return false }
        if ["name", "description", "thresholds", "seed"].contains(first) { return true }
        return first == "populations" && tokens.count >= 3
            && ["sdk", "system", "version"].contains(tokens[2])
    }

    /// A value that is another, or that only one of two documents has.
    package struct Change: Hashable, Sendable {
        package var pointer: String
        package var before: JSONNode?
        package var after: JSONNode?
    }

    /// Every value that differs, as deep as it can be told; lists of different lengths differ as a whole.
    ///
    /// - Parameter keepsNulls: Whether objects in which something becomes null differ as a whole, too.
    package static func changes(
        from base: JSONNode?, to candidate: JSONNode?, at path: JSONPath = JSONPath(),
        keepsNulls: Bool = false
    ) -> [Change] {
        func deeper(_ base: JSONNode?, _ candidate: JSONNode?, _ path: JSONPath) -> [Change] {
            changes(from: base, to: candidate, at: path, keepsNulls: keepsNulls)
        }
        if let base, let candidate {
            if let one = base.members, let other = candidate.members,
                !(keepsNulls && other.contains { $0.value.isNull && base[$0.key]?.isNull != true })
            {
                let keys = one.map(\.key) + other.map(\.key).filter { base[$0] == nil }
                return keys.flatMap { deeper(base[$0], candidate[$0], path.appending($0)) }
            }
            if let one = base.elements, let other = candidate.elements, one.count == other.count,
                !(one + other).allSatisfy(\.isPlain)
            {
                return one.indices.flatMap { deeper(one[$0], other[$0], path.appending($0)) }
            }
        }
        guard base?.compactText != candidate?.compactText else { return [] }
        return [Change(pointer: path.pointer, before: base, after: candidate)]
    }

    /// What ``apply(_:to:)`` makes a variant's scenario by. There null takes a value out, so that an object in which
    /// something becomes null itself is told as a whole.
    package static func variantChanges(from base: JSONNode, to variant: JSONNode) -> [LabReport.Change] {
        changes(from: base, to: variant, keepsNulls: true).map {
            LabReport.Change(pointer: $0.pointer, value: $0.after ?? .null)
        }
    }

    /// A document with other values; null takes one out.
    package static func apply(_ changes: [LabReport.Change], to document: JSONNode) -> JSONNode {
        changes.reduce(document) { node, change in
            let tokens = JSONPath(text: change.pointer)?.tokens ?? []
            return set(tokens[...], of: node, to: change.value)
        }
    }

    private static func set(_ tokens: ArraySlice<String>, of node: JSONNode, to value: JSONNode) -> JSONNode {
        guard let token = tokens.first else { return value }
        let rest = tokens.dropFirst()
        if var elements = node.elements {
            guard let index = Int(token), elements.indices.contains(index) else { return node }
            elements[index] = set(rest, of: elements[index], to: value)
            return JSONNode(.array(elements))
        }
        var members = node.members ?? []
        if rest.isEmpty, value.isNull {
            members.removeAll { $0.key == token }
        } else if let index = members.firstIndex(where: { $0.key == token }) {
            members[index].value = set(rest, of: members[index].value, to: value)
        } else {
            members.append(JSONNode.Member(token, set(rest, of: .object([]), to: value)))
        }
        return JSONNode(.object(members))
    }
}

extension JSONNode {
    /// Null, wherever it stood.
    fileprivate var isNull: Bool { content == .null }
}

extension [ScenarioDifference] {
    /// Where the sides differ in more than the policy: other users, or another world.
    var foreign: [String] { filter { !$0.isAllowed }.map(\.pointer) }

    /// The first of them in words; `nil` where the policy alone differs.
    var foreignWords: String? {
        let pointers = foreign
        guard !pointers.isEmpty else { return nil }
        return pointers.prefix(3).joined(separator: ", ") + (pointers.count > 3 ? ", …" : "")
    }
}
