import Testing

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
        #expect(verdict(202, #"{"result": {"code": 201}}"#) == .retry)
        #expect(verdict(202, "<html>") == .retry)
        #expect(verdict(404, #"{"result": {"code": 200}}"#) == .drop)
        #expect(table.readsBodies && table.missing == nil && table.idle == [2])
        #expect(table.success?.status == 200 && table.success?.body?.value == "200")
        #expect(AnswerTable.Match("network/code=1") == nil && AnswerTable.Match("2xx/code") == nil)
        let late = AnswerTable([.init([.anything], .keep), .init([match], .delivered)])
        #expect(late.idle == [1] && !late.readsBodies && late.success == nil)
    }
}
