import AppModel
import DeviceSDK
import Timebase
import Wire

/// How an attribute's value comes about: always a text (`GrowingArgumentChecker.m
/// serializableAttributes:`), whatever the app passes. Lists are joined with `||`, dates are
/// `yyyy-MM-dd HH:mm:ss.SSS`, and truth is 1 or 0, `NSNumber`'s `stringValue`. (3.2.1 takes texts only; the
/// app is assumed to make them so.)
indirect enum GrowingText: Sendable {
    case constant([UInt8])
    case choice(WeightedChoice, [[UInt8]])
    /// A rank from 1.
    case zipf(WeightedChoice, prefix: [UInt8])
    case number(Distribution, decimals: Int)
    /// The event's sequence on the device.
    case counter(prefix: [UInt8])
    /// The same value for the same entity on every device.
    case entity(PropertySampler, catalogue: UInt16, field: UInt16, GrowingText)
    /// - count: How many things the catalogue has.
    case entityID(prefix: [UInt8], count: UInt32)
    case cycle(EntityCycle<[UInt8]>)
    case product([EntityCycle<Double>], decimals: Int)
    case list(GrowingText, minimum: Int, maximum: Int)
    /// The time of capture.
    case date
    case reading(DeviceReading)

    /// What values are made from beyond their stream.
    struct Context {
        var sequence: UInt32
        /// The entity that the event speaks of.
        var subject: UInt32
        /// On the device's clock.
        var capturedAt: Instant
        /// How far the device's local time is ahead of UTC.
        var zone: Interval
        /// The device's own stream of properties.
        var device: RandomStream
        var isSignedIn: Bool
    }

    init(_ generator: PropertyGenerator, app: AppDescription, zone: Interval) {
        switch generator {
        case .constant(let value): self = .constant(Self.text(value, zone))
        case .choice(let values, let choice): self = .choice(choice, values.map { Self.text($0, zone) })
        case .zipf(let choice, let prefix): self = .zipf(choice, prefix: Array((prefix ?? "").utf8))
        case .number(let distribution, let decimals):
            self = .number(distribution, decimals: min(max(0, decimals), Self.maximumDecimals))
        case .counter(let prefix): self = .counter(prefix: Array((prefix ?? "").utf8))
        case .entity(let catalogue, let field):
            let inner = app.catalogues[Int(catalogue)].fields[Int(field)].generator
            // A field that refers to its own catalogue's fields would never end.
            if case .entity = inner {
                self = .constant([])
            } else {
                self = .entity(
                    PropertySampler(app: app), catalogue: catalogue, field: field,
                    GrowingText(inner, app: app, zone: zone))
            }
        case .entityID(let catalogue, let prefix):
            self = .entityID(
                prefix: Array(prefix.utf8), count: UInt32(app.catalogues[Int(catalogue)].count))
        case .cycle(let cycle):
            self = .cycle(EntityCycle(cycle.values.map { Self.text($0, zone) }, step: cycle.step))
        case .product(let factors, let decimals):
            self = .product(factors, decimals: min(max(0, decimals), Self.maximumDecimals))
        case .list(let element, let minimum, let maximum):
            self = .list(
                GrowingText(element, app: app, zone: zone), minimum: max(0, minimum),
                maximum: max(0, minimum, maximum))
        case .date: self = .date
        case .reading(let reading): self = .reading(reading)
        }
    }

    /// Appends the value, drawn as ``PropertySampler`` draws it.
    func write(_ stream: inout RandomStream, _ context: Context, to out: inout WireBuffer) {
        switch self {
        case .constant(let bytes): out.append(contentsOf: bytes)
        case .choice(let choice, let texts): out.append(contentsOf: texts[choice.sample(&stream)])
        case .zipf(let choice, let prefix):
            out.append(contentsOf: prefix)
            out.appendDecimal(choice.sample(&stream) + 1)
        case .number(let distribution, let decimals):
            Self.append(distribution.sample(&stream), decimals: decimals, to: &out)
        case .counter(let prefix):
            out.append(contentsOf: prefix)
            out.appendDecimal(UInt64(context.sequence))
        case .entity(let sampler, let catalogue, let field, let value):
            var entity = sampler.field(field, of: catalogue, entity: context.subject)
            var inner = context
            inner.subject = entity.context.subject
            inner.sequence = inner.subject
            inner.capturedAt = Instant(nanoseconds: 0)
            value.write(&entity.stream, inner, to: &out)
        case .entityID(let prefix, let count):
            out.append(contentsOf: prefix)
            out.append(PropertySampler.entityText(context.subject % count))
        case .cycle(let cycle): out.append(contentsOf: cycle[context.subject])
        case .product(let factors, let decimals):
            Self.append(factors.product(for: context.subject), decimals: decimals, to: &out)
        case .list(let element, let minimum, let maximum):
            let count = minimum + Int(stream.below(UInt64(maximum - minimum + 1)))
            for index in 0..<count {
                if index > 0 { out.append("||") }
                element.write(&stream, context, to: &out)
            }
        case .date: out.append(CivilTime(context.capturedAt, offset: context.zone).text)
        case .reading(let reading): Self.append(reading, context, to: &out)
        }
    }

    private static func append(_ reading: DeviceReading, _ context: Context, to out: inout WireBuffer) {
        let moment = DeviceMoment(
            device: context.device, capturedAt: context.capturedAt, zone: context.zone,
            isSignedIn: context.isSignedIn)
        switch moment.value(of: reading) {
        case .number(let number): out.appendDecimal(number)
        case .flag(let isOn): out.append(isOn ? UInt8(ascii: "1") : UInt8(ascii: "0"))
        }
    }

    private static func append(_ number: Double, decimals: Int, to out: inout WireBuffer) {
        let scale = Self.powersOfTen[decimals]
        // Of minus zero, 0 is left.
        out.appendDecimal((number * scale).rounded() / scale + 0.0)
    }

    /// The most bytes that a value takes inside a text of JSON. All that is not the app's own needs no escapes.
    var limit: Int {
        switch self {
        case .constant(let bytes): Self.escapedCount(bytes)
        case .choice(_, let texts): texts.map(Self.escapedCount).max() ?? 0
        case .zipf(_, let prefix), .counter(let prefix), .entityID(let prefix, _):
            Self.escapedCount(prefix) + 20
        case .cycle(let cycle): cycle.values.map(Self.escapedCount).max() ?? 0
        case .number, .product, .reading: 32
        case .entity(_, _, _, let value): value.limit
        case .list(let element, _, let maximum): maximum * (element.limit + 2)
        case .date: 32
        }
    }

    private static func escapedCount(_ bytes: [UInt8]) -> Int {
        var text = WireBuffer()
        bytes.withUnsafeBytes { text.appendJSONEscaped(utf8: $0, slashes: .escaped) }
        return text.count
    }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    private static let maximumDecimals = 9

    /// The text that a value becomes.
    static func text(_ value: PropertyValue, _ zone: Interval) -> [UInt8] {
        switch value {
        case .string(let text): return Array(text.utf8)
        case .number(let number):
            var buffer = WireBuffer()
            buffer.appendDecimal(number)
            return buffer.bytes
        case .bool(let flag): return [flag ? UInt8(ascii: "1") : UInt8(ascii: "0")]
        case .list(let values): return Array(values.map { text($0, zone) }.joined(separator: "||".utf8))
        case .date(let instant): return Array(CivilTime(instant, offset: zone).text.utf8)
        // What `NSNull` says of itself.
        case .null: return Array("<null>".utf8)
        }
    }
}

/// Attributes that an app passes together.
struct GrowingAttributes: Sendable {
    final class Member: Sendable {
        let key: GrowingAttributeKey
        let value: GrowingText
        /// The child of the event's stream that the value is drawn from.
        let ordinal: UInt64

        init(key: GrowingAttributeKey, value: GrowingText, ordinal: UInt64) {
            (self.key, self.value, self.ordinal) = (key, value, ordinal)
        }
    }

    private(set) var members: [Member] = []

    /// - Parameter firstOrdinal: Where the values' streams begin, so that those of several sets differ.
    init(_ rules: [PropertyRule], app: AppDescription, zone: Interval, firstOrdinal: UInt64 = 0) {
        for (draw, rule) in zip(rules.draws, rules) {
            // Of two rules for one key the later holds.
            members.removeAll { $0.key.name == rule.key }
            members.append(
                Member(
                    key: GrowingAttributeKey(rule.key),
                    value: GrowingText(rule.generator, app: app, zone: zone),
                    ordinal: firstOrdinal + draw))
        }
    }

    func contains(_ key: String) -> Bool { members.contains { $0.key.name == key } }

    /// The most bytes that the attributes take as JSON.
    var limit: Int { members.reduce(0) { $0 + $1.key.json.count + $1.value.limit + 8 } }
}
