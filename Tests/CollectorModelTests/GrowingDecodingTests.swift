import Accounting
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel

@Suite("Reading GrowingIO uploads")
struct GrowingDecodingTests {
    @Test("reads LZ4, Snappy and XOR as other programs write them", arguments: GoldenBodies.all)
    func codecs(golden: GoldenBodies.Body) {
        var bench = Bench()
        let reply = bench.post(
            SystemUpload.growing(
                bytes(hexadecimal: golden.hexadecimal), compress: golden.compress, crypt: golden.crypt))
        #expect(reply.status == 200)
        #expect(bench.sink.rows.map(\.payload) == [String(GoldenBodies.text.dropFirst().dropLast())])
        let row = bench.sink.rows.first
        #expect(row?.system == .growing)
        #expect(row?.type == "VISIT")
        #expect(row?.distinctID == "d-1")
        #expect(row?.capturedAt == 1_700_000_000_000)
    }

    @Test("reads what simulated apps encrypt with AES and the default key, and nothing else")
    func aes() {
        // Made by `openssl enc -aes-128-cbc` with that key and sixteen bytes 0x7b as the vector.
        let body = bytes(
            hexadecimal:
                "a0c7a9fe87c5ac86b73fc6c8ddf812b3afe9043e75561da55fdfdc2a6e2f55283f8cc67dd6ea0b00dd7b66017c6673dbc3035b1d461fbb2f82e752ac2677dbe9e7f09f11dcc31b1e48ead830b23d2da3a0a6db9615629c193e93b0d8995938fc52aa651878ce8fffe308397c1745d86a"
        )
        var bench = Bench()
        #expect(bench.post(.growing(body, crypt: "2")).status == 200)
        #expect(bench.sink.rows.map(\.payload) == [String(GoldenBodies.text.dropFirst().dropLast())])
        let wrong = AES128(key: Array("another key here".utf8))
            .encryptCBC(Array(GoldenBodies.text.utf8), vector: [UInt8](repeating: 0x7b, count: 16))
        bench.post(.growing(wrong, crypt: "2"))
        #expect(bench.sink.rows.count == 1)
    }

    @Test("reads a recorded message")
    func message() {
        var bench = Bench()
        let body = bytes(hexadecimal: GoldenBodies.message)
        #expect(bench.post(.growing(body, type: "application/protobuf")).status == 200)
        let payload = #"{"eventType":"PAGE","deviceId":"d-1","timestamp":1700000000000,"eventSequenceId":1}"#
        #expect(bench.sink.rows.map(\.payload) == [payload])
        #expect(bench.sink.rows.map(\.type) == ["PAGE"])
        // The same event has the same key in both formats.
        bench.post(.growing("[\(payload)]"))
        #expect(bench.sink.rows.map(\.copy) == [0, 1])
    }

    @Test("gives every field of a message the name that it has in JSON")
    func fields() {
        var body = WireBuffer()
        body.appendProtobufField(1) { event in
            for number: UInt32 in 1...57 { Self.appendField(number, to: &event) }
            event.appendProtobufField(99, string: "unknown")
        }
        var bench = Bench()
        #expect(bench.post(.growing(body.bytes, type: "application/x-protobuf; charset=utf-8")).status == 200)
        let payload = bench.sink.rows.first?.payload ?? ""
        #expect(payload == Self.everyField)
        #expect(bench.sink.rows.first?.id == "7-8")
    }

    /// Field 15 of the schema is 15, field 18 is "18": what is in a field tells its number.
    private static func appendField(_ number: UInt32, to event: inout WireBuffer) {
        switch number {
        case 6: event.appendProtobufField(number, varint: 8)
        case 8, 14, 15, 16, 17, 23, 29, 54: event.appendProtobufField(number, varint: UInt64(number))
        case 44, 45: event.appendProtobufField(number, double: Double(number) + 0.5)
        case 21:
            event.appendProtobufField(
                number, map: [(key: "a", value: "1"), (key: "b", value: "2"), (key: "a", value: "3")])
        case 24:
            event.appendProtobufField(number, map: [(key: "bs_id", value: "7-8"), (key: "", value: "\u{1}")])
        case 25:
            event.appendProtobufField(number) { item in
                item.appendProtobufField(1, string: "i")
                item.appendProtobufField(3, map: [(key: "k", value: "v")])
            }
        case 41, 43: break
        default: event.appendProtobufField(number, string: "\(number)")
        }
    }

    private static let everyField = #"""
        {"eventType":"VIEW_CLICK","deviceId":"1","userId":"2","gioId":"3","sessionId":"4","dataSourceId":"5",\#
        "platform":"7","timestamp":8,"domain":"9","path":"10","query":"11","title":"12","referralPage":"13",\#
        "globalSequenceId":14,"eventSequenceId":15,"screenHeight":16,"screenWidth":17,"language":"18",\#
        "sdkVersion":"19","appVersion":"20","extraSdk":{"b":"2","a":"3"},"eventName":"22","pageShowTimestamp":23,\#
        "attributes":{"bs_id":"7-8","":"\u0001"},"resourceItem":{"id":"i","attributes":{"k":"v"}},\#
        "protocolType":"26","textValue":"27","xpath":"28","index":29,"hyperlink":"30","urlScheme":"31",\#
        "appState":"32","networkState":"33","appChannel":"34","pageName":"35","platformVersion":"36",\#
        "deviceBrand":"37","deviceModel":"38","deviceType":"39","operatingSystem":"40","appName":"42",\#
        "latitude":44.5,"longitude":45.5,"imei":"46","androidId":"47","oaid":"48","googleAdvertisingId":"49",\#
        "idfa":"50","idfv":"51","orientation":"52","projectKey":"53","sendTime":54,"userKey":"55",\#
        "xcontent":"56","timezoneOffset":"57"}
        """#

    @Test("a message without a type is a VISIT, without a time of 1970; of repeated fields the last counts")
    func defaults() {
        var body = WireBuffer()
        body.appendProtobufField(1) { event in
            event.appendProtobufField(8, varint: 5)
            event.appendProtobufField(8, varint: 6)
        }
        body.appendProtobufField(1) { event in
            event.appendProtobufField(6, varint: 99)
            event.appendProtobufField(8, varint: 7)
        }
        body.appendProtobufField(1) { $0.appendProtobufField(6, varint: 1) }
        var bench = Bench()
        bench.post(.growing(body.bytes, type: "application/protobuf"))
        #expect(bench.sink.rows.map(\.type) == ["VISIT", "99", "CUSTOM"])
        #expect(bench.sink.rows.map(\.capturedAt) == [6, 7, 0])
        #expect(bench.sink.rows.last?.payload == #"{"eventType":"CUSTOM","timestamp":0}"#)
    }

    @Test("takes the good messages of a list, and counts the others")
    func brokenMessages() {
        var body = WireBuffer()
        func append(_ write: (inout WireBuffer) -> Void) { body.appendProtobufField(1, message: write) }
        append { $0.appendProtobufField(8, varint: 1) }
        append { $0.appendProtobufField(8, string: "no number") }
        append {
            $0.appendProtobufField(8, varint: 2)
            $0.appendProtobufField(1, bytes: [0xFF].withUnsafeBytes { $0 })
        }
        append { $0.appendProtobufField(1, string: "no time") }
        append { $0.appendProtobufField(8, varint: 3) }
        body.append(contentsOf: [0x0A, 0x7F, 0x40])
        var bench = Bench()
        #expect(bench.post(.growing(body.bytes, type: "application/protobuf")).status == 200)
        #expect(bench.sink.rows.map(\.capturedAt) == [1, 0, 3])
        #expect(bench.undecodable == [.protobuf: 3])
    }

    @Test("whoever wants no more than keys gets those of whole readings, and the same answers")
    func keysAlone() {
        var whole = Bench()
        var alone = CollectorModel()
        var sink = NullSink()
        var lie = LateFault()
        lie.answer = SubstituteAnswer(status: 200)
        var readAlone = 0
        for body in Self.messageBodies + Self.messageBodies + Self.messageBodies {
            for (isDry, fault) in [(false, LateFault.none), (true, .none), (false, lie)] {
                var headers = CollectedHeaders()
                headers[.contentType] = "application/protobuf"
                body.withUnsafeBytes { bytes in
                    let request = CollectedRequest(
                        method: .post, path: "/v3/projects/p/collect", query: "", dryRun: isDry,
                        headers: headers, body: bytes)
                    let now = Instant(nanoseconds: 0)
                    readAlone += GrowingDecoder().keysAlone(of: request) == nil ? 0 : 1
                    let expected = whole.model.receive(request, at: now, fault: fault, sink: &whole.sink)
                    #expect(alone.receive(request, at: now, fault: fault, sink: &sink) == expected)
                }
                #expect(alone.statistics == whole.model.statistics)
            }
        }
        #expect(readAlone == 5 * 9)
        #expect(whole.sink.rows.contains { $0.id == "5-1" })
    }

    /// Five that are read by their ids alone, one of them empty and one of 1970, and what must be read whole.
    private static var messageBodies: [[UInt8]] {
        let twice: (inout WireBuffer) -> Void = {
            $0.appendProtobufField(24, map: [(key: "bs_id", value: "5-1"), (key: "a", value: "")])
        }
        return [
            event("1-0") + event("1-1"), event("1-1"), [], event("5-0", twice), event(nil),
            event("2-0") + event(nil), event("nonsense"), event("3-0", time: nil),
            event("3-1") + [0x0A, 0x7F, 0x40],
            event("4-0") { $0.appendProtobufField(8, string: "no number") },
        ]
    }

    private static func event(
        _ id: String?, time: UInt64? = 5, _ extra: (inout WireBuffer) -> Void = { _ in }
    ) -> [UInt8] {
        var body = WireBuffer()
        body.appendProtobufField(1) { event in
            if let time { event.appendProtobufField(8, varint: time) }
            event.appendProtobufField(1, string: "device")
            event.appendProtobufField(4, string: "session")
            event.appendProtobufField(15, varint: 3)
            if let id { event.appendProtobufField(24, map: [(key: "bs_id", value: id)]) }
            extra(&event)
        }
        return body.bytes
    }

    @Test("the id is in the attributes, else the natural key counts")
    func keys() {
        var bench = Bench()
        let events = [
            SystemUpload.growingEvent("3-4", sequence: 1), SystemUpload.growingEvent(nil, sequence: 2),
            SystemUpload.growingEvent(nil, sequence: 3), SystemUpload.growingEvent(nil, sequence: 2),
            SystemUpload.growingEvent("03-4", sequence: 9),
        ]
        bench.post(.growing("[\(events.joined(separator: ","))]"))
        #expect(bench.sink.rows.first?.id == "3-4")
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 0, 1, 0])
        let natural = "d-1\u{1F}s-1\u{1F}CUSTOM\u{1F}1700000000000\u{1F}2"
        let hash = Array(natural.utf8).withUnsafeBytes { Hash128($0) }
        #expect(bench.sink.rows[1].id == NaturalKey(high: hash.high, low: hash.low).text)
    }

    @Test("events of servers, without session and sequence, are told apart by all they say")
    func serverKeys() {
        func event(_ name: String, sendTime: Int) -> String {
            #"{"eventType":"CUSTOM","eventName":"\#(name)","timestamp":1,"deviceId":"d","sendTime":\#(sendTime)}"#
        }
        var bench = Bench()
        bench.post(
            .growing("[\(event("a", sendTime: 1)),\(event("b", sendTime: 1)),\(event("a", sendTime: 2))]"))
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 1])
    }

    @Test("without globalSequenceId the sequence among the type's events counts")
    func typeSequence() {
        func event(_ type: String, _ sequence: Int) -> String {
            #"{"eventType":"\#(type)","timestamp":1,"deviceId":"d","sessionId":"s","eventSequenceId":\#(sequence)}"#
        }
        var bench = Bench()
        let events = [
            event("PAGE", 1), event("PAGE", 2), event("VISIT", 1), event("PAGE", 1), event("APP_CLOSED", 0),
        ]
        bench.post(.growing("[\(events.joined(separator: ","))]"))
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 0, 1, 0])
    }

    @Test(
        "says why a body cannot be read",
        arguments: [
            ("3", "", "stm=1", "[]", UndecodableReason.block), ("2", "", "stm=1", "", .block),
            ("4", "", "stm=1", "[]", .unknownEncoding), ("", "3", "stm=1", "[]", .unknownEncoding),
            ("", "2", "stm=1", "[]", .encrypted), ("", "2", "", "[]", .missingKey),
            ("", "1", "", "[]", .missingKey), ("", "1", "stm=x", "[]", .missingKey), ("", "", "", "", .json),
            ("", "", "", "[1]", .notAnObject), ("", "", "", "{}", .missingType),
            ("", "", "", #"[{"eventType":"PAGE"}]"#, .missingTime),
            ("", "", "", #"[{"t":"page"}]"#, .missingTime),
        ])
    func refusals(
        compress: String, crypt: String, query: String, body: String, reason: UndecodableReason
    ) {
        var bench = Bench()
        let reply = bench.post(.growing(body.utf8, query: query, compress: compress, crypt: crypt))
        #expect(reply.status == 400)
        #expect(bench.undecodable == [reason: 1])
    }

    @Test("an empty list is no error", arguments: ["application/json", "application/protobuf"])
    func empty(type: String) {
        var bench = Bench()
        let body = type == "application/json" ? Array("[]".utf8) : []
        #expect(bench.post(.growing(body, type: type)).status == 200)
        #expect(bench.undecodable.isEmpty)
    }

    @Test("reads the second protocol: always LZ4 and XOR, even if the headers do not say so")
    func secondProtocol() {
        let json = """
            [{"s":"S","u":"D","t":"vst","tm":1700000000000,"d":"app","cs1":"user","gesid":5,"esid":1},\
            {"s":"S","u":"D","t":"cstm","tm":1700000000001,"n":"buy","var":{"bs_id":"1-2"},"gesid":6,"esid":1}]
            """
        for path in ["/v3/a-1/ios/pv", "/x/v3/a-1/ios/cstm", "/v3/a-1/ios/other", "/app/a-1/ios/ctvt"] {
            for codecs in [("3", "1"), ("", "")] {
                var body = WireBuffer()
                LZ4Block.encode(WireBuffer(json), into: &body)
                body.applyXOR(0x7B)
                var bench = Bench()
                bench.post(
                    .growing(
                        body.bytes, path: path, compress: codecs.0, crypt: codecs.1,
                        type: "application/octet-stream"))
                #expect(bench.sink.rows.map(\.type) == ["vst", "cstm"])
                #expect(bench.sink.rows.map(\.name) == ["", "buy"])
                #expect(bench.sink.rows.map(\.distinctID) == ["user", "D"])
                #expect(bench.sink.rows.last?.id == "1-2")
            }
        }
    }

    @Test("takes the events of a group apart")
    func groups() {
        let json = """
            [{"s":"S","u":"D","t":"clck","p":"/home","ptm":1,"tm":9,"e":[\
            {"tm":10,"v":"buy","x":"/a","gesid":1,"esid":1,"bs_id":"0-1"},{"tm":11,"v":"\\"sell\\"","gesid":2,"esid":2},7,\
            {"tm":"never"}]}]
            """
        var bench = Bench()
        bench.post(.growing(json.utf8, path: "/v3/a/ios/other"))
        #expect(
            bench.sink.rows.map(\.payload) == [
                #"{"s":"S","u":"D","t":"clck","p":"/home","ptm":1,"tm":10,"v":"buy","x":"/a","gesid":1,"esid":1,"bs_id":"0-1"}"#,
                #"{"s":"S","u":"D","t":"clck","p":"/home","ptm":1,"tm":11,"v":"\"sell\"","gesid":2,"esid":2}"#,
            ])
        #expect(bench.sink.rows.first?.id == "0-1")
        #expect(bench.sink.rows.map(\.capturedAt) == [10, 11])
        #expect(bench.undecodable == [.notAnObject: 1, .missingTime: 1])
    }

    @Test("a group cannot grow without bound")
    func groupBomb() {
        let shared = String(repeating: "x", count: 1 << 20)
        let parts = repeatElement(#"{"tm":1}"#, count: 100).joined(separator: ",")
        var bench = Bench()
        bench.post(
            .growing(#"[{"t":"clck","u":"\#(shared)","e":[\#(parts)]}]"#.utf8, path: "/v3/a/ios/other"))
        #expect(bench.sink.rows.count == 64)
        #expect(bench.undecodable == [.tooLarge: 36])
    }

    @Test("what a group's parts shadow is not looked through without bound, and a large group is read whole")
    func groupWork() {
        func post(members: Int, parts: Int) -> Bench {
            let shared = repeatElement(#""a":0,"#, count: members).joined()
            let list = repeatElement(#"{"tm":1,"a":1}"#, count: parts).joined(separator: ",")
            var bench = Bench()
            bench.post(.growing(#"[{"t":"clck",\#(shared)"e":[\#(list)]}]"#.utf8, path: "/v3/a/ios/other"))
            return bench
        }
        let bomb = post(members: 5000, parts: 5000)
        #expect(bomb.sink.rows.count < 500)
        #expect(bomb.undecodable == [.tooLarge: UInt64(5000 - bomb.sink.rows.count)])
        let whole = post(members: 20, parts: 5000)
        #expect(whole.sink.rows.count == 5000 && whole.undecodable.isEmpty)
    }

    @Test("reads items of both formats; what has no time was captured when it came")
    func items() {
        let now = Instant(milliseconds: 1_800_000_000_000)
        let path = "/projects/p-2/collect/item"
        var body = WireBuffer()
        body.appendProtobufField(2) { item in
            item.appendProtobufField(1, string: "sku-1")
            item.appendProtobufField(2, string: "goods")
            item.appendProtobufField(3, map: [(key: "price", value: "9")])
        }
        var bench = Bench()
        let json = #"[{"id":"sku-1","key":"goods","attributes":{"price":"9"}},7]"#
        bench.post(
            body.bytes, path: path, headers: [.contentType: "application/protobuf"], at: now)
        bench.post(Array(json.utf8), path: path, headers: [.contentType: "application/json"], at: now)
        #expect(bench.sink.rows.map(\.type) == ["item", "item"])
        #expect(bench.sink.rows.map(\.name) == ["goods", "goods"])
        #expect(bench.sink.rows.map(\.capturedAt) == [1_800_000_000_000, 1_800_000_000_000])
        #expect(bench.sink.rows.map(\.copy) == [0, 1])
        #expect(bench.undecodable == [.notAnObject: 1])
    }

    @Test("blocks that hold too much are refused without memory for them", arguments: ["2", "3"])
    func bombs(codec: String) {
        let limit = JSONBatch.textLimit
        var body = WireBuffer()
        if codec == "2" {
            // A length of 4 GiB less one, and nothing behind it.
            body.append(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00])
        } else {
            LZ4Block.encode(WireBuffer(String(repeating: " ", count: limit + 1)), into: &body)
            #expect(body.count < limit / 200)
        }
        var bench = Bench()
        #expect(bench.post(.growing(body.bytes, compress: codec)).status == 400)
        #expect(bench.undecodable == [.tooLarge: 1])
        // Messages grow on their way to JSON, and may hold less.
        var messages = WireBuffer()
        let content = WireBuffer(String(repeating: "\u{0}", count: MessageList.messageLimit + 1))
        if codec == "2" {
            SnappyBlock.encode(content, into: &messages)
        } else {
            LZ4Block.encode(content, into: &messages)
        }
        bench = Bench()
        bench.post(.growing(messages.bytes, compress: codec, type: "application/protobuf"))
        #expect(bench.undecodable == [.tooLarge: 1])
    }

    @Test("a list may have more messages than a message has fields")
    func manyMessages() {
        var body = WireBuffer()
        for number in 0..<10_001 {
            body.appendProtobufField(1) { $0.appendProtobufField(8, varint: UInt64(number + 1)) }
        }
        var bench = Bench()
        bench.post(.growing(body.bytes, type: "application/protobuf"))
        #expect(bench.sink.rows.count == 10_001)
        #expect(bench.undecodable.isEmpty)
    }

    @Test("a list of more messages than its bytes can hold of events is refused as a whole")
    func emptyMessages() {
        let body = Array(repeating: [0x0A, 0x00] as [UInt8], count: 20_000).flatMap { $0 }
        var bench = Bench()
        #expect(bench.post(.growing(body, type: "application/protobuf")).status == 400)
        #expect(bench.sink.rows.isEmpty)
        #expect(bench.undecodable == [.tooLarge: 1])
    }

    @Test("a message of too many fields is broken, and its neighbours are not")
    func manyFields() {
        var body = WireBuffer()
        for count in [1, 10_001, 1] {
            body.appendProtobufField(1) { event in
                for _ in 0..<count { event.appendProtobufField(8, varint: 1) }
            }
        }
        var bench = Bench()
        #expect(bench.post(.growing(body.bytes, type: "application/protobuf")).status == 200)
        #expect(bench.sink.rows.count == 2)
        #expect(bench.undecodable == [.protobuf: 1])
    }

    @Test("a cut body never gives other events than the whole one")
    func cut() {
        for golden in GoldenBodies.all {
            let whole = bytes(hexadecimal: golden.hexadecimal)
            for length in 0..<whole.count {
                var bench = Bench()
                bench.post(.growing(whole.prefix(length), compress: golden.compress, crypt: golden.crypt))
                #expect(bench.sink.rows.isEmpty, "\(golden), \(length) bytes")
                #expect(bench.model.statistics.undecodable > 0, "\(golden), \(length) bytes")
            }
        }
    }

    @Test("JSON that is nested too deep is no event, and the one beside it is")
    func deep() {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        var bench = Bench()
        let event = SystemUpload.growingEvent("0-0", sequence: 1)
        bench.post(.growing(#"[{"eventType":"PAGE","timestamp":1,"x":\#(deep)},\#(event)]"#))
        #expect(bench.sink.rows.map(\.id) == ["0-0"])
        #expect(bench.undecodable == [.json: 1])
    }
}
