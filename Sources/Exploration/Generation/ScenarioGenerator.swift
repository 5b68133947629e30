import Timebase
package import Wire

/// Draws scenarios: everything that the format can say, in worlds that are small.
///
/// The grammar is the format's own schema (``FormatSchema``), so what the format gains is drawn at once;
/// ``DrawingRule`` tells what a schema cannot: which names refer to something, and how large is small. What the loader
/// refuses is taken out again, value by value. Every draw has a stream of its own, named by the place that it
/// fills: a knob that is new moves no other.
package struct ScenarioGenerator: Sendable {
    private let format = FormatSchema.current

    package init() {}

    /// How often a scenario is drawn anew that the loader refuses whole.
    private static let attempts: UInt64 = 40

    /// The scenario of a seed. The same seed gives the same scenario.
    ///
    /// - Returns: `nil` where nothing that the seed draws is sound, which is a defect of the generator.
    package func scenario(seed: UInt64) -> JSONNode? {
        let root = RandomStream(key: RandomStream.hash(of: "swarm")).child(seed)
        for attempt in 0..<ScenarioGenerator.attempts {
            let stream = root.child(attempt)
            let drawing = Drawing(format: format, frame: WorldFrame(stream.child(1)))
            let drawn = drawing.value(format.root, [], stream.child(2))
            if let drawn, let sound = ScenarioPruner.sound(drawn) { return sound }
        }
        return nil
    }
}

/// One scenario as it is drawn.
private struct Drawing {
    let format: FormatSchema
    let frame: WorldFrame

    func value(_ schema: JSONNode, _ path: [String], _ stream: RandomStream) -> JSONNode? {
        let path = placed(path, schema)
        let schema = format.resolved(schema)
        let rule = DrawingRule.rule(at: path)
        var draw = stream.child(0)
        if let value = rule?.value { return value(&draw, frame, path) }
        if let texts = rule?.texts { return .text(texts[Int(draw.below(UInt64(texts.count)))]) }
        switch format.kind(of: schema) {
        case .choice(let values): return values[Int(draw.below(UInt64(values.count)))]
        case .alternatives(let forms): return alternative(of: forms, path, stream, &draw)
        case .object: return object(schema, path, stream)
        case .map(let member): return map(member, path, stream, &draw)
        case .list(let element, let count): return list(element, count, path, stream, &draw)
        case .boolean: return .bool(draw.chance(0.5))
        case .integer(let range): return .int(integer(range, schema, rule, &draw))
        case .number(let range): return .number(number(range, &draw))
        default: return text(schema, path, &draw)
        }
    }

    /// The path of a value: the SDKs' keys have the name of their system in it, since the same words mean other things.
    private func placed(_ path: [String], _ schema: JSONNode) -> [String] {
        guard let name = FormatSchema.name(of: schema), name.hasPrefix("sdk-") else { return path }
        return path.dropLast() + [name]
    }

    /// One of several forms; free text only where there is nothing else.
    private func alternative(
        of forms: [JSONNode], _ path: [String], _ stream: RandomStream, _ draw: inout RandomStream
    ) -> JSONNode? {
        let closed = forms.filter { form in
            if case .text = format.kind(of: format.resolved(form)) { return false }
            return true
        }
        // A generator of values may hold others: not without end.
        let flat = path.count > 12 ? closed.filter { $0["enum"] != nil } : []
        let choices = !flat.isEmpty ? flat : closed.isEmpty ? forms : closed
        return value(choices[Int(draw.below(UInt64(choices.count)))], path, stream.child(1))
    }

    private func object(_ schema: JSONNode, _ path: [String], _ stream: RandomStream) -> JSONNode? {
        var drawn: [String: JSONNode] = [:]
        // What the rest depends on comes first.
        for condition in format.conditions(of: schema) where drawn[condition.key] == nil {
            guard let property = schema["properties"]?[condition.key] else { continue }
            drawn[condition.key] = value(property, path + [condition.key], child(stream, condition.key))
        }
        let properties = format.properties(of: schema, given: drawn)
        let chosen = theOne(of: properties, schema, path, stream)
        let numbers = DistributionKeys.drawn(among: properties.map(\.name), stream.child(4))
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
            } else if !property.isRequired {
                var presence = child(stream, property.name).child(2)
                guard presence.chance(DrawingRule.rule(at: place)?.presence ?? frame.presence) else {
                    continue
                }
            }
            if let value = value(property.schema, place, child(stream, property.name)) {
                members.append((property.name, value))
            }
        }
        return .object(members)
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
            return .text(WorldFrame.text(milliseconds: max(1, Int64(milliseconds))))
        case .number: return .number((number * 1000).rounded() / 1000)
        default: return nil
        }
    }

    /// The one key that an object of several possible ones has.
    private func theOne(
        of properties: [FormatSchema.Property], _ schema: JSONNode, _ path: [String], _ stream: RandomStream
    ) -> (name: String, among: Set<String>)? {
        var draw = stream.child(3)
        if schema["maxProperties"]?.digits == "1", schema["properties"] != nil {
            let names = properties.map(\.name)
            return (names[Int(draw.below(UInt64(names.count)))], Set(names))
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
        var number = draw.below(weights.reduce(0) { $0 + $1.weight })
        for entry in weights {
            if number < entry.weight { return (entry.name, Set(weights.map(\.name))) }
            number -= entry.weight
        }
        return nil
    }

    private func map(
        _ member: JSONNode, _ path: [String], _ stream: RandomStream, _ draw: inout RandomStream
    ) -> JSONNode? {
        let names = DrawingRule.rule(at: path + ["{}"])?.texts ?? ["alpha", "beta", "gamma"]
        let range = DrawingRule.rule(at: path)?.count ?? 0...2
        let count = min(names.count, range.lowerBound + Int(draw.below(UInt64(range.count))))
        let first = Int(draw.below(UInt64(names.count)))
        let members = (0..<count).compactMap { number -> (String, JSONNode)? in
            let name = names[(first + number) % names.count]
            return value(member, path + [name], child(stream, name)).map { (name, $0) }
        }
        return .object(members)
    }

    private func list(
        _ element: JSONNode, _ allowed: ClosedRange<Int>, _ path: [String], _ stream: RandomStream,
        _ draw: inout RandomStream
    ) -> JSONNode? {
        let wanted = DrawingRule.rule(at: path)?.count ?? 0...3
        let low = min(max(wanted.lowerBound, allowed.lowerBound), allowed.upperBound)
        let high = max(low, min(wanted.upperBound, allowed.upperBound))
        var count = low + Int(draw.below(UInt64(high - low + 1)))
        if path == ["timeline"] { count = min(count, frame.entries) }
        return .list(
            (0..<count).compactMap { value(element, path + [String($0)], stream.child(16 + UInt64($0))) })
    }

    /// The bounds, the default, something between: small numbers more often.
    private func integer(
        _ range: ClosedRange<Int>, _ schema: JSONNode, _ rule: DrawingRule?, _ draw: inout RandomStream
    ) -> Int {
        let usual = schema["default"]?.digits.flatMap { Int($0) }
        let most = max(range.lowerBound, min(range.upperBound, rule?.most ?? max(200, 2 * (usual ?? 0))))
        switch draw.below(10) {
        case 0, 1: return range.lowerBound
        case 2: return min(most, range.lowerBound + 1)
        case 3 where usual.map { $0 <= most } ?? false: return usual ?? range.lowerBound
        case 4: return most
        default:
            let span = Double(most - range.lowerBound) + 1
            return range.lowerBound + Int(WorldFrame.logUniform(1, span, &draw)) - (draw.chance(0.5) ? 1 : 0)
        }
    }

    private func number(_ range: ClosedRange<Double>, _ draw: inout RandomStream) -> Double {
        let high = min(range.upperBound, 100)
        let low = max(range.lowerBound, -100)
        switch draw.below(6) {
        case 0: return low
        case 1: return high
        default: return ((low + draw.uniform() * (high - low)) * 1000).rounded() / 1000
        }
    }

    private func text(_ schema: JSONNode, _ path: [String], _ draw: inout RandomStream) -> JSONNode? {
        switch format.kind(of: schema) {
        case .duration: return .text(duration(&draw))
        case .rate:
            let perHour = Int(
                WorldFrame.logUniform(1, max(2, frame.actions * 7.2e6 / Double(frame.duration)), &draw))
            return .text("\(perHour)/h")
        case .instant: return .text("2026-03-02T23:59:00+08:00")
        case .offset: return .text(["Z", "+08:00", "-05:30", "+14:00"][Int(draw.below(4))])
        case .plain: return [.text("x"), .int(7), .number(0.5), .bool(true)][Int(draw.below(4))]
        default:
            if let known = schema["examples"]?.elements, !known.isEmpty {
                return known[Int(draw.below(UInt64(known.count)))]
            }
            return .text(["Alpha", "x-1", "Home"][Int(draw.below(3))])
        }
    }

    /// From nothing through moments to longer than the run.
    private func duration(_ draw: inout RandomStream) -> String {
        let run = Double(frame.duration)
        switch draw.below(12) {
        case 0: return "0s"
        case 1: return "\(1 + draw.below(100))ms"
        case 2: return WorldFrame.text(milliseconds: Int64(run * (1 + 2 * draw.uniform())))
        default:
            return WorldFrame.text(milliseconds: Int64(WorldFrame.logUniform(max(50, run / 500), run, &draw)))
        }
    }

    private func child(_ stream: RandomStream, _ name: String) -> RandomStream {
        stream.child(RandomStream.hash(of: name))
    }
}

/// The keys of a distribution: which of them are there tells which it is.
private enum DistributionKeys {
    static let all = ["min", "max", "mean", "median", "sigma", "alpha"]
    private static let families = [["min", "max"], ["mean"], ["median", "sigma"], ["min", "alpha", "max"]]

    /// The keys of one kind of distribution; `nil` for an object that is none.
    static func drawn(among names: [String], _ stream: RandomStream) -> [String]? {
        guard all.allSatisfy(names.contains) else { return nil }
        var draw = stream
        return families[Int(draw.below(UInt64(families.count)))]
    }

    /// The number of a key: what bounds or means is drawn in proportion to one size.
    static func number(_ name: String, _ draw: inout RandomStream) -> Double {
        let size = WorldFrame.logUniform(0.5, 100, &draw)
        let factor = 0.01 + draw.uniform()
        return switch name {
        case "min": size
        case "max": size * 3
        case "sigma", "alpha": factor * 2
        default: size * 2
        }
    }
}
