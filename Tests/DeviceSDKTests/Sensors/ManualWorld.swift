import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import SensorsSDK

/// One Sensors device, of whose uploads the events are kept that they carried.
final class ManualWorld: DeviceDriver<SensorsSystem<SensorsMemoryStore>> {
    static let start = Instant(milliseconds: 1_767_571_200_000)

    /// All uploads that the device began, with the events that they carried.
    private(set) var uploads: [(request: OutgoingRequest, sequences: [UInt32])] = []
    private(set) var fetches: [OutgoingRequest] = []

    init(
        _ version: SensorsRules.Version, app: AppDescription = .forTests,
        disk: DiskSchedule = DiskSchedule(), http: PopulationPlan.Target.HTTPVersions = .automatic,
        _ change: (inout SensorsRules) -> Void = { _ in }
    ) {
        var rules = SensorsRules(version: version)
        rules.remoteConfig.enabled = false
        change(&rules)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/sa?project=shop")
        target.headers = [.init(name: "X-Env", value: "test")]
        target.http = http
        var plan = PopulationPlan(
            name: "ios", deviceCount: 1, start: ManualWorld.start,
            usersEnd: ManualWorld.start + .hours(24 * 7), app: app,
            persona: PersonaDescription(name: "none"), target: target, system: rules)
        plan.disk = disk
        super.init(plan) { plan in
            SensorsSystem(plan: plan, rules: rules) { _ in SensorsMemoryStore(marksInFile: rules.marksInFile)
            }
        }
    }

    override func began(_ request: OutgoingRequest) {
        #expect(open.count <= 4 || system.multiplexes)
        guard request.number.kind == .upload else {
            fetches.append(request)
            return
        }
        let rows = device.requests.first { $0.number == request.number }?.rows ?? []
        #expect(rows.count == Int(request.eventCount))
        uploads.append((request, rows.map(\.sequence)))
    }

    /// The app tracks its plain business event some times.
    func track(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .business(event: AppDescription.buy, subject: 3)) }
    }

    /// The head and the body of an open request.
    func encode(_ request: OutgoingRequest) -> (head: RequestHead, body: String) {
        let (head, body) = encoded(request)
        return (head, body.text)
    }

    static func time(_ seconds: Double) -> Instant {
        start + Interval(nanoseconds: Int64((seconds * 1e9).rounded()))
    }
}

extension ManualWorld {
    /// Starts the app at 0: `$AppStart` is event 0, which 4.9.1 uploads at once.
    func startApp() {
        act(0, .launch(passive: false), .enterForeground)
        if open.contains(where: { $0.number.kind == .upload }) { answer(200, at: 0) }
    }

    /// Sequences in the store, oldest first.
    var stored: [UInt32] { device.store.sequences }
    /// Sequences in the list in memory.
    var inMemory: [UInt32] {
        var result: [UInt32] = []
        device.memory.forEach { result.append($0.sequence) }
        return result
    }

    var uploadedSequences: [[UInt32]] { uploads.map(\.sequences) }
}

extension EventLog {
    var sequences: [UInt32] {
        var result: [UInt32] = []
        forEach { result.append($0.sequence) }
        return result
    }
}

extension SensorsMemoryStore {
    var sequences: [UInt32] { log.sequences }
    func record(_ sequence: UInt32) -> EventRecord? { log.record(of: sequence) }
}

extension AppDescription {
    static let buy: UInt16 = 0
    static let badName: UInt16 = 1
    static let video: UInt16 = 2
    static let fromPage: UInt16 = 3

    /// A screen with a button and a list, one with a web page, and events of each kind.
    static let forTests: AppDescription = {
        var app = AppDescription(name: "shop")
        app.bundleIdentifier = "cn.example.shop"
        app.versions = ["1.0.0", "1.1.0"]
        var home = Screen(name: "home", className: "HomeViewController", title: "Home")
        var list = Control(className: "UITableViewCell", action: "didSelect", target: "Home", label: "")
        list.position = Control.Position(section: 0, rows: 9)
        home.controls = [
            Control(className: "UIButton", action: "buy:", target: "Home", label: "Buy"), list,
        ]
        var page = Screen(name: "page", className: "PageViewController", title: "Page")
        page.web = Screen.WebPage(url: "https://example.com/")
        app.screens = [home, page]
        var video = BusinessEvent(name: "WatchVideo", trigger: .control(screen: 0, control: 0))
        video.timedFrom = .screen(0)
        var web = BusinessEvent(name: "FromPage", trigger: .screen(1))
        web.isWeb = true
        app.events = [
            BusinessEvent(name: "BuyGoods", trigger: .control(screen: 0, control: 0)),
            BusinessEvent(name: "not a name", trigger: .sessionEnd), video, web,
        ]
        app.profiles = [ProfileUpdate(operation: .set, trigger: .login)]
        app.items = [
            ItemUpdate(
                isDeletion: false, itemType: "catalogue", itemID: .counter(prefix: "b"), trigger: .launch)
        ]
        app.superProperties = [SuperPropertyGroup(trigger: .launch, properties: [])]
        app.crashReasons = ["index out of range"]
        return app
    }()
}
