import AppModel
import Foundation
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// A population whose events are written and read back with Foundation.
struct SensorsEventFixture {
    var plan: PopulationPlan
    var rules: SensorsRules

    /// 2026-03-02T11:30:00.123Z, in the evening of UTC+8.
    static let capture = Instant(milliseconds: 1_772_451_000_123)

    init(_ version: SensorsRules.Version, app: AppDescription = .small) {
        rules = SensorsRules(version: version)
        plan = PopulationPlan(
            name: "ios", deviceCount: 10, start: Instant(milliseconds: 1_772_448_000_000),
            usersEnd: Instant(milliseconds: 1_772_452_000_000), app: app,
            persona: PersonaDescription(name: "test"),
            target: .init(scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/sa?project=shop"),
            system: rules)
        plan.firstDevice = 40
        plan.seed = 42
    }

    /// Changes the rules where plan and encoder see them.
    mutating func change(_ body: (inout SensorsRules) -> Void) {
        body(&rules)
        plan.system = rules
    }

    var templates: SensorsTemplates { SensorsTemplates(plan: plan, rules: rules) }
    var encoder: SensorsEventEncoder { SensorsEventEncoder(plan: plan, rules: rules, templates: templates) }
    func traits(_ index: Int = 2) -> SensorsTraits { SensorsTraits(plan: plan, index: index) }

    func record(
        _ template: UInt16, sequence: UInt32 = 7, screen: UInt16 = 0, control: UInt16 = .max,
        detail: UInt32 = 0, flags: SensorsEventFlags = []
    ) -> EventRecord {
        EventRecord(
            capturedAt: Self.capture, sequence: sequence, epoch: 0, template: template, screen: screen,
            control: control, detail: detail, flags: flags.rawValue)
    }

    /// An event's JSON as text.
    func text(
        _ record: EventRecord, epoch: SensorsEpoch = SensorsEpoch(), index: Int = 2,
        flushTime: Int64? = 1_772_451_009_456, encoder: SensorsEventEncoder? = nil
    ) -> String {
        var buffer = WireBuffer()
        (encoder ?? self.encoder).encode(
            record, epoch: epoch, traits: traits(index), index: index, device: 40 + UInt32(index),
            flushTime: flushTime, into: &buffer)
        return buffer.text
    }

    /// An event as a reader of JSON sees it; no key may stand twice in one object.
    func event(
        _ record: EventRecord, epoch: SensorsEpoch = SensorsEpoch(), index: Int = 2
    ) throws -> [String: Any] {
        let text = text(record, epoch: epoch, index: index)
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let event = try #require(parsed as? [String: Any])
        for (path, object) in [("event", event), ("properties", event["properties"]), ("lib", event["lib"])] {
            guard let object = object as? [String: Any] else { continue }
            for key in object.keys where path == "properties" {
                let name = String(decoding: JSONFragment(name: key, slashes: .escaped).bytes, as: UTF8.self)
                let body = text.components(separatedBy: "\"properties\":{").last ?? ""
                #expect(body.components(separatedBy: name).count == 2, "\(key) twice in \(text)")
            }
        }
        return event
    }

    func properties(
        _ record: EventRecord, epoch: SensorsEpoch = SensorsEpoch(), index: Int = 2
    ) throws -> [String: Any] {
        try #require(try event(record, epoch: epoch, index: index)["properties"] as? [String: Any])
    }
}

extension AppDescription {
    /// Two screens, a web page, and one of each kind of event.
    static var small: AppDescription {
        var app = AppDescription(name: "shop")
        app.bundleIdentifier = "cn.example.shop"
        app.displayName = "小店"
        app.versions = ["1.3.0", "1.4.0"]
        app.screens = smallScreens
        app.catalogues = [smallCatalogue]
        app.crashReasons = ["NSRangeException: index 3 beyond bounds", "SIGSEGV"]
        var buy = BusinessEvent(name: "BuyGoods", trigger: .control(screen: 0, control: 0))
        buy.catalogue = 0
        buy.properties = [
            PropertyRule("sku", .entityID(catalogue: 0, prefix: "sku-")),
            PropertyRule("price", .entity(catalogue: 0, field: 0)),
            PropertyRule("count", .number(.uniform(1, 5), decimals: 0)),
            PropertyRule("paid", .constant(.bool(true))),
            PropertyRule("path", .constant(.string("a/b"))),
            PropertyRule(
                "tags",
                .list(
                    .choice([.string("a"), .string("b")], WeightedChoice(weights: [1, 1])), minimum: 2,
                    maximum: 3)),
            PropertyRule("at", .date),
            PropertyRule("order", .counter(prefix: "order-")),
            PropertyRule("$project", .constant(.string("other"))),
            PropertyRule("$token", .constant(.string("t0k"))),
        ]
        var web = BusinessEvent(name: "WebPay", trigger: .screen(2))
        web.isWeb = true
        web.properties = [
            PropertyRule("amount", .constant(.number(9.5))),
            PropertyRule("$model", .constant(.string("page"))),
            PropertyRule("channel", .constant(.string("page"))),
        ]
        app.events = [buy, web]
        app.profiles = ProfileUpdate.Operation.allCases.map { operation in
            var update = ProfileUpdate(operation: operation, trigger: .signUp)
            switch operation {
            case .increment: update.properties = [PropertyRule("coins", .constant(.number(3)))]
            case .append:
                update.properties = [PropertyRule("likes", .constant(.list([.string("a"), .string("b")])))]
            case .delete: update.properties = []
            default: update.properties = [PropertyRule("name", .constant(.string("Li \"X\"")))]
            }
            return update
        }
        var set = ItemUpdate(
            isDeletion: false, itemType: "catalogue", itemID: .entityID(catalogue: 0, prefix: "isbn-"),
            trigger: .launch)
        set.properties = [PropertyRule("price", .entity(catalogue: 0, field: 0))]
        app.items = [
            set,
            ItemUpdate(
                isDeletion: true, itemType: "catalogue", itemID: .entityID(catalogue: 0, prefix: "isbn-"),
                trigger: .launch),
        ]
        app.superProperties = [
            SuperPropertyGroup(
                trigger: .launch, properties: [PropertyRule("channel", .constant(.string("store")))]),
            SuperPropertyGroup(
                trigger: .login, properties: [PropertyRule("$app_version", .constant(.string("9.9.9")))]),
        ]
        app.dynamicSuperProperties = [PropertyRule("battery", .number(.uniform(0, 100), decimals: 1))]
        return app
    }

    private static var smallScreens: [Screen] {
        var home = Screen(name: "home", className: "HomeViewController", title: "首页")
        home.url = "app://home"
        var button = Control(className: "UIButton", action: "buy:", target: "HomeViewController", label: "购买")
        button.identifier = "btn_buy"
        var cell = Control(
            className: "UITableViewCell", action: "tableView:didSelectRowAtIndexPath:",
            target: "HomeViewController", label: "书")
        cell.position = Control.Position(section: 1, rows: 20)
        home.controls = [button, cell]
        let detail = Screen(name: "detail", className: "DetailViewController", title: "")
        var web = Screen(name: "web", className: "WebViewController", title: "活动")
        web.web = Screen.WebPage(url: "https://m.example.cn/act?id=1")
        var foreign = web
        foreign.name = "foreign"
        foreign.web?.serverHost = "elsewhere.example"
        return [home, detail, web, foreign]
    }

    private static var smallCatalogue: Catalogue {
        var goods = Catalogue(name: "goods", count: 100)
        goods.fields = [PropertyRule("price", .number(.uniform(1, 90), decimals: 2))]
        return goods
    }
}
