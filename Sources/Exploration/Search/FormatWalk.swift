import Scenario
import Wire

/// Walks the format: all that it can say, and what of it a scenario says.
struct FormatWalk {
    let format: FormatSchema

    /// Every place of the format with each class of its values.
    var classes: Set<String> {
        var found: Set<String> = []
        var seen: Set<String> = []
        collect(format.root, [], &seen, into: &found)
        return found
    }

    /// The path of a value: what has a name in the format is one place, wherever it is used.
    private func place(_ node: JSONNode, _ path: [String]) -> [String] {
        FormatSchema.name(of: node).map { [$0] } ?? path
    }

    private func collect(
        _ node: JSONNode, _ path: [String], _ seen: inout Set<String>, into found: inout Set<String>
    ) {
        guard !DrawingRule.isOmitted(path) else { return }
        if let reference = node["$ref"]?.string, !seen.insert(reference).inserted { return }
        let path = place(node, path)
        let schema = format.resolved(node)
        let place = path.joined(separator: ".")
        switch format.kind(of: schema) {
        case .choice(let values): for value in values { found.insert("\(place)=\(value.compactText)") }
        case .alternatives(let forms):
            for form in closed(forms) { collect(form, path, &seen, into: &found) }
        case .object:
            let conditions = format.conditions(of: schema)
            let own = format.properties(of: schema, given: [:]).filter { property in
                // A key whose value depends on others is counted as those say.
                !conditions.contains { !($0.then["properties"]?[property.name]?.members?.isEmpty ?? true) }
            }
            for property in own { collect(property.schema, path + [property.name], &seen, into: &found) }
            for condition in conditions {
                for property in condition.then["properties"]?.members ?? []
                where !(property.value.members?.isEmpty ?? true) {
                    collect(property.value, path + [property.key], &seen, into: &found)
                }
            }
        case .anyObject: found.insert("\(place)=some")
        case .map(let member):
            found.insert("\(place)=some")
            collect(member, path + ["{}"], &seen, into: &found)
        case .list(let element, _):
            found.insert("\(place)=some")
            collect(element, path + ["[]"], &seen, into: &found)
        case .boolean:
            found.insert("\(place)=true")
            found.insert("\(place)=false")
        case .integer, .number, .duration: found.insert("\(place)=given")
        default: found.insert("\(place)=given")
        }
    }

    /// Names of a closed set, without free text beside them.
    private func closed(_ forms: [JSONNode]) -> [JSONNode] {
        forms.count > 1 ? forms.filter { !format.isFreeText($0) } : forms
    }

    /// Calls `note` with each class that a scenario has.
    func visit(_ scenario: JSONNode, _ note: (String) -> Void) {
        visit(scenario, format.root, [], note)
    }

    private func visit(_ value: JSONNode, _ node: JSONNode, _ path: [String], _ note: (String) -> Void) {
        let path = place(node, path)
        let schema = format.resolved(node)
        let place = path.joined(separator: ".")
        switch format.kind(of: schema) {
        case .choice: note("\(place)=\(value.compactText)")
        case .alternatives(let forms):
            for form in forms where fits(value, form) { visit(value, form, path, note) }
        case .object:
            let members = value.members ?? []
            let drawn = Dictionary(
                members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            let properties = format.properties(of: schema, given: drawn)
            for member in members {
                guard let property = properties.first(where: { $0.name == member.key }) else { continue }
                visit(member.value, property.schema, path + [member.key], note)
            }
        case .anyObject: if value.members?.isEmpty == false { note("\(place)=some") }
        case .map(let member):
            if value.members?.isEmpty == false { note("\(place)=some") }
            for entry in value.members ?? [] { visit(entry.value, member, path + ["{}"], note) }
        case .list(let element, _):
            if value.elements?.isEmpty == false { note("\(place)=some") }
            for entry in value.elements ?? [] { visit(entry, element, path + ["[]"], note) }
        case .boolean: note("\(place)=\(value.compactText)")
        default: note("\(place)=given")
        }
    }

    /// Whether a value is of the kind that a form lets pass.
    private func fits(_ value: JSONNode, _ form: JSONNode) -> Bool {
        let schema = format.resolved(form)
        switch format.kind(of: schema) {
        case .choice(let values): return values.contains { $0.content == value.content }
        case .alternatives(let forms): return forms.contains { fits(value, $0) }
        case .object:
            guard let members = value.members else { return false }
            let names = format.properties(of: schema, given: [:]).map(\.name)
            return members.allSatisfy { names.contains($0.key) }
        case .map, .anyObject: return value.members != nil
        case .list: return value.elements != nil
        case .boolean: return value.content == .bool(true) || value.content == .bool(false)
        case .integer, .number: return value.digits != nil
        case .plain: return true
        default: return value.string != nil
        }
    }
}
