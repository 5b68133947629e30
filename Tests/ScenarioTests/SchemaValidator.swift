import Wire

@testable import Scenario

/// Checks JSON against the keywords that the scenario schema uses.
struct SchemaValidator {
    let root: JSONNode

    /// Where a value breaks the schema, or `nil`.
    func violation(_ node: JSONNode, _ schema: JSONNode, _ path: JSONPath = JSONPath()) -> String? {
        if let reference = schema["$ref"]?.string {
            let name = String(reference.dropFirst("#/$defs/".count))
            guard let target = root["$defs"]?[name] else { return "no definition \(name)" }
            return violation(node, target, path)
        }
        if let choices = schema["anyOf"]?.elements,
            !choices.contains(where: { violation(node, $0, path) == nil })
        {
            return "\(path.pointer): none of the alternatives"
        }
        if let choices = schema["oneOf"]?.elements,
            choices.count(where: { violation(node, $0, path) == nil }) != 1
        {
            return "\(path.pointer): not exactly one of the alternatives"
        }
        for condition in schema["allOf"]?.elements ?? [] {
            if let problem = violation(node, condition, path) { return problem }
        }
        if let condition = schema["if"], violation(node, condition, path) == nil,
            let then = schema["then"], let problem = violation(node, then, path)
        {
            return problem
        }
        if let names = schema["enum"]?.elements, !names.contains(where: { $0.content == node.content }) {
            return "\(path.pointer): not in the enumeration"
        }
        return typeViolation(node, schema, path) ?? textViolation(node, schema, path) ?? numberViolation(
            node, schema, path)
            ?? memberViolation(node, schema, path) ?? elementViolation(node, schema, path)
    }

    private func typeViolation(_ node: JSONNode, _ schema: JSONNode, _ path: JSONPath) -> String? {
        guard let type = schema["type"] else { return nil }
        let allowed = type.string.map { [$0] } ?? type.elements?.compactMap(\.string) ?? []
        let fits = allowed.contains { name in
            switch (name, node.content) {
            case ("string", .string), ("boolean", .bool), ("null", .null), ("array", .array),
                ("object", .object),
                ("number", .number):
                true
            case ("integer", .number(let text)): Double(text).map { $0 == $0.rounded() } ?? false
            default: false
            }
        }
        return fits ? nil : "\(path.pointer): wrong type"
    }

    private func textViolation(_ node: JSONNode, _ schema: JSONNode, _ path: JSONPath) -> String? {
        guard let text = node.string else { return nil }
        let length = text.unicodeScalars.count
        if let limit = schema["minLength"], length < integer(limit) { return "\(path.pointer): too short" }
        if let limit = schema["maxLength"], length > integer(limit) { return "\(path.pointer): too long" }
        guard let pattern = schema["pattern"]?.string else { return nil }
        guard let expression = try? Regex(pattern) else { return "\(path.pointer): no pattern: \(pattern)" }
        return text.firstMatch(of: expression) == nil ? "\(path.pointer): does not match \(pattern)" : nil
    }

    private func numberViolation(_ node: JSONNode, _ schema: JSONNode, _ path: JSONPath) -> String? {
        func bound(_ key: String) -> Double? {
            if case .number(let text) = schema[key]?.content { Double(text) } else { nil }
        }
        let value: Double
        switch node.content {
        case .number(let text): value = Double(text) ?? .nan
        default: return nil
        }
        if let minimum = bound("minimum"), value < minimum { return "\(path.pointer): below the minimum" }
        if let minimum = bound("exclusiveMinimum"), value <= minimum {
            return "\(path.pointer): below the minimum"
        }
        if let maximum = bound("maximum"), value > maximum { return "\(path.pointer): above the maximum" }
        return nil
    }

    private func memberViolation(_ node: JSONNode, _ schema: JSONNode, _ path: JSONPath) -> String? {
        guard let members = node.members else { return nil }
        for key in schema["required"]?.elements?.compactMap(\.string) ?? [] where node[key] == nil {
            return "\(path.pointer): no \(key)"
        }
        if let count = schema["minProperties"], members.count < integer(count) {
            return "\(path.pointer): too few"
        }
        if let count = schema["maxProperties"], members.count > integer(count) {
            return "\(path.pointer): too many"
        }
        for member in members {
            let place = path.appending(member.key)
            let patterns = patterns(of: schema, for: member.key)
            for own in [schema["properties"]?[member.key]].compactMap({ $0 }) + patterns {
                if let problem = violation(member.value, own, place) { return problem }
            }
            if schema["properties"]?[member.key] != nil || !patterns.isEmpty { continue }
            if schema["additionalProperties"]?.content == .bool(false) {
                return "\(place.pointer): not a property"
            } else if let other = schema["additionalProperties"],
                let problem = violation(member.value, other, place)
            {
                return problem
            }
        }
        return nil
    }

    private func patterns(of schema: JSONNode, for key: String) -> [JSONNode] {
        (schema["patternProperties"]?.members ?? []).filter { member in
            guard let expression = try? Regex(member.key) else { return false }
            return key.firstMatch(of: expression) != nil
        }.map(\.value)
    }

    private func elementViolation(_ node: JSONNode, _ schema: JSONNode, _ path: JSONPath) -> String? {
        guard let elements = node.elements else { return nil }
        if let count = schema["minItems"], elements.count < integer(count) {
            return "\(path.pointer): too few"
        }
        if let count = schema["maxItems"], elements.count > integer(count) {
            return "\(path.pointer): too many"
        }
        guard let items = schema["items"] else { return nil }
        for (index, element) in elements.enumerated() {
            if let problem = violation(element, items, path.appending(index)) { return problem }
        }
        return nil
    }

    private func integer(_ node: JSONNode) -> Int {
        if case .number(let text) = node.content { Int(text) ?? 0 } else { 0 }
    }
}
