import AppModel
import DeviceSDK
import Timebase
import Wire

/// What the app's code hands over with an event, as JSON members: what does not change is rendered beforehand. Dates
/// become ISO texts.
struct DeclaredProperties: Sendable {
    private struct Property: Sendable {
        /// `"price":`.
        var key: [UInt8]
        /// The property's place among all of the event's, to which its draws belong.
        var ordinal: UInt64
        var generator: PropertyGenerator
        /// The JSON of a constant, or of a choice's alternatives; else the beginning of a text, with its quote.
        var rendered: [[UInt8]]
    }

    private let properties: [Property]
    private let sampler: PropertySampler

    /// - Parameter excluded: Names that do not count.
    init(_ rules: [PropertyRule], without excluded: Set<String>, sampler: PropertySampler) {
        self.sampler = sampler
        properties = rules.enumerated().filter { !excluded.contains($1.key) }.map { ordinal, rule in
            var key = WireBuffer()
            key.appendJSONString(rule.key)
            key.append(UInt8(ascii: ":"))
            return Property(
                key: key.bytes, ordinal: UInt64(ordinal), generator: rule.generator,
                rendered: Self.rendered(rule.generator))
        }
    }

    private static func rendered(_ generator: PropertyGenerator) -> [[UInt8]] {
        switch generator {
        case .constant(let value): [json(value)]
        case .choice(let values, _): values.map(json)
        case .zipf(_, let prefix): prefix.map { [opening($0)] } ?? []
        case .counter(let prefix): prefix.map { [opening($0)] } ?? []
        case .entityID(_, let prefix): [opening(prefix)]
        default: []
        }
    }

    private static func json(_ value: PropertyValue) -> [UInt8] {
        var buffer = WireBuffer()
        buffer.appendDeclared(value)
        return buffer.bytes
    }

    /// The text's beginning, with its quote and without its end.
    private static func opening(_ prefix: String) -> [UInt8] {
        var buffer = WireBuffer()
        buffer.appendJSONString(prefix)
        return buffer.bytes.dropLast()
    }

    /// Appends the properties as members.
    ///
    /// - Parameter stream: The event's own: the same values come out each time.
    func write(stream: RandomStream, context: PropertyContext, to out: inout WireBuffer) {
        for place in properties.indices {
            var own = stream.child(properties[place].ordinal)
            out.appendJSONComma()
            out.append(contentsOf: properties[place].key)
            write(properties[place], stream: &own, context: context, to: &out)
        }
    }

    private func write(
        _ property: Property, stream: inout RandomStream, context: PropertyContext, to out: inout WireBuffer
    ) {
        switch sampler.sample(property.generator, stream: &stream, context: context) {
        case .alternative(let index): out.append(contentsOf: property.rendered[index])
        case .number(let value, _): out.appendDecimal(value)
        case .rank(let rank): write(UInt64(rank), after: property, to: &out)
        case .counter(let sequence): write(sequence, after: property, to: &out)
        case .entityID(let entity):
            out.append(contentsOf: property.rendered[0])
            out.append(PropertySampler.entityText(entity))
            out.append(UInt8(ascii: "\""))
        case .entityField(let catalogue, let field, let entity):
            var (inner, stream, context) = sampler.field(field, of: catalogue, entity: entity)
            out.appendDeclared(sampler.value(of: inner, stream: &stream, context: context))
        case .list(let count):
            guard case .list(let element, _, _) = property.generator else { return }
            out.append(UInt8(ascii: "["))
            for _ in 0..<count {
                out.appendJSONComma()
                out.appendDeclared(sampler.value(of: element, stream: &stream, context: context))
            }
            out.append(UInt8(ascii: "]"))
        case .date(let instant): out.appendDeclared(.date(instant))
        }
    }

    private func write(_ number: UInt64, after property: Property, to out: inout WireBuffer) {
        guard let opening = property.rendered.first else { return out.appendDecimal(number) }
        out.append(contentsOf: opening)
        out.appendDecimal(number)
        out.append(UInt8(ascii: "\""))
    }
}

extension WireBuffer {
    /// Appends a property's value as JSON.
    fileprivate mutating func appendDeclared(_ value: PropertyValue) {
        switch value {
        case .string(let text): appendJSONString(text)
        case .number(let number): appendDecimal(number)
        case .bool(let bool): appendJSON(bool)
        case .date(let instant):
            append(UInt8(ascii: "\""))
            appendISO(instant)
            append(UInt8(ascii: "\""))
        case .null: append("null")
        case .list(let values):
            append(UInt8(ascii: "["))
            for value in values {
                appendJSONComma()
                appendDeclared(value)
            }
            append(UInt8(ascii: "]"))
        }
    }

    /// Appends a time as `2026-03-02T11:30:00.123Z`.
    mutating func appendISO(_ instant: Instant) {
        let milliseconds = instant.milliseconds
        let day = (milliseconds - (milliseconds < 0 ? 86_399_999 : 0)) / 86_400_000
        let time = milliseconds - day * 86_400_000
        let (year, month, date) = Self.civil(day)
        appendPadded(year, digits: 4)
        append(UInt8(ascii: "-"))
        appendPadded(month, digits: 2)
        append(UInt8(ascii: "-"))
        appendPadded(date, digits: 2)
        append(UInt8(ascii: "T"))
        appendPadded(time / 3_600_000, digits: 2)
        append(UInt8(ascii: ":"))
        appendPadded(time / 60_000 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        appendPadded(time / 1000 % 60, digits: 2)
        append(UInt8(ascii: "."))
        appendPadded(time % 1000, digits: 3)
        append(UInt8(ascii: "Z"))
    }

    private mutating func appendPadded(_ value: Int64, digits: Int) {
        append(upTo: 8) { memory in
            var left = value
            for place in (0..<digits).reversed() {
                memory.storeBytes(of: UInt8(48 + left % 10), toByteOffset: place, as: UInt8.self)
                left /= 10
            }
            return digits
        }
    }

    /// The date of a day since 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * month + 2) / 5 + 1
        let isLate = month >= 10
        return (yearOfEra + era * 400 + (isLate ? 1 : 0), isLate ? month - 9 : month + 3, date)
    }
}
