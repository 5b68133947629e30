package import Timebase

/// What a property's value may depend on besides its stream: the event that it belongs to.
package struct PropertyContext: Hashable, Sendable {
    /// The event's own number on the device.
    package var sequence: UInt64
    /// The entity concerned, an index into the event's catalogue.
    package var subject: UInt32
    package var capturedAt: Instant
    /// The device's own stream of properties.
    package var device = RandomStream(key: 0)
    /// How far the device's local time is ahead of UTC.
    package var zone = Interval.zero
    /// Somebody is signed in on the device.
    package var isSignedIn = false

    package init(sequence: UInt64, subject: UInt32, capturedAt: Instant) {
        self.sequence = sequence
        self.subject = subject
        self.capturedAt = capturedAt
    }

    fileprivate var moment: DeviceMoment {
        DeviceMoment(device: device, capturedAt: capturedAt, zone: zone, isSignedIn: isSignedIn)
    }
}

/// A drawn value in a form that an encoder can write from bytes rendered beforehand: nothing in it
/// is allocated, and texts stand as indices into the generator's own table.
package enum SampledValue: Hashable, Sendable {
    /// The value of that index: 0 of a constant, an index among the alternatives of a choice, 0 or 1 of a switch
    /// that is read off the device.
    case alternative(Int)
    /// A number with at most that many decimals.
    case number(Double, decimals: Int)
    /// A rank from 1 by Zipf's law, to be written after the generator's prefix if it has one.
    case rank(Int)
    /// The event's own sequence, to be written after the generator's prefix if it has one.
    case counter(UInt64)
    /// A field of an entity: ``PropertySampler/field(_:of:entity:)`` tells its value.
    case entityField(catalogue: UInt16, field: UInt16, entity: UInt32)
    /// An entity's number, to be written after the generator's prefix.
    case entityID(UInt32)
    /// A list of that many elements; each is one more draw of the element's generator from the
    /// same stream.
    case list(count: Int)
    case date(Instant)
}

/// Draws the values of properties: the same for the same stream and context, each time.
///
/// Immutable and without state of its own; holds the catalogues, whose entities have the same
/// fields on every device and in every run.
package struct PropertySampler: Sendable {
    private let catalogues: ContiguousArray<Catalogue>
    /// The key of each field's streams.
    private let fieldKeys: ContiguousArray<ContiguousArray<RandomStream>>

    package init(app: AppDescription) {
        catalogues = ContiguousArray(app.catalogues)
        // The field's key and not its index: a new field changes no other.
        fieldKeys = ContiguousArray(
            app.catalogues.map { catalogue in
                let stream = RandomStream(key: RandomStream.hash(of: catalogue.name))
                return ContiguousArray(
                    catalogue.fields.map { stream.child(RandomStream.hash(of: $0.key)) })
            })
    }

    /// Draws a value without allocating.
    ///
    /// - Complexity: O(log n) in the number of a choice's alternatives.
    package func sample(
        _ generator: PropertyGenerator, stream: inout RandomStream, context: PropertyContext
    ) -> SampledValue {
        switch generator {
        case .constant: return .alternative(0)
        case .choice(_, let choice): return .alternative(choice.sample(&stream))
        case .zipf(let choice, _): return .rank(choice.sample(&stream) + 1)
        case .number(let distribution, let decimals):
            return .number(rounded(distribution.sample(&stream), decimals), decimals: decimals)
        case .counter: return .counter(context.sequence)
        case .entity(let catalogue, let field):
            return .entityField(catalogue: catalogue, field: field, entity: context.subject)
        case .entityID(let catalogue, _):
            return .entityID(entity(context.subject, in: catalogue))
        case .cycle(let cycle): return .alternative(cycle.index(of: context.subject))
        case .product(let factors, let decimals):
            return .number(
                rounded(factors.product(for: context.subject), decimals), decimals: decimals)
        case .list(_, let minimum, let maximum):
            return .list(count: minimum + Int(stream.below(UInt64(maximum - minimum + 1))))
        case .date: return .date(context.capturedAt)
        case .reading(let reading):
            switch context.moment.value(of: reading) {
            case .number(let number): return .number(Double(number), decimals: 0)
            case .flag(let isOn): return .alternative(isOn ? 1 : 0)
            }
        }
    }

    /// What a field of an entity is made from: its generator, and the stream and context from which
    /// every device draws the same value.
    package func field(
        _ field: UInt16, of catalogue: UInt16, entity: UInt32
    ) -> (generator: PropertyGenerator, stream: RandomStream, context: PropertyContext) {
        let entity = self.entity(entity, in: catalogue)
        return (
            catalogues[Int(catalogue)].fields[Int(field)].generator,
            fieldKeys[Int(catalogue)][Int(field)].child(UInt64(entity)),
            PropertyContext(
                sequence: UInt64(entity), subject: entity, capturedAt: Instant(nanoseconds: 0))
        )
    }

    /// The number of the thing of a catalogue that a subject is, or is a deal in.
    package func entity(_ subject: UInt32, in catalogue: UInt16) -> UInt32 {
        UInt32(UInt64(subject) % UInt64(catalogues[Int(catalogue)].count))
    }

    /// How many things a catalogue has.
    package func count(of catalogue: UInt16) -> Int { catalogues[Int(catalogue)].count }

    /// The streams of a field of a catalogue: an entity's value is drawn from the child with its number.
    package func stream(ofField field: UInt16, of catalogue: UInt16) -> RandomStream {
        fieldKeys[Int(catalogue)][Int(field)]
    }

    /// Draws a value in full, for whoever does not render beforehand.
    package func value(
        of generator: PropertyGenerator, stream: inout RandomStream, context: PropertyContext
    ) -> PropertyValue {
        let sampled = sample(generator, stream: &stream, context: context)
        switch (sampled, generator) {
        case (.alternative, .constant(let value)): return value
        case (.alternative(let index), .choice(let values, _)): return values[index]
        case (.alternative(let index), .cycle(let cycle)): return cycle.values[index]
        case (.alternative(let index), .reading): return .bool(index == 1)
        case (.rank(let rank), .zipf(_, let prefix)): return numbered(UInt64(rank), prefix)
        case (.counter(let sequence), .counter(let prefix)): return numbered(sequence, prefix)
        case (.entityID(let entity), .entityID(_, let prefix)):
            return .string(prefix + PropertySampler.entityText(entity))
        case (.entityField(let catalogue, let field, let entity), _):
            var (inner, stream, context) = self.field(field, of: catalogue, entity: entity)
            return value(of: inner, stream: &stream, context: context)
        case (.list(let count), .list(let element, _, _)):
            return .list((0..<count).map { _ in value(of: element, stream: &stream, context: context) })
        case (.number(let value, _), _): return .number(value)
        case (.date(let instant), _): return .date(instant)
        default: return .null
        }
    }

    /// The number of an entity as it stands after the prefix of its id: five digits at least.
    package static func entityText(_ entity: UInt32) -> String {
        let digits = String(entity)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }

    private func numbered(_ number: UInt64, _ prefix: String?) -> PropertyValue {
        prefix.map { .string($0 + String(number)) } ?? .number(Double(number))
    }

    /// What a little below zero is rounded to is 0, and not minus zero.
    private func rounded(_ value: Double, _ decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (value * scale).rounded() / scale + 0.0
    }
}

extension [EntityCycle<Double>] {
    /// The product of the values that an entity has.
    package func product(for entity: UInt32) -> Double { reduce(1) { $0 * $1[entity] } }
}
