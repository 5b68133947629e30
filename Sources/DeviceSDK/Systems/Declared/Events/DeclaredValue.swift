import AppModel
import DeviceSDK
import Timebase
import Wire

/// How a property's value comes about, laid out for writing: plain values and pointers into an arena.
///
/// It draws what ``AppModel/PropertySampler`` draws.
struct DeclaredValue {
    enum Kind: UInt8 {
        case constant, choice, ranked, number, counter, entity, entityID, cycle, product, list, date
    }

    private var kind = Kind.constant
    private var hasPrefix = false
    private var decimals = 0
    /// 10 to the power of ``decimals``.
    private var scale = 1.0
    /// A constant's JSON, or the beginning of a text with its quote.
    private var text = DeclaredBytes()
    /// Running sums of a choice's weights, and the JSON of its alternatives.
    private var sums: UnsafePointer<Double>?
    private var count = 0
    /// See ``Timebase/WeightedChoice/guide``.
    private var guide: UnsafePointer<UInt32>?
    private var parts = 0
    private var alternatives: UnsafePointer<DeclaredBytes>?
    private var distribution = Distribution.constant(0)
    /// How many things the catalogue of an entity has.
    private var things: UInt32 = 1
    /// How many entities in a row have the same value of a cycle.
    private var step: UInt32 = 1
    private var factors: UnsafePointer<EntityFactor>?
    /// The key of an entity's field.
    private var field = RandomStream(key: 0)
    /// The value of the field, or of a list's element.
    private var inner: UnsafeMutablePointer<DeclaredValue>?
    /// What fields of entities were last, by the lowest bits of the entity.
    private var known: UnsafeMutablePointer<DeclaredKnownValue>?
    private var minimum = 0
    private var maximum = 0
    /// The most bytes that the value takes.
    private(set) var limit = 0

    /// Digits, sign and point of the longest number: Swift's longest text of a double is 24.
    private static let numberLimit = 2 * DeclaredCursor.digits
    /// Fields that refer to other fields: no app's are deeper.
    private static let depth = 8

    /// - Parameter depth: How many fields refer to this one.
    init(
        _ generator: PropertyGenerator, _ app: AppDescription, _ sampler: PropertySampler,
        _ arena: DeclaredArena, depth: Int = 0
    ) {
        switch generator {
        case .constant(let value): keep(constant: value, arena)
        case .choice(let values, let choice):
            kind = .choice
            keep(choice, arena)
            keep(alternatives: values, arena)
        case .zipf(let choice, let prefix):
            kind = .ranked
            keep(choice, arena)
            keep(prefix: prefix, arena)
        case .number(let distribution, let decimals):
            kind = .number
            self.distribution = distribution
            keep(decimals: decimals)
        case .counter(let prefix):
            kind = .counter
            keep(prefix: prefix, arena)
        case .entity(let catalogue, let field):
            keep(field: field, of: catalogue, app, sampler, arena, depth: depth)
        case .entityID(let catalogue, let prefix):
            kind = .entityID
            things = UInt32(sampler.count(of: catalogue))
            keep(prefix: prefix, arena)
        case .cycle(let cycle): keep(cycle, arena)
        case .product(let factors, let decimals): keep(factors, decimals: decimals, arena)
        case .list(let element, let minimum, let maximum):
            let element = DeclaredValue(element, app, sampler, arena, depth: depth)
            keep(elements: element, minimum, maximum, arena)
        case .date:
            kind = .date
            limit = DeclaredCursor.timeLimit + 2
        // Of dynamic super properties, which these systems have not.
        case .reading: keep(constant: .null, arena)
        }
    }

    private mutating func keep(constant value: PropertyValue, _ arena: DeclaredArena) {
        kind = .constant
        text = arena.keep(value.json)
        limit = text.count
    }

    private mutating func keep(
        field: UInt16, of catalogue: UInt16, _ app: AppDescription, _ sampler: PropertySampler,
        _ arena: DeclaredArena, depth: Int
    ) {
        guard depth < Self.depth else {
            keep(constant: .null, arena)
            return
        }
        kind = .entity
        things = UInt32(sampler.count(of: catalogue))
        self.field = sampler.stream(ofField: field, of: catalogue)
        let own = app.catalogues[Int(catalogue)].fields[Int(field)].generator
        keep(inner: DeclaredValue(own, app, sampler, arena, depth: depth + 1), arena)
        known = arena.known(field: field, of: catalogue)
    }

    private mutating func keep(_ cycle: EntityCycle<PropertyValue>, _ arena: DeclaredArena) {
        kind = .cycle
        step = cycle.step
        count = cycle.values.count
        keep(alternatives: cycle.values, arena)
    }

    private mutating func keep(_ factors: [EntityCycle<Double>], decimals: Int, _ arena: DeclaredArena) {
        kind = .product
        let table = factors.map { EntityFactor($0, values: UnsafePointer(arena.keep(table: $0.values))) }
        self.factors = UnsafePointer(arena.keep(table: table))
        count = factors.count
        keep(decimals: decimals)
    }

    private mutating func keep(
        elements element: DeclaredValue, _ minimum: Int, _ maximum: Int, _ arena: DeclaredArena
    ) {
        kind = .list
        self.minimum = minimum
        self.maximum = maximum
        keep(inner: element, arena)
        limit = 2 + max(0, minimum, maximum) * (limit + 1)
    }

    private mutating func keep(_ choice: WeightedChoice, _ arena: DeclaredArena) {
        sums = UnsafePointer(arena.keep(table: choice.cumulative))
        count = choice.count
        guide = UnsafePointer(arena.keep(table: choice.guide))
        parts = choice.guide.count - 1
    }

    private mutating func keep(alternatives values: [PropertyValue], _ arena: DeclaredArena) {
        let texts = values.map { $0.json }
        alternatives = UnsafePointer(arena.keep(table: texts.map { arena.keep($0) }))
        limit = texts.map(\.count).max() ?? 0
    }

    private mutating func keep(decimals: Int) {
        self.decimals = decimals
        for _ in 0..<decimals { scale *= 10 }
        limit = Self.numberLimit
    }

    private mutating func keep(prefix: String?, _ arena: DeclaredArena) {
        hasPrefix = prefix != nil
        text = arena.keep(Array(PropertyValue.string(prefix ?? "").json.dropLast()))
        limit = text.count + Self.numberLimit
    }

    private mutating func keep(inner value: DeclaredValue, _ arena: DeclaredArena) {
        limit = value.limit
        inner = arena.keep(table: [value])
    }

    // MARK: Writing

    /// Draws a value and writes its JSON.
    ///
    /// Changes nothing. Mutating, like what it calls, so that it works in place: each call of anything else is handed a copy
    /// of the value, which is 184 bytes.
    mutating func write(
        _ stream: inout RandomStream, _ context: borrowing PropertyContext, to cursor: inout DeclaredCursor
    ) {
        switch kind {
        case .constant: cursor.put(text)
        case .choice:
            let index = draw(&stream)
            if let alternatives { cursor.put(alternatives[index]) }
        case .ranked: put(UInt64(draw(&stream) + 1), to: &cursor)
        case .number: put(distribution.sample(&stream), to: &cursor)
        case .counter: put(context.sequence, to: &cursor)
        case .entity:
            putEntity(context.subject % things, to: &cursor)
        case .entityID: put(UInt64(context.subject % things), digits: 5, to: &cursor)
        case .cycle:
            if let alternatives { cursor.put(alternatives[Int(context.subject / step) % count]) }
        case .product:
            var number = 1.0
            if let factors { for index in 0..<count { number *= factors[index].value(of: context.subject) } }
            put(number, to: &cursor)
        case .list: putList(&stream, context, to: &cursor)
        case .date:
            cursor.put(byte: UInt8(ascii: "\""))
            cursor.put(iso: context.capturedAt)
            cursor.put(byte: UInt8(ascii: "\""))
        }
    }

    /// Every device tells the same of an entity: it is drawn once, as long as no other takes its place.
    private mutating func putEntity(_ entity: UInt32, to cursor: inout DeclaredCursor) {
        guard let inner, let known else { return }
        let slot = known + Int(entity) % DeclaredKnownValue.slotCount
        if slot.pointee.entity == entity &+ 1 {
            return cursor.put(from: slot.pointee.text, Int(slot.pointee.count))
        }
        // What is noted must not depend on what is remembered: values have no notes in them.
        let start = cursor.count
        var own = field.child(UInt64(entity))
        let subject = PropertyContext(
            sequence: UInt64(entity), subject: entity, capturedAt: Instant(nanoseconds: 0))
        inner.pointee.write(&own, subject, to: &cursor)
        let text = cursor.written(from: start)
        guard let source = text.baseAddress, text.count <= DeclaredKnownValue.limit else { return }
        slot.pointee.text.copyMemory(from: source, byteCount: text.count)
        slot.pointee.count = UInt32(text.count)
        slot.pointee.entity = entity &+ 1
    }

    private mutating func draw(_ stream: inout RandomStream) -> Int {
        guard let sums, let guide else { return 0 }
        return WeightedChoice.sample(&stream, cumulative: sums, count: count, guide: guide, parts: parts)
    }

    private mutating func put(_ number: UInt64, digits: Int = 1, to cursor: inout DeclaredCursor) {
        guard hasPrefix else { return cursor.put(number) }
        cursor.put(text)
        cursor.put(number, digits: digits)
        cursor.put(byte: UInt8(ascii: "\""))
    }

    /// The shortest digits of the number, rounded to the property's decimals: what ``Wire/WireBuffer`` writes of it,
    /// but for minus zero, of which 0 is left.
    private mutating func put(_ number: Double, to cursor: inout DeclaredCursor) {
        let scaled = number * scale
        // Up to 15 digits tell a double apart, and so do these without its help.
        guard scaled.magnitude < 1e15, decimals <= 6 else {
            var buffer = WireBuffer()
            buffer.appendDecimal(scaled.rounded() / scale + 0.0)
            return buffer.withUnsafeBytes { cursor.put($0) }
        }
        // To the nearest whole number, halves away from zero: `rounded()` would be a call into the C library.
        var whole = Int64(scaled)
        let rest = scaled - Double(whole)
        whole += rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0
        cursor.put(whole, decimals: decimals, scale: UInt64(scale))
    }

    private mutating func putList(
        _ stream: inout RandomStream, _ context: borrowing PropertyContext, to cursor: inout DeclaredCursor
    ) {
        let count = minimum + Int(stream.below(UInt64(maximum - minimum + 1)))
        cursor.put(byte: UInt8(ascii: "["))
        for index in 0..<count {
            if index > 0 { cursor.put(byte: UInt8(ascii: ",")) }
            inner?.pointee.write(&stream, context, to: &cursor)
        }
        cursor.put(byte: UInt8(ascii: "]"))
    }
}

/// The value of an entity's field, as it was written last.
struct DeclaredKnownValue {
    /// Which entity it is, counted from 1; 0 for none.
    var entity: UInt32 = 0
    var count: UInt32 = 0
    /// Memory for ``limit`` bytes, and for a block more.
    var text: UnsafeMutableRawPointer

    /// Entities that are remembered of a field, each at its number modulo this one.
    static let slotCount = 1024
    /// The most bytes of a value that is remembered.
    static let limit = 32
}
