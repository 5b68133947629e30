import Timebase
import Wire

/// One scenario as it is drawn.
struct Drawing {
    let format: FormatSchema
    let frame: WorldFrame

    /// - Parameter wishes: What has to come of it, if it can.
    func value(
        _ schema: JSONNode, _ path: [String], _ stream: RandomStream, _ wishes: Wishes = []
    ) -> JSONNode? {
        let path = Drawing.placed(path, schema)
        let schema = format.resolved(schema)
        let rule = DrawingRule.rule(at: path)
        var draw = stream.child(0)
        if let value = rule?.value { return value(&draw, frame, path) }
        if let texts = rule?.texts { return .text(texts[Int(draw.below(UInt64(texts.count)))]) }
        if let wished = wishes.value { return wished }
        switch format.kind(of: schema) {
        case .choice(let values):
            let any = values[Int(draw.below(UInt64(values.count)))]
            let favourite = values.first { $0.string != nil && $0.string == rule?.favourite }
            return draw.chance(0.25) ? favourite ?? any : any
        case .alternatives(let forms): return alternative(of: forms, path, stream, &draw, wishes)
        case .object:
            var reconciling = stream.child(6)
            return object(schema, path, stream, wishes).map {
                rule?.reconcile?($0, &reconciling, frame) ?? $0
            }
        case .anyObject: return .object([])
        case .map(let member): return map(member, path, stream, &draw, wishes)
        case .list(let element, let count): return list(element, count, path, stream, &draw, wishes)
        case .boolean: return .bool(draw.chance(0.5))
        case .integer(let range) where rule?.isStatus == true: return .int(frame.status(in: range, &draw))
        case .integer(let range): return .int(integer(range, schema, rule, &draw))
        case .number(let range): return .number(number(range, &draw))
        default: return text(schema, path, &draw)
        }
    }

    /// The path of a value: the SDKs' keys have the name of their system in it, since the same words mean other things.
    static func placed(_ path: [String], _ schema: JSONNode) -> [String] {
        guard let name = FormatSchema.name(of: schema), name.hasPrefix("sdk-") else { return path }
        return path.dropLast() + [name]
    }

    /// One of several forms; free text only where there is nothing else.
    private func alternative(
        of forms: [JSONNode], _ path: [String], _ stream: RandomStream, _ draw: inout RandomStream,
        _ wishes: Wishes
    ) -> JSONNode? {
        if let wished = wishes.form, forms.indices.contains(wished) {
            return value(
                forms[wished], path, stream.child(1), wishes.taking { $0 == .form(wished) })
        }
        let closed = forms.filter { !format.isFreeText($0) }
        // A generator of values may hold others: not without end.
        let flat = path.count > 12 ? closed.filter { $0["enum"] != nil || $0["const"] != nil } : []
        let choices = !flat.isEmpty ? flat : closed.isEmpty ? forms : closed
        return value(choices[Int(draw.below(UInt64(choices.count)))], path, stream.child(1))
    }

    private func object(
        _ schema: JSONNode, _ path: [String], _ stream: RandomStream, _ wishes: Wishes
    ) -> JSONNode? {
        let wished = wishes.keys
        let drawn = conditions(of: schema, path, stream, wishes)
        let properties = format.properties(of: schema, given: drawn)
        let chosen = theOne(of: properties, schema, path, stream, wished.map(\.name))
        let numbers = DistributionKeys.drawn(
            among: properties.map(\.name), stream.child(4), wanted: wished.map(\.name))
        var members: [(String, JSONNode)] = []
        for property in properties {
            let place = path + [property.name]
            if DrawingRule.isOmitted(place) { continue }
            if let known = drawn[property.name] {
                members.append((property.name, known))
                continue
            }
            if let numbers, DistributionKeys.all.contains(property.name) {
                if !numbers.contains(property.name) { continue }
                if let number = number(property, stream.child(5)) {
                    members.append((property.name, number))
                    continue
                }
            } else if let chosen, chosen.among.contains(property.name) {
                if property.name != chosen.name { continue }
            } else if !property.isRequired, !wished.contains(where: { $0.name == property.name }) {
                var presence = child(stream, property.name).child(2)
                guard presence.chance(DrawingRule.rule(at: place)?.presence ?? frame.presence) else {
                    continue
                }
            }
            let own = wishes.taking(key: property.name)
            if let value = value(property.schema, place, child(stream, property.name), own) {
                members.append((property.name, value))
            }
        }
        return .object(members)
    }

    /// What the rest of an object depends on.
    private func conditions(
        of schema: JSONNode, _ path: [String], _ stream: RandomStream, _ wishes: Wishes
    ) -> [String: JSONNode] {
        let given = wishes.keys.compactMap(\.given)
        var drawn: [String: JSONNode] = [:]
        for condition in format.conditions(of: schema) where drawn[condition.key] == nil {
            guard let property = schema["properties"]?[condition.key] else { continue }
            drawn[condition.key] =
                given.first { $0.key == condition.key }?.value
                ?? value(
                    property, path + [condition.key], child(stream, condition.key),
                    wishes.taking(key: condition.key))
        }
        return drawn
    }

    /// A number of a distribution that is mostly in order with its others: drawn one by one, few fit together.
    ///
    /// - Parameter stream: The same for each key of a distribution.
    private func number(_ property: FormatSchema.Property, _ stream: RandomStream) -> JSONNode? {
        var draw = stream
        guard draw.chance(0.85) else { return nil }
        let number = DistributionKeys.number(property.name, &draw)
        switch format.kind(of: format.resolved(property.schema)) {
        case .duration:
            let milliseconds = number * Double(frame.duration) / 1000
            return .text(frame.text(milliseconds: max(1, Int64(milliseconds))))
        case .number: return .number((number * 1000).rounded() / 1000)
        default: return nil
        }
    }

    /// The one key that an object of several possible ones has.
    private func theOne(
        of properties: [FormatSchema.Property], _ schema: JSONNode, _ path: [String], _ stream: RandomStream,
        _ wished: [String]
    ) -> (name: String, among: Set<String>)? {
        var draw = stream.child(3)
        if schema["maxProperties"]?.digits == "1", schema["properties"] != nil {
            let names = properties.map(\.name)
            let chosen = wished.first(where: names.contains)
            return (chosen ?? names[Int(draw.below(UInt64(names.count)))], Set(names))
        }
        let known = DrawingRule.rule(at: path)?.exactlyOne ?? []
        guard !known.isEmpty else { return nil }
        // An object-valued key that the rule does not know is one more of the kind.
        let weights = properties.compactMap { property -> (name: String, weight: UInt64)? in
            if let entry = known.first(where: { $0.name == property.name }) { return entry }
            guard case .object = format.kind(of: format.resolved(property.schema)), !property.isRequired
            else {
                return nil
            }
            return (property.name, 2)
        }
        if let chosen = weights.first(where: { wished.contains($0.name) }) {
            return (chosen.name, Set(weights.map(\.name)))
        }
        var number = draw.below(weights.reduce(0) { $0 + $1.weight })
        for entry in weights {
            if number < entry.weight { return (entry.name, Set(weights.map(\.name))) }
            number -= entry.weight
        }
        return nil
    }

    private func map(
        _ member: JSONNode, _ path: [String], _ stream: RandomStream, _ draw: inout RandomStream,
        _ wishes: Wishes
    ) -> JSONNode? {
        let names = DrawingRule.rule(at: path + ["{}"])?.texts ?? ["alpha", "beta", "gamma"]
        let range = DrawingRule.rule(at: path)?.count ?? 0...2
        let wished = wishes.taking { $0 == .member }
        let least = wished.isEmpty ? 0 : 1
        let count = max(least, min(names.count, range.lowerBound + Int(draw.below(UInt64(range.count)))))
        let first = Int(draw.below(UInt64(names.count)))
        let members = (0..<count).compactMap { number -> (String, JSONNode)? in
            let name = names[(first + number) % names.count]
            let own = number == 0 ? wished : []
            return value(member, path + [name], child(stream, name), own).map { (name, $0) }
        }
        return .object(members)
    }

    private func list(
        _ element: JSONNode, _ allowed: ClosedRange<Int>, _ path: [String], _ stream: RandomStream,
        _ draw: inout RandomStream, _ wishes: Wishes
    ) -> JSONNode? {
        let wanted = DrawingRule.rule(at: path)?.count ?? 0...3
        let low = min(max(wanted.lowerBound, allowed.lowerBound), allowed.upperBound)
        let high = max(low, min(wanted.upperBound, allowed.upperBound))
        var count = low + Int(draw.below(UInt64(high - low + 1)))
        if path == ["timeline"] { count = min(count, frame.entries) }
        let wished = wishes.taking { $0 == .element }
        if !wished.isEmpty { count = max(1, count) }
        return .list(
            (0..<count).compactMap {
                value(element, path + [String($0)], stream.child(16 + UInt64($0)), $0 == 0 ? wished : [])
            })
    }
}
