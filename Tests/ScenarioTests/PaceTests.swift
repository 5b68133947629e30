import DeviceSDK
import Testing
import Timebase

@testable import Scenario

@Suite("The pace of live runs")
struct PaceTests {
    @Test("is the real one unless the scenario says otherwise")
    func pace() throws {
        #expect(try document(scenario()).pace == 1)
        #expect(try document(scenario(#""pace": 3600"#)).pace == 3600)
        #expect(try document(scenario(#""pace": 86400"#)).pace == 86_400)
        #expect(try document(scenario(#""pace": 3600"#), options: sets("pace=60")).pace == 60)
    }

    @Test("is a whole number up to a day in a second", arguments: ["0", "-1", "86401", "1.5", #""fast""#])
    func bounds(_ text: String) throws {
        let problem = try #require(problems(scenario(#""pace": \#(text)"#)).first)
        #expect(problem.pointer == "/pace")
        #expect(problem.allowed == "a whole number from 1 to 86400")
    }

    @Test(
        "lets neither request times nor ages of events nor radio times be judged",
        arguments: [
            ("http_req_duration", "p(99)<250"), ("http_req_service{population:ios}", "p(99)<250"),
            ("http_req_waiting", "count>1"), ("event_freshness", "p(95)<30000"),
            ("event_freshness{population:ios}", "max<30000"), ("freshness_within_1h", "rate>0.5"),
            ("event_freshness{entry:out}", "max<30000"), ("time_to_recover{entry:out}", "p(95)<40000"),
            ("radio_seconds", "count<6000"),
        ])
    func thresholds(_ metric: String, _ expression: String) throws {
        let text = #"""
            "timeline": [{"name": "out", "at": "1s", "for": "1s", "collector": {"fault": "outage"}}],
            "thresholds": {"events_lost": ["rate<0.1"], "\#(metric)": ["\#(expression)"]}
            """#
        #expect(problems(scenario(text)).isEmpty)
        #expect(problems(scenario(#""pace": 1, \#(text)"#)).isEmpty)
        let found = problems(scenario(#""pace": 2, \#(text)"#))
        #expect(found.count == 1)
        let pointer = "/thresholds/" + metric
        #expect(found.first?.pointer == pointer)
        #expect(found.first?.found == "\(metric) with a pace of 2")
    }

    @Test("leaves counts and shares to be judged")
    func counts() throws {
        let thresholds =
            #""thresholds": {"http_reqs": ["count>0"], "http_req_failed": ["rate<0.5"], "events_lost": ["rate<1"]}"#
        #expect(try document(scenario(#""pace": 86400, \#(thresholds)"#)).thresholds.count == 3)
    }

    @Test("changes nothing of what people and devices plan")
    func plans() throws {
        let slow = try document(scenario()).plans(start: ScenarioDocument.virtualStart)
        let fast = try document(scenario(#""pace": 3600"#)).plans(start: ScenarioDocument.virtualStart)
        #expect(fast.schedule == slow.schedule)
        #expect(fast.populations.map(\.usersEnd) == slow.populations.map(\.usersEnd))
    }
}
