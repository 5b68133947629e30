import Testing
import Wire

@testable import SDKDescription

@Suite struct AnswerTableTests {
    /// PostHog's table, by its words.
    private let table = AnswerTable([
        .init([.group(2)], .delivered),
        .init([.group(3), .status(408), .status(429), .status(500), .network], .retry),
        .init([.status(413)], .halve), .init([.anything], .drop),
    ])

    @Test func theFirstRuleThatMatchesHolds() {
        #expect(table.verdict(status: 204) == .delivered)
        #expect(table.verdict(status: 304) == .retry)
        #expect(table.verdict(status: 429) == .retry)
        #expect(table.verdict(status: 413) == .halve)
        #expect(table.verdict(status: 400) == .drop)
        #expect(table.verdict(status: 501) == .drop)
        #expect(AnswerTable.Failure.allCases.allSatisfy { table.verdict($0) == .retry })
        #expect(table.missing == nil)
        #expect(table.idle.isEmpty)
    }

    @Test func whatNoRuleIsAboutIsTold() {
        #expect(AnswerTable([.init([.group(2)], .delivered)]).missing == "100")
        let statuses = (1...5).map { AnswerTable.Match.group($0) }
        #expect(AnswerTable([.init(statuses, .keep)]).missing == "offline")
        #expect(AnswerTable([.init(statuses + [.failure(.offline)], .keep)]).missing == "dns")
    }

    @Test func aRuleWhoseCasesAreTakenIsIdle() {
        let table = AnswerTable([
            .init([.group(4)], .drop), .init([.status(404), .status(429)], .keep),
            .init([.anything], .retry),
        ])
        #expect(table.idle == [1])
    }

    @Test func wordsOfATable() {
        #expect(AnswerTable.Match("429") == .status(429))
        #expect(AnswerTable.Match("5xx") == .group(5))
        #expect(AnswerTable.Match("timeout") == .failure(.timeout))
        #expect(AnswerTable.Match("network") == .network)
        #expect(AnswerTable.Match("*") == .anything)
        for word in ["6xx", "0xx", "99", "600", "+20", "2XX", "", "teapot"] {
            #expect(AnswerTable.Match(word) == nil, "\(word)")
        }
    }

    @Test func aRuleMayAskForWhatABodyHas() throws {
        let match = try #require(AnswerTable.Match("2xx/result/code=200"))
        let table = AnswerTable([
            .init([match], .delivered), .init([.group(2)], .retry), .init([.status(200)], .keep),
            .init([.anything], .drop),
        ])
        func verdict(_ status: UInt16, _ body: String) -> AnswerTable.Verdict {
            table.verdict(status: status, body: Array(body.utf8))
        }
        #expect(verdict(202, #"{"result": {"code": 200}}"#) == .delivered)
        #expect(verdict(202, #"{"result": {"code": "200"}}"#) == .delivered)
        #expect(verdict(202, #"{"result": {"code": 200.0}}"#) == .delivered)
        #expect(verdict(202, #"{"result": {"code": "200.0"}}"#) == .retry)
        #expect(verdict(202, #"{"result": {"code": 201}}"#) == .retry)
        #expect(verdict(202, "<html>") == .retry)
        #expect(verdict(404, #"{"result": {"code": 200}}"#) == .drop)
        #expect(table.readsBodies && table.missing == nil && table.idle == [2])
        #expect(table.success?.status == 200 && table.success?.body?.value == "200")
        #expect(AnswerTable.Match("network/code=1") == nil && AnswerTable.Match("2xx/code") == nil)
        let late = AnswerTable([.init([.anything], .keep), .init([match], .delivered)])
        #expect(late.idle == [1] && !late.readsBodies && late.success == nil)
    }

    /// The collector answers with what the table takes for a success, and not for what a rule before says of it.
    @Test func aSuccessIsOneByTheWholeTable() throws {
        func table(_ rules: (String, AnswerTable.Verdict)...) throws -> AnswerTable {
            AnswerTable(
                try rules.map { words, verdict in
                    let matches = try words.split(separator: " ").map { word in
                        try #require(AnswerTable.Match(word))
                    }
                    return AnswerTable.Rule(matches, verdict)
                })
        }
        let late = try table(("200", .retry), ("2xx/ok=1", .delivered), ("*", .retry))
        #expect(late.success?.status == 201 && late.success?.body?.value == "1")
        let read = try table(("200/ok=true", .retry), ("2xx/ok=true", .delivered), ("*", .retry))
        #expect(read.success?.status == 201 && read.success?.body?.value == "true")
        let second = try table(("200/ok=1", .retry), ("200/ok=1 200/ok=2", .delivered), ("*", .retry))
        #expect(second.success?.status == 200 && second.success?.body?.value == "2")
        let plain = try table(("2xx/ok=1", .retry), ("2xx/ok=1 204", .delivered), ("*", .retry))
        #expect(plain.success?.status == 204)
        let none = try table(("2xx/ok=1", .retry), ("2xx/ok=1", .delivered), ("*", .retry))
        #expect(none.success == nil && none.idle.isEmpty)
        for found in [late, read, second] {
            guard let success = found.success, let wanted = success.body else {
                Issue.record("no success")
                continue
            }
            let body = AnswerTable.body(with: wanted.value, at: wanted.path)
            #expect(found.verdict(status: success.status, body: body) == .delivered)
        }
    }

    @Test(
        "the least body with a value is JSON",
        arguments: [
            ("1", #"{"a":{"b":1}}"#), ("true", #"{"a":{"b":true}}"#), ("+1", #"{"a":{"b":"+1"}}"#),
            ("007", #"{"a":{"b":"007"}}"#), ("x", #"{"a":{"b":"x"}}"#),
        ])
    func leastBody(value: String, json: String) throws {
        let path = try #require(JSONPath(text: "/a/b"))
        #expect(AnswerTable.body(with: value, at: path) == Array(json.utf8))
    }

    @Test func aBodyListsWhatItRefuses() throws {
        let paths = ["/invalid/*", "/failed/*/index", "/silenced"].compactMap { JSONPath(text: $0) }
        let table = AnswerTable([
            .init([.group(2)], .delivered), .init([.status(400)], .dropListed, listed: paths),
            .init([.anything], .retry),
        ])
        #expect(table.readsBodies && table.unlisted == nil)
        let rule = try #require(table.rule(status: 400))
        func listed(_ body: String) -> [Int] { rule.listed(in: Array(body.utf8), of: 5) }
        #expect(listed(#"{"invalid": {"time": [4, 0], "name": [0, 2]}}"#) == [0, 2, 4])
        #expect(
            listed(#"{"failed": [{"index": 1}, {"index": 1}, {"other": 3}], "silenced": [3]}"#) == [1, 3])
        // What is no place of an event is none.
        #expect(listed(#"{"silenced": [5, -1, 1.5, "2", null, 1e1]}"#) == [])
        #expect(listed(#"{"silenced": 4}"#) == [4])
        #expect(listed("no JSON") == [] && listed("[]") == [] && listed(#"{"invalid": 3}"#) == [])
        for path in paths {
            #expect(listed(path.listing([1, 4]).compactText) == [1, 4], "\(path.pointer)")
        }
        #expect(table.listing(status: 400) == paths[0] && table.listing(status: 422) == nil)
        #expect(
            AnswerTable([.init([.group(2)], .delivered), .init([.anything], .dropListed, listed: paths)])
                .unlisted == .offline)
    }
}
