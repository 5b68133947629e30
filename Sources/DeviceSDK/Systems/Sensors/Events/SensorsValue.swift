import AppModel
import DeviceSDK
import Timebase
import Wire

/// How a property's value comes about on the wire: a ``PropertyGenerator`` with everything rendered
/// that does not change, and without what the version's validation drops.
indirect enum SensorsValue: Sendable {
    /// Finished JSON.
    case constant([UInt8])
    /// Finished JSON per alternative; `nil` where validation refuses the alternative.
    case choice(WeightedChoice, [[UInt8]?])
    /// A rank from 1; with the beginning of a string, its end is a quote.
    case zipf(WeightedChoice, prefix: [UInt8]?)
    case number(Distribution, decimals: Int, quoted: Bool)
    /// The event's sequence on the device.
    case counter(prefix: [UInt8]?)
    /// The same value for the same entity on every device: drawn from the entity's own stream.
    case entity(sampler: PropertySampler, catalogue: UInt16, field: UInt16, value: SensorsValue)
    /// - count: How many things the catalogue has.
    case entityID(prefix: [UInt8], count: UInt32)
    /// Finished JSON per alternative, as of a choice.
    case cycle(EntityCycle<[UInt8]?>)
    case product([EntityCycle<Double>], decimals: Int, quoted: Bool)
    /// - isStrict: Whether an element that is refused takes the list with it; else the list stands without it.
    case list(SensorsValue, minimum: Int, maximum: Int, isStrict: Bool)
    /// The time of capture as a clock shows it that is this far ahead of UTC; `nil` for the device's own.
    case date(offset: Interval?)
    case reading(DeviceReading)
    /// Refused by validation, whatever is drawn.
    case dropped

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
        var device = RandomStream(key: 0)
        var isSignedIn = false

        /// Of values that belong to a device and to no event.
        static let ofADevice = Context(
            sequence: 0, subject: 0, capturedAt: Instant(nanoseconds: 0), zone: .zero)
    }

    /// How many elements a list has.
    static func listCount(_ minimum: Int, _ maximum: Int, _ stream: inout RandomStream) -> Int {
        let low = max(0, minimum)
        return low + Int(stream.below(UInt64(max(low, maximum) - low) + 1))
    }

    /// Whether validation refuses the value that a ``SensorsCompiledValue`` would write, or an element of
    /// it: in 1.x that drops the whole event. Draws as the value does, which is as
    /// ``PropertySampler`` does.
    func isRefused(_ stream: inout RandomStream, subject: UInt32) -> Bool {
        switch self {
        case .choice(let choice, let alternatives):
            return alternatives[choice.sample(&stream)] == nil
        case .number(let distribution, _, _):
            return !distribution.sample(&stream).isFinite
        case .entity(let sampler, let catalogue, let field, let value):
            var entity = sampler.field(field, of: catalogue, entity: subject)
            return value.isRefused(&entity.stream, subject: entity.context.subject)
        case .cycle(let cycle): return cycle[subject] == nil
        case .list(let element, let minimum, let maximum, let isStrict):
            let count = Self.listCount(minimum, maximum, &stream)
            var refused = false
            for _ in 0..<count where element.isRefused(&stream, subject: subject) { refused = true }
            return isStrict && refused
        case .dropped: return true
        case .zipf(let choice, _):
            _ = choice.sample(&stream)
            return false
        case .constant, .counter, .entityID, .product, .date, .reading: return false
        }
    }

    /// What can be said of ``isRefused(_:subject:)`` without drawing: `nil` if it depends.
    var isAlwaysRefused: Bool? {
        switch self {
        case .dropped: return true
        case .choice(_, let alternatives):
            return Self.isAlwaysRefused(alternatives)
        case .cycle(let cycle): return Self.isAlwaysRefused(cycle.values)
        case .number(let distribution, _, _):
            if case .constant(let value) = distribution { return !value.isFinite }
            return distribution.mean.isFinite ? false : nil
        case .entity(_, _, _, let value): return value.isAlwaysRefused
        case .list(let element, let minimum, _, let isStrict):
            guard isStrict else { return false }
            guard let element = element.isAlwaysRefused else { return nil }
            return element ? (minimum > 0 ? true : nil) : false
        case .constant, .zipf, .counter, .entityID, .product, .date, .reading: return false
        }
    }

    private static func isAlwaysRefused(_ alternatives: [[UInt8]?]) -> Bool? {
        let refused = alternatives.filter { $0 == nil }.count
        return refused == 0 ? false : refused == alternatives.count ? true : nil
    }

    static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
    /// The most decimals that a number is rounded to.
    static let maximumDecimals = 9
}

extension WireBuffer {
    /// Appends `yyyy-MM-dd HH:mm:ss.SSS` as a clock shows it that is `offset` ahead of UTC.
    mutating func appendSensorsDate(_ instant: Instant, offset: Interval) {
        append(upTo: 8 * SensorsCursor.digits + SensorsCursor.slack) { memory in
            var cursor = SensorsCursor(memory)
            cursor.put(date: instant, offset: offset)
            return cursor.count
        }
    }
}
