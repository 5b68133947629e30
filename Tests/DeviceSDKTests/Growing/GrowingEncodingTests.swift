import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, encoding")
struct GrowingEncodingTests {
    /// The events of a short life, as the collector gets them, per request.
    private func life(_ version: GrowingRules.Version, _ change: (inout GrowingRules) -> Void = { _ in })
        throws -> [(head: RequestHead, body: GrowingBody)]
    {
        let world = GrowingWorld(version) {
            $0.interceptors = []
            change(&$0)
        }
        var sent: [(RequestHead, GrowingBody)] = []
        func answer() throws {
            while let request = world.open.first {
                let (head, body) = world.encode(request)
                sent.append((head, try GrowingBody(head, body)))
                world.answer(200, at: (world.now - GrowingWorld.start).fractionalSeconds)
            }
        }
        world.act(0, .launch(passive: false), .enterForeground, .registerSuperProperties(group: 0))
        try answer()
        world.act(1, .appear(screen: 0, referrer: nil))
        world.act(
            2, .tap(screen: 0, control: AppDescription.growingButton),
            .tap(screen: 0, control: AppDescription.growingList))
        world.act(2.5, .tap(screen: 0, control: AppDescription.growingSlider))
        world.act(2.6, .tap(screen: 0, control: AppDescription.growingField))
        world.act(
            3, .login(account: 1, signUp: false), .profile(update: 0, subject: 0),
            .profile(update: 1, subject: 0))
        try answer()
        world.act(3.1, .beginTimed(event: 1))
        world.track(3.25)
        world.act(4.5, .business(event: 1, subject: 4))
        world.run(to: 5)
        try answer()
        return sent
    }

    @Test("fields of 3.2.1 as JSON")
    func old() throws {
        let requests = try life(.v3)
        let events = try requests.flatMap { try $0.body.events() }
        let visit = try #require(events.first)
        #expect(visit["eventType"] == "VISIT")
        #expect(visit["timestamp"] == "1767571200000")
        #expect(
            visit["platform"] == "iOS" && visit["sdkVersion"] == "3.2.1" && visit["deviceBrand"] == "Apple")
        #expect(visit["domain"] == "cn.example.shop" && visit["appName"] == "商城/Shop")
        #expect(visit["networkState"] == "WIFI" && visit["appState"] == "FOREGROUND")
        #expect(
            visit["idfv"]?.count == 36 && visit["deviceId"]?.count == 36 && visit["sessionId"]?.count == 36)
        #expect(visit["attributes.bs_id"] == "17-0")
        #expect(visit["dataSourceId"] == nil && visit["timezoneOffset"] == nil && visit["userId"] == nil)
        #expect(visit["latitude"] == nil)
        let variables = try #require(events.first { $0["eventType"] == "CONVERSION_VARIABLES" })
        #expect(variables["attributes.channel"] == "a")
        let page = try #require(events.last { $0["eventType"] == "PAGE" })
        #expect(page["path"]?.hasSuffix("/HomeViewController[0]") == true)
        #expect(page["title"] == "首页" && page["orientation"] != nil)
        let clicks = events.filter { $0["eventType"] == "VIEW_CLICK" }
        #expect(clicks[0]["textValue"] == "购买 \"now\"" && clicks[0]["xpath"] == "/Page/UIButton[0]")
        #expect(clicks[0]["index"] == nil && clicks[0]["pageShowTimestamp"] == page["timestamp"])
        #expect(clicks[0]["path"] == page["path"])
        #expect(clicks[1]["xpath"] == "/Page/UITableView[0]/Section[1]/UITableViewCell[-]")
        #expect(clicks[1]["index"].flatMap { Int($0) }.map { (0..<9).contains($0) } == true)
        // A slider is a click in 3.x; the end of an input is a change.
        #expect(clicks.count == 3)
        #expect(
            events.filter { $0["eventType"] == "VIEW_CHANGE" }.map { $0["xpath"] } == ["/Page/UITextField[0]"]
        )
        let user = try #require(events.first { $0["eventType"] == "LOGIN_USER_ATTRIBUTES" })
        #expect(user["attributes.level"] == "3" && user["userId"]?.hasPrefix("user-") == true)
        let custom = events.filter { $0["eventType"] == "CUSTOM" }
        #expect(custom.map { $0["eventName"] } == ["BuyGoods", "WatchVideo"])
        #expect(custom[0]["attributes.price"] == "9.5" && custom[0]["attributes.tags"] == "a||1||3")
        #expect(custom[0]["attributes.sku"] == "sku-00003")
        #expect(custom[0]["attributes.at"] == "2026-01-05 08:00:03.250")
        #expect(custom[1]["attributes.event_duration"] == nil)
        #expect(
            Set(events.compactMap { $0["globalSequenceId"] }.compactMap { Int($0) }) == Set(1...events.count))
    }

    @Test("fields of 4.11.0, the same in JSON and in messages")
    func new() throws {
        let json = try life(.v4) {
            $0.usesProtobuf = false
            $0.autotrack.pages = .all
        }
        let message = try life(.v4) { $0.autotrack.pages = .all }
        #expect(json.allSatisfy { $0.body.headers["Content-Type"] == "application/json" })
        #expect(message.allSatisfy { $0.body.headers["Content-Type"] == "application/protobuf" })
        let events = try json.flatMap { try $0.body.events() }
        let click = try #require(events.first { $0["eventType"] == "VIEW_CLICK" })
        #expect(
            click["path"] == "/HomeViewController"
                && click["xpath"]?.hasSuffix("/HomeViewController/UIView/UIButton") == true)
        #expect(click["xcontent"]?.hasSuffix("/0") == true && click["pageShowTimestamp"] == nil)
        #expect(click["timezoneOffset"] == "-480" && click["dataSourceId"] != nil)
        let row = try #require(events.first { $0["xcontent"]?.hasSuffix("/-") == true })
        #expect(row["index"].flatMap { Int($0) }.map { (1...9).contains($0) } == true)
        #expect(events.filter { $0["eventType"] == "VIEW_CHANGE" }.count == 2)
        let video = try #require(events.first { $0["eventName"] == "WatchVideo" })
        #expect(video["attributes.event_duration"] == "1.400")
        #expect(video["attributes.channel"] == "a")
        #expect(events.contains { $0["eventType"] == "PAGE" && $0["path"] == "/HomeViewController" })
        // Every member of the JSON is a field of the message, and the other way round.
        let messages = try message.flatMap { try $0.body.messages() }
        #expect(messages.count == events.count)
        for (event, fields) in zip(events, messages) { compare(event, fields) }
    }

    private func compare(_ event: [String: String], _ fields: [UInt32: [String]]) {
        var fields = fields
        for (name, value) in event where !name.hasPrefix("attributes.") && name != "eventType" {
            let number = GrowingField.all[name]?.number ?? 0
            let found = fields.removeValue(forKey: number)
            // Zero is the default, which proto3 leaves out.
            #expect(found == [value] || found == nil && value == "0", "\(name)")
        }
        let type = GrowingEventType.allCases.first { $0.name == event["eventType"] }
        #expect(fields.removeValue(forKey: 6)?.first.flatMap { UInt8($0) } ?? 0 == type?.rawValue)
        let attributes = event.filter { $0.key.hasPrefix("attributes.") }
            .map { "\($0.key.dropFirst("attributes.".count))=\($0.value)" }
        #expect(Set(fields.removeValue(forKey: 24) ?? []) == Set(attributes))
        #expect(fields.isEmpty)
    }

    @Test("4.x sends no PAGE unless the app says which; a listed page has its alias")
    func pages() throws {
        #expect(try life(.v4) { $0.usesProtobuf = false }.allSatisfy { !$0.body.text.contains("\"PAGE\"") })
        let listed = try life(.v4) {
            $0.usesProtobuf = false
            $0.autotrack.pages = .listed(["HomeViewController": "home"])
        }
        let events = try listed.flatMap { try $0.body.events() }
        #expect(events.filter { $0["eventType"] == "PAGE" }.map { $0["path"] } == ["/home"])
        #expect(events.first { $0["eventType"] == "VIEW_CLICK" }?["path"] == "/home")
    }

    @Test("heads: path, stm, codecs, and the lines that the scenario adds")
    func heads() throws {
        let plain = try #require(try life(.v3).first)
        #expect(plain.head.path == "/v3/projects/acc-1/collect?stm=1767571200000")
        #expect(plain.body.headers["X-Compress-Codec"] == nil && plain.body.headers["X-Crypt-Codec"] == nil)
        #expect(plain.body.headers["Accept"] == "application/json" && plain.body.headers["X-Env"] == "test")
        let stamp = try #require(plain.body.headers["X-Timestamp"].flatMap { Int64($0) })
        #expect((0..<4).contains(stamp - plain.body.stm))
        // The text says of ENABLE_ENCRYPTION that it disables encryption, so that without it bodies are coded; the
        // sources' macro enables it, which 4.x does not have.
        for version in GrowingRules.Version.allCases {
            for isSet in [true, false] {
                let flags: Set<GrowingRules.BuildFlag> = isSet ? [.encryption] : []
                let sent = try #require(try life(version) { $0.buildFlags = flags }.first)
                let isCoded = version != .v4 && isSet != (version == .document)
                #expect(sent.body.headers["X-Compress-Codec"] == (isCoded ? "3" : nil))
                #expect(sent.body.headers["X-Crypt-Codec"] == (isCoded ? "1" : nil))
                #expect(try version == .v4 ? sent.body.messages().count == 1 : sent.body.events().count == 1)
            }
        }
        let snappy = try #require(try life(.v3) { $0.services.compression = .snappy }.first)
        #expect(snappy.body.headers["X-Compress-Codec"] == "2" && snappy.body.headers["X-Crypt-Codec"] == nil)
        #expect(try snappy.body.events().first?["eventType"] == "VISIT")
    }

    @Test(
        "an encrypted body is the plain one under XOR with the lowest byte of stm, whatever X-Timestamp says")
    func xor() throws {
        func body(_ change: (inout GrowingRules) -> Void) -> (RequestHead, [UInt8]) {
            let world = GrowingWorld(.v3, change)
            world.act(0.123, .launch(passive: false))
            return world.encode(world.open[0])
        }
        let plain = body { _ in }
        let coded = body { $0.services.encryption = .xor }
        #expect(coded.0.path.hasSuffix("stm=1767571200123"))
        #expect(coded.1 == plain.1.map { $0 ^ UInt8(truncatingIfNeeded: 1_767_571_200_123 as Int64) })
    }

    @Test("a device's clock is wrong everywhere by the same amount")
    func clockSkew() throws {
        let world = GrowingWorld(.v3) { $0.clockSkew = .hours(1) }
        let skew = world.system.plan.clockSkew(index: 0)
        #expect(skew != .zero)
        world.act(1, .launch(passive: false))
        let (head, body) = world.encode(world.open[0])
        let read = try GrowingBody(head, body)
        let expected = (GrowingWorld.time(1) + skew).milliseconds
        #expect(read.stm == expected)
        #expect(try read.events().first?["timestamp"] == String(expected))
    }

    @Test("AES in place of XOR")
    func aes() throws {
        let world = GrowingWorld(.v3) { $0.services.encryption = .aes }
        world.act(0, .launch(passive: false))
        let (head, body) = world.encode(world.open[0])
        let cipher = AES128(key: Array("beaconswarm-aes1".utf8))
        let read = try GrowingBody(head, body) { factor in
            { cipher.decryptCBC($0, vector: [UInt8](repeating: factor, count: 16)) ?? [] }
        }
        #expect(read.headers["X-Crypt-Codec"] == "2")
        #expect(try read.events().first?["eventType"] == "VISIT")
    }

    @Test("DISABLE_IDFA, ignored fields, user keys, locations")
    func switches() throws {
        let world = GrowingWorld(.v3) {
            $0.buildFlags = [.disableIDFA]
            $0.ignoredFields = Set(GrowingRules.ignorableFields)
            $0.idMappingEnabled = true
            $0.collectsLocation = true
        }
        world.act(0, .launch(passive: false), .enterForeground, .login(account: 1, signUp: false))
        let texts = world.encodedEvents()
        #expect(
            texts.allSatisfy {
                !$0.contains("\"idfa\"") && !$0.contains("screenWidth") && !$0.contains("deviceModel")
            })
        #expect(texts.last?.contains(#""userKey":"phone""#) == true)
        #expect(texts[0].contains("latitude") == false && texts[1].contains("latitude"))
    }

    @Test("an event is encoded as of its capture, each time alike")
    func captureTime() {
        let world = GrowingWorld(.v3)
        world.startApp()
        world.act(1, .login(account: 1, signUp: false))
        world.answerAll(200, at: 1)
        world.track(2)
        let before = world.encodedEvents()
        world.setNetwork(.cellular3G, at: 3)
        world.act(3, .logout, .enterBackground)
        world.act(100, .enterForeground)
        world.answerAll(503, at: 101)
        world.act(102, .kill)
        world.act(103, .updateApp(version: 1), .launch(passive: false))
        #expect(world.encodedEvents().first == before.first)
        #expect(world.encodedEvents().last?.contains(#""appVersion":"1.1.0""#) == true)
    }

    @Test("pages in web views hand their events over where the module is there")
    func hybrid() throws {
        func events(_ change: (inout GrowingRules) -> Void) -> [String] {
            let world = GrowingWorld(.v3, change)
            world.startApp()
            world.act(1, .appear(screen: 1, referrer: nil))
            for second in 2..<42 {
                world.act(Double(second), .web(event: AppDescription.growingFromPage, subject: 1))
            }
            return world.encodedEvents()
        }
        let all = events { _ in }
        let web = all.filter(Self.isOfPage)
        #expect(web.count == 81)
        #expect(web[0].contains(#""path":"\/sale\/spring""#) && web[0].contains(#""query":"from=app""#))
        #expect(web[0].contains(#""protocolType":"https""#))
        let acts = web.filter { $0.contains("hyperlink") }
        #expect(
            acts.count == 40 && acts.contains { $0.contains("FORM_SUBMIT") }
                && acts.contains { $0.contains("VIEW_CLICK") })
        #expect(web.filter { $0.contains(#""eventName":"FromPage""#) }.count == 40)
        #expect(events { $0.modules.removed = [.hybrid] }.allSatisfy { !$0.contains("from=app") })
        // The tracker has no such module, but can get it; it has no pages and clicks of its own.
        #expect(events { $0.shell = .tracker }.isEmpty)
        let added = events {
            $0.shell = .tracker
            $0.modules.added = [.hybrid]
        }
        #expect(added.count == 81)
    }

    private static func isOfPage(_ event: String) -> Bool { event.contains(#""query":"from=app""#) }

    @Test(
        "events of pages in web views have what their builders inherit",
        arguments: GrowingRules.Version.allCases)
    func hybridFields(version: GrowingRules.Version) throws {
        let world = GrowingWorld(version) { $0.usesProtobuf = false }
        world.startApp()
        world.act(1, .appear(screen: 1, referrer: nil))
        for second in 2..<42 {
            world.act(Double(second), .web(event: AppDescription.growingFromPage, subject: 1))
        }
        let isVersion4 = version == .v4
        let web = world.encodedEvents().filter(Self.isOfPage)
        #expect(web.count == 81)
        var kinds: Set<String> = []
        for event in web {
            let kind = ["PAGE", "VIEW_CLICK", "FORM_SUBMIT", "CUSTOM"].first {
                event.contains("\"eventType\":\"\($0)\"")
            }
            kinds.insert(kind ?? event)
            // `GrowingPageBuilder` reads it; all others have none.
            #expect(event.contains(#""orientation":""#) == (kind == "PAGE"))
            // Until 3.3.2 the page's host was replaced by the app's identifier.
            let domain = isVersion4 ? "m.example.com" : "cn.example.shop"
            #expect(event.contains("\"domain\":\"\(domain)\""))
            // `GrowingViewElementEvent` and `GrowingPageCustomEvent` of 3.x always write when the page was shown.
            let isShown = event.contains(#""pageShowTimestamp":1767571201000,"#)
            #expect(isShown == (!isVersion4 && kind != "PAGE"), "\(event)")
            #expect(isShown == event.contains("pageShowTimestamp"))
            let isElement = kind == "VIEW_CLICK" || kind == "FORM_SUBMIT"
            #expect(event.contains("xcontent") == (isVersion4 && isElement))
            #expect(!event.contains(#""index":"#))
        }
        #expect(kinds == ["PAGE", "VIEW_CLICK", "FORM_SUBMIT", "CUSTOM"])
    }

    @Test(
        "an attribute is an entry of a map, however long its text is",
        arguments: [0, 1, 117, 118, 127, 128, 16_370, 16_371, 16_383, 16_384])
    func attributeLengths(count: Int) {
        let text = String(repeating: "x", count: count)
        var writer = GrowingMessageWriter()
        writer.beginAttributes()
        writer.putAttribute(GrowingAttributeKey("scheme"), text)
        writer.endAttributes()
        var expected = WireBuffer()
        expected.appendProtobufField(24, map: [(key: "scheme", value: text)])
        #expect(writer.buffer.bytes == expected.bytes)
    }

    @Test("golden vector of the schema: the fields of one event in numbers' order")
    func golden() {
        var writer = GrowingMessageWriter()
        writer.put(.deviceId, "d-1")
        writer.put(type: GrowingTypeName("PAGE", number: GrowingEventType.page.rawValue))
        writer.put(.timestamp, 1_700_000_000_000 as Int64)
        writer.put(.eventSequenceId, 1 as Int64)
        var list = WireBuffer()
        writer.buffer.withUnsafeBytes { list.appendProtobufField(1, bytes: $0) }
        let expected: [UInt8] = [
            0x0a, 0x10, 0x0a, 0x03, 0x64, 0x2d, 0x31, 0x30, 0x06, 0x40, 0x80, 0xd0, 0x95, 0xff, 0xbc, 0x31,
            0x78,
            0x01,
        ]
        #expect(list.bytes == expected)
    }

    @Test("golden vectors of bodies: what the services make of the published text comes back from the codecs")
    func goldenBodies() throws {
        let text =
            #"[{"eventType":"VISIT","deviceId":"d-1","timestamp":1700000000000,"globalSequenceId":1,"eventSequenceId":1}]"#
        let published = [
            (
                "3",
                "f6275b7b226576656e7454797065223a225649534954222c226465766963654964223a22642d31222c2274696d657374616d70223a3137300100e22c22676c6f62616c53657175656e330022312c540006140050223a317d5d"
            ),
            (
                "2",
                "6bd85b7b226576656e7454797065223a225649534954222c226465766963654964223a22642d31222c2274696d657374616d70223a313730301502342c22676c6f62616c53657175656e093304312c09543853657175656e63654964223a317d5d"
            ),
        ]
        for (codec, hexadecimal) in published {
            let service: any GrowingCompressionService = codec == "3" ? GrowingLZ4() : GrowingSnappy()
            #expect(service.codec == codec)
            var packed = WireBuffer()
            service.compress(WireBuffer(text), into: &packed)
            let digits = Array(hexadecimal)
            let golden = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0..<$0 + 2]), radix: 16)
            }
            for bytes in [packed.bytes, golden] {
                var coded = WireBuffer()
                coded.append(contentsOf: bytes)
                GrowingXOR().encryptEventData(&coded, factor: 0x7b)
                let head = RequestHead(
                    method: .post, path: "/v3/projects/a/collect?stm=1700000000123",
                    headerLines: "X-Compress-Codec: \(codec)\r\nX-Crypt-Codec: 1\r\n")
                #expect(try GrowingBody(head, coded.bytes).text == text)
            }
        }
    }

    @Test("the natural key of an event without bs_id is made of what is in it")
    func naturalKey() throws {
        let world = GrowingWorld(.v3, tagsEvents: false)
        world.act(0, .launch(passive: false))
        let (head, body) = world.encode(world.open[0])
        let event = try #require(try GrowingBody(head, body).events().first)
        #expect(event["attributes.bs_id"] == nil)
        world.answer(200, at: 1)
        let parts = [
            event["deviceId"], event["sessionId"], event["eventType"], event["timestamp"],
            event["globalSequenceId"],
        ]
        let text = WireBuffer(parts.map { $0 ?? "" }.joined(separator: "\u{1F}"))
        let hash = text.withUnsafeBytes { Hash128($0) }
        #expect(world.fates[0]?.naturalKey == NaturalKey(high: hash.high, low: hash.low))
    }
}
