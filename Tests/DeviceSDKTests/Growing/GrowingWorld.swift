import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK

/// One GrowingIO device whose user, network and collector are the test itself.
///
/// Every step says when it happens, in seconds since the run's start; timers due before are fired first. What
/// the device asks for is collected: open requests in order, and the fates of events, each of which may be
/// sealed once only.
final class GrowingWorld {
    static let start = Instant(milliseconds: 1_767_571_200_000)

    var system: GrowingSystem<GrowingMemoryTable>
    var device: GrowingDevice<GrowingMemoryTable>
    private(set) var open: [OutgoingRequest] = []
    private(set) var fates: [UInt32: SealedEvent] = [:]
    private(set) var deaths = 0
    /// All uploads that the device began, with their channels and the events that they carried.
    private(set) var uploads: [Upload] = []
    private(set) var now = GrowingWorld.start

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
            system: .growing(rules))
        plan.disk = disk
        plan.network = NetworkRules(kind: network)
        plan.tagsEvents = tagsEvents
        system = GrowingSystem(
            plan: plan, rules: rules, services: services, modules: modules, copies: copies)
        device = system.makeDevice(index: 0, slot: 0, number: 17)
        var effects = DeviceEffects()
        system.arrive(&device, effects: &effects)
        take(effects)
    }

    /// Fires what is due up to and with a moment.
    func run(to seconds: Double) {
        let end = GrowingWorld.time(seconds)
        while device.nextDue <= end {
            now = device.nextDue
            step { system.fireTimer(of: &device, at: now, effects: &$0) }
        }
        now = max(now, end)
    }

    /// Lets things happen at a moment, in order. Timers due at that very moment come after.
    func act(_ seconds: Double, _ actions: UserAction...) {
        let moment = GrowingWorld.time(seconds)
        if moment > now { run(to: seconds - 1e-9) }
        now = moment
        for action in actions {
            step { system.perform(action, on: &device, at: now, effects: &$0) }
        }
    }

    /// The app tracks its plain business event (CUSTOM, realtime store) some times.
    func track(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .business(event: AppDescription.growingBuy, subject: 3)) }
    }

    /// The user taps the home screen's button (VIEW_CLICK, timing store) some times.
    func tap(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .tap(screen: 0, control: AppDescription.growingButton)) }
    }

    func setNetwork(_ kind: NetworkKind, at seconds: Double) {
        run(to: seconds)
        step { system.setNetwork(kind, of: &device, at: now, effects: &$0) }
    }

    /// Answers the oldest open upload, or that of a channel.
    func answer(_ status: UInt16, at seconds: Double, channel: Int? = nil) {
        end(with: .answered(status: status, body: []), at: seconds, channel: channel)
    }

    func fail(_ failure: RequestFailure, at seconds: Double, channel: Int? = nil) {
        end(with: .failed(failure), at: seconds, channel: channel)
    }

    /// Answers everything that is open and what follows from it, until nothing is.
    func answerAll(_ status: UInt16, at seconds: Double) {
        run(to: seconds)
        while !open.isEmpty { answer(status, at: seconds) }
    }

    func end(with outcome: RequestOutcome, at seconds: Double, channel: Int? = nil) {
        run(to: seconds)
        guard
            let place = open.firstIndex(where: { request in
                channel == nil
                    || uploads.contains {
                        $0.request.number == request.number && $0.channel == channel
                    }
            })
        else {
            Issue.record("no such request is open")
            return
        }
        let request = open.remove(at: place)
        step { system.complete(request.number, of: &device, outcome: outcome, at: now, effects: &$0) }
    }

    /// The head and the body of an open request.
    func encode(_ request: OutgoingRequest) -> (head: RequestHead, body: [UInt8]) {
        var body = WireBuffer()
        let head = system.encode(request.number, of: &device, at: now, into: &body)
        return (head, body.bytes)
    }

    func finish() { step { system.finish(&device, effects: &$0) } }

    private func step(_ body: (inout DeviceEffects) -> Void) {
        var effects = DeviceEffects()
        body(&effects)
        take(effects)
    }

    private func take(_ effects: DeviceEffects) {
        for slot in effects.died {
            #expect(slot == 0)
            deaths += 1
            open = []
        }
        for event in effects.sealed {
            #expect(event.id.device == 17)
            #expect(fates[event.id.sequence] == nil, "event \(event.id.sequence) is sealed twice")
            fates[event.id.sequence] = event
        }
        for request in effects.requests {
            open.append(request)
            let built = device.requests.first { $0.number == request.number }
            let rows = built?.rows ?? []
            #expect(rows.count == Int(request.eventCount))
            uploads.append(
                Upload(
                    request: request, channel: Int(built?.channel ?? .max), sequences: rows.map(\.sequence)))
        }
        #expect(open.count <= 4)
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

    func fate(_ sequence: UInt32) -> Disposition? { fates[sequence]?.disposition }

    /// The sequences that ended in a way.
    func sequences(_ disposition: Disposition) -> [UInt32] {
        fates.values.filter { $0.disposition == disposition }.map(\.id.sequence).sorted()
    }

    /// Types of the events that ended in a way, in their order.
    func types(_ disposition: Disposition) -> [String] {
        sequences(disposition).compactMap { fates[$0] }.map { system.labels[Int($0.label)].type }
    }

    /// Seconds since the start at which the uploads were planned.
    var plannedSeconds: [Double] {
        uploads.map { ($0.request.plannedAt - GrowingWorld.start).fractionalSeconds }
    }

    /// Every event that is on the device now, with its type, as the encoder writes it.
    func encodedEvents(_ form: GrowingEncoder.Form = .json) -> [String] {
        var rows: [EventRecord] = []
        device.timing.table.forEach { rows.append($0) }
        device.realtime.table.forEach { rows.append($0) }
        rows += device.timing.inserts + device.realtime.inserts
        return rows.sorted { $0.sequence < $1.sequence }.map { row in
            var buffer = WireBuffer()
            let event = system.event(row, of: device)
            system.encoder.append(
                event, order: system.watchers(0, process: event.epoch.process), as: form, into: &buffer)
            return buffer.text
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
