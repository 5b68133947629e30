import Testing
import Wire

@testable import Scenario

@Suite("The schema takes what the loader takes")
struct SchemaEdgeTests {
    static let limit = String(repeating: "M", count: 64)

    static func event(_ generator: String) -> String {
        let event = #"{"name": "E", "on": "launch", "properties": {"k": \#(generator)}}"#
        return #""apps": {"a": {"screens": [{"name": "H"}], "events": [\#(event)]}}"#
    }

    @Test(
        "of rates, seeds, modules and values, at their edges",
        arguments: [
            (#""seed": "0x000000000000002A""#, "", true), (#""seed": "0x0000000000000002A""#, "", false),
            (#""seed": 1"#, #""rate": "1 /s""#, false), (#""seed": 1"#, #""rate": "1 events/s""#, true),
            (#""apps": {"a": {"module": "\#(limit)", "screens": [{"name": "H"}]}}"#, #""app": "a""#, true),
            (#""apps": {"a": {"module": "\#(limit)M", "screens": [{"name": "H"}]}}"#, #""app": "a""#, false),
            (event(#"{"constant": ["a", [1, null, true]]}"#), #""app": "a""#, true),
            (event(#"{"constant": ["a", [{}]]}"#), #""app": "a""#, false),
        ])
    func agreement(extra: String, population: String, isAllowed: Bool) throws {
        let text = scenario(extra, population: population)
        let validator = SchemaValidator(root: ScenarioSchema.node)
        let (node, _) = try JSONReader.read(Array(text.utf8))
        #expect((validator.violation(node, validator.root) == nil) == isAllowed, "\(text)")
        #expect(problems(text).isEmpty == isAllowed, "\(problems(text).map { $0.text(file: "") })")
    }

    @Test("no default is one that the schema itself refuses")
    func defaults() {
        let urls = ScenarioSchema.node["properties"]?["target"]?["properties"]?["urls"]
        #expect(urls?["minItems"]?.digits == "1")
        #expect(urls?["default"] == nil)
    }
}
