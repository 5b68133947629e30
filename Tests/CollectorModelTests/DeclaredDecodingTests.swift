import Accounting
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel

@Suite("Uploads of described clients")
struct DeclaredDecodingTests {
    /// A client of one's own: a list two levels down, a key of two parts, its id in a text in base64.
    private static let own: UploadDescription = {
        var event = EventDescription(names: [.value("/n"), .member("$do")])
        event.times = ["/at"]
        event.timeUnit = .seconds
        event.tags = ["/wrapped/x/1/bs_id"]
        event.key = [["/device"], ["/number", "/other/number"]]
        event.attemptMembers = ["sent"]
        var own = UploadDescription(
            name: "acme", uploads: [RequestPattern(.post, "/ingest/{app}/events")], lists: ["/a/b", ""],
            event: event)
        own.formFields = ["payload"]
        own.answer = DescribedAnswer(#"{"ok":true}"#, delivered: [200...200, 202...202])
        return own
    }()

    private func bench(_ descriptions: UploadDescription...) -> Bench {
        var plan = CollectorPlan()
        plan.descriptions = descriptions
        return Bench(plan: plan)
    }

    private func base64url(_ text: String) -> String {
        Bodies.base64(Array(text.utf8)).filter { $0 != "=" }.map {
            $0 == "+" ? "-" : $0 == "/" ? "_" : String($0)
        }.joined()
    }

    private func natural(_ text: String) -> String {
        let hash = Array(text.utf8).withUnsafeBytes { Hash128($0) }
        return EventKey.natural(NaturalKey(high: hash.high, low: hash.low)).text
    }

    @Test("a description's list, name, time and key are found, below any path")
    func own() throws {
        var bench = bench(Self.own)
        let event = #"{"n":"Buy", "at":1700000000.25, "device":"d", "number":7, "sent":1}"#
        for path in ["/ingest/app-1/events", "/gateway/ingest/x/events/"] {
            let reply = bench.post(Array(#"{"c":[9],"a":{"x":"]","b":[\#(event) ]}}"#.utf8), path: path)
            #expect(reply.status == 200)
            #expect(reply.body == Array(#"{"ok":true}"#.utf8))
            #expect(reply.contentType.description == "application/json")
        }
        let row = try #require(bench.sink.rows.first)
        #expect(row.systemName == "acme" && row.system == .declared)
        #expect(row.name == "Buy" && row.type == "event")
        #expect(row.capturedAt == 1_700_000_000_250)
        #expect(row.id == natural("acme\u{1F}d\u{1F}7"))
        #expect(row.payload == event, "as it was received")
        #expect(bench.sink.rows.map(\.copy) == [0, 1])
        #expect(bench.post(Array("[\(event)]".utf8), path: "/ingest/events").status == 404)
    }

    @Test("of two clients at one path, the upload is of the one whose tag is there, in either order")
    func tags() throws {
        var (left, right) = (Self.own, Self.own)
        (left.name, left.event.tags) = ("left", ["/left"])
        (right.name, right.event.tags) = ("right", ["/right"])
        for (first, second) in [(left, right), (right, left)] {
            var bench = bench(first, second)
            for (index, name) in ["left", "right", "neither"].enumerated() {
                let event = #"{"n":"Buy","device":"\#(index)","\#(name)":"3-\#(index)"}"#
                bench.post(Array(#"{"a":{"b":[\#(event)]}}"#.utf8), path: "/ingest/app/events")
                bench.post(Array("[\(event)]".utf8), path: "/ingest/app/events")
            }
            let rows = bench.sink.rows
            #expect(rows.map(\.systemName) == ["left", "left", "right", "right", first.name, first.name])
            #expect(rows.prefix(4).map(\.id) == ["3-0", "3-0", "3-1", "3-1"])
            #expect(
                Set(rows.suffix(2).map(\.id)).count == 1
                    && rows[4].id == natural("\(first.name)\u{1F}2\u{1F}"))
        }
    }

    @Test("of two clients at one path, one may have no tag: its events are known by its key, in either order")
    func keys() throws {
        var (tagged, plain) = (Self.own, Self.own)
        (tagged.name, tagged.event.tags, tagged.event.key) = ("tagged", ["/tag"], [])
        (plain.name, plain.event.tags, plain.event.key) = ("plain", [], [["/id"]])
        for (first, second) in [(tagged, plain), (plain, tagged)] {
            var bench = bench(first, second)
            for event in [#"{"n":"Buy","id":"7","tag":"3-0"}"#, #"{"n":"Buy","id":"7"}"#] {
                bench.post(Array(#"{"a":{"b":[\#(event)]}}"#.utf8), path: "/ingest/app/events")
                bench.post(Array("[\(event)]".utf8), path: "/ingest/app/events")
            }
            let rows = bench.sink.rows
            let key = natural("plain\u{1F}7")
            #expect(rows.map(\.id) == ["3-0", "3-0", key, key])
        }
    }

    @Test("a tag tells whose an upload is even where its first event has no name, in either order")
    func tagWithoutName() throws {
        var (left, right) = (Self.own, Self.own)
        (left.name, left.event.tags) = ("left", ["/left"])
        (right.name, right.event.tags) = ("right", ["/right"])
        for (first, second) in [(left, right), (right, left)] {
            var bench = bench(first, second)
            let events = #"{"right":"3-0"},{"n":"Buy","device":"1","right":"3-1"}"#
            bench.post(Array(#"{"a":{"b":[\#(events)]}}"#.utf8), path: "/ingest/app/events")
            #expect(bench.sink.rows.map(\.systemName) == ["right"] && bench.sink.rows.map(\.id) == ["3-1"])
            #expect(bench.undecodable.count == 1)
        }
    }

    @Test("of two clients that differ only in where the name is, each event has its name, in either order")
    func names() throws {
        var (left, right) = (Self.own, Self.own)
        (left.name, left.event.names) = ("left", [.value("/what")])
        (right.name, right.event.names) = ("right", [.value("/n")])
        for (first, second) in [(left, right), (right, left)] {
            var bench = bench(first, second)
            let events = #"{"what":"Look","device":"1"},{"n":"Buy","device":"2"},{"m":"?","device":"3"}"#
            bench.post(Array(#"{"a":{"b":[\#(events)]}}"#.utf8), path: "/ingest/app/events")
            #expect(bench.sink.rows.map(\.name) == ["Look", "Buy"])
            #expect(bench.undecodable.count == 1, "neither has a name for the third")
        }
    }

    @Test("the harness's id is found in JSON in a text, in base64 or not", arguments: [0, 1, 2])
    func tag(form: Int) {
        let inner = #"{"x":[0,{"bs_id":"3-5","t":">>>???"}]}"#
        let text = [
            base64url(inner), Bodies.base64(Array(inner.utf8)),
            inner.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\""),
        ][form]
        var bench = bench(Self.own)
        bench.post(Array(#"{"n":"Buy","wrapped":"\#(text)","device":"d"}"#.utf8), path: "/ingest/a/events")
        #expect(bench.sink.rows.map(\.id) == ["3-5"])
    }

    @Test("one event, a list, lines, a form, gzip: the same event", arguments: 0..<7)
    func wrappings(number: Int) {
        let event = #"{"n":"Buy","device":"d","number":1}"#
        let bodies: [[UInt8]] = [
            Array(event.utf8), Array("[\(event)]".utf8), Array("\(event)\n\(event)\n\n".utf8),
            Bodies.gzip(Array(event.utf8)), Array("x=1&payload=\(Bodies.escaped(event))".utf8),
            Array("payload=\(base64url(event))".utf8),
            Array("payload=\(Bodies.escaped(Bodies.base64(Bodies.gzip(Array(event.utf8)))))".utf8),
        ]
        var bench = bench(Self.own)
        #expect(bench.post(bodies[number], path: "/ingest/a/events").status == 200)
        #expect(bench.undecodable.isEmpty)
        #expect(Set(bench.sink.rows.map(\.id)) == [natural("acme\u{1F}d\u{1F}1")])
        #expect(bench.sink.rows.allSatisfy { $0.payload == event })
        #expect(bench.sink.rows.count == (number == 2 ? 2 : 1))
    }

    @Test("lines may be bodies of their own, and a broken one takes no other with it")
    func lines() {
        var bench = bench(Self.own)
        let line = #"{"a":{"b":[{"n":"A","device":"1"},{"n":"B","device":"2"}]}}"#
        bench.post(Array("\(line)\n{broken\n{\"n\":\"C\",\"device\":\"3\"}".utf8), path: "/ingest/a/events")
        #expect(bench.sink.rows.map(\.name) == ["A", "B", "C"])
        #expect(bench.undecodable == [.json: 1])
    }

    @Test("an event without a key is known by its JSON, whatever an attempt has of its own")
    func wholeKey() {
        var bench = bench(Self.own)
        for (sent, value) in [(1, 1), (2, 1), (2, 2)] {
            let body = #"{"n":"Buy", "sent":\#(sent), "v":\#(value)}"#
            bench.post(Array(body.utf8), path: "/ingest/a/events")
        }
        #expect(bench.sink.rows.map(\.copy) == [0, 1, 0])
    }

    @Test("a member tells a name where no place does; an event without a time is of now")
    func nameless() {
        var bench = bench(Self.own)
        bench.post(
            Array(#"[{"$do":{}},{"x":1},7]"#.utf8), path: "/ingest/a/events",
            at: Instant(milliseconds: 1_700_000_000_123))
        #expect(bench.sink.rows.map(\.name) == ["$do"])
        #expect(bench.sink.rows.map(\.capturedAt) == [1_700_000_000_123])
        #expect(bench.undecodable == [.missingType: 1, .notAnObject: 1])
    }

    @Test(
        "times are told by their size or their unit",
        arguments: [
            ("1700000000", 1_700_000_000_000), ("1700000000.5", 1_700_000_000_500),
            ("1700000000123", 1_700_000_000_123), ("1700000000123456", 1_700_000_000_123),
            ("1700000000123456789", 1_700_000_000_123), ("\"1700000000123\"", 1_700_000_000_123),
            ("\"2023-11-14T22:13:20.123Z\"", 1_700_000_000_123),
            ("\"2023-11-15T06:13:20.123456+08:00\"", 1_700_000_000_123),
            ("\"2023-11-14T22:13:20\"", 1_700_000_000_000),
        ])
    func times(text: String, milliseconds: Int64) {
        var bench = bench()
        bench.post(
            Array(#"{"batch":[{"type":"track","timestamp":\#(text)}]}"#.utf8), path: "/v1/batch")
        #expect(bench.sink.rows.map(\.capturedAt) == [milliseconds])
    }

    @Test(
        "what is no upload of its client is refused by its reason",
        arguments: [
            ("{\"batch\":7}", UndecodableReason.missingEvents), ("{\"batch\":[{\"type\":7}]}", .missingType),
            ("{\"batch\":[{\"type\":\"t\",\"timestamp\":\"soon\"}]}", .missingTime), ("{\"batch\":", .json),
            ("batch=1", .form), ("\u{1F}", .form), ("", .form), ("data=%zz", .form), ("data=?", .base64),
            ("{\n{", .json),
        ])
    func refusals(body: String, reason: UndecodableReason) {
        var bench = bench()
        #expect(bench.post(Array(body.utf8), path: "/v1/b").status == 400)
        #expect(bench.undecodable == [reason: 1])
    }

    @Test("a list that is named with escapes is read all the same")
    func escapes() {
        var bench = bench()
        let event = #"{"type": "track", "messageId":"m"}"#
        bench.post(Array(#"{"\u0062atch":[\#(event)]}"#.utf8), path: "/v1/b")
        #expect(bench.sink.rows.map(\.payload) == [#"{"type":"track","messageId":"m"}"#])
        #expect(bench.sink.rows.map(\.id) == [natural("segment\u{1F}m")])
    }

    @Test("clients that share a path are told apart by their bodies, the plan's own before the products")
    func shared() {
        var own = Self.own
        own.name = "mine"
        own.uploads = [RequestPattern(.post, "/batch")]
        own.lists = ["/rows"]
        var bench = bench(own)
        for (body, name) in [
            (#"{"batch":[{"event":"e"}]}"#, "posthog"),
            (#"{"api_key":"k","events":[{"event_type":"e"}]}"#, "amplitude"),
            (#"{"event":"e"}"#, "posthog"), (#"{"rows":[{"n":"e"}],"batch":[{"event":"e"}]}"#, "mine"),
        ] {
            bench.post(Array(body.utf8), path: "/batch")
            #expect(bench.sink.rows.last?.systemName == name)
        }
        #expect(bench.undecodable.isEmpty)
    }

    @Test("faults of success have the body that the client believes, and its statuses alone are believed")
    func faults() {
        for (status, isBelieved) in [(UInt16(200), true), (202, true), (204, false), (503, false)] {
            var fault = LateFault()
            fault.answer = SubstituteAnswer(status: status)
            var bench = bench(Self.own)
            let body = Array(#"{"n":"Buy","device":"d"}"#.utf8)
            let reply = bench.post(body, path: "/ingest/a/events", fault: fault)
            #expect(reply.swallowed == isBelieved)
            #expect(bench.model.statistics.swallowed == (isBelieved ? 1 : 0))
            if status == 200 { #expect(reply.body == Array(#"{"ok":true}"#.utf8)) }
        }
    }

    @Test("events that are handed over without their bytes get the same answer")
    func carried() throws {
        var model = bench(Self.own).model
        let head = CollectedRequest(method: .post, path: "/ingest/a/events")
        let route = try #require(model.route(of: head))
        #expect(route.system == .declared)
        let reply = model.receive([.harness(EventID(device: 1, sequence: 0))], by: route, fault: .none)
        #expect(reply.body == Array(#"{"ok":true}"#.utf8))
        #expect(model.statistics.unique == 1)
    }

    @Test("the products' keys are read from stored payloads")
    func payloadKeys() {
        let reader = EventKeyReader()
        for (payload, product, key) in [
            (#"{"type":"track","event":"Buy","messageId":"m"}"#, "segment", "m"),
            (
                #"{"event":"Buy","distinct_id":"u","uuid":"p","timestamp":"2026-03-02T11:30:00Z"}"#,
                "posthog", "p"
            ),
            (#"{"e":"se","se_ac":"a","eid":"s","dtm":"1700000000000"}"#, "snowplow", "s"),
            (#"{"event_type":"Buy","insert_id":"a","time":1700000000000}"#, "amplitude", "a"),
            (#"{"event":"Buy","properties":{"$insert_id":"i","time":1700000000}}"#, "mixpanel", "i"),
            (
                #"{"event":"Buy","properties":{"time":1},"$mp_metadata":{"$mp_event_id":"e"}}"#, "mixpanel",
                "e"
            ),
        ] {
            let bytes = Array(payload.utf8)
            #expect(
                bytes.withUnsafeBytes { reader.key(of: $0)?.text } == natural("\(product)\u{1F}\(key)"),
                "\(payload)")
        }
    }
}
