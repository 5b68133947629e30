import Testing
import Wire

@testable import SDKDescription

@Suite struct TemplateTests {
    private func parse(
        _ json: String, scopes: Set<Placeholder.Scope> = [.population, .device, .state, .event]
    ) throws -> (template: Template, problems: [TemplateProblem]) {
        var parser = TemplateParser(constants: ["sp": "iglu:com.acme/"], scopes: scopes)
        let node = try JSONReader.readStrictly(Array(json.utf8))
        return (parser.parse(node, at: JSONPath()), parser.problems)
    }

    @Test func aPlaceholderByItselfKeepsItsKindAndAmongTextIsText() throws {
        let (template, problems) = try parse(
            #"{"a": "{{row}}", "b": "no {{row}}", "c": "{{sp}}x", "d": 1.50}"#)
        #expect(problems.isEmpty)
        #expect(
            template
                == .object([
                    .key("a", .value(Placeholder(.row))),
                    .key("b", .text([.constant("no "), .slot(Placeholder(.row))])),
                    .key("c", .constant("iglu:com.acme/x")), .key("d", .number("1.50")),
                ]))
    }

    @Test func filtersChangeKinds() throws {
        #expect(Placeholder(.time).kind == .number)
        #expect(Placeholder(.time, filters: [.iso, .lower]).kind == .text)
        #expect(Placeholder(.time, filters: [.ms, .text]).kind == .text)
        #expect(Placeholder(.row, filters: [.upper]).kind == nil)
        let (template, problems) = try parse(#""{{userId?|upper}}""#)
        #expect(problems.isEmpty)
        #expect(template == .value(Placeholder(.userID, filters: [.upper], isOptional: true)))
    }

    @Test func whatCannotBeIsTold() throws {
        #expect(try parse(#""{{devise.model}}""#).problems.map(\.kind) == [.unknownName])
        #expect(try parse(#""{{time|isoo}}""#).problems.map(\.kind) == [.unknownName])
        #expect(try parse(#""{{time|upper}}""#).problems.map(\.kind) == [.type])
        for constant in ["{{sp|upper}}", "{{sp?}}"] {
            let problems = try parse("\"\(constant)\"").problems
            #expect(problems.map(\.kind) == [.type])
            #expect(problems.first?.allowed.contains("{{sp}} is a constant") == true)
        }
        #expect(try parse(#""{{time?}}""#).problems.map(\.kind) == [.type])
        #expect(try parse(#""a {{time""#).problems.map(\.kind) == [.syntax])
        #expect(try parse(#""a {{properties}}""#).problems.map(\.kind) == [.type])
        #expect(try parse(#"{"...": "{{time}}"}"#).problems.map(\.kind) == [.type])
        #expect(try parse(#""{{sent}}""#).problems.map(\.kind) == [.place])
        #expect(try parse(#"{"a": ["{{x}}"]}"#).problems.map(\.path.pointer) == ["/a/0"])
    }

    @Test(arguments: [
        ("1e400", false), ("-1e400", false), ("18446744073709551616", false), ("-9223372036854775809", false),
        ("18446744073709551615", true), ("-9223372036854775808", true), ("9007199254740993", true),
        ("1.5e308", true), ("1e-400", true), ("-0", true), ("123456789012345678901234567890.0", true),
    ])
    func aNumberIsOneThatReadersHave(digits: String, isGood: Bool) throws {
        var parser = TemplateParser(constants: [:], scopes: [])
        let node = JSONNode.object([("a", .list([JSONNode(.number(digits))]))])
        let template = parser.parse(node, at: JSONPath())
        #expect(template == .object([.key("a", .list([.number(digits)]))]))
        #expect(parser.problems.map(\.kind) == (isGood ? [] : [.range]))
        #expect(parser.problems.map(\.path.pointer) == (isGood ? [] : ["/a/0"]))
    }

    @Test func keysOfTheObjectWinOverMergedOnes() throws {
        let (template, _) = try parse(#"{"...": {"a": 1, "b": 2}, "b": 3}"#)
        #expect(template == .object([.key("a", .number("1")), .key("b", .number("3"))]))
    }

    @Test func anEventHasItsNameItsPropertiesAndItsTag() throws {
        let (envelope, _) = try parse(
            #"{"e": "{{name}}", "px": {"base64url": {"data": "{{properties}}"}}}"#)
        let event = envelope.event(
            name: .constant("Buy"),
            properties: .object([.merge(.value(Placeholder(.properties))), .key("k", .bool(true))]))
        let tagged = try #require(event.inserting(.null, at: JSONPath(["px", "data", "bs_id"])))
        #expect(
            tagged
                == .object([
                    .key("e", .constant("Buy")),
                    .key(
                        "px",
                        .encoded(
                            .base64url,
                            .object([
                                .key(
                                    "data",
                                    .object([
                                        .merge(.value(Placeholder(.properties))), .key("k", .bool(true)),
                                        .key("bs_id", .null),
                                    ]))
                            ]))),
                ]))
        #expect(event.inserting(.null, at: JSONPath(["px", "data", "k"])) == nil, "the key is taken")
        #expect(event.inserting(.null, at: JSONPath(["q", "bs_id"])) == nil)
        #expect(event.value(at: JSONPath(["px", "data", "k"])) == .bool(true))
        #expect(event.path { $0 == .bool(true) } == JSONPath(["px", "data", "k"]))
    }

    @Test func anEventsNameGoesThroughFilters() throws {
        let (envelope, problems) = try parse(#"["{{name|upper}}", "a {{name|lower}}", "{{name}}"]"#)
        #expect(problems.isEmpty)
        let constant = envelope.event(name: .constant("Buy"), properties: .object([]))
        #expect(
            constant
                == .list([.constant("BUY"), .text([.constant("a "), .constant("buy")]), .constant("Buy")]))
        let name = Template.text([
            .constant("Saw "), .slot(Placeholder(.screenName)), .slot(Placeholder(.row)),
        ])
        let filled = envelope.event(name: name, properties: .object([]))
        #expect(
            filled.value(at: JSONPath(["0"]))
                == .text([
                    .constant("SAW "), .slot(Placeholder(.screenName, filters: [.upper])),
                    .slot(Placeholder(.row)),
                ]))
        #expect(filled.value(at: JSONPath(["2"])) == name)
    }

    @Test func changesAreMergedKeyByKeyAndNullTakesAKeyAway() throws {
        let base = try JSONReader.readStrictly(Array(#"{"a": {"b": 1, "c": [1]}, "d": 2}"#.utf8))
        let change = try JSONReader.readStrictly(Array(#"{"a": {"c": [2], "b": null}, "e": 3}"#.utf8))
        #expect(base.merging(change).compactText == #"{"a": {"c": [2]}, "d": 2, "e": 3}"#)
    }
}
