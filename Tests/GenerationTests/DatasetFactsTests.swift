import Accounting
import Datasets
import TestSupport
import Testing
import Wire

@testable import Generation

@Suite("What answers know of a dataset beforehand")
struct DatasetFactsTests {
    /// Names that look alike, and are equal to `String`.
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    /// The plans of populations of one device each, with an app of their own.
    ///
    /// - Parameter populations: Of each, its system, and the members of its app beside the screens.
    private func plans(_ populations: [(system: String, app: String)]) throws -> DatasetPlans {
        let apps = populations.enumerated().map {
            #""app\#($0)": {"screens": [{"name": "Home"}], \#($1.app)}"#
        }
        let members = populations.enumerated().map {
            #"{"name": "p\#($0)", "devices": 1, "system": "\#($1.system)", "app": "app\#($0)"}"#
        }
        let text = """
            {"name": "facts", "duration": "1h", "apps": {\(apps.joined(separator: ", "))},
             "populations": [\(members.joined(separator: ", "))]}
            """
        return DatasetPlans(
            try Worlds.load(text), sizes: nil, tagsEvents: false, threads: 1, cut: nil)
    }

    /// Events of a launch.
    private func events(_ events: [(name: String, properties: String)]) -> String {
        let list = events.map {
            #"{"name": "\#($0.name)", "on": "launch", "properties": {\#($0.properties)}}"#
        }
        return #""events": [\#(list.joined(separator: ", "))]"#
    }

    /// The bytes of texts.
    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("names of other bytes are other events, whatever characters they show")
    func exactNames() throws {
        let app = events([(Self.composed, ""), (Self.decomposed, "")])
        let facts = DatasetFacts(try plans([("trackingsdk", app)]))
        #expect(bytes(facts.funnel) == bytes([Self.composed, Self.decomposed]))
        for name in [Self.composed, Self.decomposed] {
            #expect(bytes(facts.names(of: name)) == bytes([name]))
        }
        let first = try #require(facts.labels[0].firstIndex { $0.name == Self.composed })
        #expect(facts.steps(ofLabel: first, population: 0) == [0])
        #expect(facts.steps(ofLabel: first + 1, population: 0) == [1])
    }

    @Test("events of one name are one step of the funnel, in every population and wherever they stand")
    func repeatedNames() throws {
        let app = events([("A", ""), ("B", ""), ("A", ""), ("B", ""), ("C", ""), ("D", ""), ("E", "")])
        let other = events([("D", ""), ("A", ""), ("A", "")])
        let facts = DatasetFacts(try plans([("trackingsdk", app), ("sensors", other)]))
        #expect(facts.funnel == ["A", "B", "C", "D"])
        for (population, labels) in facts.labels.enumerated() {
            for (label, own) in labels.enumerated() {
                let step = facts.funnel.firstIndex(of: own.name)
                #expect(facts.steps(ofLabel: label, population: population) == (step.map { [$0] } ?? []))
            }
        }
        #expect(facts.labels[0].filter { $0.name == "A" }.count == 2)
    }

    @Test("a price is what an event's own rules draw, and no property of its name that others have")
    func prices() throws {
        let number = #"{"constant": 1}"#
        let own = events([("Pay", "\"price\": \(number)"), ("Pay", "\"order_amount\": \(number)")])
        let registered =
            events([("Pay", "")])
            + #", "superProperties": [{"on": "launch", "properties": {"price": \#(number)}}]"#
        let key = RevenueKey(name: "Pay", column: "prop_price")
        let mixed = DatasetFacts(
            try plans([("sensors", own), ("sensors", registered), ("trackingsdk", registered)]))
        #expect(mixed.prices == [[key], [], []])
        #expect(mixed.populations(with: key) == ["p0"])
        // Where no other population fills the column, nothing has to be said of them.
        let alone = DatasetFacts(
            try plans([("sensors", own), ("trackingsdk", own), ("trackingsdk", registered)]))
        #expect(alone.prices == [[key], [key], []])
        #expect(alone.populations(with: key) == nil)
    }

    @Test("a price that may be missing is a number all the same")
    func missingPrices() throws {
        let own = events([("Pay", #""price": {"choice": [1, 2.5, null]}"#)])
        let facts = DatasetFacts(try plans([("sensors", own)]))
        #expect(facts.prices == [[RevenueKey(name: "Pay", column: "prop_price")]])
    }

    private static let half = Int64.max / 2
    private static let sums: [(prices: [Int64], total: Int64?)] = [
        ([half, half], Int64.max - 1), ([-5, 3], -2), ([half, 3, half], nil), ([half, -half, half], nil),
        ([AnswerTotals.Revenue.untold], nil),
    ]

    @Test(
        "a sum that 64 bits do not hold is no number, in whatever order and parts it comes about",
        arguments: sums)
    func hugeSums(prices: [Int64], total: Int64?) throws {
        let facts = DatasetFacts(try plans([("sensors", events([("Pay", "\"price\": {\"constant\": 1}")]))]))
        let key = RevenueKey(name: "Pay", column: "prop_price")
        for order in [prices, prices.reversed()] {
            for cut in 0...order.count {
                var parts = [AnswerTotals(facts), AnswerTotals(facts)]
                for (index, price) in order.enumerated() {
                    parts[index < cut ? 0 : 1].revenue[key, default: .init()].add(price)
                }
                var totals = parts[0]
                totals.merge(parts[1])
                #expect(totals.revenue[key]?.total == total)
                let answer = try #require(
                    Answers(facts, totals, rows: 0).all.first { $0.name == "revenue" })
                #expect(answer.rows[0][2] == .count(prices.count))
                let told: Answer.Value = total.map { .number($0) } ?? .none
                #expect(answer.rows[0][3] == told)
                #expect(answer.sql.contains("nullif(0, 0)") == (total == nil))
                #expect(answer.question.contains("left out") == (total == nil))
            }
        }
    }

    @Test("keys of other bytes are other properties")
    func exactKeys() throws {
        let number = #"{"constant": 1}"#
        let app = events([
            ("A", "\"\(Self.composed)\": \(number)"), ("B", "\"\(Self.decomposed)\": \(number)"),
        ])
        let plans = try plans([("trackingsdk", app)])
        let fields = EventField.fields(of: plans.populations[0], plans.propertyColumns)
        #expect(
            bytes(fields.map(\.path))
                == bytes(["parameters.\(Self.composed)", "parameters.\(Self.decomposed)"]))
        #expect(fields.map(\.column) == ["prop_caf_", "prop_cafe_"])
    }

    @Test("properties whose names differ have columns of their own, and one of all populations has one")
    func propertyColumns() throws {
        func columns(_ keys: [String]) -> [String?] {
            let columns = PropertyColumns(keys: keys)
            return keys.map { columns[$0] }
        }
        #expect(columns(["价格", "名称", "价格"]) == ["prop___", "prop____2", "prop___"])
        // A name that needs no change keeps its column, wherever it stands, and numbers keep clear of it.
        #expect(columns(["Price", "PRICE", "price"]) == ["prop_price_2", "prop_price_3", "prop_price"])
        #expect(columns(["a-b", "a b", "a_b_2"]) == ["prop_a_b", "prop_a_b_3", "prop_a_b_2"])
        #expect(PropertyColumns(keys: ["a"])["A"] == nil)
        let number = #"{"constant": 1}"#
        let first = events([("A", "\"Price\": \(number)")])
        let second = events([("A", "\"price\": \(number)"), ("B", "\"Price\": \(number)")])
        let table = EventTable(
            try plans([("trackingsdk", first), ("trackingsdk", second)]), keepsIDs: false)
        let own = table.schema.columns.filter { $0.name.hasPrefix("prop_") }
        #expect(own.map(\.name) == ["prop_price_2", "prop_price"])
        #expect(own.map(\.doc) == ["the app's property Price", "the app's property price"])
    }

    @Test("columns of long names differ in what PostgreSQL keeps of them")
    func longColumns() {
        let long = String(repeating: "x", count: 80)
        let keys = [long + "1", long + "2", "prop"] + (0..<12).map { long + "y\($0)" }
        let columns = PropertyColumns(keys: keys)
        let names = keys.compactMap { columns[$0] }
        #expect(Set(names).count == keys.count && names.allSatisfy { $0.utf8.count <= 63 })
        #expect(names[0] == "prop_\(long.prefix(58))" && names[1] == "prop_\(long.prefix(56))_2")
    }

    @Test("a column takes the values of all populations, in whatever order they come")
    func widenedColumns() throws {
        func app(_ properties: [(String, String)]) -> String {
            events([("A", properties.map { "\"\($0)\": {\"constant\": \($1)}" }.joined(separator: ", "))])
        }
        let populations: [(system: String, app: String)] = [
            ("trackingsdk", app([("n", "1"), ("m", "1"), ("s", "true"), ("same", "2")])),
            ("sensors", app([("n", "1.5"), ("m", "\"x\""), ("s", "1"), ("same", "3")])),
        ]
        for order in [populations, populations.reversed()] {
            let table = EventTable(try plans(order), keepsIDs: false)
            let types = Dictionary(uniqueKeysWithValues: table.schema.columns.map { ($0.name, $0.type) })
            #expect(types["prop_n"] == .double && types["prop_same"] == .int64)
            #expect(types["prop_m"] == .string && types["prop_s"] == .string)
            // A price of numbers can be summed, and one of texts cannot.
            #expect(table.field(named: "prop_n") != nil && table.field(named: "prop_m") == nil)
        }
    }

    @Test("members of a system's own events are columns of their kinds, but for those that a version lacks")
    func systemColumns() throws {
        func types(version: String) throws -> [String: ColumnType] {
            let text = """
                {"name": "facts", "duration": "1h", "populations": [
                 {"name": "p", "devices": 1, "system": "sensors", "version": "\(version)"}]}
                """
            let plans = DatasetPlans(
                try Worlds.load(text), sizes: nil, tagsEvents: false, threads: 1, cut: nil)
            let columns = EventTable(plans, keepsIDs: false).schema.columns
            return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.type) })
        }
        let recent = try types(version: "4.9.1")
        #expect(recent["distinct_id"] == .string && recent["wifi"] == .bool)
        #expect(recent["track_id"] == .int64 && recent["event_duration"] == .double)
        #expect(recent["flush_time"] == .timestampMillis && recent["app_id"] == .string)
        let early = try types(version: "1.10.17")
        #expect(early["distinct_id"] == .string && early["app_id"] == nil)
    }

    @Test("rows of answers are told apart and ordered by bytes")
    func exactValues() {
        let texts = [Self.decomposed, Self.composed, "caff"].map { Answer.Value.text($0) }
        #expect(Set(texts).count == 3)
        let sorted = texts.sorted { $0.order < $1.order }
        #expect(sorted == [texts[0], texts[2], texts[1]])
        let keys = [Self.composed, Self.decomposed].map { RevenueKey(name: $0, column: "prop_price") }
        #expect(Set(keys).count == 2 && keys[1] < keys[0])
    }
}
