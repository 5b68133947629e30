import Accounting
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel

@Suite("Reading codeless uploads")
struct CodelessDecodingTests {
    @Test("reads every field of the schema")
    func fields() {
        var body = WireBuffer()
        // What events share may come after them.
        body.appendProtobufField(4) { event in
            event.appendProtobufField(1, string: "ListItemClick")
            event.appendProtobufField(2, int64: 1_700_000_000_123)
            event.appendProtobufField(3, string: "s-1")
            event.appendProtobufField(4, string: "Home")
            event.appendProtobufField(5) { view in
                view.appendProtobufField(1, string: "Cell")
                view.appendProtobufField(2, string: "A-B & 0-1:2")
                view.appendProtobufField(3, string: "{{0, 0}, {1, 1}}")
                view.appendProtobufField(4, string: "标题")
                view.appendProtobufField(5, string: "0cc175b9c0f1b6a831c399e269772661")
            }
            event.appendProtobufField(6, string: "0:2")
            event.appendProtobufField(7, string: "https://x")
            event.appendProtobufField(8, string: "404")
            event.appendProtobufField(9, string: "Sure?")
            event.appendProtobufField(10, string: "Really")
            event.appendProtobufField(11, map: [(key: "price", value: "9")])
            event.appendProtobufField(15, string: "6-7")
        }
        body.appendProtobufField(1, string: "app-1")
        body.appendProtobufField(2, string: "d-1")
        body.appendProtobufField(3, string: "00ff")
        var bench = Bench()
        #expect(bench.post(.codeless(body.bytes)).status == 200)
        let row = bench.sink.rows.first
        #expect(row?.id == "6-7")
        #expect(row?.type == "ListItemClick")
        #expect(row?.name == "")
        #expect(row?.distinctID == "d-1")
        #expect(row?.capturedAt == 1_700_000_000_123)
        #expect(
            row?.payload == #"""
                {"eventName":"ListItemClick","eventTime":1700000000123,"sessionId":"s-1","pageName":"Home",\#
                "viewInfo":{"viewClass":"Cell","viewPath":"A-B & 0-1:2","frame":"{{0, 0}, {1, 1}}","title":"标题",\#
                "viewId":"0cc175b9c0f1b6a831c399e269772661"},"indexPath":"0:2","url":"https://x","error":"404",\#
                "alertTitle":"Sure?","alertMessage":"Really","business":{"price":"9"},"bsId":"6-7","appKey":"app-1",\#
                "deviceId":"d-1","eventsId":"00ff","index":0}
                """#)
    }

    @Test("without ids, an event is what it says, in whatever batch it comes")
    func naturalKeys() {
        var bench = Bench()
        bench.post(.codeless(ids: [nil, nil, "1-0"], eventsID: "aa"))
        bench.post(.codeless(ids: [nil], eventsID: "bb"))
        var other = WireBuffer()
        other.appendProtobufField(2, string: "d-1")
        other.appendProtobufField(4) { event in
            event.appendProtobufField(1, string: "ButtonClick")
            event.appendProtobufField(2, int64: 1_700_000_000_000)
            event.appendProtobufField(3, string: "s")
            event.appendProtobufField(4, string: "Home")
            event.appendProtobufField(5) { $0.appendProtobufField(5, string: "view") }
            event.appendProtobufField(6, string: "0:1")
            event.appendProtobufField(7, string: "u")
        }
        bench.post(.codeless(other.bytes))
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 0, 1, 0])
        let natural = ["d-1", "s", "ButtonClick", "1700000000000", "Home", "view", "0:1", "u"]
        let hash = Array(natural.joined(separator: "\u{1F}").utf8).withUnsafeBytes { Hash128($0) }
        #expect(bench.sink.rows.last?.id == NaturalKey(high: hash.high, low: hash.low).text)
    }

    @Test("the header names a batch that does not name itself")
    func batchNames() {
        var bench = Bench()
        bench.post(.codeless(SystemUpload.codeless(ids: ["1-0"], eventsID: "").body, eventsID: "aa"))
        bench.post(.codeless(SystemUpload.codeless(ids: ["1-1"], eventsID: "bb").body, eventsID: "aa"))
        #expect(bench.sink.rows.first?.payload.contains(#""eventsId":"aa","index":0"#) == true)
        #expect(bench.sink.rows.last?.payload.contains(#""eventsId":"bb","index":0"#) == true)
    }

    @Test("takes the good events of a batch that is cut or has broken ones")
    func broken() {
        let whole = SystemUpload.codeless(ids: ["1-0", "1-1"]).body
        for length in 0..<whole.count {
            var bench = Bench()
            bench.post(.codeless(Array(whole.prefix(length))))
            #expect(bench.sink.rows.map(\.id) == Array(["1-0", "1-1"].prefix(bench.sink.rows.count)))
            #expect(bench.sink.rows.count < 2)
        }
        var bench = Bench()
        bench.post(
            .codeless(
                whole + bytes(hexadecimal: "2203080122") + bytes(hexadecimal: "22020a00")))
        #expect(bench.sink.rows.count == 2)
        #expect(bench.undecodable.values.reduce(0, +) > 0)
    }

    @Test("an event without name or time is none")
    func missing() {
        var body = WireBuffer()
        body.appendProtobufField(4) { $0.appendProtobufField(2, varint: 1) }
        body.appendProtobufField(4) { $0.appendProtobufField(1, string: "PageShow") }
        var bench = Bench()
        #expect(bench.post(.codeless(body.bytes)).status == 400)
        #expect(bench.undecodable == [.missingType: 1, .missingTime: 1])
    }

    @Test("what events share cannot make them grow without bound")
    func bomb() {
        var body = WireBuffer()
        body.appendProtobufField(1, string: String(repeating: "x", count: 1 << 20))
        for _ in 0..<100 {
            body.appendProtobufField(4) { event in
                event.appendProtobufField(1, string: "e")
                event.appendProtobufField(2, varint: 1)
            }
        }
        var bench = Bench()
        #expect(bench.post(.codeless(body.bytes)).status == 400)
        #expect(bench.undecodable == [.tooLarge: 1])
        bench = Bench()
        bench.post(.codeless([UInt8](repeating: 0, count: MessageList.messageLimit + 1)))
        #expect(bench.undecodable == [.tooLarge: 1])
    }

    @Test("a batch may have more events than a message has fields, packed or not")
    func manyEvents() {
        let upload = SystemUpload.codeless(ids: (0..<10_001).map { "1-\($0)" })
        var bench = Bench()
        #expect(bench.post(upload).status == 200)
        #expect(bench.sink.rows.count == 10_001)
        #expect(bench.undecodable.isEmpty)
        var plain = 0
        upload.body.withUnsafeBytes { bytes in
            UploadReader(of: .codeless).forEachEvent(
                inPlain: bytes, isMessages: true, at: Instant(nanoseconds: 0)
            ) { _ in plain += 1 }
        }
        #expect(plain == 10_001)
    }

    @Test("serves the rules of the app that asks")
    func config() {
        let rules = [
            #"{"appKey":"a","appVersion":"1.0","viewEvent":"ButtonClick","viewPath":"p","keyPath":"k","keyName":"n"}"#,
            #"{"appKey":"a","appVersion":"2.0","viewEvent":"ButtonClick","viewPath":"p","keyPath":"k","keyName":"m"}"#,
            #"{"appKey":"b","viewEvent":"ViewTap"}"#,
        ]
        let list = "[\(rules.joined(separator: ","))]"
        var plan = CollectorPlan()
        plan.configs = [
            ServedConfig(from: Instant(nanoseconds: 0), version: "9", body: Array("sensors".utf8)),
            ServedConfig(
                from: Instant(nanoseconds: 10), system: .codeless, version: "", body: Array(list.utf8)),
            ServedConfig(
                from: Instant(nanoseconds: 20), system: .codeless, version: "", body: Array("odd".utf8)),
        ]
        var bench = Bench(plan: plan)
        func served(_ query: String, at nanoseconds: Int64) -> String {
            let reply = bench.get("/codeless/v1/config", query: query, at: Instant(nanoseconds: nanoseconds))
            #expect(reply.status == 200)
            #expect(reply.contentType.description == "application/json")
            return String(decoding: reply.body, as: UTF8.self)
        }
        #expect(served("appKey=a&appVersion=1.0", at: 5) == "[]")
        #expect(served("appKey=a&appVersion=1.0", at: 10) == "[\(rules[0])]")
        #expect(served("appKey=a&appVersion=3.0", at: 10) == "[]")
        #expect(served("appKey=b&appVersion=3.0", at: 10) == "[\(rules[2])]")
        #expect(served("appKey=a", at: 10) == "[\(rules[0]),\(rules[1])]")
        #expect(served("", at: 19) == list)
        #expect(served("appKey=a", at: 20) == "odd")
        #expect(bench.get("/config/iOS.conf").body == Array("sensors".utf8))
        #expect(bench.model.statistics.configFetches == 8)
    }
}
