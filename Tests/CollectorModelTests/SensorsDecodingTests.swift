import Accounting
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel

@Suite("Reading SensorsAnalytics uploads")
struct SensorsDecodingTests {
    /// A body that was recorded from outside, with its checksum.
    private static let goldenJSON = """
        [{"event":"BuyGoods","type":"track","distinct_id":"u-1","time":1700000000000,"_track_id":123456789,\
        "properties":{"price":9.5},"_flush_time":1700000000100}]
        """
    private static let goldenBase64 = """
        H4sIAAAAAAAAA4uuVkotS80rUbJSciqtdM/PTylW0lEqqSxIBYqUFCUmZwO5KZnFJZl5ySXxmSlA0VJdQ5CSzFygEkNzAwTQUYoH6\
        wArMzQyNjE1M7ew1FEqKMovSC0qyUwtVrKqBvIyk4E6LfVMa4Ea0nJKizPi0Q0zNDCojQUAQLONS5sAAAA=
        """

    /// 4.9.1 appends `instant_event` for events that are uploaded at once.
    @Test(
        "reads the golden body, with the slash literal and escaped", arguments: ["/", "%2F"],
        ["", "&instant_event=true"])
    func golden(slash: String, end: String) {
        let value = Self.goldenBase64.map { $0 == "/" ? slash : $0 == "=" ? "%3D" : String($0) }.joined()
        var bench = Bench()
        let reply = bench.post(Array("crc=284406544&gzip=1&data_list=\(value)\(end)".utf8))
        #expect(reply.status == 200)
        #expect(reply.disposition == .stored)
        #expect(bench.model.statistics.wrongChecksum == 0)
        let row = bench.sink.rows.first
        #expect(bench.sink.rows.count == 1)
        #expect(row?.payload == String(Self.goldenJSON.dropFirst().dropLast()))
        #expect(row?.type == "track")
        #expect(row?.name == "BuyGoods")
        #expect(row?.distinctID == "u-1")
        #expect(row?.capturedAt == 1_700_000_000_000)
        let natural = "track\u{1F}u-1\u{1F}123456789\u{1F}1700000000000\u{1F}BuyGoods"
        let hash = Array(natural.utf8).withUnsafeBytes { Hash128($0) }
        #expect(row?.id == NaturalKey(high: hash.high, low: hash.low).text)
    }

    @Test("takes bodies without checksum, track id or gzip, and single objects")
    func lenient() {
        let event = Bodies.event("0-0", trackID: nil)
        for body in [
            Bodies.python(Bodies.list(event)), Bodies.python(event, field: "data"), Bodies.plain(event),
            Bodies.plain(Bodies.list(event)), Bodies.official(event),
        ] {
            var bench = Bench()
            #expect(bench.post(body).status == 200)
            #expect(bench.sink.rows.map(\.id) == ["0-0"])
            #expect(bench.sink.rows.map(\.payload) == [event])
        }
    }

    @Test("finds the id in properties, else in lib, and takes no mangled one")
    func ids() {
        var bench = Bench()
        let profile = #"{"type":"profile_set","time":1,"properties":{"a":1},"lib":{"bs_id":"3-4"}}"#
        let mangled = #"{"type":"track","event":"E","time":1,"properties":{"bs_id":"03-4"}}"#
        bench.post(Bodies.official("[\(Bodies.event("1-2")),\(profile),\(mangled)]"))
        #expect(bench.sink.rows.map(\.id).prefix(2) == ["1-2", "3-4"])
        #expect(bench.sink.rows.last?.id.count == 32)
        #expect(bench.sink.rows.map(\.name) == ["Buy", "", "E"])
    }

    @Test("slices payloads as they came, whatever they contain")
    func payloads() {
        let events = [
            #"{ "type" : "track", "time" : 1, "event" : "a],[\"\\" , "properties" : { "x" : [ 1, [ 2 ] ] } }"#,
            #"{"type":"track","time":2,"event":"中文 \u4e00 , ] }","properties":{"long":"0123456789abcdef\"0123456789"}}"#,
            #"{"type":"track","time":3.0,"event":"","properties":{"e":[],"o":{}}}"#,
        ]
        var bench = Bench()
        bench.post(Bodies.official(" [\n\(events.joined(separator: " ,\t"))\r\n] "))
        #expect(bench.sink.rows.map(\.payload) == events)
        #expect(bench.sink.rows.map(\.capturedAt) == [1, 2, 3])
        #expect(bench.sink.rows.first?.name == #"a],["\"#)
    }

    @Test("retries of an event without id have the same key, whatever their flush time and spacing")
    func naturalKeys() {
        var bench = Bench()
        bench.post(Bodies.official(Bodies.list(Bodies.event(trackID: 5, flushTime: 1))))
        bench.post(Bodies.official(Bodies.list(Bodies.event(trackID: 5, flushTime: 2))))
        bench.post(Bodies.python(Bodies.list(Bodies.event(trackID: nil, flushTime: 1))))
        let spaced = Bodies.event(trackID: nil, flushTime: 2).replacing(",", with: " , ")
        bench.post(Bodies.python(Bodies.list(spaced)))
        bench.post(Bodies.python(Bodies.list(Bodies.event(trackID: nil, time: 9))))
        #expect(bench.sink.rows.map(\.copy) == [0, 1, 0, 1, 0])
        #expect(Set(bench.sink.rows.map(\.id)).count == 3)
        #expect(bench.model.statistics.unique == 3)
        #expect(bench.model.statistics.duplicates == 2)
    }

    @Test("a wrong checksum is counted, and refused only if the plan says so")
    func checksum() {
        let body = Bodies.official(Bodies.list(Bodies.event("0-0")), crc: 1)
        var bench = Bench()
        #expect(bench.post(body).status == 200)
        #expect(bench.model.statistics.wrongChecksum == 1)
        #expect(bench.sink.rows.count == 1)
        var plan = CollectorPlan()
        plan.wrongChecksumStatus = 422
        bench = Bench(plan: plan)
        let reply = bench.post(body)
        #expect(reply.status == 422)
        #expect(reply.disposition == .notStored)
        #expect(bench.sink.rows.isEmpty)
        #expect(bench.model.statistics.wrongChecksum == 1)
    }

    @Test(
        "names the layer that is broken",
        arguments: [
            ("", UndecodableReason.form), ("crc=1&gzip=1", .form), ("data_list=%zz&gzip=1", .form),
            ("data_list=a*b&gzip=1", .base64), ("data_list=QUJD&gzip=1", .gzip),
            ("data_list=QUJD&gzip=2", .unknownEncoding), ("data_list=QUJD&gzip=x", .unknownEncoding),
            ("data_list=QUJD", .json), ("data_list=&gzip=0", .json), ("data_list=&gzip=1", .gzip),
            ("data_list=W10", .base64), ("data_list=NDI%3D", .notAnObject),
            ("data_list=e30%3D", .missingType),
            ("data_list=[{\"payloads\":\"x\"}]&gzip=13", .encrypted),
        ])
    func malformed(body: String, reason: UndecodableReason) {
        var bench = Bench()
        let reply = bench.post(Array(body.utf8))
        #expect(reply.status == 400)
        #expect(reply.disposition == .undecodable)
        #expect(bench.model.statistics.undecodable(reason) == 1)
        #expect(bench.model.statistics.undecodable == 1)
        #expect(bench.model.receipts.undecodable == 1)
        #expect(bench.sink.rows.isEmpty)
    }

    @Test("an empty batch is no error")
    func emptyBatch() {
        var bench = Bench()
        #expect(bench.post(Bodies.official("[]")).status == 200)
        #expect(bench.model.statistics.undecodable == 0)
    }

    @Test("cut gzip is undecodable at every length")
    func cutGzip() {
        let whole = Bodies.gzip(Array(Bodies.list(Bodies.event("0-0")).utf8))
        for length in 0..<whole.count {
            var bench = Bench()
            let text = Bodies.escaped(Bodies.base64(Array(whole.prefix(length))))
            bench.post(Array("gzip=1&data_list=\(text)".utf8))
            #expect(bench.model.statistics.undecodable(.gzip) == 1, "length \(length)")
        }
    }

    @Test("counts encrypted events by their payloads")
    func encrypted() {
        var bench = Bench()
        let json = #"[{"pkv":1,"ekey":"k","payloads":["a","b"]},{"pkv":1,"ekey":"l","payloads":["c"]}]"#
        #expect(bench.post(Array("gzip=9&data_list=\(Bodies.escaped(json))".utf8)).status == 400)
        #expect(bench.model.statistics.undecodable(.encrypted) == 3)
    }

    @Test("takes the rest of a batch with bad elements")
    func partial() {
        var bench = Bench()
        let json = """
            [\(Bodies.event("0-0")),7,{"time":1},{"type":"track"},{"type":"track","time":"x"},\
            \(Bodies.event("0-1"))]
            """
        #expect(bench.post(Bodies.official(json)).status == 200)
        #expect(bench.sink.rows.map(\.id) == ["0-0", "0-1"])
        #expect(bench.model.statistics.undecodable(.notAnObject) == 1)
        #expect(bench.model.statistics.undecodable(.missingType) == 1)
        #expect(bench.model.statistics.undecodable(.missingTime) == 2)
    }

    @Test("saves what it can from broken JSON")
    func salvage() {
        var bench = Bench()
        let json = #"[\#(Bodies.event("0-0")),{"type":nonsense},\#(Bodies.event("0-1")),{"type":"tr"#
        #expect(bench.post(Bodies.official(json)).status == 200)
        #expect(bench.sink.rows.map(\.id) == ["0-0", "0-1"])
        #expect(bench.sink.rows.map(\.payload) == [Bodies.event("0-0"), Bodies.event("0-1")])
        #expect(bench.model.statistics.undecodable(.json) == 2)
    }

    @Test("refuses more than 64 MiB of JSON")
    func bomb() {
        var bench = Bench()
        let packed = Bodies.gzip([UInt8](repeating: UInt8(ascii: " "), count: (64 << 20) + 1))
        let body = Array("gzip=1&data_list=\(Bodies.escaped(Bodies.base64(packed)))".utf8)
        #expect(bench.post(body).status == 400)
        #expect(bench.model.statistics.undecodable(.tooLarge) == 1)
    }

    @Test("no mutation of a good body crashes it, and all its events are accounted for")
    func fuzz() {
        let seed: UInt64 = 0xF022
        var draw = RandomStream(seed: seed, population: 0, index: 0, purpose: .test)
        let json = Bodies.list(Bodies.event("0-0"), Bodies.event("0-1"))
        let bodies = [Bodies.official(json), Bodies.plain(json)]
        for round in 0..<2000 {
            var body = bodies[Int(draw.below(2))]
            for _ in 0...draw.below(3) {
                body[Int(draw.below(UInt64(body.count)))] = UInt8(truncatingIfNeeded: draw.next())
            }
            var bench = Bench()
            let reply = bench.post(body)
            let seen = bench.sink.rows.count + Int(bench.model.statistics.undecodable)
            #expect(reply.status == (bench.sink.rows.isEmpty ? 400 : 200), "seed \(seed), round \(round)")
            #expect(seen > 0, "seed \(seed), round \(round)")
        }
    }
}
