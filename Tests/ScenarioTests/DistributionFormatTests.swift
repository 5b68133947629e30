import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("Distributions")
struct DistributionFormatTests {
    private static let generators: [(String, [String])] = [
        (#"{"uniform": {"min": 1, "max": 2, "decimals": 0}}"#, []),
        (#"{"exponential": {"mean": 4}}"#, []),
        (#"{"lognormal": {"median": 4, "sigma": 1}}"#, []),
        (#"{"pareto": {"min": 1, "alpha": 1.5, "max": 9}}"#, []),
        (#"{"number": {"mean": 4, "decimals": 1}}"#, []),
        (#"{"number": 4}"#, []),
        (#"{"uniform": {"mean": 4}}"#, ["/uniform", "/uniform", "/uniform/mean"]),
        (#"{"uniform": 4}"#, ["/uniform"]),
        (#"{"uniform": {"min": 2, "max": 1}}"#, ["/uniform"]),
        (
            #"{"exponential": {"min": 1, "max": 2}}"#,
            ["/exponential", "/exponential/min", "/exponential/max"]
        ),
        (#"{"exponential": {"mean": 0}}"#, ["/exponential/mean"]),
        (#"{"lognormal": {"median": 4}}"#, ["/lognormal"]),
        (#"{"pareto": {"min": 0, "alpha": 1, "max": 1}}"#, ["/pareto/min"]),
    ]

    private func text(_ generator: String) -> String {
        let app = """
            "apps": {"own": {"screens": [{"name": "Home"}],
              "events": [{"name": "Look", "on": "launch", "properties": {"u": \(generator)}}]}}
            """
        return scenario(app, population: #""app": "own""#)
    }

    @Test("a generator that names its distribution takes the keys of that one alone", arguments: generators)
    func families(generator: String, pointers: [String]) {
        let place = "/apps/own/events/0/properties/u"
        #expect(problems(text(generator)).map(\.pointer) == pointers.map { place + $0 })
    }

    @Test("the schema says the same of its keys")
    func schema() throws {
        let validator = SchemaValidator(root: ScenarioSchema.node)
        for (generator, pointers) in Self.generators {
            let (node, _) = try JSONReader.read(Array(text(generator).utf8))
            let isRefused = validator.violation(node, validator.root) != nil
            #expect(!isRefused || !pointers.isEmpty, "\(generator)")
        }
        for generator in [#"{"uniform": {"mean": 4}}"#, #"{"exponential": {"min": 1, "max": 2}}"#] {
            let (node, _) = try JSONReader.read(Array(text(generator).utf8))
            #expect(validator.violation(node, validator.root) != nil, "\(generator)")
        }
    }

    @Test("keys that are allowed are told with the one for decimals")
    func decimals() {
        let found = problems(text(#"{"uniform": {"min": 1, "max": 2, "decimal": 1}}"#))
        #expect(found.map(\.allowed) == [#""min", "max", "decimals""#])
    }

    @Test(
        "what is wrong with one key is told of that key alone",
        arguments: [
            (#"{"median": "12s", "sigma": -1}"#, "/sigma"), (#"{"median": "12s", "sigma": 50}"#, "/sigma"),
            (#"{"mean": "-3s"}"#, "/mean"), (#"{"median": "0s", "sigma": 1}"#, "/median"),
            (#"{"median": "5s", "sgima": 1}"#, "/sgima"),
        ])
    func single(json: String, pointer: String) {
        let found = problems(scenario(population: #""persona": {"sessionLength": \#(json)}"#))
        #expect(found.map(\.pointer) == ["/populations/0/persona/sessionLength" + pointer])
    }

    @Test("bounds that are not in order are both told")
    func bounds() {
        let bounds = #"{"min": "9s", "max": "3s"}"#
        let found = problems(scenario(population: #""persona": {"sessionLength": \#(bounds)}"#))
        #expect(found.map(\.found) == ["min 9s, max 3s"])
        #expect(found.map(\.allowed) == [#""min" not above "max""#])
    }
}
