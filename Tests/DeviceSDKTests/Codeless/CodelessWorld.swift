import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import CodelessSDK
@testable import DeviceSDK

/// A device with the codeless SDK in the test's hands.
typealias CodelessWorld = ManualDevice<CodelessSystem>

extension ManualDevice where System == CodelessSystem {
    convenience init(
        tagged: Bool = true, app: AppDescription = .codelessForTests, disk: DiskSchedule = DiskSchedule(),
        change: (inout CodelessRules) -> Void = { _ in }
    ) {
        var rules = CodelessRules(version: .document)
        rules.remoteConfig.enabled = false
        change(&rules)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/codeless/v1/events")
        target.apiKey = "key 1"
        target.headers = [.init(name: "X-Env", value: "test")]
        var plan = PopulationPlan(
            name: "codeless", deviceCount: 1, start: ManualWorld.start,
            usersEnd: ManualWorld.start + .hours(24 * 7), app: app,
            persona: PersonaDescription(name: "none"), target: target, system: rules)
        plan.disk = disk
        plan.tagsEvents = tagged
        self.init(plan) { CodelessSystem(plan: $0, rules: rules) }
    }

    /// Starts the app at 0, which captures nothing.
    func startApp() { act(0, .launch(passive: false), .enterForeground) }

    /// Taps the button some times: a `ButtonClick` each.
    func tap(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .tap(screen: 0, control: 0)) }
    }

    /// What an upload carries.
    func batch(_ upload: Int) -> CodelessBatch { CodelessBatch(uploads[upload].body) }

    var uploadedSequences: [[UInt32]] {
        uploads.map { CodelessBatch($0.body).events.compactMap { EventID(text: $0.bsID.utf8)?.sequence } }
    }

    /// Sequences in memory and in files.
    var memory: [UInt32] { sequences(in: device.memoryStart..<device.nextSequence) }
    var files: [[UInt32]] { device.files.map { sequences(in: $0.events) } }

    private func sequences(in range: Range<UInt32>) -> [UInt32] {
        var result: [UInt32] = []
        device.log.forEach(in: range) { result.append($0.sequence) }
        return result
    }
}

extension AppDescription {
    /// Screens without controllers around them, and one control of each kind that matters here.
    static let codelessForTests: AppDescription = {
        var app = AppDescription.plainForTests
        app.screens[0].controls[0].frame = Control.Frame(x: 10, y: 20, width: 100, height: 44)
        var gesture = Control(className: "BannerView", action: "open:", target: "Home", label: "")
        gesture.kind = .gesture
        var row = Control(
            className: "ProductCell", action: "tableView:didSelectRowAtIndexPath:", target: "Home", label: "")
        row.kind = .tableCell
        row.position = Control.Position(section: 2, rows: 5)
        // The first table is the control that is one.
        var table = Control.Ancestor("UITableView")
        table.classIndex = 1
        row.within = [table]
        var alert = Control(className: "UIAlertAction", action: "", target: "", label: "OK")
        alert.kind = .alertAction
        alert.alert = Control.Alert(title: "Delete?", message: "There is no way back.")
        var react = Control(className: "RCTView", action: "", target: "", label: "Go")
        react.kind = .reactView
        app.screens[0].controls += [gesture, row, alert, react]
        return app
    }()

    static let gesture: UInt16 = 2
    static let row: UInt16 = 3
    static let alert: UInt16 = 4
    static let react: UInt16 = 5
}

/// A body of the codeless SDK, read by the wire format's reader alone.
struct CodelessBatch {
    struct Event {
        var name = ""
        var time: Int64 = 0
        var sessionID = ""
        var pageName = ""
        var view: View?
        var indexPath = ""
        var url = ""
        var error = ""
        var alertTitle = ""
        var alertMessage = ""
        var business: [String: String] = [:]
        var bsID = ""
    }

    struct View: Equatable {
        var className = ""
        var path = ""
        var frame = ""
        var title = ""
        var id = ""
    }

    var appKey = ""
    var deviceID = ""
    var eventsID = ""
    var events: [Event] = []

    init(_ bytes: [UInt8]) {
        do {
            try bytes.withUnsafeBytes { bytes in
                var reader = ProtobufReader(bytes)
                while let field = try reader.next() {
                    switch field.number {
                    case 1: appKey = try field.string()
                    case 2: deviceID = try field.string()
                    case 3: eventsID = try field.string()
                    case 4: events.append(try Self.event(field.message()))
                    default: Issue.record("field \(field.number) of a batch")
                    }
                }
            }
        } catch {
            Issue.record("\(error)")
        }
    }

    private static func event(_ message: ProtobufReader) throws -> Event {
        var reader = message
        var event = Event()
        while let field = try reader.next() {
            switch field.number {
            case 1: event.name = try field.string()
            case 2: event.time = try field.int64()
            case 3: event.sessionID = try field.string()
            case 4: event.pageName = try field.string()
            case 5: event.view = try view(field.message())
            case 6: event.indexPath = try field.string()
            case 7: event.url = try field.string()
            case 8: event.error = try field.string()
            case 9: event.alertTitle = try field.string()
            case 10: event.alertMessage = try field.string()
            case 11:
                let entry = try field.mapEntry()
                event.business[entry.key] = entry.value
            case 15: event.bsID = try field.string()
            default: Issue.record("field \(field.number) of an event")
            }
        }
        return event
    }

    private static func view(_ message: ProtobufReader) throws -> View {
        var reader = message
        var view = View()
        while let field = try reader.next() {
            switch field.number {
            case 1: view.className = try field.string()
            case 2: view.path = try field.string()
            case 3: view.frame = try field.string()
            case 4: view.title = try field.string()
            case 5: view.id = try field.string()
            default: Issue.record("field \(field.number) of a view")
            }
        }
        return view
    }
}
