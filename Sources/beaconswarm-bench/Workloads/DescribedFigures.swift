import AppModel
import DeclaredSDK
import DeviceSDK
import Scenario
import SensorsSDK
import Timebase
import VirtualEngine
import Wire

/// What it costs that an SDK is described and not programmed: bodies by the byte, and wakes; one core. Each figure beside
/// that of SensorsAnalytics 4.9.1 in the same run.
enum DescribedFigures {
    /// Whose bodies are made.
    private static let presets = ["posthog-ios", "mixpanel-ios"]

    static func measure(_ rounds: Rounds, isQuick: Bool) async -> [Figure] {
        var figures = await bodies(rounds)
        let devices = isQuick ? 1000 : 100_000
        for isOffline in [true, false] {
            let group = isOffline ? "described, devices offline" : "described, with uploads"
            let count = isOffline ? devices : min(devices, 10_000)
            for isDescribed in [false, true] {
                figures.append(
                    await rounds.figure(
                        group, isDescribed ? "posthog-ios" : "sensors 4.9.1", unit: "wakes/s",
                        goal: isDescribed ? "≥ 0.7 × sensors" : "", note: "\(count) devices"
                    ) { wakes(devices: count, seconds: $0, isDescribed: isDescribed, isOffline: isOffline) })
            }
        }
        return figures
    }

    private static func bodies(_ rounds: Rounds) async -> [Figure] {
        let events = Fixture.Events(.v4)
        var json = WireBuffer()
        events.write(into: &json)
        let size = json.count
        var figures = [
            await rounds.figure(
                "JSON of 50 events", "sensors 4.9.1", unit: "bytes/s", note: "\(size) bytes"
            ) { seconds in
                EventFigures.perSecond(seconds, items: size) {
                    json.removeAll()
                    events.write(into: &json)
                }
            }
        ]
        for preset in presets {
            guard var batch = DescribedBatch(preset: preset) else { continue }
            let length = batch.write().count
            figures.append(
                await rounds.figure(
                    "JSON of 50 events", preset, unit: "bytes/s", goal: "≥ 0.6 × sensors",
                    note: "\(length) bytes"
                ) { seconds in
                    EventFigures.perSecond(seconds, items: length) { _ = batch.write() }
                })
        }
        return figures + (await packed(rounds, sensors: events, size: size))
    }

    /// Whole bodies, by the bytes of JSON in them: Sensors' is packed, in base64 and escaped, the other packed.
    private static func packed(
        _ rounds: Rounds, sensors events: Fixture.Events, size: Int
    ) async -> [Figure] {
        var body = WireBuffer()
        var figures = [
            await rounds.figure("whole bodies of 50 events", "sensors 4.9.1", unit: "bytes of JSON/s") {
                seconds in
                EventFigures.perSecond(seconds, items: size) {
                    body.removeAll()
                    events.writeBody(into: &body)
                }
            }
        ]
        for preset in presets {
            guard var plain = DescribedBatch(preset: preset),
                var batch = DescribedBatch(preset: preset, compression: "gzip")
            else { continue }
            let length = plain.write().count
            figures.append(
                await rounds.figure(
                    "whole bodies of 50 events", preset, unit: "bytes of JSON/s", goal: "≥ 0.6 × sensors"
                ) { seconds in
                    EventFigures.perSecond(seconds, items: length) { _ = batch.write() }
                })
        }
        return figures
    }

    /// Wakes per second of a run, as ``VirtualFigures`` counts them: casual users who are there from the start.
    private static func wakes(
        devices: Int, seconds: Double, isDescribed: Bool, isOffline: Bool
    ) -> Double {
        let wanted = max(seconds * (isOffline ? 700_000 : 30_000), Double(devices) * (isOffline ? 10 : 3))
        let minutes = min(28 * 24 * 60, max(2, wanted / Double(devices) * 72))
        let (fleet, configuration) = SimulatedRun.prepare(
            .v4, devices: devices, duration: .minutes(Int64(minutes)), uploads: !isOffline,
            opensAtArrival: false
        ) { plan in
            guard isDescribed, let rules = DescribedBatch.rules(#"{"preset": "posthog-ios"}"#) else { return }
            plan.system = rules
            plan.target.pathAndQuery = rules.defaultPath(account: "")
        }
        let begin = Machine.seconds
        let result = SimulatedRun.run([fleet], configuration)
        return Double(result.wakes) / (Machine.seconds - begin)
    }
}

/// A device of a described SDK whose batch of fifty events is under way: it can be written as often as one likes.
struct DescribedBatch {
    private var system: DeclaredSystem
    private var device: DeclaredDevice
    private var body = WireBuffer()
    private let request: RequestNumber

    static func rules(_ json: String) -> DeclaredRules? {
        (try? DescriptionReader.read(bytes: Array(json.utf8)).get()).map { DeclaredRules($0) }
    }

    init?(preset: String, compression: String = "none") {
        let json = """
            {"preset": "\(preset)", "request": {"compress": "\(compression)"},
             "upload": {"flushBulkSize": \(Fixture.batchSize), "countOf": "stored", "batch": \(Fixture.batchSize)}}
            """
        guard let rules = Self.rules(json) else { return nil }
        var plan = Fixture.plan(.v4)
        plan.system = rules
        system = DeclaredSystem(plan: plan, rules: rules)
        device = system.makeDevice(index: 17, slot: 0, number: 17)
        var effects = DeviceEffects()
        var actions: [UserAction] = [.launch(passive: false), .enterForeground]
        let business = plan.app.events.indices.filter { !plan.app.events[$0].isWeb }
        // Some products capture no screens by themselves.
        for number in 0..<2 * Fixture.batchSize {
            actions.append(
                number % 2 == 0
                    ? .appear(screen: UInt16(number % plan.app.screens.count), referrer: nil)
                    : .business(event: UInt16(business[number / 2 % business.count]), subject: UInt32(number))
            )
        }
        for (second, action) in actions.enumerated() {
            system.perform(
                action, on: &device, at: Fixture.start + .seconds(Int64(second)), effects: &effects)
        }
        guard let first = effects.requests.first(where: { $0.number.kind == .upload }) else { return nil }
        request = first.number
    }

    /// Writes the body anew.
    mutating func write() -> WireBuffer {
        body.removeAll()
        _ = system.encode(request, of: &device, at: Fixture.start + .minutes(2), into: &body)
        return body
    }
}
