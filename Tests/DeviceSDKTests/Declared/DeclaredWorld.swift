import Accounting
import AppModel
import SDKDescription
import Testing
import Timebase
import Wire
import World

@testable import DeclaredSDK
@testable import DeviceSDK
@testable import Scenario

/// A device with a described SDK in the test's hands.
typealias DeclaredWorld = ManualDevice<DeclaredSystem>

extension ManualDevice where System == DeclaredSystem {
    /// - Parameters:
    ///   - json: The description, as a file of its own would have it.
    ///   - update: That of a new version of the app, for ``updateApp(_:)``.
    convenience init(
        _ json: String, tagged: Bool = true, disk: DiskSchedule = DiskSchedule(),
        consents: ConsentSchedule = ConsentSchedule(), update: String? = nil, zones: TimeZones? = nil
    ) throws {
        let sdk = try DescriptionReader.read(bytes: Array(json.utf8)).get()
        let rules = DeclaredRules(sdk)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: sdk.request.path)
        target.apiKey = "key"
        var plan = PopulationPlan(
            name: "declared", deviceCount: 1, start: ManualWorld.start,
            usersEnd: ManualWorld.start + .hours(24 * 7), app: .forTests,
            persona: PersonaDescription(name: "none"), target: target, system: rules)
        plan.disk = disk
        plan.consents = consents
        plan.tagsEvents = tagged
        if let zones { plan.zones = zones }
        if let update {
            let rules = DeclaredRules(try DescriptionReader.read(bytes: Array(update.utf8)).get())
            plan.rollOuts = [
                RollOut(
                    pace: RollOutPace(from: plan.start, over: .zero, share: 1, number: 0), rules: rules,
                    text: "test")
            ]
        }
        self.init(plan) { DeclaredSystem(plan: $0, rules: rules) }
    }

    /// The app is started and comes to the foreground.
    func startApp() { act(0, .launch(passive: false), .enterForeground) }

    /// The app dies, and starts in its new version.
    func updateApp(_ seconds: Double) {
        act(seconds, .kill)
        system.follow(system.rulesInForce(under: system.plan.allRules[1]))
        act(seconds, .launch(passive: false), .enterForeground)
    }

    /// The app tracks its plain business event some times.
    func track(_ seconds: Double, count: Int = 1) {
        for _ in 0..<count { act(seconds, .business(event: AppDescription.buy, subject: 3)) }
    }

    /// How many events each upload had.
    var counts: [UInt32] { uploads.map(\.request.eventCount) }

    /// Sequences in the store.
    var stored: [UInt32] { device.allRows.map(\.sequence) }

    /// The JSON of an upload's body.
    func json(_ upload: Int) throws -> JSONNode {
        var body = WireBuffer()
        if uploads[upload].head.headerLines.contains("gzip") {
            try uploads[upload].body.withUnsafeBytes { try GzipDecoder().decompress($0, into: &body) }
        } else {
            body.append(contentsOf: uploads[upload].body)
        }
        return try JSONReader.readStrictly(body.bytes)
    }
}
