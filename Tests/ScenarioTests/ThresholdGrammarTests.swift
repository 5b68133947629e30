import Measurement
import Reporting
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("The grammar of thresholds in the schema")
struct ThresholdGrammarTests {
    private static let kinds: [(kind: MetricCatalogue.Kind, metric: String)] = [
        (.trend, "batch_size"), (.counter, "retries"), (.rate, "events_lost"), (.gauge, "store_depth"),
    ]

    /// What the parser says.
    private func parses(_ metric: String, _ expression: String) -> Bool {
        (try? Threshold.parse(metric: metric, expression: expression)) != nil
    }

    /// Parts that conditions are made of, and texts that look like them.
    private static let aggregations = [
        "avg", "min", "med", "max", "count", "rate", "value", "p(95)", "p( 99.9 )", "p(100)", "p(100.0)",
        "p(100.1)",
        "p(101)", "p(0)", "p(.5)", "p(5.)", "p(.)", "p()", "p(-1)", "p(+5)", "p(1e1)", "p(000000000000100)",
        "p(0000000000000100)", "p(099)", "p (95)", "P(95)", "p95", "mean", "", "Rate", "count(1)", "p(95",
        "pp(95)",
    ]
    private static let comparisons = [
        "<", "<=", ">", ">=", "==", "===", "!=", "=", "!", "<>", "=<", "<<", "====", "", "≤",
    ]
    private static let numbers = [
        "1", "0", "-3", "+4", "0.5", ".5", "5.", ".", "1e3", "1E-3", "1e", "1e+", "1e123", "1e12", "--1",
        "+-1", "1_000",
        "1,5", "0x10", "inf", "nan", "", "123456789012345", "1234567890123456", "0.123456789012345",
        "0.1234567890123456", "١", "1e99", "250ms", "1 000",
    ]
    private static let blanks = ["", "", "", "", " ", "\t", "  ", "\n", "\u{A0}", "\r", " \t "]

    private static func text(_ stream: inout RandomStream) -> String {
        func pick(_ list: [String], _ stream: inout RandomStream) -> String {
            // Sound parts come first in each list: half of the texts take them.
            let count = stream.chance(0.6) ? min(7, list.count) : list.count
            return list[Int(stream.below(UInt64(count)))]
        }
        let parts = [
            pick(blanks, &stream), pick(aggregations, &stream), pick(blanks, &stream),
            pick(comparisons, &stream),
            pick(blanks, &stream), pick(numbers, &stream), pick(blanks, &stream),
        ]
        return parts.joined()
    }

    @Test("says of every generated condition what the parser says", arguments: kinds)
    func conditions(kind: MetricCatalogue.Kind, metric: String) throws {
        let pattern = try Regex(ThresholdGrammar.condition(kind))
        var stream = RandomStream(key: 11)
        var (taken, refused) = (0, 0)
        for _ in 0..<6000 {
            let text = Self.text(&stream)
            let isTaken = parses(metric, text)
            #expect(text.contains(pattern) == isTaken, "\(metric): \(text.debugDescription)")
            if isTaken { taken += 1 } else { refused += 1 }
        }
        // Neither side answers one thing to everything.
        #expect(taken > 100 && refused > 1000, "\(taken) taken, \(refused) refused")
    }

    @Test(
        "takes the metrics that the loader takes",
        arguments: [
            ("http_reqs", true), ("http_reqs{population:ios}", true),
            (" http_reqs { population : ios } ", true),
            ("http_reqs{\tpopulation:ios\t}", true), ("events_duplicated", true),
            ("events_duplicated{population:ios}", false), ("http_reqs{population:}", false),
            ("http_reqs{population}", false), ("http_reqs{pop:ios}", false),
            ("http_reqs{population:\"ios\"}", false),
            ("http_reqs{population:ios", false), ("http_reqs population:ios}", false), ("http_req", false),
            ("http_reqs{population:ios,population:ios}", false),
            ("http_reqs{population:ios}{population:ios}", false),
            ("HTTP_REQS", false), ("", false), ("http_reqs\n", false),
        ])
    func metrics(name: String, isGood: Bool) throws {
        let key = JSONNode.text(name).compactText
        let text = scenario("\"thresholds\": {\(key): [\"count>=0\"]}")
        let loads = (try? loaded(text)) != nil
        let validator = SchemaValidator(root: ScenarioSchema.node)
        let (node, _) = try JSONReader.read(Array(text.utf8))
        #expect(loads == isGood, "the loader: \(name)")
        #expect((validator.violation(node, validator.root) == nil) == isGood, "the schema: \(name)")
    }

    /// Loads with the checker that the program uses.
    private func loaded(_ text: String) throws -> ScenarioDocument {
        try ScenarioLoader.load(bytes: Array(text.utf8), name: "test", thresholdChecker: Self.problem).get()
    }

    /// What the program has against a condition.
    static func problem(metric: String, expression: String) -> String? {
        do throws(ThresholdError) {
            _ = try Threshold.parse(metric: metric, expression: expression)
            return nil
        } catch { return error.allowed }
    }

    @Test("a population that is not there is refused however its tag is written")
    func strangers() {
        for tag in ["{population:nobody}", " {population: nobody } ", "{\tpopulation\t:\tnobody}"] {
            let text = scenario(
                "\"thresholds\": {\(JSONNode.text("http_reqs" + tag).compactText): [\"count>0\"]}")
            #expect(throws: ScenarioProblems.self) { try loaded(text) }
        }
    }

    @Test("names every metric, with its meaning and with what may be asked of it")
    func completion() throws {
        let thresholds = try #require(ScenarioSchema.node["properties"]?["thresholds"])
        let offered = try #require(thresholds["properties"]?.members)
        #expect(offered.map(\.key) == MetricCatalogue.all.map(\.name))
        for (member, entry) in zip(offered, MetricCatalogue.all) {
            #expect(member.value["description"]?.string?.contains(entry.kind.aggregations) == true)
            #expect(member.value["$ref"]?.string == "#/$defs/thresholds-\(entry.kind.rawValue)")
        }
    }
}
