import Testing

@testable import Scenario

@Suite("What an app's model finds wrong")
struct AppProblemTests {
    @Test(
        "an app reads its device for dynamic super properties alone",
        arguments: [
            (
                #""n": {"counter": {}}"#, #""n": {"device": "isSignedIn"}"#,
                "/apps/kiosk/events/0/properties/n"
            ),
            (
                #""of": {"choice": ["x", "y"]}"#, #""of": {"device": "isSignedIn"}"#,
                "/apps/kiosk/events/0/properties/tags"
            ),
            (
                #""vip": {"constant": true}"#, #""vip": {"device": "isDarkMode"}"#,
                "/apps/kiosk/superProperties/0/properties/vip"
            ),
            (
                #""wait": {"uniform": {"min": -1, "max": 1}}"#, #""0": {"device": "isDarkMode"}"#,
                "/apps/kiosk/events/0/properties/0"
            ),
        ])
    func readings(good: String, bad: String, pointer: String) throws {
        let text = AppFormatTests.kiosk.replacing(good, with: bad)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == [pointer])
    }

    @Test(
        "a whole number that a double does not hold is refused, since devices would send another",
        arguments: [
            ("9007199254740993", true), ("[\"a\", 123456789012345678]", true), ("-9007199254740993", true),
            ("18446744073709551615", true), ("100000000000000000000001", true), ("9007199254740992", false),
            ("-9223372036854775808", false), ("1e24", false), ("0.1", false), ("\"9007199254740993\"", false),
        ])
    func wholeNumbers(value: String, isRefused: Bool) {
        let text = AppFormatTests.kiosk.replacing(
            #""fix": {"constant": ["a", 1.5]}"#, with: #""fix": {"constant": \#(value)}"#)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        let pointer =
            "/apps/kiosk/events/0/properties/fix/constant" + (value.hasPrefix("[") ? "/1" : "")
        #expect(found.map(\.pointer) == (isRefused ? [pointer] : []))
        #expect(found.allSatisfy { $0.kind == .outOfRange && value.contains($0.found) })
    }

    @Test(
        "no value has U+0000, and what is wrong in an array is told at its element",
        arguments: [
            (#"{"constant": "ab\u0000cd"}"#, "constant", Problem.Kind.outOfRange),
            (#"{"constant": ["a", ["b", "\u0000"]]}"#, "constant/1/1", .outOfRange),
            (#"{"choice": ["a", "x\u0000y"]}"#, "choice/1", .outOfRange),
            (#"{"choice": {"x\u0000y": 1}}"#, "choice/x\u{0}y", .outOfRange),
            (#"{"constant": ["a", {}]}"#, "constant/1", .wrongType),
            (#"{"choice": {"a": "1"}}"#, "choice/a", .wrongType),
        ])
    func values(generator: String, pointer: String, kind: Problem.Kind) {
        let text = AppFormatTests.kiosk.replacing(
            #""fix": {"constant": ["a", 1.5]}"#, with: #""fix": \#(generator)"#)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == ["/apps/kiosk/events/0/properties/fix/\(pointer)"])
        #expect(found.map(\.kind) == [kind])
    }

    @Test("nor does the class of a view around a control")
    func views() {
        let text = AppFormatTests.kiosk.replacing(
            #""action": "buy:""#, with: #""action": "buy:", "within": ["A\u0000B"]"#)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.contains { $0.pointer.hasSuffix("/within/0") && $0.kind == .outOfRange })
    }

    @Test("a control without an identifier has no name but its action")
    func unnamed() {
        let text = AppFormatTests.kiosk.replacing("Detail.buy-button", with: "Detail.")
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == ["/apps/kiosk/events/1/on/control"])
        #expect(found.map(\.kind) == [.unknownName])
    }

    @Test("tables of things and of numbers by Zipf's law have a limit for an app, however many they are")
    func alternatives() throws {
        let things = (0..<10).map { #"{"name": "c\#($0)", "count": 1000000}"# }
        let app = #"""
            "apps": {"own": {
               "screens": [{"name": "Home"}], "catalogues": [\#(things.joined(separator: ","))],
               "events": [{"name": "Look", "on": "launch", "properties": {"n": {"zipf": {"count": 7}}}}]}}
            """#
        let found = problems(scenario(app, population: #""app": "own""#))
        #expect(found.map(\.pointer) == ["/apps/own"])
        let problem = try #require(found.first)
        #expect(problem.kind == .outOfRange && problem.found.hasPrefix("10000007 things"))
    }

    @Test("what the model finds wrong is told at the place in the scenario")
    func modelProblems() {
        let text = AppFormatTests.kiosk.replacing(#""min": 1, "max": 3"#, with: #""min": 4, "max": 3"#)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == ["/apps/kiosk/events/0/properties/tags"])
        #expect(found.first?.found == "a list of 4 to 3 elements")
    }

    @Test(
        "the model's problems are told in the scenario's words",
        arguments: [
            (
                #""price": {"entity": "products.price"}"#, #""price": {"entity": "others.price"}"#,
                "/apps/kiosk/events/0/properties/price", "a thing of \"others\"",
                "things of \"products\", of which this speaks"
            ),
            (
                #"{"lognormal": {"median": 20, "sigma": 0.6, "decimals": 1}}"#, #""date""#,
                "/apps/kiosk/catalogues/0/fields/price", "the time of an event", "what a thing has for good"
            ),
            (
                #""on": {"screen": "Web"}, "web": true"#, #""on": "launch", "web": true"#,
                "/apps/kiosk/events/2/on", "a moment without a web page for an event of one",
                "a screen that shows a page, one of its controls, or \"signUp\", \"login\", \"logout\" and "
                    + "\"sessionEnd\""
            ),
            (
                #""theme": {"choice": ["dark", "light"]}"#, #""theme": {"entity": "products.price"}"#,
                "/apps/kiosk/dynamicSuperProperties/theme", "a thing of \"products\"",
                "a value without a thing: nothing here speaks of one"
            ),
        ])
    func modelWords(good: String, bad: String, pointer: String, what: String, allowed: String) {
        let second = #""catalogues": [{"name": "others", "count": 5, "fields": {"price": {"constant": 1}}}, "#
        var text = AppFormatTests.kiosk.replacing(good, with: bad)
        #expect(text != AppFormatTests.kiosk)
        if bad.contains("others") {
            text = text.replacing(#""catalogues": ["#, with: second)
        }
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == [pointer])
        #expect(found.first?.found == what)
        #expect(found.first?.allowed == allowed)
    }

    @Test("what could not be read is not told again as the model has it")
    func once() {
        let text = AppFormatTests.kiosk.replacing(#""min": 1, "max": 3"#, with: #""min": 5, "max": 20000"#)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == ["/apps/kiosk/events/0/properties/tags/list/max"])
    }

    @Test("who has left takes no time over anything")
    func pauses() {
        let text = AppFormatTests.kiosk.replacing(
            #""Open", "on": "launch""#, with: #""Open", "on": "sessionEnd", "pause": "2s""#)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == ["/apps/kiosk/events/3/pause"])
    }

    @Test(
        "no property has the name of the id by which a run knows its events",
        arguments: [
            (
                #""events": [{"name": "a", "on": "launch", "properties": {"bs_id": "date"}}]"#,
                "/events/0/properties"
            ),
            (
                #""profiles": [{"operation": "profile_set", "on": "launch", "properties": {"bs_id": "date"}}]"#,
                "/profiles/0/properties"
            ),
            (
                #""superProperties": [{"on": "launch", "properties": {"bs_id": "date"}}]"#,
                "/superProperties/0/properties"
            ),
            (#""dynamicSuperProperties": {"bs_id": "date"}"#, "/dynamicSuperProperties"),
        ])
    func idOfTheRun(part: String, place: String) {
        let app = #""apps": {"a": {"screens": [{"name": "Home"}], \#(part)}}"#
        let found = problems(scenario(app, population: #""app": "a", "tagEvents": false"#))
        #expect(found.map(\.pointer) == ["/apps/a\(place)/bs_id"])
    }
}
