import AppModel
import Foundation
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors events: which value wins, and when it was true")
struct SensorsEventMergeTests {
    /// Every source sets the same keys.
    static func clashing() -> AppDescription {
        var app = AppDescription.small
        app.superProperties[0].properties = [
            "$model", "$network_type", "$device_id", "mine", "shared", "Case", "$title", "$is_first_day",
            "event_duration",
        ].map { PropertyRule($0, .constant(.string("super"))) }
        app.dynamicSuperProperties = ["$wifi", "$os", "shared", "case", "event_duration"].map {
            PropertyRule($0, .constant(.string("dynamic")))
        }
        app.events[0].properties = [
            "$manufacturer", "$network_type", "$device_id", "shared", "$is_first_day",
        ].map {
            PropertyRule($0, .constant(.string("caller")))
        }
        return app
    }

    @Test("the later source wins and each key stands once", arguments: SensorsRules.Version.allCases)
    func priority(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version, app: Self.clashing())
        var epoch = SensorsEpoch()
        epoch.superGroups = 1
        let properties = try fixture.properties(fixture.record(fixture.templates.business(0)), epoch: epoch)
        #expect(properties["$model"] as? String == "super")
        #expect(properties["$os"] as? String == "dynamic")
        #expect(properties["$wifi"] as? Bool == true, "network beats the dynamic property")
        #expect(properties["$network_type"] as? String == "caller", "the caller beats the network")
        #expect(properties["$manufacturer"] as? String == "caller")
        #expect(properties["shared"] as? String == "caller")
        #expect(properties["mine"] as? String == "super")
        #expect(properties["$is_first_day"] as? Bool == false, "first day beats everything")
        #expect(properties["$device_id"] as? String == fixture.traits().deviceID)
        #expect(properties["Case"] == nil, "a dynamic key that differs in case removes the super property")
        #expect(properties["case"] as? String == "dynamic")
        #expect(properties["event_duration"] as? String == "dynamic")
        let timed = try fixture.properties(
            fixture.record(fixture.templates.business(0), detail: 1500, flags: .timed), epoch: epoch)
        #expect(timed["event_duration"] as? Double == 1.5, "the timer beats the dynamic property")
    }

    @Test("a super property shows where a preset key is missing", arguments: SensorsRules.Version.allCases)
    func optionalKeys(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version, app: Self.clashing())
        var epoch = SensorsEpoch()
        epoch.superGroups = 1
        let titled = try fixture.properties(
            fixture.record(SensorsTemplates.viewScreen, screen: 0), epoch: epoch)
        #expect(titled["$title"] as? String == "首页")
        let untitled = try fixture.properties(
            fixture.record(SensorsTemplates.viewScreen, screen: 1), epoch: epoch)
        #expect(untitled["$title"] as? String == "super")
        let signUp = try fixture.properties(fixture.record(SensorsTemplates.signUp, detail: 1), epoch: epoch)
        #expect(signUp["$is_first_day"] as? String == "super", "nothing sets it on a sign-up")
    }

    /// A key that the caller, the dynamic and the super properties give, with null at every other event.
    private static func nullable(_ key: String) -> AppDescription {
        var app = AppDescription.small
        let even = WeightedChoice(weights: [1, 1])
        app.superProperties[0].properties = [PropertyRule(key, .constant(.string("super")))]
        app.dynamicSuperProperties = []
        app.events[0].properties = [PropertyRule(key, .choice([.string("caller"), .null], even))]
        return app
    }

    /// The values of a key over many events of the first business event.
    private func values(
        _ key: String, _ app: AppDescription, _ version: SensorsRules.Version, _ flags: SensorsEventFlags = []
    ) throws -> Set<String> {
        let fixture = SensorsEventFixture(version, app: app)
        var epoch = SensorsEpoch()
        epoch.superGroups = 1
        return try Set(
            (UInt32(0)..<40).map { sequence in
                let event = try fixture.event(
                    fixture.record(
                        fixture.templates.business(0), sequence: sequence, detail: 1500, flags: flags),
                    epoch: epoch)
                let properties = try #require(event["properties"] as? [String: Any])
                let value = key == "$project" ? event["project"] : properties[key]
                return value.map { "\($0)" } ?? "nothing"
            })
    }

    /// 1.x sends the caller's null.
    @Test("4.9.1: a null that is drawn lets the next lower priority show")
    func nullShowsTheNext() throws {
        #expect(try values("shared", Self.nullable("shared"), .v4) == ["caller", "super"])
        #expect(try values("shared", Self.nullable("shared"), .v1) == ["caller", "<null>"])
        // Under the caller comes the network, whose value the super properties do not override.
        #expect(try values("$network_type", Self.nullable("$network_type"), .v4) == ["caller", "WIFI"])
        #expect(try values("$os", Self.nullable("$os"), .v4) == ["caller", "super"])
        var app = Self.nullable("$os")
        app.superProperties[0].properties = []
        #expect(try values("$os", app, .v4) == ["caller", "iOS"])
        app = Self.nullable("shared")
        app.superProperties[0].properties = []
        #expect(try values("shared", app, .v4) == ["caller", "nothing"])
    }

    @Test("4.9.1: a null of the caller lets a dynamic property show, and its null the automatic one")
    func nullOfDynamics() throws {
        let even = WeightedChoice(weights: [1, 1])
        var app = Self.nullable("$os")
        app.superProperties[0].properties = []
        app.dynamicSuperProperties = [PropertyRule("$os", .choice([.string("dynamic"), .null], even))]
        #expect(try values("$os", app, .v4) == ["caller", "dynamic", "iOS"])
        app.events[0].properties = []
        #expect(try values("$os", app, .v4) == ["dynamic", "iOS"])
        app.dynamicSuperProperties[0] = PropertyRule("$os", .constant(.string("dynamic")))
        #expect(try values("$os", app, .v4) == ["dynamic"])
    }

    @Test("4.9.1: a list that loses elements, or all of them, keeps its key to itself")
    func listsStand() throws {
        let even = WeightedChoice(weights: [1, 1])
        for element in [PropertyGenerator.choice([.string("x"), .null], even), .constant(.null)] {
            let list = PropertyRule("shared", .list(element, minimum: 1, maximum: 3))
            var app = Self.nullable("shared")
            app.events[0].properties = [list]
            #expect(try values("shared", app, .v4).isDisjoint(with: ["super", "nothing"]))
            app.superProperties[0].properties = []
            app.dynamicSuperProperties = [PropertyRule("shared", .constant(.string("dynamic")))]
            #expect(try values("shared", app, .v4).isDisjoint(with: ["dynamic", "nothing"]))
        }
    }

    @Test("4.9.1: a null of the caller lets the timer's duration and the super properties' project show")
    func nullOfDurationAndProject() throws {
        var app = Self.nullable("event_duration")
        app.superProperties[0].properties = []
        #expect(try values("event_duration", app, .v4, .timed) == ["caller", "1.5"])
        #expect(try values("$project", Self.nullable("$project"), .v4) == ["caller", "super"])
    }

    @Test("1.10.17: one bad dynamic value gives all of them up, and the automatic properties show")
    func badDynamicsShowAutomatic() throws {
        var app = AppDescription.small
        let numbers = PropertyGenerator.list(
            .choice([.string("a"), .number(1)], WeightedChoice(weights: [1, 1])), minimum: 1, maximum: 1)
        app.dynamicSuperProperties = [
            PropertyRule("$os", .constant(.string("dynamic"))), PropertyRule("bad", numbers),
        ]
        #expect(try values("$os", app, .v1) == ["dynamic", "iOS"])
    }

    @Test("values are those of the epoch of capture", arguments: SensorsRules.Version.allCases)
    func epochs(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let encoder = fixture.encoder
        var later = SensorsEpoch()
        later.account = 3
        later.network = .cellular4G
        later.appVersion = 1
        later.superGroups = 0b11
        let record = fixture.record(SensorsTemplates.appStart)
        let before = fixture.text(record, encoder: encoder)
        let after = fixture.text(record, epoch: later, encoder: encoder)
        #expect(fixture.text(record, encoder: encoder) == before, "coming back gives the same bytes")
        let old = try fixture.event(record)
        let new = try fixture.event(record, epoch: later)
        #expect(after.contains("user-") && !before.contains("user-"))
        #expect(old["distinct_id"] as? String != new["distinct_id"] as? String)
        let oldProperties = try #require(old["properties"] as? [String: Any])
        let newProperties = try #require(new["properties"] as? [String: Any])
        #expect(oldProperties["$network_type"] as? String == "WIFI")
        #expect(newProperties["$network_type"] as? String == "4G")
        #expect(newProperties["$wifi"] as? Bool == false)
        #expect(oldProperties["channel"] == nil)
        #expect(newProperties["channel"] as? String == "store")
        #expect(newProperties["$app_version"] as? String == "9.9.9", "the super property beats version 1.4.0")
        #expect((new["lib"] as? [String: Any])?["$app_version"] as? String == "9.9.9")
    }

    @Test(
        "a replaced anonymous id is new, and 5G has no name in 1.x", arguments: SensorsRules.Version.allCases)
    func anonymous(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        var epoch = SensorsEpoch()
        epoch.anonymousGeneration = 1
        epoch.network = .cellular5G
        let event = try fixture.event(fixture.record(SensorsTemplates.appEnd), epoch: epoch)
        let distinct = try #require(event["distinct_id"] as? String)
        #expect(UUID(uuidString: distinct) != nil && distinct != fixture.traits().deviceID)
        let properties = try #require(event["properties"] as? [String: Any])
        #expect(properties["$device_id"] as? String == fixture.traits().deviceID)
        #expect(properties["$network_type"] as? String == (version == .v4 ? "5G" : "NULL"))
        let identities = event["identities"] as? [String: String]
        #expect(identities?["$identity_anonymous_id"] == (version == .v4 ? distinct : nil))
    }

    @Test("an event's bytes never change but for the flush time", arguments: SensorsRules.Version.allCases)
    func determinism(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let shared = fixture.encoder
        for template in fixture.templates.labels.indices {
            let record = fixture.record(UInt16(template), control: 0, detail: 1)
            let first = fixture.text(record, flushTime: 1, encoder: shared)
            let second = fixture.text(record, flushTime: 2, encoder: fixture.encoder)
            #expect(first != second)
            #expect(
                first.replacingOccurrences(of: "\"_flush_time\":1}", with: "")
                    == second.replacingOccurrences(of: "\"_flush_time\":2}", with: ""))
            #expect(try JSONSerialization.jsonObject(with: Data(first.utf8)) is [String: Any])
        }
    }

    @Test("without tags there is no bs_id anywhere", arguments: SensorsRules.Version.allCases)
    func untagged(version: SensorsRules.Version) {
        var fixture = SensorsEventFixture(version)
        fixture.plan.tagsEvents = false
        for template in fixture.templates.labels.indices {
            #expect(!fixture.text(fixture.record(UInt16(template), control: 0)).contains("bs_id"))
        }
    }

    @Test("$time from a super or caller's property replaces time in 4.x only")
    func givenTime() throws {
        for version in SensorsRules.Version.allCases {
            var app = AppDescription.small
            app.events[0].properties = [
                PropertyRule("$time", .constant(.date(Instant(milliseconds: 1_500_000_000_000))))
            ]
            let fixture = SensorsEventFixture(version, app: app)
            let event = try fixture.event(fixture.record(fixture.templates.business(0)))
            #expect(event["time"] as? Int == (version == .v4 ? 1_500_000_000_000 : 1_772_451_000_123))
            let properties = try #require(event["properties"] as? [String: Any])
            #expect((properties["$time"] == nil) == (version == .v4))
        }
    }
}
