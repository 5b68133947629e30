import DeviceSDK
package import Scenario
import Timebase
package import Wire

/// What of the format has been met: each key and each class of its values, systems with their versions, faults, and
/// which two were there in one world.
package struct Coverage: Sendable {
    /// Worlds by what they had: places in the format with a class of value, such as
    /// `populations.[].sdk.storage.vacuum=true`.
    private var met: [String: Int] = [:]
    private var faults: [String: Int] = [:]
    private var pairs: [String: Int] = [:]
    private var systems: [String: Int] = [:]
    package private(set) var worlds = 0

    package init() {}

    /// Counts a world.
    package mutating func note(_ scenario: JSONNode, _ document: ScenarioDocument) {
        worlds += 1
        var classes: Set<String> = []
        FormatWalk(format: .current).visit(scenario) { classes.insert($0) }
        for name in classes { met[name, default: 0] += 1 }
        for name in Set(document.populations.map { "\($0.system.systemName) \($0.system.versionName)" }) {
            systems[name, default: 0] += 1
        }
        let kinds = Set((scenario["timeline"]?.elements ?? []).compactMap(FaultName.of)).sorted()
        for (index, fault) in kinds.enumerated() {
            faults[fault, default: 0] += 1
            for other in kinds[index...].dropFirst() { pairs[Coverage.pair(fault, other), default: 0] += 1 }
        }
    }

    package mutating func merge(_ other: Coverage) {
        worlds += other.worlds
        met.merge(other.met, uniquingKeysWith: +)
        faults.merge(other.faults, uniquingKeysWith: +)
        pairs.merge(other.pairs, uniquingKeysWith: +)
        systems.merge(other.systems, uniquingKeysWith: +)
    }

    private static func pair(_ left: String, _ right: String) -> String { "\(left) + \(right)" }

    /// Whether a place of the format with a class of its values has been met.
    package func has(_ name: String) -> Bool { met[name] != nil }

    /// Everything that could have been met and never was, by name.
    package var missing: [String] {
        let format = FormatSchema.current
        let values = FormatWalk(format: format).classes.filter { met[$0] == nil }
        let names = FaultName.all(format).sorted()
        let missingPairs = names.indices.flatMap { index in
            names[index...].dropFirst().map { Coverage.pair(names[index], $0) }
        }.filter { pairs[$0] == nil }
        let versions = SimulatedSystems.all.flatMap { system in
            system.versions.map { "\(system.name) \($0)" }
        }.filter { systems[$0] == nil }
        return values.sorted() + names.filter { faults[$0] == nil } + missingPairs + versions
    }

    /// The table that is printed at the end.
    package var table: String {
        let format = FormatSchema.current
        let classes = FormatWalk(format: format).classes
        let names = FaultName.all(format)
        let allPairs = names.count * (names.count - 1) / 2
        let rarest = met.filter { classes.contains($0.key) }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        var lines = [
            "format   \(classes.filter { met[$0] != nil }.count) of \(classes.count) keys and values"
                + (rarest.map { "; the rarest, \($0.key), in \($0.value) worlds" } ?? ""),
            "faults   \(faults.count) of \(names.count); pairs in one world \(pairs.count) of \(allPairs)",
        ]
        lines += names.sorted().map { name in
            let others = names.filter { $0 != name }.sorted().map { other in
                (other, pairs[Coverage.pair(min(name, other), max(name, other))] ?? 0)
            }
            let rarest = others.min { $0.1 < $1.1 }.map { "; least with \($0.0), in \($0.1)" } ?? ""
            return "         \(name) in \(faults[name] ?? 0) worlds\(rarest)"
        }
        lines.append(
            "systems  "
                + systems.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                .joined(separator: ", "))
        return lines.joined(separator: "\n")
    }
}

/// What an entry of the timeline is called: its kind, and which of several things it is.
private enum FaultName {
    /// The name of an entry.
    static func of(_ entry: JSONNode) -> String? {
        for member in entry.members ?? [] where member.value.isObjectValue {
            return name(member.key, member.value)
        }
        return nil
    }

    private static func name(_ kind: String, _ value: JSONNode) -> String {
        if let fault = value["fault"]?.string { return "\(kind) \(fault)" }
        if kind == "device", let key = value.members?.first?.key { return "\(kind) \(key)" }
        return kind
    }

    /// The names of all that the format knows.
    static func all(_ format: FormatSchema) -> [String] {
        let entry = format.resolved(format.root["properties"]?["timeline"]?["items"] ?? .null)
        return format.properties(of: entry, given: [:]).flatMap { property -> [String] in
            let schema = format.resolved(property.schema)
            guard isObject(schema, format) else { return [] }
            if let tags = schema["properties"]?["fault"]?["enum"]?.elements {
                return tags.compactMap(\.string).map { "\(property.name) \($0)" }
            }
            if property.name == "device" {
                return (schema["properties"]?.members ?? []).map { "\(property.name) \($0.key)" }
            }
            return [property.name]
        }
    }

    /// Whether a value is an object, whichever of several.
    private static func isObject(_ schema: JSONNode, _ format: FormatSchema) -> Bool {
        switch format.kind(of: format.resolved(schema)) {
        case .object: true
        case .alternatives(let forms): forms.allSatisfy { isObject($0, format) }
        default: false
        }
    }
}

extension JSONNode {
    fileprivate var isObjectValue: Bool { members != nil }
}
