import Testing
import Timebase

@testable import AppModel

@Suite("Values of properties")
struct PropertySamplerTests {
    private let sampler = PropertySampler(app: Presets.shop)

    private func context(_ sequence: UInt64 = 7, subject: UInt32 = 3) -> PropertyContext {
        PropertyContext(sequence: sequence, subject: subject, capturedAt: start)
    }

    /// The value of a property of the event with that number, drawn as devices draw it.
    private func value(
        of key: String, among rules: [PropertyRule], by sampler: PropertySampler, _ sequence: UInt64
    ) throws -> PropertyValue {
        let index = try #require(rules.firstIndex { $0.key == key })
        var own = RandomStream(key: sequence).child(rules.draws[index])
        return sampler.value(of: rules[index].generator, stream: &own, context: context(sequence))
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

    @Test("what is rounded to zero has no sign", arguments: [0, 1, 9])
    func zero(decimals: Int) {
        var stream = RandomStream(key: 1)
        let little = PropertyGenerator.number(.constant(-1e-10), decimals: decimals)
        let value = sampler.value(of: little, stream: &stream, context: context())
        guard case .number(let number) = value else {
            Issue.record("\(value)")
            return
        }
        #expect(number == 0 && number.sign == .plus)
    }

    @Test("who somebody is does not change from one login to the next", arguments: Presets.appNames)
    func loginProfiles(name: String) throws {
        let app = try #require(Presets.app(named: name))
        let sampler = PropertySampler(app: app)
        let update = try #require(app.profiles.first { $0.operation == .set && $0.trigger == .login })
        let things = try #require(update.catalogue.flatMap { app.catalogues[Int($0)].deals })
        let count = UInt32(app.catalogues[Int(things)].count)
        var people: Set<[PropertyValue]> = []
        for device: UInt32 in 0..<500 {
            let seen = (UInt8(0)..<64).map { ordinal in
                let subject = Deal.number(
                    thing: UInt32(ordinal) * 31 % count, of: count, device: device, ordinal: ordinal)
                return update.properties.map { rule in
                    var stream = RandomStream(key: UInt64(ordinal))
                    return sampler.value(
                        of: rule.generator, stream: &stream, context: context(subject: subject))
                }
            }
            #expect(Set(seen).count == 1, "device \(device)")
            people.formUnion(seen)
        }
        #expect(people.count >= 3)
    }

    @Test("a win of the game reaches the target, and a loss does not")
    func scores() throws {
        let sampler = PropertySampler(app: Presets.game)
        let rules = try #require(Presets.game.events.first { $0.name == "LevelEnd" }).properties
        var wins = 0
        for sequence in UInt64(0)..<2000 {
            let isWin = try value(of: "is_win", among: rules, by: sampler, sequence) == .bool(true)
            guard
                case .number(let percent) = try value(
                    of: "score_percent", among: rules, by: sampler, sequence)
            else {
                Issue.record("no number")
                continue
            }
            #expect(isWin ? percent >= 100 : percent <= 100, "seed \(sequence)")
            wins += isWin ? 1 : 0
        }
        #expect((1100...1380).contains(wins))
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

    @Test("of one product fit together, whatever its number")
    func products() {
        let rules = Presets.shop.events.first { $0.name == "AddToCart" }?.properties ?? []
        func values(_ subject: UInt32) -> [String: PropertyValue] {
            var stream = RandomStream(key: 3)
            let pairs = rules.map {
                ($0.key, sampler.value(of: $0.generator, stream: &stream, context: context(subject: subject)))
            }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        var brands: [PropertyValue: Set<[PropertyValue?]>] = [:]
        for subject in 0..<UInt32(200) {
            let values = values(subject)
            guard let name = values["product_name"] else { continue }
            brands[name, default: []].insert([values["brand"], values["first_category"]])
        }
        #expect(brands.count == 16 && brands.values.allSatisfy { $0.count == 1 })
        #expect(values(5)["product_price"] == values(5 + 64)["product_price"])
        #expect(values(5)["specification"] != values(5 + 16)["specification"])
    }

    @Test(
        "of an order are the same in all of its events: price times quantity is what is paid and what is not")
    func orders() throws {
        let submitted = try #require(Presets.shop.events.first { $0.name == "SubmitOrder" })
        let price = PropertyGenerator.entity(catalogue: Shop.product, field: 2)
        for ordinal in 0..<UInt8(100) {
            let order = Deal.number(thing: 37, of: 2048, device: 9, ordinal: ordinal)
            func number(_ generator: PropertyGenerator) -> Double? {
                var stream = RandomStream(key: UInt64(ordinal))
                let context = context(UInt64(ordinal), subject: order)
                guard
                    case .number(let number) = sampler.value(of: generator, stream: &stream, context: context)
                else { return nil }
                return number
            }
            func number(_ key: String) throws -> Double {
                try #require(submitted.properties.first { $0.key == key }.flatMap { number($0.generator) })
            }
            let worth = try #require(number(price)) * number("item_count")
            #expect(try abs(number("order_amount") + number("discount_amount") - worth) < 1e-9)
        }
        var stream = RandomStream(key: 0)
        let order = context(subject: Deal.number(thing: 37, of: 2048, device: 9, ordinal: 3))
        let product = PropertyGenerator.entityID(catalogue: Shop.product, prefix: "SKU")
        #expect(sampler.value(of: product, stream: &stream, context: order) == .string("SKU00037"))
    }

    @Test("numbers of orders are each device's own")
    func deals() {
        var numbers = Set<UInt32>()
        for device in [0, 1, 2, 63, 64, 65, 32_766] as [UInt32] {
            for ordinal in 0..<UInt8(64) {
                numbers.insert(Deal.number(thing: 5, of: 2048, device: device, ordinal: ordinal))
            }
        }
        #expect(numbers.count == 7 * 64)
        #expect(numbers.allSatisfy { $0 % 2048 == 5 && Int($0) < Deal.count(things: 2048) })
        #expect(Deal.count(things: 2048) < Int(UInt32.max))
    }

    @Test("with a companion share its draw: no level is lost with stars")
    func companions() throws {
        let rules = try #require(Presets.game.events.first { $0.name == "LevelEnd" }).properties
        let sampler = PropertySampler(app: Presets.game)
        var won = 0
        for sequence in 0..<UInt64(300) {
            func drawn(_ key: String) throws -> PropertyValue {
                try value(of: key, among: rules, by: sampler, sequence)
            }
            let isWon = try drawn("is_win") == .bool(true)
            won += isWon ? 1 : 0
            #expect(try isWon == (drawn("stars") != .number(0)))
        }
        #expect((150..<220).contains(won))
    }

    @Test("of a cart agree: the fuller the dearer, and what it lacks makes it nearly 59 yuan")
    func carts() throws {
        let rules = try #require(Presets.shop.events.first { $0.name == "ViewCart" }).properties
        var dearest = [Double](repeating: 0, count: 14)
        var cheapest = [Double](repeating: .infinity, count: 14)
        for sequence in 0..<UInt64(4000) {
            func number(_ key: String) throws -> Double {
                let value = try value(of: key, among: rules, by: sampler, sequence)
                guard case .number(let number) = value else { return .nan }
                return number
            }
            let (count, amount) = try (Int(number("cart_item_count")), number("cart_amount"))
            dearest[count] = max(dearest[count], amount)
            cheapest[count] = min(cheapest[count], amount)
            let gap = try number("free_shipping_gap")
            #expect(gap == 0 ? amount > 57 : (40..<70).contains(amount + gap), "\(amount) lacks \(gap)")
        }
        for count in 1..<12 { #expect(dearest[count] < cheapest[count + 1] && cheapest[count] > 0) }
    }
}
