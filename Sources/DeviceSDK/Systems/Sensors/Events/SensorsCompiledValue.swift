import AppModel
import DeviceSDK
import Timebase
import Wire

/// A ``SensorsValue`` laid out for writing: plain values and pointers into an arena, so that an
/// event's properties are written without a reference count.
struct SensorsCompiledValue {
    enum Kind: UInt8 {
        case constant, choice, zipf, number, counter, entity, entityID, cycle, product, list, date, reading
        case dropped
    }

    private var kind: Kind
    private var isQuoted = false
    private var hasPrefix = false
    private var decimals = 0
    /// 10 to the power of ``decimals``.
    private var scale = 1.0
    /// The bytes of a constant, or the beginning of a string.
    private var text = SensorsBytes()
    /// Running sums of a choice's weights, and its alternatives; those without bytes are refused.
    private var table: UnsafePointer<Double>?
    private var tableCount = 0
    /// See ``Timebase/WeightedChoice/guide``.
    private var guide: UnsafePointer<UInt32>?
    private var guideParts = 0
    private var alternatives: UnsafePointer<SensorsBytes>?
    private var distribution = Distribution.constant(0)
    /// How many things the catalogue of an entity has.
    private var things: UInt32 = 1
    /// How many entities in a row have the same value of a cycle.
    private var step: UInt32 = 1
    private var factors: UnsafePointer<EntityFactor>?
    /// The key of an entity's field.
    private var field = RandomStream(key: 0)
    /// The value of the field, or of a list's element.
    private var inner: UnsafeMutablePointer<SensorsCompiledValue>?
    private var minimum = 0
    private var maximum = 0
    private var offset: Interval?
    private var reading = DeviceReading.isSignedIn
    /// The most bytes that the value takes.
    private(set) var limit = 0

    /// Digits, sign, point and quotes of the longest number; Swift's longest text of a double is 24.
    private static let numberLimit = 2 * SensorsCursor.digits

    init(_ value: SensorsValue, arena: SensorsArena) {
        kind = .dropped
        switch value {
        case .constant(let bytes): keep(constant: bytes, arena)
        case .choice(let choice, let values): keep(choice, of: values, arena)
        case .cycle(let cycle): keep(cycle, arena)
        case .product(let factors, let decimals, let quoted):
            keep(factors, decimals: decimals, quoted: quoted, arena)
        case .zipf(let choice, let prefix):
            kind = .zipf
            keep(choice, arena)
            keep(prefix: prefix, arena)
        case .number(let distribution, let decimals, let quoted):
            kind = .number
            self.distribution = distribution
            keep(decimals: decimals, quoted: quoted)
        case .counter(let prefix):
            kind = .counter
            keep(prefix: prefix, arena)
        case .entity(let sampler, let catalogue, let field, let value):
            keep(field: field, of: catalogue, value, sampler, arena)
        case .entityID(let prefix, let count):
            kind = .entityID
            things = count
            keep(prefix: prefix, arena)
        case .list(let element, let minimum, let maximum, _):
            keep(elements: element, minimum, maximum, arena)
        case .date(let offset):
            kind = .date
            self.offset = offset
            limit = Self.numberLimit + SensorsCursor.digits
        case .reading(let reading):
            kind = .reading
            self.reading = reading
            limit = Self.numberLimit
        case .dropped: break
        }
    }

    private mutating func keep(constant bytes: [UInt8], _ arena: SensorsArena) {
        kind = .constant
        text = arena.keep(bytes)
        limit = bytes.count
    }

    private mutating func keep(_ choice: WeightedChoice, of values: [[UInt8]?], _ arena: SensorsArena) {
        kind = .choice
        keep(choice, arena)
        keep(alternatives: values, arena)
    }

    private mutating func keep(
        field: UInt16, of catalogue: UInt16, _ value: SensorsValue, _ sampler: PropertySampler,
        _ arena: SensorsArena
    ) {
        kind = .entity
        things = UInt32(sampler.count(of: catalogue))
        self.field = sampler.stream(ofField: field, of: catalogue)
        limit = keep(inner: value, arena)
    }

    private mutating func keep(_ cycle: EntityCycle<[UInt8]?>, _ arena: SensorsArena) {
        kind = .cycle
        step = cycle.step
        tableCount = cycle.values.count
        keep(alternatives: cycle.values, arena)
    }

    private mutating func keep(
        _ factors: [EntityCycle<Double>], decimals: Int, quoted: Bool, _ arena: SensorsArena
    ) {
        kind = .product
        self.factors = arena.keep(
            table: factors.map { EntityFactor($0, values: arena.keep(table: $0.values)) })
        tableCount = factors.count
        keep(decimals: decimals, quoted: quoted)
    }

    private mutating func keep(
        elements element: SensorsValue, _ minimum: Int, _ maximum: Int, _ arena: SensorsArena
    ) {
        kind = .list
        self.minimum = minimum
        self.maximum = maximum
        limit = 2 + max(0, minimum, maximum) * (keep(inner: element, arena) + 1)
    }

    private mutating func keep(_ choice: WeightedChoice, _ arena: SensorsArena) {
        table = arena.keep(table: choice.cumulative)
        tableCount = choice.count
        guide = arena.keep(table: choice.guide)
        guideParts = choice.guide.count - 1
    }

    private mutating func keep(alternatives values: [[UInt8]?], _ arena: SensorsArena) {
        alternatives = arena.keep(table: values.map { $0.map { arena.keep($0) } ?? SensorsBytes() })
        limit = values.map { $0?.count ?? 0 }.max() ?? 0
    }

    private mutating func keep(decimals: Int, quoted: Bool) {
        self.decimals = decimals
        scale = SensorsValue.powersOfTen[decimals]
        isQuoted = quoted
        limit = Self.numberLimit
    }

    private mutating func keep(prefix: [UInt8]?, _ arena: SensorsArena) {
        hasPrefix = prefix != nil
        text = arena.keep(prefix ?? [])
        limit = text.count + Self.numberLimit
    }

    /// - Returns: the most bytes that the inner value takes.
    private mutating func keep(inner value: SensorsValue, _ arena: SensorsArena) -> Int {
        let table = arena.keep(table: [SensorsCompiledValue(value, arena: arena)])
        inner = UnsafeMutablePointer(mutating: table)
        return table.pointee.limit
    }

    /// Draws a value and writes its JSON.
    ///
    /// Changes nothing. Mutating, like what it calls, so that it works in place: each call of anything else is handed a copy
    /// of these 200 bytes.
    ///
    /// - Returns: `false`, with anything or nothing written, if validation drops the value.
    mutating func write(
        _ stream: inout RandomStream, _ context: borrowing SensorsValue.Context,
        to cursor: inout SensorsCursor
    ) -> Bool {
        switch kind {
        case .constant: cursor.put(text)
        case .choice:
            guard let bytes = alternatives?[sample(&stream)], bytes.count > 0 else { return false }
            cursor.put(bytes)
        case .zipf: putNumber(UInt64(sample(&stream) + 1), to: &cursor)
        case .number: return putNumber(distribution.sample(&stream), to: &cursor)
        case .counter: putNumber(UInt64(context.sequence), to: &cursor)
        case .entity:
            guard let inner else { return false }
            let entity = context.subject % things
            var own = field.child(UInt64(entity))
            let subject = SensorsValue.Context(
                sequence: entity, subject: entity, capturedAt: Instant(nanoseconds: 0), zone: .zero)
            return inner.pointee.write(&own, subject, to: &cursor)
        case .entityID: putNumber(UInt64(context.subject % things), digits: 5, to: &cursor)
        case .cycle:
            guard let bytes = alternatives?[Int(context.subject / step) % tableCount], bytes.count > 0 else {
                return false
            }
            cursor.put(bytes)
        case .product: return putNumber(product(for: context.subject), to: &cursor)
        case .list: putList(&stream, context, to: &cursor)
        case .date:
            cursor.put(byte: UInt8(ascii: "\""))
            if let offset {
                cursor.put(date: context.capturedAt, offset: offset)
            } else {
                cursor.put(date: context.capturedAt, offset: context.zone)
            }
            cursor.put(byte: UInt8(ascii: "\""))
        case .reading: putReading(context, to: &cursor)
        case .dropped: return false
        }
        return true
    }

    private mutating func product(for entity: UInt32) -> Double {
        guard let factors else { return 0 }
        var product = 1.0
        for index in 0..<tableCount { product *= factors[index].value(of: entity) }
        return product
    }

    private mutating func sample(_ stream: inout RandomStream) -> Int {
        guard let table, let guide else { return 0 }
        return WeightedChoice.sample(
            &stream, cumulative: table, count: tableCount, guide: guide, parts: guideParts)
    }

    private mutating func putNumber(_ number: UInt64, digits: Int = 1, to cursor: inout SensorsCursor) {
        guard hasPrefix else {
            cursor.put(number)
            return
        }
        cursor.put(text)
        cursor.put(number, digits: digits)
        cursor.put(byte: UInt8(ascii: "\""))
    }

    private mutating func putNumber(_ number: Double, to cursor: inout SensorsCursor) -> Bool {
        guard number.isFinite else { return false }
        if isQuoted { cursor.put(byte: UInt8(ascii: "\"")) }
        let scaled = number * scale
        if scaled.magnitude < 9e18 {
            cursor.put(Self.rounded(scaled), decimals: decimals)
        } else {
            var buffer = WireBuffer()
            buffer.appendDecimal(number)
            cursor.put(buffer.bytes)
        }
        if isQuoted { cursor.put(byte: UInt8(ascii: "\"")) }
        return true
    }

    /// To the nearest whole number, halves away from zero: `rounded()` without the C library's call.
    private static func rounded(_ value: Double) -> Int64 {
        let whole = Int64(value)
        let rest = value - Double(whole)
        return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
    }

    private mutating func putReading(
        _ context: borrowing SensorsValue.Context, to cursor: inout SensorsCursor
    ) {
        let moment = DeviceMoment(
            device: context.device, capturedAt: context.capturedAt, zone: context.zone,
            isSignedIn: context.isSignedIn)
        switch moment.value(of: reading) {
        case .number(let number): cursor.put(number)
        case .flag(let isOn): cursor.put(isOn ? "true" : "false" as StaticString)
        }
    }

    private mutating func putList(
        _ stream: inout RandomStream, _ context: borrowing SensorsValue.Context,
        to cursor: inout SensorsCursor
    ) {
        let count = SensorsValue.listCount(minimum, maximum, &stream)
        cursor.put(byte: UInt8(ascii: "["))
        guard let inner else { return cursor.put(byte: UInt8(ascii: "]")) }
        let start = cursor.count
        for _ in 0..<count {
            let before = cursor.count
            if before > start { cursor.put(byte: UInt8(ascii: ",")) }
            if !inner.pointee.write(&stream, context, to: &cursor) { cursor.truncate(to: before) }
        }
        cursor.put(byte: UInt8(ascii: "]"))
    }
}
