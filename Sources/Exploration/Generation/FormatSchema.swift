import Scenario
import Wire

/// The scenario format as its own description tells it: the JSON Schema that validates scenarios, read as a
/// grammar. What the format gains is drawn, and counted, without a change here.
struct FormatSchema: Sendable {
    let root: JSONNode

    /// The schema of this build.
    static let current = FormatSchema(root: ScenarioSchema.node)

    /// The name of the part that a schema refers to; `nil` for one that stands where it is.
    static func name(of schema: JSONNode) -> String? {
        schema["$ref"]?.string?.split(separator: "/").last.map(String.init)
    }

    /// Follows a reference to a named part.
    func resolved(_ schema: JSONNode) -> JSONNode {
        guard let name = FormatSchema.name(of: schema), let target = root["$defs"]?[name] else {
            return schema
        }
        return resolved(target)
    }

    /// A key of an object with the schema of its value.
    struct Property: Sendable {
        var name: String
        var schema: JSONNode
        var isRequired: Bool
    }

    /// What holds in an object once some of its keys have their values: the keys of an alternative come, and may
    /// take the place of all others.
    func properties(of object: JSONNode, given drawn: [String: JSONNode]) -> [Property] {
        var names: [String] = []
        var schemas: [String: JSONNode] = [:]
        func add(_ members: [JSONNode.Member]) {
            for member in members {
                if schemas[member.key] == nil { names.append(member.key) }
                let isEmpty = member.value.members?.isEmpty ?? false
                if schemas[member.key] == nil || !isEmpty { schemas[member.key] = member.value }
            }
        }
        add(object["properties"]?.members ?? [])
        var required = Set((object["required"]?.elements ?? []).compactMap(\.string))
        for condition in conditions(of: object) where condition.holds(drawn) {
            let members = condition.then["properties"]?.members ?? []
            add(members)
            required.formUnion((condition.then["required"]?.elements ?? []).compactMap(\.string))
            if case .bool(false)? = condition.then["additionalProperties"]?.content {
                names.removeAll { name in !members.contains { $0.key == name } }
            }
        }
        return names.map {
            Property(name: $0, schema: schemas[$0] ?? .object([]), isRequired: required.contains($0))
        }
    }

    /// One `if` with its `then`: a key that has one of some values.
    struct Condition: Sendable {
        var key: String
        var values: [JSONNode]
        var then: JSONNode

        func holds(_ drawn: [String: JSONNode]) -> Bool {
            drawn[key].map { value in values.contains { $0.content == value.content } } ?? false
        }
    }

    func conditions(of object: JSONNode) -> [Condition] {
        (object["allOf"]?.elements ?? []).compactMap { entry in
            guard let test = entry["if"]?["properties"]?.members?.first, let then = entry["then"] else {
                return nil
            }
            return Condition(
                key: test.key, values: test.value["enum"]?.elements ?? [], then: then)
        }
    }

    /// The kinds of values that a schema lets pass.
    enum Kind: Sendable {
        case choice([JSONNode])
        case alternatives([JSONNode])
        case object
        /// An object of any members.
        case anyObject
        case map(JSONNode)
        case list(JSONNode, count: ClosedRange<Int>)
        case boolean
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case duration, rate, instant, offset, pattern, text
        /// A value of one of several plain types.
        case plain
    }

    func kind(of schema: JSONNode) -> Kind {
        // Where null takes a preset's key away, there is nothing to draw.
        if let values = schema["enum"]?.elements { return .choice(values.filter { $0.content != .null }) }
        if let value = schema["const"] { return .choice([value]) }
        if let forms = schema["anyOf"]?.elements {
            return .alternatives(forms.filter { $0["type"]?.string != "null" })
        }
        let types = schema["type"]?.elements?.compactMap(\.string) ?? []
        switch schema["type"]?.string ?? types.first(where: { $0 != "null" }) {
        case "object":
            if let value = schema["additionalProperties"], value.members != nil, schema["properties"] == nil {
                return .map(value)
            }
            return schema["properties"] == nil && schema["allOf"] == nil ? .anyObject : .object
        case "array":
            let least = schema["minItems"]?.digits.flatMap { Int($0) } ?? 0
            let most = schema["maxItems"]?.digits.flatMap { Int($0) } ?? 10_000
            return .list(schema["items"] ?? .object([]), count: least...max(least, most))
        case "boolean": return .boolean
        case "integer": return .integer(integers(schema))
        case "number": return .number(numbers(schema))
        case "string": return text(schema)
        default: return .plain
        }
    }

    /// Whether a form is free text, which among others is only another way to write what they say.
    func isFreeText(_ form: JSONNode) -> Bool {
        if case .text = kind(of: resolved(form)) { true } else { false }
    }

    private func integers(_ schema: JSONNode) -> ClosedRange<Int> {
        let low = schema["minimum"]?.digits.flatMap { Int($0) } ?? 0
        return low...max(low, schema["maximum"]?.digits.flatMap { Int($0) } ?? Int.max)
    }

    private func numbers(_ schema: JSONNode) -> ClosedRange<Double> {
        let least = schema["minimum"] ?? schema["exclusiveMinimum"]
        let low = least?.digits.flatMap { Double($0) } ?? 0
        return low...max(low, schema["maximum"]?.digits.flatMap { Double($0) } ?? 1e9)
    }

    private func text(_ schema: JSONNode) -> Kind {
        guard let pattern = schema["pattern"]?.string else { return .text }
        if pattern.hasPrefix("^(0|([0-9]+") { return .duration }
        if pattern.contains("/(s|min|h|d)$") { return .rate }
        if pattern.hasPrefix("^[0-9]{4}-") { return .instant }
        if pattern.hasPrefix("^(Z|") { return .offset }
        return .pattern
    }
}
