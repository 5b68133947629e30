import AppModel
import Foundation
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors events: fields per type and version")
struct SensorsEventFieldTests {
    static let versions = SensorsRules.Version.allCases

    @Test("a tracked event has the top level of its version", arguments: versions)
    func topLevel(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let event = try fixture.event(fixture.record(fixture.templates.business(0), detail: 17))
        var expected: Set = [
            "type", "event", "distinct_id", "time", "_track_id", "lib", "properties", "_flush_time",
            "project",
            "token",
        ]
        if version == .v4 { expected.formUnion(["anonymous_id", "identities"]) }
        #expect(Set(event.keys) == expected)
        #expect(event["type"] as? String == "track")
        #expect(event["event"] as? String == "BuyGoods")
        #expect(event["time"] as? Int == 1_772_451_000_123)
        #expect(event["_flush_time"] as? Int == 1_772_451_009_456)
        #expect(event["project"] as? String == "other")
        #expect(event["token"] as? String == "t0k")
        let identifier = try #require(event["_track_id"] as? Int)
        #expect((0...Int(UInt32.max)).contains(identifier))
        #expect(event["distinct_id"] as? String == fixture.traits().deviceID)
    }

    @Test("automatic properties are those of the version", arguments: versions)
    func automatic(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let properties = try fixture.properties(fixture.record(SensorsTemplates.appEnd))
        let traits = fixture.traits()
        var expected: Set = [
            "$app_version", "$os", "$os_version", "$manufacturer", "$model", "$lib", "$lib_version",
            "$screen_height", "$screen_width", "$device_id", "$network_type", "$wifi", "$is_first_day",
            "bs_id",
            "battery",
        ]
        if DeviceHardware.carriers[Int(traits.carrier)].name != nil { expected.insert("$carrier") }
        if version == .v4 { expected.formUnion(["$app_id", "$app_name", "$timezone_offset", "$lib_method"]) }
        #expect(Set(properties.keys) == expected)
        #expect(properties["$model"] as? String == traits.machine.description)
        #expect(properties["$screen_height"] as? Int == traits.screenHeight)
        #expect(properties["$device_id"] as? String == traits.deviceID)
        #expect(properties["$app_version"] as? String == "1.3.0")
        #expect(properties["$lib_version"] as? String == (version == .v4 ? "4.9.1" : "1.10.17"))
        #expect(properties["bs_id"] as? String == "42-7")
        if version == .v4 {
            #expect(properties["$timezone_offset"] as? Int == -480)
            #expect(properties["$lib_method"] as? String == "autoTrack")
            #expect(properties["$app_name"] as? String == "小店")
        }
    }

    @Test("local time is that of the zone in which the device is, and changes with it")
    func zones() throws {
        var fixture = SensorsEventFixture(.v4)
        // In summer from ten milliseconds after the event on.
        let change = SensorsEventFixture.capture + .milliseconds(10)
        fixture.plan.zones = TimeZones([
            (UTCOffsets(first: .hours(8)), 1),
            (UTCOffsets(first: .hours(1), changes: [(change, .hours(2))]), 1),
        ])
        var seen = Set<Int>()
        for index in 0..<10 {
            var record = fixture.record(fixture.templates.business(0), detail: 17)
            let first = try fixture.event(record, index: index)["properties"] as? [String: Any]
            record.capturedAt = change
            let second = try fixture.event(record, index: index)["properties"] as? [String: Any]
            let offset = try #require(first?["$timezone_offset"] as? Int)
            let later = try #require(second?["$timezone_offset"] as? Int)
            #expect([-480: -480, -60: -120][offset] == later)
            let hour = offset == -480 ? "19" : "12"
            #expect(first?["at"] as? String == "2026-03-02 \(hour):30:00.123")
            seen.insert(offset)
        }
        #expect(seen == [-480, -60])
    }

    @Test("the app's values come out as they are drawn, dates in the device's zone", arguments: versions)
    func businessValues(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let properties = try fixture.properties(fixture.record(fixture.templates.business(0), detail: 17))
        #expect(properties["sku"] as? String == "sku-00017")
        #expect(properties["at"] as? String == "2026-03-02 19:30:00.123")
        #expect(properties["order"] as? String == "order-7")
        #expect(properties["paid"] as? Bool == true)
        #expect(properties["path"] as? String == "a/b")
        #expect(try (2...3).contains(#require(properties["tags"] as? [String]).count))
        let price = try #require(properties["price"] as? Double)
        let other = try fixture.properties(
            fixture.record(fixture.templates.business(0), sequence: 99, detail: 17), index: 5)
        #expect(other["price"] as? Double == price, "an entity's price is the same on every device")
        #expect(properties["$project"] == nil && properties["$token"] == nil)
    }

    @Test("values are those of the sampler of the app's model")
    func samplerAgrees() throws {
        let fixture = SensorsEventFixture(.v4)
        let sampler = PropertySampler(app: fixture.plan.app)
        let rules = fixture.plan.app.events[0].properties
        for sequence in UInt32(0)..<20 {
            let context = PropertyContext(
                sequence: UInt64(sequence), subject: sequence, capturedAt: SensorsEventFixture.capture)
            let properties = try fixture.properties(
                fixture.record(fixture.templates.business(0), sequence: sequence, detail: sequence))
            for (index, key) in [(1, "price"), (2, "count")] {
                var stream = fixture.plan.stream(.properties, index: 2)
                    .child(UInt64(sequence)).child(UInt64(index))
                let value = sampler.value(of: rules[index].generator, stream: &stream, context: context)
                guard case .number(let number) = value else {
                    Issue.record("no number for \(key)")
                    continue
                }
                #expect(properties[key] as? Double == number)
            }
        }
    }

    @Test("profile changes have neither a name nor automatic properties", arguments: versions)
    func profiles(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        var epoch = SensorsEpoch()
        epoch.superGroups = 1
        for (index, operation) in ProfileUpdate.Operation.allCases.enumerated() {
            let record = fixture.record(fixture.templates.profile(UInt16(index)))
            let event = try fixture.event(record, epoch: epoch)
            #expect(event["type"] as? String == operation.rawValue)
            #expect(event["event"] == nil)
            #expect(event["_track_id"] != nil && event["time"] != nil && event["distinct_id"] != nil)
            let lib = try #require(event["lib"] as? [String: Any])
            #expect(lib["bs_id"] as? String == "42-7")
            let properties = try #require(event["properties"] as? [String: Any])
            switch operation {
            case .set, .setOnce: #expect(properties as? [String: String] == ["name": "Li \"X\""])
            case .unset: #expect(properties as? [String: String] == ["name": ""])
            case .increment: #expect(properties as? [String: Int] == ["coins": 3])
            case .append: #expect(properties as? [String: [String]] == ["likes": ["a", "b"]])
            case .delete: #expect(properties.isEmpty)
            }
        }
    }

    @Test("items carry type, id and properties only, and exist in 4.x only")
    func items() throws {
        let fixture = SensorsEventFixture(.v4)
        #expect(fixture.templates.capturesItems)
        #expect(!SensorsEventFixture(.v1).templates.capturesItems)
        let set = try fixture.event(fixture.record(fixture.templates.item(0), detail: 3))
        #expect(
            Set(set.keys) == ["type", "item_type", "item_id", "time", "lib", "properties", "_flush_time"])
        #expect(set["type"] as? String == "item_set")
        #expect(set["item_id"] as? String == "isbn-00003")
        let delete = try fixture.event(fixture.record(fixture.templates.item(1), detail: 3))
        #expect(Set(delete.keys) == ["type", "item_type", "item_id", "time", "lib", "_flush_time"])
        #expect((delete["lib"] as? [String: Any])?["bs_id"] as? String == "42-7")
    }

    @Test("sign-up carries both ids and no first day", arguments: versions)
    func signUp(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        var epoch = SensorsEpoch()
        epoch.account = 1
        let event = try fixture.event(fixture.record(SensorsTemplates.signUp), epoch: epoch)
        #expect(event["type"] as? String == "track_signup")
        #expect(event["event"] as? String == "$SignUp")
        #expect(event["original_id"] as? String == fixture.traits().deviceID)
        let login = fixture.encoder.distinctID(epoch: epoch, traits: fixture.traits())
        #expect(event["distinct_id"] as? String == login)
        #expect(login.hasPrefix("user-"))
        let properties = try #require(event["properties"] as? [String: Any])
        #expect(properties["$is_first_day"] == nil && properties["$model"] != nil)
        #expect(event["login_id"] as? String == (version == .v4 ? login : nil))
        if version == .v4 {
            #expect(
                event["identities"] as? [String: String]
                    == [
                        "$identity_idfv": fixture.traits().deviceID,
                        "$identity_anonymous_id": fixture.traits().deviceID, "$identity_login_id": login,
                    ])
        }
    }

    @Test("start, end and crash carry their presets", arguments: versions)
    func lifecycle(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let start = try fixture.properties(
            fixture.record(SensorsTemplates.appStart, flags: [.firstTime, .firstDay]))
        #expect(start["$is_first_time"] as? Bool == true)
        #expect(start["$resume_from_background"] as? Bool == false)
        #expect(start["$is_first_day"] as? Bool == true)
        var passive = SensorsEpoch()
        passive.startedPassively = true
        let background = try fixture.properties(
            fixture.record(SensorsTemplates.appStartPassively), epoch: passive)
        #expect(background["$app_state"] as? String == (version == .v4 ? nil : "background"))
        let end = try fixture.properties(
            fixture.record(SensorsTemplates.appEnd, detail: 3482, flags: .timed))
        #expect(end["event_duration"] as? Double == 3.482)
        let crash = try fixture.properties(fixture.record(SensorsTemplates.crashed, detail: 1))
        #expect(crash["app_crashed_reason"] as? String == "SIGSEGV")
        let disable = try fixture.event(fixture.record(SensorsTemplates.disableSDK))
        #expect(disable["event"] as? String == "DisableSensorsDataSDK")
    }

    @Test("views and taps carry what the hooks read", arguments: versions)
    func screens(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let isVersion4 = version == .v4
        let view = try fixture.event(fixture.record(SensorsTemplates.viewScreen, screen: 1, control: 0))
        let seen = try #require(view["properties"] as? [String: Any])
        #expect(seen["$screen_name"] as? String == "DetailViewController")
        #expect(seen["$title"] == nil)
        #expect(seen["$url"] as? String == (isVersion4 ? "DetailViewController" : nil))
        #expect(seen["$referrer"] as? String == "app://home")
        #expect(seen["$referrer_title"] as? String == (isVersion4 ? "首页" : nil))
        #expect((view["lib"] as? [String: Any])?["$lib_detail"] as? String == "DetailViewController######")
        let tap = try fixture.properties(fixture.record(SensorsTemplates.click, control: 0))
        #expect(tap["$screen_name"] as? String == "HomeViewController")
        #expect(tap["$title"] as? String == "首页")
        #expect(tap["$element_id"] as? String == "btn_buy")
        #expect(tap["$element_type"] as? String == "UIButton")
        #expect(tap["$element_content"] as? String == "购买")
        #expect(tap["$element_position"] == nil)
        #expect(tap["$element_path"] as? String == (isVersion4 ? "UIView/UIButton[0]" : nil))
        let row = try fixture.properties(fixture.record(SensorsTemplates.click, control: 1, detail: 12))
        #expect(row["$element_type"] as? String == "UITableView")
        #expect(row["$element_content"] as? String == "书")
        #expect(row["$element_position"] as? String == "1:12")
        #expect(row["$element_id"] == nil)
        #expect(
            row["$element_path"] as? String
                == (isVersion4 ? "UIView/UITableView[0]/UITableViewCell[1][-]" : nil))
    }

    /// Only one place of a path is left open: where it is the segment, a row around it is told.
    @Test("4.9.1: paths begin below the controller, and name the row that is not left open")
    func elementPaths() throws {
        var app = AppDescription.small
        var segments = Control(
            className: "UISegmentedControl", action: "sort:", target: "HomeViewController", label: "")
        segments.position = .init(section: 2, rows: 20)
        var cell = Control.Ancestor("Cell/\u{22}")
        cell.isCell = true
        segments.within = [Control.Ancestor("UITableView"), cell]
        app.screens[0].controls.append(segments)
        let last = UInt16(app.screens[0].controls.count - 1)
        let fixture = SensorsEventFixture(.v4, app: app)
        let tap = try fixture.properties(fixture.record(SensorsTemplates.click, control: last, detail: 12))
        #expect(tap["$element_position"] as? String == "0", "that of the segment")
        let path = try #require(tap["$element_path"] as? String)
        #expect(path.hasPrefix("UIView/UITableView["))
        #expect(path.hasSuffix("]/Cell/\"[2][12]/UISegmentedControl[0]/UISegment[-]"))
    }

    @Test("lib has the method and, in 1.x, the place in the code", arguments: versions)
    func lib(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        let business = try fixture.event(fixture.record(fixture.templates.business(0)))
        let lib = try #require(business["lib"] as? [String: String])
        var expected = [
            "$lib": "iOS", "$lib_version": version == .v4 ? "4.9.1" : "1.10.17", "$app_version": "1.3.0",
            "$lib_method": "code",
        ]
        if version != .v4 { expected["$lib_detail"] = "HomeViewController##buy:####" }
        #expect(lib == expected)
        let tap = try fixture.event(fixture.record(SensorsTemplates.click, control: 0))
        let method = (tap["lib"] as? [String: Any])?["$lib_method"] as? String
        #expect(method == (version == .v4 ? "autoTrack" : "code"))
    }

    @Test("a changed configuration is quoted as text")
    func remoteConfig() throws {
        let fixture = SensorsEventFixture(.v4)
        let encoder = fixture.encoder
        encoder.addRemoteConfig("{}")
        encoder.addRemoteConfig("{\"v\":\"21\"}")
        let text = fixture.text(
            fixture.record(SensorsTemplates.remoteConfigChanged, detail: 1), encoder: encoder)
        #expect(text.contains(#""$app_remote_config":"{\"v\":\"21\"}","#))
    }

    @Test("orientation and place are sent only where the app asks", arguments: versions)
    func optIn(version: SensorsRules.Version) throws {
        var fixture = SensorsEventFixture(version)
        fixture.change {
            $0.collectsOrientation = true
            $0.collectsLocation = true
        }
        let properties = try fixture.properties(fixture.record(SensorsTemplates.appStart))
        let latitude = try #require(properties["$latitude"] as? Int)
        #expect((18_000_000...54_000_000).contains(latitude))
        #expect(["portrait", "landscape"].contains(properties["$screen_orientation"] as? String))
        let signUp = try fixture.properties(fixture.record(SensorsTemplates.signUp, detail: 1))
        #expect((signUp["$latitude"] != nil) == (version == .v4))
    }

    @Test("the clock's error moves time, dates and the flush time alike")
    func skew() throws {
        var fixture = SensorsEventFixture(.v1)
        fixture.change { $0.clockSkew = .seconds(20) }
        let traits = fixture.traits()
        #expect(traits.clockSkew != .zero)
        let event = try fixture.event(fixture.record(fixture.templates.business(0)))
        let expected = (SensorsEventFixture.capture + traits.clockSkew).milliseconds
        #expect(event["time"] as? Int == Int(expected))
        #expect(traits.clockMilliseconds(at: SensorsEventFixture.capture) == expected)
    }
}
