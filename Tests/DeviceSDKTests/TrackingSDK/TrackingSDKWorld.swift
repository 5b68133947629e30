import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import TrackingSDK

/// A device with TrackingSDK in the test's hands.
typealias TrackingSDKWorld = ManualDevice<TrackingSDKSystem>

extension ManualDevice where System == TrackingSDKSystem {
    convenience init(
        start: Instant = ManualWorld.start, tagged: Bool = true, app: AppDescription = .plainForTests,
        disk: DiskSchedule = DiskSchedule(), http: PopulationPlan.Target.HTTPVersions = .automatic,
        change: (inout TrackingSDKRules) -> Void = { _ in }
    ) {
        var rules = TrackingSDKRules(version: .document)
        change(&rules)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/track")
        target.apiKey = "your-api-key"
        target.headers = [.init(name: "X-Env", value: "test")]
        target.http = http
        var plan = PopulationPlan(
            name: "tracking", deviceCount: 1, start: start, usersEnd: start + .hours(24 * 7), app: app,
            persona: PersonaDescription(name: "none"), target: target, system: rules)
        plan.disk = disk
        plan.tagsEvents = tagged
        self.init(plan) { TrackingSDKSystem(plan: $0, rules: rules) }
    }

    /// Starts the app at 0 and acknowledges `AppLaunch`, which is event 0 and upload 0.
    func startApp() {
        act(0, .launch(passive: false), .enterForeground)
        answer(200, at: 0)
    }

    /// The app tracks its plain business event some times.
    func track(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .business(event: AppDescription.buy, subject: 3)) }
    }

    /// The sequences in a body, by its `bs_id`s.
    static func sequences(in body: String) -> [UInt32] {
        body.split(separator: "\"bs_id\":\"\(number)-").dropFirst().compactMap {
            UInt32($0.prefix { $0.isNumber })
        }
    }

    var uploadedSequences: [[UInt32]] { uploads.map { Self.sequences(in: $0.text) } }

    /// Sequences in the file.
    var stored: [UInt32] {
        var result: [UInt32] = []
        device.log.forEach(in: device.fileStart..<device.nextSequence) { result.append($0.sequence) }
        return result
    }
}

extension AppDescription {
    /// As ``forTests``, without controllers around its screens: each screen that appears is one `PageView`.
    static let plainForTests: AppDescription = {
        var app = AppDescription.forTests
        app.navigationController = ""
        return app
    }()
}
