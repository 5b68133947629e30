import Accounting
import AppModel
import Foundation
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, who somebody is")
struct IdentityTests {
    private static let mobile = "$identity_mobile"

    /// The calls by their indices in `app`.
    private enum Call {
        static let identify: UInt16 = 0
        static let identifyDevice: UInt16 = 1
        static let reset: UInt16 = 2
        static let bind: UInt16 = 3
        static let bindOther: UInt16 = 4
        static let bindEmail: UInt16 = 5
        static let unbind: UInt16 = 6
    }

    private static var app: AppDescription {
        var app = AppDescription.forTests
        let number = PropertyGenerator.number(.uniform(13_000_000_000, 19_000_000_000), decimals: 0)
        app.identities = [
            .identify(.perCall), .identify(.perDevice), .resetAnonymousID,
            .bind(key: mobile, value: number), .bind(key: mobile, value: .constant(.string("other"))),
            .bind(key: "$identity_email", value: .constant(.number(7))), .unbind(key: mobile),
        ].map { IdentityUpdate(operation: $0, trigger: .launch) }
        return app
    }

    /// A device whose collector never answers with success, so that all it captured stays in its store.
    private func world(
        _ version: SensorsRules.Version, _ change: (inout SensorsRules) -> Void = { _ in }
    ) -> ManualWorld {
        let world = ManualWorld(version, app: Self.app) {
            $0.upload.networks = []
            change(&$0)
        }
        world.act(0, .launch(passive: false), .enterForeground)
        return world
    }

    /// What the store's events tell of their user, oldest first: read back from their JSON.
    private func stored(_ world: ManualWorld) throws -> [[String: Any]] {
        var events: [[String: Any]] = []
        var records: [EventRecord] = []
        world.device.store.rows.forEach { records.append($0) }
        for record in records {
            let epoch = world.device.epochs[record.epoch]
            let json = world.system.encoder.content(record, epoch: epoch, world.device)
            let parsed = try JSONSerialization.jsonObject(with: Data(json.bytes))
            events.append(try #require(parsed as? [String: Any]))
        }
        return events
    }

    private func ids(_ world: ManualWorld, _ key: String) throws -> [String?] {
        try stored(world).map { $0[key] as? String }
    }

    private func identities(_ world: ManualWorld) throws -> [[String: String]] {
        try stored(world).map { $0["identities"] as? [String: String] ?? [:] }
    }

    @Test(
        "identify replaces the anonymous id, silently; resetAnonymousId gives the device's own back",
        arguments: SensorsRules.Version.allCases)
    func identify(version: SensorsRules.Version) throws {
        let world = world(version)
        var at = 1.0
        for call in [Call.identify, Call.identify, Call.identifyDevice, Call.reset, Call.identifyDevice] {
            world.act(at, .identity(update: call))
            world.track(at + 0.5)
            at += 1
        }
        #expect(world.device.nextSequence == 6, "the calls capture nothing")
        let own = SensorsTraits(plan: world.system.plan, index: 0).deviceID
        let distinct = try ids(world, "distinct_id").compactMap { $0 }
        #expect(distinct.count == 6 && distinct[0] == own && distinct[4] == own)
        #expect(Set(distinct).count == 4, "two new ones, the app's, the device's: \(distinct)")
        #expect(distinct[3] == distinct[5], "the app's own id of the device is one")
        #expect(distinct.allSatisfy { UUID(uuidString: $0) != nil })
        #expect(
            try stored(world).allSatisfy {
                ($0["properties"] as? [String: Any])?["$device_id"] as? String == own
            })
        guard version == .v4 else { return }
        #expect(try ids(world, "anonymous_id") == distinct)
        for (event, id) in zip(try identities(world), distinct) {
            #expect(event == ["$identity_idfv": own, "$identity_anonymous_id": id])
        }
    }

    @Test(
        "installed again: the keychain has the anonymous id, the IDFV is a new one, and the first start the first again",
        arguments: SensorsRules.Version.allCases)
    func installedAgain(version: SensorsRules.Version) throws {
        let world = world(version)
        world.act(1, .identity(update: Call.identify))
        world.act(2, .login(account: 1, signUp: false))
        world.track(3)
        let before = try stored(world)
        let anonymous = try #require(before.last?[version == .v4 ? "anonymous_id" : "distinct_id"] as? String)
        let count = world.device.nextSequence
        world.uninstall(at: 8)
        #expect(world.deaths == 1 && world.device.storedCount == 0)
        #expect(world.sequences(.lost(.uninstalled)) == Array(0..<count))
        world.act(86_400 * 3, .launch(passive: false), .enterForeground)
        world.track(86_400 * 3 + 5)
        let traits = SensorsTraits(plan: world.system.plan, index: 0)
        let vendor = traits.device(ofInstallation: 1).text
        #expect(vendor != traits.deviceID && traits.device(ofInstallation: 0).text == traits.deviceID)
        let events = try stored(world)
        #expect(events.count == 2 && world.stored == [count, count + 1])
        let first = try #require(events.first?["properties"] as? [String: Any])
        #expect(first["$is_first_time"] as? Bool == true && first["$is_first_day"] as? Bool == true)
        for event in events {
            #expect((event["properties"] as? [String: Any])?["$device_id"] as? String == vendor)
            #expect((event["distinct_id"] as? String)?.hasPrefix("user-") == false)
        }
        let distinct = try ids(world, "distinct_id").compactMap { $0 }
        #expect(Set(distinct).count == 1 && distinct[0] != traits.deviceID)
        guard version == .v4 else { return }
        #expect(distinct[0] == anonymous)
        #expect(
            try identities(world).allSatisfy {
                $0 == ["$identity_idfv": vendor, "$identity_anonymous_id": anonymous]
            })
    }

    @Test(
        "installed again, resetAnonymousId gives the new IDFV, which the keychain keeps from then on",
        arguments: SensorsRules.Version.allCases)
    func resetAfterInstallingAgain(version: SensorsRules.Version) throws {
        let world = world(version)
        let traits = SensorsTraits(plan: world.system.plan, index: 0)
        let vendors = (UInt8(0)...2).map { traits.device(ofInstallation: $0).text }
        world.uninstall(at: 8)
        world.act(100, .launch(passive: false), .enterForeground)
        world.act(101, .identity(update: Call.reset))
        world.track(102)
        #expect(try ids(world, "distinct_id") == [vendors[0], vendors[1]])
        world.uninstall(at: 108)
        world.act(200, .launch(passive: false), .enterForeground)
        #expect(try ids(world, "distinct_id") == [vendors[1]])
        let last = try #require(try stored(world).last?["properties"] as? [String: Any])
        #expect(last["$device_id"] as? String == vendors[2])
    }

    @Test(
        "under a login identify shows as anonymous id and original_id only, then after the logout",
        arguments: SensorsRules.Version.allCases)
    func identifyUnderLogin(version: SensorsRules.Version) throws {
        let world = world(version)
        world.act(1, .login(account: 1, signUp: false))
        world.act(2, .identity(update: Call.identify))
        world.track(3)
        world.act(4, .logout)
        world.track(5)
        world.act(6, .login(account: 2, signUp: false))
        let own = SensorsTraits(plan: world.system.plan, index: 0).deviceID
        let distinct = try ids(world, "distinct_id").compactMap { $0 }
        #expect(distinct[1].hasPrefix("user-") && distinct[2] == distinct[1])
        #expect(distinct[3] != own && !distinct[3].hasPrefix("user-"))
        #expect(try ids(world, "original_id") == [nil, own, nil, nil, distinct[3]])
        if version == .v4 {
            #expect(try ids(world, "anonymous_id") == [own, own, distinct[3], distinct[3], distinct[3]])
        }
    }

    @Test("4.9.1: bind tracks with the id, later events carry it, unbind tells the pair alone")
    func bindAndUnbind() throws {
        let world = world(.v4)
        world.act(1, .identity(update: Call.bind))
        world.track(2)
        world.act(3, .identity(update: Call.bindEmail))
        world.act(4, .identity(update: Call.unbind))
        world.track(5)
        let events = try stored(world)
        let types = events.map { $0["type"] as? String }
        #expect(types == ["track", "track_id_bind", "track", "track_id_bind", "track_id_unbind", "track"])
        #expect(events[1]["event"] as? String == "$BindID")
        #expect(events[4]["event"] as? String == "$UnbindID")
        let said = try identities(world)
        let number = try #require(said[1][Self.mobile])
        #expect(number.count == 11 && number.allSatisfy(\.isNumber))
        #expect(said[0][Self.mobile] == nil && said[2][Self.mobile] == number)
        #expect(said[3][Self.mobile] == number && said[3]["$identity_email"] == "7")
        #expect(said[4] == [Self.mobile: number])
        #expect(events[4]["anonymous_id"] == nil && events[4]["login_id"] == nil)
        #expect(events[4]["distinct_id"] as? String == events[0]["distinct_id"] as? String)
        #expect(said[5][Self.mobile] == nil && said[5]["$identity_email"] == "7")
        for index in [1, 4] {
            let properties = try #require(events[index]["properties"] as? [String: Any])
            #expect(properties["$is_first_day"] as? Bool == true && properties["$model"] != nil)
            #expect(properties["$lib_method"] as? String == "code" && properties["bs_id"] != nil)
        }
    }

    @Test("4.9.1: a key has one value, and what is not bound can be unbound")
    func oneValueForAKey() throws {
        let world = world(.v4)
        world.act(1, .identity(update: Call.unbind))
        world.act(2, .identity(update: Call.bind))
        world.act(3, .identity(update: Call.bindOther))
        world.act(4, .identity(update: Call.unbind))
        world.track(5)
        let said = try identities(world)
        #expect(said[1] == [Self.mobile: try #require(said[2][Self.mobile])])
        #expect(said[3][Self.mobile] == "other")
        #expect(said[4] == [Self.mobile: "other"])
        #expect(said[5][Self.mobile] == nil)
    }

    @Test("4.9.1: a sign-up still carries what was bound, then it is forgotten; so it is at the logout")
    func signUpForgets() throws {
        let world = world(.v4)
        world.act(1, .identity(update: Call.bind))
        world.act(2, .login(account: 1, signUp: true))
        world.track(3)
        world.act(4, .identity(update: Call.bind), .logout)
        world.track(5)
        let said = try identities(world)
        let login = try #require(said[2]["$identity_login_id"])
        #expect(said[2][Self.mobile] != nil)
        #expect(said[3][Self.mobile] == nil && said[3]["$identity_login_id"] == login)
        #expect(said[4][Self.mobile] != nil && said[4]["$identity_login_id"] == login)
        #expect(Set(said[5].keys) == ["$identity_idfv", "$identity_anonymous_id"])
    }

    @Test("4.9.1: a blacklisted $SignUp does not forget, a blacklisted $BindID binds")
    func blacklisted() throws {
        let world = world(.v4) { $0.remoteConfig.enabled = true }
        world.answerFetch(
            200, #"{"v":"1","configs":{"event_blacklist":["$SignUp","$BindID"],"effect_mode":1}}"#, at: 0.1)
        world.act(1, .identity(update: Call.bind))
        world.act(2, .login(account: 1, signUp: true))
        world.track(3)
        let last = try #require(try identities(world).last)
        #expect(last[Self.mobile] != nil && last["$identity_login_id"] != nil)
        #expect(world.names(.suppressed(.blacklisted)) == ["$BindID", "$SignUp"])
    }

    @Test("ids outlive the process; 1.x has nothing to bind with", arguments: SensorsRules.Version.allCases)
    func afterARestart(version: SensorsRules.Version) throws {
        let world = world(version)
        world.act(1, .identity(update: Call.identify), .identity(update: Call.bind))
        world.track(2)
        world.act(3, .kill)
        world.act(4, .launch(passive: false), .enterForeground)
        world.track(5)
        world.act(6, .identity(update: Call.identify))
        world.track(7)
        let names = try stored(world).map { $0["event"] as? String ?? "" }
        #expect(names.contains("$BindID") == (version == .v4))
        let distinct = try ids(world, "distinct_id").compactMap { $0 }
        let buys = names.indices.filter { names[$0] == "BuyGoods" }
        #expect(distinct[buys[0]] == distinct[buys[1]] && distinct[buys[1]] != distinct[buys[2]])
        let said = try identities(world)
        #expect((said[buys[1]][Self.mobile] != nil) == (version == .v4))
    }

    @Test("ids of two devices differ, those of one do not change with the seed's other streams")
    func perDevice() throws {
        var plan = world(.v4).system.plan
        plan.deviceCount = 2
        let catalogue = SensorsEventCatalogue(
            plan: plan, rules: SensorsRules(version: .v4),
            templates: SensorsTemplates(plan: plan, rules: SensorsRules(version: .v4)))
        func value(_ index: Int) -> String {
            var buffer = WireBuffer()
            buffer.append(upTo: 200) { memory in
                var cursor = SensorsCursor(memory)
                catalogue.bindings.write(
                    0, SensorsTraits(plan: plan, index: index).bindings, .ofADevice, to: &cursor)
                return cursor.count
            }
            return buffer.text
        }
        #expect(value(0) == value(0) && value(0) != value(1))
    }
}
