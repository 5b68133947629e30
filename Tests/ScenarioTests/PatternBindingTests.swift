import AppModel
import Testing

@testable import Scenario

@Suite("Patterns that would not show")
struct PatternBindingTests {
    /// An app that registers two of an event's properties for all events, too.
    private func text(system: String, pattern: String) -> String {
        """
        {"duration": "1h",
         "apps": {"own": {
           "screens": [{"name": "Home"}],
           "events": [
             {"name": "Look", "on": "launch"},
             {"name": "Buy", "on": "launch", "properties": {
               "price": {"constant": 1}, "theme": {"constant": 1}, "pieces": {"constant": 1},
               "time": {"constant": 1}, "isGift": {"constant": false}}}],
           "superProperties": [{"on": "launch", "properties": {"price": {"constant": 2}}}],
           "dynamicSuperProperties": {"theme": {"constant": 2}}}},
         "populations": [{"name": "p", "devices": 2, "app": "own", \(system)}],
         "patterns": [\(pattern)]}
        """
    }

    private static let sensors = #""system": "sensors", "version": "4.9.1""#
    private static let oldSensors = #""system": "sensors", "version": "1.10.17""#
    private static let growing = #""system": "growing", "version": "4.11.0""#
    private static let oldGrowing = #""system": "growing", "version": "3.2.1""#
    private static let tracking = #""system": "trackingsdk""#

    private func missing(_ property: String) -> String {
        #"{"pattern": "missingProperty", "event": "Buy", "property": "\#(property)"}"#
    }

    @Test(
        "what an SDK sends with all events is not missing where one leaves it out",
        arguments: [sensors, oldSensors, growing], ["price", "theme"])
    func registered(system: String, property: String) throws {
        let found = problems(text(system: system, pattern: missing(property)))
        #expect(found.map(\.pointer) == ["/patterns/0/property"])
        let problem = try #require(found.first)
        #expect(problem.kind == .conflict)
        #expect(problem.found == "\"\(property)\", which the app of \"p\" registers for all events, too")
        #expect(problem.allowed.contains("\"superProperties\""))
        #expect(problems(text(system: system, pattern: missing("pieces"))).isEmpty)
    }

    @Test("what an SDK does not take as a name is not missing", arguments: [sensors, oldSensors])
    func refused(system: String) throws {
        let found = problems(text(system: system, pattern: missing("time")))
        #expect(found.map(\.pointer) == ["/patterns/0/property"])
        #expect(found.first?.found == "\"time\", which the SDK of \"p\" does not take as a name")
        #expect(problems(text(system: Self.growing, pattern: missing("time"))).isEmpty)
    }

    @Test("of a property that only the app's other events have, one thing is told")
    func foreign() {
        let text = text(system: Self.sensors, pattern: missing("channel"))
            .replacing(
                #""dynamicSuperProperties": {"#,
                with: #""dynamicSuperProperties": {"channel": {"constant": 1}, "#)
        #expect(problems(text).map(\.kind) == [.unknownName])
    }

    @Test("other SDKs send nothing in its place", arguments: [oldGrowing, tracking], ["price", "theme"])
    func unregistered(system: String, property: String) {
        #expect(problems(text(system: system, pattern: missing(property))).isEmpty)
    }

    @Test("a step of a funnel is not the one before itself")
    func ownStep() throws {
        func pattern(_ step: String) -> String {
            #"{"pattern": "conversion", "event": "Buy", "of": "\#(step)", "factor": 0.5}"#
        }
        let found = problems(text(system: Self.tracking, pattern: pattern("Buy")))
        #expect(found.map(\.pointer) == ["/patterns/0/of"])
        let problem = try #require(found.first)
        #expect(
            problem.kind == .conflict && problem.found == "\"Buy\", which is the pattern's \"event\" itself")
        #expect(problem.allowed.contains("another event"))
        #expect(problems(text(system: Self.tracking, pattern: pattern("Look"))).isEmpty)
    }

    @Test("a value of another type stands before what is registered, unless it is dropped")
    func wrongType() {
        func pattern(_ value: String) -> String {
            #"{"pattern": "wrongType", "event": "Buy", "property": "price", "value": \#(value)}"#
        }
        #expect(problems(text(system: Self.sensors, pattern: pattern(#""n/a""#))).isEmpty)
        let found = problems(text(system: Self.sensors, pattern: pattern("[1]")))
        #expect(found.map(\.pointer) == ["/patterns/0/property"])
    }

    @Test(
        "what the SDK makes a value of the right type of is not wrong",
        arguments: [
            ("pieces", "true", "1"), ("pieces", "false", "0"), ("pieces", #"["12"]"#, "12"),
            ("isGift", #"["1"]"#, "1"), ("isGift", #"["true"]"#, "true"),
        ])
    func becomesRight(property: String, value: String, sent: String) throws {
        func pattern(_ value: String) -> String {
            #"{"pattern": "wrongType", "event": "Buy", "property": "\#(property)", "value": \#(value)}"#
        }
        for system in [Self.growing, Self.oldGrowing] {
            let found = problems(text(system: system, pattern: pattern(value)))
            #expect(found.map(\.pointer) == ["/patterns/0/value"])
            let problem = try #require(found.first)
            #expect(problem.kind == .conflict)
            #expect(problem.found.hasSuffix("which the SDK of \"p\" sends as \"\(sent)\""))
            #expect(problems(text(system: system, pattern: pattern(#"["1", "2"]"#))).isEmpty)
        }
        #expect(problems(text(system: Self.tracking, pattern: pattern(value))).isEmpty)
    }

    @Test("names that give the same query are told of each other")
    func names() throws {
        func pair(_ first: String, _ second: String) -> [Problem] {
            let patterns = [first, second].map {
                #"{"name": "\#($0)", "pattern": "duplicateEvent", "event": "Buy"}"#
            }
            return problems(text(system: Self.tracking, pattern: patterns.joined(separator: ", ")))
        }
        let alike = try #require(pair("a-b", "a_b").first)
        #expect(alike.pointer == "/patterns/1/name" && alike.kind == .conflict)
        #expect(alike.allowed.contains("\"a-b\"") && alike.allowed.contains("\"pattern_a_b\""))
        #expect(pair("a-b", "a-b").map(\.allowed) == ["a name that no other pattern has"])
        #expect(pair("a-b", "a--b").isEmpty)
    }

    @Test("bots who delete the app are refused where devices come and go in stages, as people are")
    func leavingBots() throws {
        func text(_ retention: String, _ arrival: String) -> String {
            """
            {"duration": "1h",
             "personas": {"b": {"extends": "bot"\(retention)}},
             "populations": [{"name": "p", "devices": 4, "system": "trackingsdk"\(arrival)}],
             "patterns": [{"pattern": "bots", "share": 0.5, "persona": "b"}]}
            """
        }
        let retention = #", "retention": {"1d": 0.9, "2d": 0.8}"#
        let stages = #", "arrival": {"stages": [{"duration": "10m", "target": 4}]}"#
        let found = problems(text(retention, stages))
        #expect(found.map(\.pointer) == ["/patterns/0/persona"])
        let problem = try #require(found.first)
        #expect(problem.kind == .conflict && problem.found == "\"retention\" and stages of arrival")
        #expect(problems(text("", stages)).isEmpty && problems(text(retention, "")).isEmpty)
    }

    @Test(
        "what goes on beyond the end of the run is told",
        arguments: [
            (#"{"pattern": "campaign", "share": 0.1, "at": "30m", "for": "2h"}"#, "for"),
            (#"{"pattern": "release", "version": "9.0.0", "at": "30m", "over": "5h"}"#, "over"),
            (#"{"pattern": "duplicateEvent", "event": "Buy", "for": "61m"}"#, "for"),
        ])
    func beyondTheEnd(pattern: String, key: String) throws {
        let found = try document(text(system: Self.tracking, pattern: pattern)).warnings
        let own = try #require(found.first { $0.pointer.hasPrefix("/patterns") })
        #expect(own.pointer == "/patterns/0/\(key)" && own.text.contains("ends at 1h"))
        let long = try document(
            text(system: Self.tracking, pattern: pattern), options: sets("duration=6h")
        ).warnings
        #expect(!long.contains { $0.pointer.hasPrefix("/patterns") })
    }

    @Test("mistakes that would multiply an app's events beyond its limit are refused where they stand")
    func room() throws {
        func text(_ patterns: Int) -> String {
            let events = repeatElement(#"{"name": "x", "on": "launch"}"#, count: 10_000)
            let pattern = #"{"pattern": "duplicateEvent", "event": "x", "share": 0.1}"#
            return """
                {"duration": "1m",
                 "apps": {"own": {
                   "screens": [{"name": "Home"}], "events": [\(events.joined(separator: ","))]}},
                 "populations": [{"name": "p", "devices": 1, "app": "own", \(Self.tracking)}],
                 "patterns": [\(repeatElement(pattern, count: patterns).joined(separator: ","))]}
                """
        }
        let full = try document(text(3)).populations[0].app
        #expect(full.events.count == 40_000 && full.problems().isEmpty)
        let found = problems(text(7))
        #expect(found.map(\.pointer) == (3..<7).map { "/patterns/\($0)/event" })
        #expect(found.allSatisfy { $0.kind == .outOfRange })
        let first = try #require(found.first)
        #expect(first.found == #"50000 events in the app of "p", 10000 of them for this mistake"#)
        #expect(first.allowed == "at most 40000, with one more for each event of a mistake")
    }
}
