import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK

/// One Sensors device whose user, network and collector are the test itself.
///
/// Every step says when it happens, in seconds since the run's start; timers due before are fired
/// first. What the device asks for is collected: open requests in order, and the fates of events,
/// each of which may be sealed once only.
final class ManualWorld {
    static let start = Instant(milliseconds: 1_767_571_200_000)

    var system: SensorsSystem<MemoryStore>
    var device: SensorsDevice<MemoryStore>
    private(set) var open: [OutgoingRequest] = []
    private(set) var fates: [UInt32: SealedEvent] = [:]
    private(set) var deaths = 0
    /// All uploads that the device began, with the events that they carried.
    private(set) var uploads: [(request: OutgoingRequest, sequences: [UInt32])] = []
    private(set) var fetches: [OutgoingRequest] = []
    private(set) var now = ManualWorld.start

    init(
        _ version: SensorsRules.Version, disk: DiskSchedule = DiskSchedule(),
        _ change: (inout SensorsRules) -> Void = { _ in }
    ) {
        var rules = SensorsRules(version: version)
        rules.remoteConfig.enabled = false
        change(&rules)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/sa?project=shop")
        target.headers = [.init(name: "X-Env", value: "test")]
        var plan = PopulationPlan(
            name: "ios", deviceCount: 1, start: ManualWorld.start,
            usersEnd: ManualWorld.start + .hours(24 * 7), app: .forTests,
            persona: PersonaDescription(name: "none"), target: target, system: .sensors(rules))
        plan.disk = disk
        system = SensorsSystem(plan: plan, rules: rules) { _ in
            MemoryStore(marksInFile: rules.marksInFile)
        }
        device = system.makeDevice(index: 0, slot: 0, number: 17)
        var effects = DeviceEffects()
        system.arrive(&device, effects: &effects)
        take(effects)
    }

    /// Fires what is due up to and with a moment.
    func run(to seconds: Double) {
        let end = ManualWorld.time(seconds)
        while device.nextDue <= end {
            now = device.nextDue
            step { system.fireTimer(of: &device, at: now, effects: &$0) }
        }
        now = end
    }

    /// Lets things happen at a moment, in order. Timers due at that very moment come after.
    func act(_ seconds: Double, _ actions: UserAction...) {
        let moment = ManualWorld.time(seconds)
        if moment > now { run(to: seconds - 1e-9) }
        now = moment
        for action in actions {
            step { system.perform(action, on: &device, at: now, effects: &$0) }
        }
    }

    /// The app tracks its plain business event some times.
    func track(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .business(event: AppDescription.buy, subject: 3)) }
    }

    func setNetwork(_ kind: NetworkKind, at seconds: Double) {
        run(to: seconds)
        step { system.setNetwork(kind, of: &device, at: now, effects: &$0) }
    }

    /// Answers the oldest open upload, or the one with the given number.
    func answer(_ status: UInt16, at seconds: Double, upload: UInt32? = nil) {
        end(.upload, upload, with: .answered(status: status, body: []), at: seconds)
    }

    func fail(_ failure: RequestFailure, at seconds: Double, upload: UInt32? = nil) {
        end(.upload, upload, with: .failed(failure), at: seconds)
    }

    func answerFetch(_ status: UInt16, _ body: String = "", at seconds: Double) {
        end(.config, nil, with: .answered(status: status, body: Array(body.utf8)), at: seconds)
    }

    func end(
        _ kind: RequestNumber.Kind, _ number: UInt32?, with outcome: RequestOutcome, at seconds: Double
    ) {
        run(to: seconds)
        guard
            let place = open.firstIndex(where: {
                $0.number.kind == kind && (number == nil || $0.number.number == number)
            })
        else {
            Issue.record("no such request is open")
            return
        }
        let request = open.remove(at: place)
        step {
            system.complete(request.number, of: &device, outcome: outcome, at: now, effects: &$0)
        }
    }

    /// The head and the body of an open request.
    func encode(_ request: OutgoingRequest) -> (head: RequestHead, body: String) {
        var body = WireBuffer()
        let head = system.encode(request.number, of: &device, at: now, into: &body)
        return (head, body.text)
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
            if request.number.kind == .config {
                fetches.append(request)
            } else {
                let rows = device.requests.first { $0.number == request.number }?.rows ?? []
                #expect(rows.count == Int(request.eventCount))
                uploads.append((request, rows.map(\.sequence)))
            }
        }
        #expect(open.count <= 4)
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
    var inMemory: [UInt32] { device.memory.sequences }

    func fate(_ sequence: UInt32) -> Disposition? { fates[sequence]?.disposition }

    /// The sequences that ended in a way.
    func sequences(_ disposition: Disposition) -> [UInt32] {
        fates.values.filter { $0.disposition == disposition }.map(\.id.sequence).sorted()
    }

    func names(_ disposition: Disposition) -> [String] {
        sequences(disposition).compactMap { fates[$0] }.map { system.labels[Int($0.label)].name }
    }

    var uploadedSequences: [[UInt32]] { uploads.map(\.sequences) }
    /// Seconds since the start at which the uploads were planned.
    var plannedSeconds: [Double] {
        uploads.map { ($0.request.plannedAt - ManualWorld.start).fractionalSeconds }
    }
}

extension EventLog {
    var sequences: [UInt32] {
        var result: [UInt32] = []
        forEach { result.append($0.sequence) }
        return result
    }
}

extension MemoryStore {
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
        var list = Control(className: "UITableView", action: "didSelect", target: "Home", label: "")
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
                isDeletion: false, itemType: "book", itemID: .counter(prefix: "b"), trigger: .launch)
        ]
        app.superProperties = [SuperPropertyGroup(trigger: .launch, properties: [])]
        app.crashReasons = ["index out of range"]
        return app
    }()
}
