import AppModel
import Foundation
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors events: validation, web pages, bodies, keys")
struct SensorsEventRulesTests {
    @Test(
        "names follow the SDK's pattern",
        arguments: [
            ("BuyGoods", true, true), ("$AppStart", true, true), ("_x9", true, true), ("9x", false, false),
            ("", false, false), ("a-b", false, false), ("a b", false, false), ("价格", false, false),
            ("time", false, false), ("TIME", false, false), ("times", true, true),
            ("Distinct_ID", false, false),
            ("original_id", false, false), ("events", false, false), ("user_id", false, false),
            ("datetime", false, false), ("date_", true, true), ("user_tag_1", true, false),
            ("User_Group", true, false), (String(repeating: "a", count: 100), true, true),
            (String(repeating: "a", count: 101), false, true),
        ])
    func names(name: String, isOld: Bool, isVersion4: Bool) {
        #expect(SensorsNames.isValid(name, version: .v1) == isOld)
        #expect(SensorsNames.isValid(name, version: .document) == isOld)
        #expect(SensorsNames.isValid(name, version: .v4) == isVersion4)
    }

    @Test("long texts are cut as the version cuts them")
    func cutting() {
        let fits = String(repeating: "a", count: 8191)
        #expect(SensorsNames.cut(fits, key: "k", version: .v1) == fits)
        let old = SensorsNames.cut(fits + "a", key: "k", version: .v1)
        #expect(old.utf8.count == 8191 && old.hasSuffix("a$"))
        #expect(SensorsNames.cut(fits, key: "k", version: .v4) == fits)
        let new = SensorsNames.cut(fits + "a", key: "k", version: .v4)
        #expect(new.count == 8192 && new.hasSuffix("a$"))
        #expect(SensorsNames.cut(fits + "a", key: "app_crashed_reason", version: .v1) == fits + "a")
        let chinese = String(repeating: "中", count: 2731)
        let cut = SensorsNames.cut(chinese, key: "k", version: .v1)
        #expect(cut == String(repeating: "中", count: 2730) + "$")
    }

    static func fixture(_ version: SensorsRules.Version, _ rules: [PropertyRule]) -> SensorsEventFixture {
        var app = AppDescription.small
        app.events[0].properties = rules
        return SensorsEventFixture(version, app: app)
    }

    static let bad: [PropertyRule] = [
        PropertyRule("time", .constant(.string("x"))),
        PropertyRule("mixed", .constant(.list([.string("a"), .number(1)]))),
        PropertyRule("nan", .constant(.number(.nan))),
        PropertyRule("infinite", .constant(.number(.infinity))),
    ]

    @Test("a bad property drops the event in 1.x and only itself in 4.x", arguments: bad)
    func badProperty(rule: PropertyRule) throws {
        let old = Self.fixture(.v1, [rule])
        let templates = old.templates
        #expect(templates.isInvalid(template: templates.business(0), index: 0, sequence: 0, subject: 0))
        #expect(!templates.isInvalid(template: templates.business(1), index: 0, sequence: 0, subject: 0))
        let new = Self.fixture(.v4, [rule, PropertyRule("good", .constant(.number(1)))])
        #expect(
            !new.templates.isInvalid(
                template: new.templates.business(0), index: 0, sequence: 0, subject: 0))
        let properties = try new.properties(new.record(new.templates.business(0)))
        #expect(properties["good"] as? Int == 1)
        if rule.key == "mixed" {
            #expect(properties["mixed"] as? [String] == ["a", "1"], "elements become texts")
        } else {
            #expect(properties[rule.key] == nil)
        }
    }

    @Test("null is sent by 1.x and left out by 4.x")
    func null() throws {
        let rules = [PropertyRule("nothing", .constant(.null))]
        let old = Self.fixture(.v1, rules)
        #expect(try old.properties(old.record(old.templates.business(0)))["nothing"] is NSNull)
        let new = Self.fixture(.v4, rules)
        #expect(try new.properties(new.record(new.templates.business(0)))["nothing"] == nil)
    }

    @Test("what is drawn decides where only some alternatives are bad")
    func badAlternative() throws {
        let choice = PropertyGenerator.choice([.number(1), .string("x")], WeightedChoice(weights: [1, 1]))
        var app = AppDescription.small
        app.profiles[3].properties = [PropertyRule("coins", choice)]
        #expect(app.profiles[3].operation == .increment)
        let old = SensorsEventFixture(.v1, app: app)
        let new = SensorsEventFixture(.v4, app: app)
        let template = old.templates.profile(3)
        var refused = 0
        for sequence in UInt32(0)..<64 {
            let isInvalid = old.templates.isInvalid(
                template: template, index: 2, sequence: sequence, subject: 0)
            refused += isInvalid ? 1 : 0
            let properties = try new.properties(new.record(template, sequence: sequence))
            #expect((properties["coins"] == nil) == isInvalid)
        }
        #expect((10...54).contains(refused))
    }

    @Test("a bad event name drops the event in 1.x; 4.x sends it all the same")
    func badName() throws {
        var app = AppDescription.small
        app.events[0].name = "9lives"
        let old = SensorsEventFixture(.v1, app: app).templates
        #expect(old.isInvalid(template: old.business(0), index: 0, sequence: 0, subject: 0))
        let new = SensorsEventFixture(.v4, app: app)
        #expect(
            !new.templates.isInvalid(
                template: new.templates.business(0), index: 0, sequence: 0, subject: 0))
        #expect(try new.event(new.record(new.templates.business(0)))["event"] as? String == "9lives")
    }

    @Test("a page's event is made the app's own", arguments: SensorsRules.Version.allCases)
    func web(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        var epoch = SensorsEpoch()
        epoch.superGroups = 1
        let event = try fixture.event(fixture.record(fixture.templates.business(1), screen: 2), epoch: epoch)
        #expect(event["distinct_id"] as? String == fixture.traits().deviceID)
        #expect(event["_hybrid_h5"] as? Bool == (version == .v4 ? true : nil))
        let time = try #require(event["time"] as? Int)
        let capture = 1_772_451_000_123
        #expect(version == .v4 ? (capture - 16..<capture).contains(time) : time == capture)
        let lib = try #require(event["lib"] as? [String: String])
        #expect(lib["$lib"] == "js" && lib["$app_version"] == "1.3.0")
        let properties = try #require(event["properties"] as? [String: Any])
        #expect(properties["$lib"] as? String == "js")
        #expect(properties["amount"] as? Double == 9.5)
        #expect(properties["$url"] as? String == "https://m.example.cn/act?id=1")
        #expect(properties["$model"] as? String == fixture.traits().machine.description, "the app's wins")
        #expect(properties["channel"] as? String == "store", "the super property wins over the page")
        #expect(properties["$lib_method"] == nil)
        #expect(properties["$is_first_day"] as? Bool == false)
        #expect(properties["bs_id"] as? String == "42-7")
    }

    @Test("only pages of the same host and project may send")
    func webAcceptance() {
        let encoder = SensorsEventFixture(.v4).encoder
        #expect(encoder.acceptsWebEvent(screen: 2))
        #expect(!encoder.acceptsWebEvent(screen: 3))
        #expect(!encoder.acceptsWebEvent(screen: 0))
        #expect(!encoder.acceptsWebEvent(screen: 99))
        #expect(encoder.userAgentSuffix == " /sa-sdk-ios/sensors-verify/127.0.0.1?shop ")
    }

    @Test("the cursor writes decimals as Swift does")
    func decimals() {
        var values: [Int64] = [0, 9, 10, 99, 100, 101, 12_345, .max, .min, -7]
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            values += [power - 1, power, power + 1]
        }
        for pair in Int64(0)..<10_000 { values.append(pair) }
        for value in values {
            var buffer = WireBuffer()
            buffer.append(upTo: 2 * SensorsCursor.digits) { memory in
                var cursor = SensorsCursor(memory)
                cursor.put(value)
                return cursor.count
            }
            #expect(buffer.text == String(value))
        }
        var largest = WireBuffer()
        largest.append(upTo: SensorsCursor.digits) { memory in
            var cursor = SensorsCursor(memory)
            cursor.put(UInt64.max)
            return cursor.count
        }
        #expect(largest.text == String(UInt64.max))
    }

    @Test("slashes are escaped as NSJSONSerialization does")
    func slashes() {
        let fixture = SensorsEventFixture(.v1)
        #expect(fixture.text(fixture.record(fixture.templates.business(0))).contains(#""path":"a\/b""#))
    }

    static let golden =
        #"[{"event":"BuyGoods","type":"track","distinct_id":"u-1","time":1700000000000,"_track_id":123456789,"#
        + #""properties":{"price":9.5},"_flush_time":1700000000100}]"#

    @Test("a body is crc, gzip and percent-encoded base64", arguments: SensorsRules.Version.allCases)
    func body(version: SensorsRules.Version) throws {
        let encoder = SensorsEventFixture(version).encoder
        #expect(Self.golden.utf8.count == 155)
        encoder.json = WireBuffer(Self.golden)
        var body = WireBuffer()
        encoder.writeForm(into: &body)
        try check(body.text, version: version) { #expect($0 == Self.golden) }
    }

    /// Takes a body apart by Foundation's means but for gzip.
    private func check(
        _ body: String, version: SensorsRules.Version, _ check: (String) throws -> Void
    ) throws {
        let fields = body.split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1).map(String.init)
        }
        #expect(fields.map { $0[0] } == ["crc", "gzip", "data_list"])
        let list = fields[2][1]
        #expect(!list.contains("+") && !list.contains("="))
        if version != .v4 { #expect(!list.contains("/")) } else { #expect(!list.contains("%2F")) }
        let base64 = try #require(list.removingPercentEncoding)
        var hash: Int32 = 0
        for unit in base64.utf16 { hash = hash &* 31 &+ Int32(unit) }
        #expect(fields[0][1] == String(hash))
        #expect(fields[1][1] == "1")
        var packed = WireBuffer()
        packed.append(contentsOf: [UInt8](try #require(Data(base64Encoded: base64))))
        var text = WireBuffer()
        try GzipDecoder().decompress(packed, into: &text)
        try check(text.text)
    }

    @Test("a batch is an array in order, with the attempt's time in every event")
    func batch() throws {
        let fixture = SensorsEventFixture(.v4)
        var epochs = EpochLog(SensorsEpoch())
        var records: [EventRecord] = []
        for sequence in UInt32(0)..<50 {
            if sequence == 25 { epochs.change { $0.account = 1 } }
            var record = fixture.record(SensorsTemplates.appEnd, sequence: sequence)
            record.epoch = epochs.reference()
            records.append(record)
        }
        var body = WireBuffer()
        let now = SensorsEventFixture.capture + .seconds(9)
        fixture.encoder.encodeBatch(records, index: 2, number: 42, epochs: epochs, at: now, into: &body)
        try check(body.text, version: .v4) { text in
            let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let events = try #require(parsed as? [[String: Any]])
            #expect(events.count == 50)
            for (index, event) in events.enumerated() {
                let tag = (event["properties"] as? [String: Any])?["bs_id"] as? String
                #expect(tag == "42-\(index)")
                #expect(event["_flush_time"] as? Int == 1_772_451_009_123)
                #expect((event["login_id"] != nil) == (index >= 25))
            }
            #expect(Set(events.compactMap { $0["_track_id"] as? Int }).count == 50)
        }
    }

    @Test("natural keys are what a reader of the JSON computes", arguments: SensorsRules.Version.allCases)
    func naturalKeys(version: SensorsRules.Version) throws {
        var app = AppDescription.small
        // Neither is sent as its normal form has it.
        app.items[0].properties += [
            PropertyRule("cover", .constant(.string("https://cdn.example.com/1.png"))),
            PropertyRule("weight", .number(.uniform(1e8, 1e9), decimals: 9)),
        ]
        let fixture = SensorsEventFixture(version, app: app)
        let encoder = fixture.encoder
        for template in fixture.templates.labels.indices {
            let record = fixture.record(UInt16(template), screen: 2, control: 0, detail: 1)
            let event = try fixture.event(record)
            let key = encoder.naturalKey(
                record, epoch: SensorsEpoch(), traits: fixture.traits(), index: 2, device: 42)
            let type = try #require(event["type"] as? String)
            let expected: String
            if type.hasPrefix("item") {
                expected = try Self.normalForm(of: fixture.text(record, flushTime: nil))
                #expect(!expected.contains("_flush_time") && !expected.contains("\\/"))
            } else {
                expected = [
                    type, "\(event["distinct_id"] ?? "")", "\(event["_track_id"] ?? "")",
                    "\(event["time"] ?? "")", event["event"] as? String ?? "",
                ].joined(separator: "\u{1F}")
            }
            #expect(Array(expected.utf8).withUnsafeBytes { Hash128($0) } == key, "\(type)")
        }
    }

    private static func normalForm(of json: String) throws -> String {
        var normal = WireBuffer()
        try Array(json.utf8).withUnsafeBytes { bytes in
            try JSONParser().withParsed(bytes) { $0.appendJSON(to: &normal) }
        }
        return normal.text
    }
}

@Suite("Sensors devices: traits")
struct SensorsTraitsTests {
    @Test("traits are a device's own, believable and stable", arguments: SensorsRules.Version.allCases)
    func believable(version: SensorsRules.Version) {
        let fixture = SensorsEventFixture(version)
        var models: Set<String> = []
        var identifiers: Set<String> = []
        for index in 0..<2000 {
            let traits = fixture.traits(index)
            #expect(traits == fixture.traits(index))
            models.insert(traits.machine.description)
            identifiers.insert(traits.deviceID)
            let model = DeviceHardware.models[Int(traits.model)]
            let system = DeviceHardware.systems[Int(traits.system)]
            #expect(model.systems.contains(system.major))
            #expect((version == .v4 ? model.weight2025 : model.weight2018) > 0)
            #expect((version == .v4 ? system.weight2025 : system.weight2018) > 0)
        }
        #expect(identifiers.count == 2000)
        #expect(models.count >= 10)
        #expect(identifiers.allSatisfy { UUID(uuidString: $0)?.uuidString == $0 })
    }

    @Test("clock errors have the standard deviation of the rule")
    func clocks() {
        var fixture = SensorsEventFixture(.v4)
        fixture.change { $0.clockSkew = .seconds(2) }
        var squares = 0.0
        for index in 0..<4000 {
            let skew = fixture.traits(index).clockSkew.fractionalSeconds
            squares += skew * skew
        }
        #expect((1.9...2.1).contains((squares / 4000).squareRoot()))
        fixture.change { $0.clockSkew = .zero }
        #expect(fixture.traits(1).clockSkew == .zero)
    }
}
