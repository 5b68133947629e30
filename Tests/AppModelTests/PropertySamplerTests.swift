import Testing
import Timebase

@testable import AppModel

@Suite("Values of properties")
struct PropertySamplerTests {
    private let sampler = PropertySampler(app: Presets.shop)

    private func context(_ sequence: UInt64 = 7, subject: UInt32 = 3) -> PropertyContext {
        PropertyContext(sequence: sequence, subject: subject, capturedAt: start)
    }

    @Test("come out the same each time from the event's own stream")
    func determinism() {
        let rules = Presets.shop.events.flatMap(\.properties)
        var differing = 0
        for (index, rule) in rules.enumerated() {
            var first = RandomStream(key: 5).child(UInt64(index))
            var second = first
            let value = sampler.value(of: rule.generator, stream: &first, context: context())
            #expect(value == sampler.value(of: rule.generator, stream: &second, context: context()))
            #expect(first == second)
            var other = RandomStream(key: 6).child(UInt64(index))
            if value != sampler.value(of: rule.generator, stream: &other, context: context()) {
                differing += 1
            }
        }
        #expect(differing > rules.count / 4)
    }

    @Test("follow their generators")
    func kinds() {
        var stream = RandomStream(key: 1)
        func value(_ generator: PropertyGenerator) -> PropertyValue {
            sampler.value(of: generator, stream: &stream, context: context())
        }
        #expect(value(.constant(.null)) == .null)
        #expect(value(.counter(prefix: nil)) == .number(7))
        #expect(value(.counter(prefix: "S-")) == .string("S-7"))
        #expect(value(.date) == .date(start))
        #expect(value(.entityID(catalogue: 0, prefix: "SKU")) == .string("SKU00003"))
        #expect(value(.zipf(.zipf(count: 1, exponent: 1), prefix: "b-")) == .string("b-1"))
        #expect(value(.zipf(.zipf(count: 1, exponent: 1), prefix: nil)) == .number(1))
        #expect(value(.number(.constant(1.23456), decimals: 2)) == .number(1.23))
        #expect(
            value(.list(.counter(prefix: nil), minimum: 2, maximum: 2)) == .list([.number(7), .number(7)]))
        #expect(value(.list(.counter(prefix: nil), minimum: 0, maximum: 0)) == .list([]))
    }

    @Test("a list has every length from its minimum to its maximum")
    func lists() {
        var lengths = Set<Int>()
        var stream = RandomStream(key: 2)
        for _ in 0..<200 {
            let sampled = sampler.sample(
                .list(.date, minimum: 1, maximum: 4), stream: &stream, context: context())
            if case .list(let count) = sampled { lengths.insert(count) }
        }
        #expect(lengths == [1, 2, 3, 4])
    }

    @Test("whole numbers reach both bounds and no further")
    func integers() {
        var stream = RandomStream(key: 3)
        var seen = Set<Double>()
        for _ in 0..<400 {
            if case .number(let value, 0) = sampler.sample(
                .integer(1, 5), stream: &stream, context: context())
            {
                seen.insert(value)
            }
        }
        #expect(seen == [1, 2, 3, 4, 5])
    }

    @Test("an entity's fields are the same on every device and in every event, and differ between entities")
    func entities() {
        let price = PropertyGenerator.entity(catalogue: 0, field: 2)
        var prices = Set<PropertyValue>()
        for subject in UInt32(0)..<50 {
            var one = RandomStream(key: 1)
            var other = RandomStream(key: 999)
            let value = sampler.value(of: price, stream: &one, context: context(1, subject: subject))
            let again = PropertySampler(app: Presets.shop).value(
                of: price, stream: &other, context: context(500, subject: subject))
            #expect(value == again)
            prices.insert(value)
        }
        #expect(prices.count > 40)
    }

    @Test("a field keeps its values when another is put before it")
    func fieldOrder() {
        var app = Presets.shop
        app.catalogues[0].fields.insert(PropertyRule("colour", .oneOf(["red", "blue"])), at: 0)
        let changed = PropertySampler(app: app)
        var stream = RandomStream(key: 1)
        for subject in UInt32(0)..<20 {
            #expect(
                sampler.value(
                    of: .entity(catalogue: 0, field: 2), stream: &stream, context: context(subject: subject))
                    == changed.value(
                        of: .entity(catalogue: 0, field: 3), stream: &stream,
                        context: context(subject: subject)))
        }
    }
}
