import AppModel
import DeviceSDK
import Timebase
import Wire

/// Turns an app's property rules into ``SensorsMember``s by a version's validation rules.
struct SensorsValueCompiler {
    /// What the caller of the SDK may pass.
    enum Role {
        /// Events, `profile_set`, items: any type.
        case any
        /// `profile_increment`: numbers only.
        case increment
        /// `profile_append`: lists only.
        case append
    }

    let version: SensorsRules.Version
    let app: AppDescription
    let sampler: PropertySampler
    /// The zone in which dates of this source are written.
    var zone: Interval
    /// Times of captures are written in the device's own zone instead.
    var isLocal = true

    /// Compiles rules in order. Of two rules for one key the later holds, as in a dictionary
    /// literal's assignment.
    func members(
        _ rules: [PropertyRule], role: Role = .any, firstOrdinal: UInt64, keys: inout SensorsKeys
    ) -> [SensorsMember] {
        var members: [SensorsMember] = []
        for (draw, rule) in zip(rules.draws, rules) {
            let key = keys.index(of: rule.key)
            members.removeAll { $0.key == key }
            let isNamed = SensorsNames.isValid(rule.key, version: version)
            let value = isNamed ? self.value(rule.generator, key: rule.key, role: role) : .dropped
            members.append(
                SensorsMember(
                    key: key, text: rule.key, value: value, ordinal: firstOrdinal + draw))
        }
        return members
    }

    func value(_ generator: PropertyGenerator, key: String, role: Role) -> SensorsValue {
        compile(generator, key: key, role: role, inList: false)
    }

    /// A value that the app passes as text, whatever it is made from.
    func text(_ generator: PropertyGenerator, key: String) -> SensorsValue {
        compile(generator, key: key, role: .any, inList: true)
    }

    private func compile(
        _ generator: PropertyGenerator, key: String, role: Role, inList: Bool
    ) -> SensorsValue {
        switch generator {
        case .constant(let value):
            guard let bytes = json(value, key: key, role: role, inList: inList) else { return .dropped }
            return .constant(bytes)
        case .choice(let values, let choice):
            guard choice.count <= values.count else { return .dropped }
            return .choice(choice, values.map { json($0, key: key, role: role, inList: inList) })
        case .zipf(let choice, let prefix):
            guard let prefix = numbered(prefix, role: role, inList: inList) else { return .dropped }
            return .zipf(choice, prefix: prefix.bytes)
        case .counter(let prefix):
            guard let prefix = numbered(prefix, role: role, inList: inList) else { return .dropped }
            return .counter(prefix: prefix.bytes)
        case .number(let distribution, let decimals):
            guard accepts(.number, role: role, inList: inList) else { return .dropped }
            let digits = min(max(0, decimals), SensorsValue.maximumDecimals)
            return .number(distribution, decimals: digits, quoted: inList)
        case .entity(let catalogue, let field):
            return entity(catalogue, field, key: key, role: role, inList: inList)
        case .entityID(let catalogue, let prefix):
            guard accepts(.string, role: role, inList: inList) else { return .dropped }
            return .entityID(prefix: opened(prefix), count: UInt32(sampler.count(of: catalogue)))
        case .cycle(let cycle):
            let texts = cycle.values.map { json($0, key: key, role: role, inList: inList) }
            return .cycle(EntityCycle(texts, step: cycle.step))
        case .product(let factors, let decimals):
            guard accepts(.number, role: role, inList: inList) else { return .dropped }
            let digits = min(max(0, decimals), SensorsValue.maximumDecimals)
            return .product(factors, decimals: digits, quoted: inList)
        case .list(let element, let minimum, let maximum):
            guard !inList, role != .increment else { return .dropped }
            return .list(
                compile(element, key: key, role: .any, inList: true), minimum: minimum, maximum: maximum,
                isStrict: version != .v4)
        case .date:
            guard accepts(.date, role: role, inList: inList) else { return .dropped }
            return .date(offset: isLocal ? nil : zone)
        case .reading(let reading): return .reading(reading)
        }
    }

    private enum Kind { case string, number, date, null }

    /// Whether validation lets a single value of a kind pass at its place.
    private func accepts(_ kind: Kind, role: Role, inList: Bool) -> Bool {
        if inList { return kind == .string || version == .v4 && kind != .null }
        switch role {
        case .any: return kind != .null || version != .v4
        case .increment: return kind == .number
        case .append: return false
        }
    }

    /// The beginning of a numbered string, or nothing for a bare number; `nil` if it is refused.
    private func numbered(_ prefix: String?, role: Role, inList: Bool) -> (bytes: [UInt8]?, Void)? {
        guard accepts(prefix == nil ? .number : .string, role: role, inList: inList) else { return nil }
        if let prefix { return (opened(prefix), ()) }
        return (inList ? [UInt8(ascii: "\"")] : nil, ())
    }

    private func opened(_ prefix: String) -> [UInt8] {
        Array(JSONFragment(string: prefix, slashes: .escaped).bytes.dropLast())
    }

    private func entity(
        _ catalogue: UInt16, _ field: UInt16, key: String, role: Role, inList: Bool
    ) -> SensorsValue {
        guard app.catalogues.indices.contains(Int(catalogue)),
            app.catalogues[Int(catalogue)].fields.indices.contains(Int(field))
        else { return .dropped }
        let generator = app.catalogues[Int(catalogue)].fields[Int(field)].generator
        // A field that refers to its own catalogue's fields would never end.
        if case .entity = generator { return .dropped }
        return .entity(
            sampler: sampler, catalogue: catalogue, field: field,
            value: compile(generator, key: key, role: role, inList: inList))
    }

    /// A value as JSON, or `nil` if validation refuses it.
    private func json(_ value: PropertyValue, key: String, role: Role, inList: Bool) -> [UInt8]? {
        var buffer = WireBuffer()
        switch value {
        case .string(let text):
            guard accepts(.string, role: role, inList: inList) else { return nil }
            buffer.appendJSONString(
                SensorsNames.cut(text, key: key, version: version), slashes: .escaped)
        case .number(let number):
            guard number.isFinite, accepts(.number, role: role, inList: inList) else { return nil }
            append(quoted: inList, to: &buffer) { $0.appendDecimal(number) }
        case .bool(let flag):
            guard accepts(.number, role: role, inList: inList) else { return nil }
            // NSNumber's stringValue of a BOOL is a digit.
            if inList {
                buffer.append(flag ? "\"1\"" : "\"0\"" as StaticString)
            } else {
                buffer.appendJSON(flag)
            }
        case .date(let instant):
            guard accepts(.date, role: role, inList: inList) else { return nil }
            append(quoted: true, to: &buffer) { $0.appendSensorsDate(instant, offset: zone) }
        case .null:
            guard accepts(.null, role: role, inList: inList) else { return nil }
            buffer.append("null" as StaticString)
        case .list(let values):
            guard !inList, role != .increment else { return nil }
            return list(values, key: key)
        }
        return buffer.bytes
    }

    private func append(quoted: Bool, to buffer: inout WireBuffer, _ write: (inout WireBuffer) -> Void) {
        if quoted { buffer.append(UInt8(ascii: "\"")) }
        write(&buffer)
        if quoted { buffer.append(UInt8(ascii: "\"")) }
    }

    /// 1.x refuses a list with anything but strings; 4.x makes strings of its elements.
    private func list(_ values: [PropertyValue], key: String) -> [UInt8]? {
        var buffer = WireBuffer("[")
        for value in values {
            guard let element = json(value, key: key, role: .any, inList: true) else {
                if version == .v4 { continue }
                return nil
            }
            if buffer.count > 1 { buffer.append(UInt8(ascii: ",")) }
            buffer.append(contentsOf: element)
        }
        buffer.append(UInt8(ascii: "]"))
        return buffer.bytes
    }
}

/// A property on its way to the wire.
struct SensorsMember: Sendable {
    /// Index into ``SensorsKeys``.
    let key: Int
    let text: String
    /// `"key":`.
    let name: [UInt8]
    let value: SensorsValue
    /// The child of the event's stream that the value is drawn from.
    let ordinal: UInt64

    init(key: Int, text: String, value: SensorsValue, ordinal: UInt64) {
        self.key = key
        self.text = text
        self.value = value
        self.ordinal = ordinal
        name = JSONFragment(name: text, slashes: .escaped).bytes
    }

    /// Finished JSON of the value, if it never changes.
    var constant: [UInt8]? {
        if case .constant(let bytes) = value { return bytes }
        return nil
    }
}

/// Small numbers for property keys, so that sets of keys are arrays of flags.
struct SensorsKeys: Sendable {
    private var indices: [String: Int] = [:]
    var count: Int { indices.count }

    /// The number of a key, a new one if it was not met before.
    mutating func index(of key: String) -> Int {
        if let index = indices[key] { return index }
        indices[key] = indices.count
        return indices.count - 1
    }

    /// The number of a key that was met before.
    func known(_ key: String) -> Int? { indices[key] }
}
