import Accounting
import TestSupport
import Testing
import Wire

@testable import CollectorModel

@Suite("Reading TrackingSDK uploads")
struct TrackingSDKDecodingTests {
    @Test("reads names, times in seconds and parameters")
    func events() {
        let json = """
            [{"event_name":"PageView","parameters":{"page":"HomeViewController","bs_id":"4-0"},\
            "timestamp":1556107397.123},{"timestamp":1556107398,"parameters":{},"event_name":"AppLaunch"}]
            """
        var bench = Bench()
        #expect(bench.post(.tracking(json)).status == 200)
        #expect(bench.sink.rows.map(\.type) == ["event", "event"])
        #expect(bench.sink.rows.map(\.name) == ["PageView", "AppLaunch"])
        #expect(bench.sink.rows.map(\.capturedAt) == [1_556_107_397_123, 1_556_107_398_000])
        #expect(bench.sink.rows.first?.id == "4-0")
        #expect(
            bench.sink.rows.last?.payload
                == #"{"timestamp":1556107398,"parameters":{},"event_name":"AppLaunch"}"#)
    }

    @Test("without ids, events are one if name, time and parameters are, in whatever order")
    func naturalKeys() {
        let events = [
            #"{"event_name":"a","timestamp":1.5,"parameters":{"x":"1","y":[2, 3.0]}}"#,
            #"{"timestamp":1.50,"parameters":{"y":[2,3],"x":"1"},"event_name":"a"}"#,
            #"{"event_name":"a","timestamp":1.5,"parameters":{"x":"2","y":[2,3]}}"#,
            #"{"event_name":"b","timestamp":1.5,"parameters":{"x":"1","y":[2,3]}}"#,
            #"{"event_name":"a","timestamp":1.501,"parameters":{"x":"1","y":[2,3]}}"#,
            #"{"event_name":"a","timestamp":1.5}"#,
            #"{"event_name":"a","timestamp":1.5,"parameters":{}}"#,
        ]
        var bench = Bench()
        bench.post(.tracking("[\(events.joined(separator: ","))]"))
        #expect(bench.sink.rows.map(\.copy) == [0, 1, 0, 0, 0, 0, 1])
        let natural = "a\u{1F}1.5\u{1F},\"x\":\"1\",\"y\":[2,3]"
        let hash = Array(natural.utf8).withUnsafeBytes { Hash128($0) }
        #expect(bench.sink.rows.first?.id == NaturalKey(high: hash.high, low: hash.low).text)
    }

    @Test(
        "names what is broken",
        arguments: [
            ("", UndecodableReason.json), ("{", .json), ("7", .notAnObject), ("[[]]", .notAnObject),
            (#"{"timestamp":1}"#, .missingType), (#"{"event_name":"","timestamp":1}"#, .missingType),
            (#"{"event_name":"a"}"#, .missingTime), (#"{"event_name":"a","timestamp":"1"}"#, .missingTime),
            (#"{"event_name":"a","timestamp":1e300}"#, .missingTime),
        ])
    func broken(json: String, reason: UndecodableReason) {
        var bench = Bench()
        #expect(bench.post(.tracking(json)).status == 400)
        #expect(bench.undecodable == [reason: 1])
    }

    @Test(
        "of a list that is cut, or that something follows, the events before are taken and the rest is counted",
        arguments: [
            ("[A,B][C]", 2), ("[A,B]C", 2), ("[A,B],", 2), ("[A,B]]", 2), ("[A,B", 2), ("[A,B,", 2),
            ("[A,{\"event_name\":\"a\",\"times", 1), ("[A,7x][B]", 1),
        ])
    func incomplete(form: String, events: Int) {
        func event(_ id: String) -> String {
            #"{"event_name":"a","timestamp":1,"parameters":{"bs_id":"\#(id)"}}"#
        }
        var json = form
        for (letter, id) in [("A", "1-0"), ("B", "1-1"), ("C", "1-2")] {
            json = json.replacing(letter, with: event(id))
        }
        var bench = Bench()
        #expect(bench.post(.tracking(json)).status == 200)
        #expect(bench.sink.rows.map(\.id) == Array(["1-0", "1-1"].prefix(events)))
        #expect(bench.undecodable == [.json: form.contains("x") ? 2 : 1])
        // White space is nothing.
        bench.post(.tracking("[\(event("1-0"))] \r\n"))
        #expect(bench.undecodable == [.json: form.contains("x") ? 2 : 1])
    }
}
