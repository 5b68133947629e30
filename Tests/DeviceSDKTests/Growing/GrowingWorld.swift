import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import GrowingSDK

/// One GrowingIO device, of whose uploads channels and events are kept.
final class GrowingWorld: DeviceDriver<GrowingSystem<GrowingMemoryTable>> {
    static let start = Instant(milliseconds: 1_767_571_200_000)

    /// All uploads that the device began, with their channels and the events that they carried.
    private(set) var uploads: [Upload] = []

    struct Upload {
        var request: OutgoingRequest
        var channel: Int
        var sequences: [UInt32]
    }

    init(
        _ version: GrowingRules.Version, app: AppDescription = .forGrowing,
        disk: DiskSchedule = DiskSchedule(),
        network: NetworkKind = .wifi, services: GrowingServices? = nil,
        modules: [any GrowingModule] = [], copies: (any GrowingEventCopySink)? = nil,
        path: String = "/v3/projects/acc-1/collect", tagsEvents: Bool = true,
        _ change: (inout GrowingRules) -> Void = { _ in }
    ) {
        var rules = GrowingRules(version: version)
        change(&rules)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: path)
        target.headers = [.init(name: "X-Env", value: "test")]
        var plan = PopulationPlan(
            name: "ios", deviceCount: 1, start: GrowingWorld.start,
            usersEnd: GrowingWorld.start + .hours(24 * 30), app: app,
            persona: PersonaDescription(name: "none"), target: target,
            system: rules)
        plan.disk = disk
        plan.network = NetworkRules(kind: network)
        plan.tagsEvents = tagsEvents
        super.init(plan) { plan in
            GrowingSystem(plan: plan, rules: rules, services: services, modules: modules, copies: copies)
        }
    }

    override func began(_ request: OutgoingRequest) {
        #expect(open.count <= 4)
        let built = device.requests.first { $0.number == request.number }
        let rows = built?.rows ?? []
        #expect(rows.count == Int(request.eventCount))
        uploads.append(
            Upload(request: request, channel: Int(built?.channel ?? .max), sequences: rows.map(\.sequence)))
    }

    /// The app tracks its plain business event (CUSTOM, realtime store) some times.
    func track(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .business(event: AppDescription.growingBuy, subject: 3)) }
    }

    /// The user taps the home screen's button (VIEW_CLICK, timing store) some times.
    func tap(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .tap(screen: 0, control: AppDescription.growingButton)) }
    }

    /// Answers the oldest open upload of a channel.
    func answer(_ status: UInt16, at seconds: Double, channel: Int) {
        end(with: .answered(status: status, body: []), at: seconds, channel: channel)
    }

    func fail(_ failure: RequestFailure, at seconds: Double, channel: Int) {
        end(with: .failed(failure), at: seconds, channel: channel)
    }

    /// Answers everything that is open and what follows from it, until nothing is.
    func answerAll(_ status: UInt16, at seconds: Double) {
        run(to: seconds)
        while !open.isEmpty { answer(status, at: seconds) }
    }

    func end(with outcome: RequestOutcome, at seconds: Double, channel: Int) {
        end(with: outcome, at: seconds) { request in
            uploads.contains { $0.request.number == request.number && $0.channel == channel }
        }
    }

    /// The head and the body of an open request.
    func encode(_ request: OutgoingRequest) -> (head: RequestHead, body: [UInt8]) {
        let (head, body) = encoded(request)
        return (head, body.bytes)
    }

    static func time(_ seconds: Double) -> Instant {
        start + Interval(nanoseconds: Int64((seconds * 1e9).rounded()))
    }
}

extension GrowingWorld {
    /// Starts the app at 0: VISIT is event 0, and is answered.
    func startApp() {
        act(0, .launch(passive: false), .enterForeground)
        if !open.isEmpty { answer(200, at: 0) }
    }

    /// Every event that is on the device now, with its type, as the encoder writes it.
    func encodedEvents(_ form: GrowingEncoder.Form = .json) -> [String] {
        encodedRows(form).map(\.text)
    }

    /// The same with their templates, and what the store is told to keep of each.
    func encodedRows(
        _ form: GrowingEncoder.Form = .json
    ) -> [(template: Int, text: String, storedSize: Int)] {
        var rows: [EventRecord] = []
        device.timing.table.forEach { rows.append($0) }
        device.realtime.table.forEach { rows.append($0) }
        rows += device.timing.inserts + device.realtime.inserts
        return rows.sorted { $0.sequence < $1.sequence }.map { row in
            var buffer = WireBuffer()
            let event = system.event(row, of: device)
            let order = system.watchers(0, process: event.epoch.process)
            system.encoder.append(event, order: order, as: form, into: &buffer)
            return (
                Int(row.template), buffer.text, system.encoder.storedSize(event, order: order, as: form)
            )
        }
    }
}

extension AppDescription {
    static let growingBuy: UInt16 = 0
    static let growingVideo: UInt16 = 1
    static let growingFromPage: UInt16 = 2
    static let growingButton: UInt16 = 0
    static let growingList: UInt16 = 1
    static let growingSlider: UInt16 = 2
    static let growingField: UInt16 = 3
    static let growingTab: UInt16 = 4

    /// A screen with controls of several kinds, one with a web page, and events of each kind.
    static let forGrowing: AppDescription = {
        var app = AppDescription(name: "shop")
        app.bundleIdentifier = "cn.example.shop"
        app.displayName = "商城/Shop"
        app.versions = ["1.0.0", "1.1.0"]
        var home = Screen(name: "home", className: "HomeViewController", title: "首页")
        var list = Control(className: "UITableViewCell", action: "", target: "", label: "Row")
        list.position = Control.Position(section: 1, rows: 9)
        let slider = Control(className: "UISlider", action: "slide:", target: "HomeViewController", label: "")
        let field = Control(
            className: "UITextField", action: "edit:", target: "HomeViewController", label: "Name")
        var tab = Control(className: "UITabBarButton", action: "", target: "", label: "Page")
        tab.kind = .tab
        tab.opens = 1
        home.controls = [
            Control(className: "UIButton", action: "buy:", target: "HomeViewController", label: "购买 \"now\""),
            list, slider, field, tab,
        ]
        var page = Screen(name: "page", className: "PageViewController", title: "Page")
        page.web = Screen.WebPage(url: "https://m.example.com/sale/spring?from=app")
        app.screens = [home, page]
        var buy = BusinessEvent(name: "BuyGoods", trigger: .control(screen: 0, control: 0))
        buy.properties = [
            PropertyRule("price", .constant(.number(9.5))),
            PropertyRule("tags", .constant(.list([.string("a"), .bool(true), .number(3)]))),
            PropertyRule("sku", .entityID(catalogue: 0, prefix: "sku-")), PropertyRule("at", .date),
        ]
        var video = BusinessEvent(name: "WatchVideo", trigger: .control(screen: 0, control: 0))
        video.timedFrom = .screen(0)
        var web = BusinessEvent(name: "FromPage", trigger: .screen(1))
        web.isWeb = true
        app.events = [buy, video, web]
        app.catalogues = [Catalogue(name: "goods", count: 100)]
        var profile = ProfileUpdate(operation: .set, trigger: .login)
        profile.properties = [PropertyRule("level", .constant(.number(3)))]
        app.profiles = [profile, ProfileUpdate(operation: .increment, trigger: .login)]
        app.superProperties = [
            SuperPropertyGroup(
                trigger: .launch, properties: [PropertyRule("channel", .constant(.string("a")))])
        ]
        app.crashReasons = ["index out of range"]
        return app
    }()
}
