import DeviceSDK
import Scenario
import Testing

@testable import Beaconswarm

@Suite("Forecasts of memory")
struct ForecastMemoryTests {
    private static let devices = 400
    private static let seconds = 100.0
    /// Of Sensors: bytes of a stored event.
    private static let row = Double(DeviceFootprint().storedEvent)
    private static let nobody = #"{"extends": "casual", "sessionsPerDay": 0, "opensAtArrival": false}"#
    private static let steady = #"{"preset": "steady", "rate": "1/s"}"#

    private func forecast(
        _ system: String = "sensors", persona: String = steady, timeline: String = "", sdk: String = "{}",
        arrival: String = "0s"
    ) throws -> Forecast {
        let text = """
            {"name": "m", "seed": 5, "duration": "100s", "timeline": [\(timeline)], "populations": [{"name": "p", \
            "devices": \(Self.devices), "system": "\(system)", "persona": \(persona), "app": "shop", \
            "arrival": {"over": "\(arrival)"}, "sdk": \(sdk)}]}
            """
        let bench = try ScenarioBench()
        return try withExtendedLifetime(bench) {
            Forecast(try LoadedScenario(try bench.source(text)).document)
        }
    }

    @Test(
        "devices that nobody uses take no more than what is theirs", arguments: ["sensors", "growing", "kit"])
    func idle(system: String) throws {
        let idle = try forecast(system, persona: Self.nobody)
        let each = system == "growing" ? 640.0 : 440
        #expect(idle.memory(connections: nil) == DeviceMemory.process + Double(Self.devices) * each)
        #expect(idle.memory(connections: .max) == DeviceMemory.liveProcess + Double(Self.devices) * each)
        let used = try forecast(system).memory(connections: nil)
        #expect(used > idle.memory(connections: nil) + Double(Self.devices) * each)
    }

    @Test(
        "what a timeline keeps on the devices counts, and nothing else of it",
        arguments: [
            (#""collector": {"fault": "outage"}"#, 1.0),
            (#""for": "20s", "collector": {"fault": "outage"}"#, 0.4),
            (#""collector": {"fault": "status", "status": 503}, "share": 0.5"#, 0.5),
            (#""collector": {"fault": "status", "status": 200}"#, 0),
            (#""collector": {"fault": "acceptThenDie"}"#, 1),
            (#""collector": {"fault": "latency", "latency": "100ms"}"#, 0),
            (#""collector": {"fault": "latency", "latency": "1m"}"#, 1),
            (#""collector": {"fault": "stall"}"#, 1),
            (#""client": {"fault": "drop"}, "share": 0.5"#, 0.5),
            (#""client": {"fault": "delay", "latency": "1s"}"#, 0),
            (#""device": {"network": "none"}, "share": 0.3"#, 0.3),
            (#""device": {"network": "4g"}"#, 0),
            (#""device": {"disk": "full"}, "share": 0.2"#, 0.2),
            (#""remoteConfig": {"disableSDK": true}"#, 0),
        ])
    func blocked(entry: String, share: Double) throws {
        let calm = try forecast()
        let events = calm.eventsMean * Self.seconds
        let planned = try forecast(timeline: "{\"at\": \"0s\", \(entry)}")
        #expect(planned.eventsRange == calm.eventsRange)
        let kept = (planned.memory(connections: .max) - calm.memory(connections: .max)) / Self.row
        // The first second of the run is fuller than the others.
        #expect(abs(kept / events - share) < 0.05, "\(kept) of \(events) events")
        #expect(planned.devicesFitting(60e6, connections: nil) <= calm.devicesFitting(60e6, connections: nil))
    }

    @Test("a store's limit bounds what is kept")
    func limit() throws {
        let sdk = #"{"storage": {"limit": 60, "evict": 10}}"#
        let calm = try forecast(sdk: sdk).memory(connections: .max)
        let planned = try forecast(timeline: #"{"at": "0s", "collector": {"fault": "outage"}}"#, sdk: sdk)
        let kept = (planned.memory(connections: .max) - calm) / Self.row
        #expect(kept > 10_000 && kept <= 60 * Double(Self.devices), "\(kept)")
    }

    @Test("requests that are held wait on all devices that are in use")
    func held() throws {
        // So that launches do not send all at once.
        let calm = try forecast(arrival: "50s")
        let entry = #"{"at": "0s", "collector": {"fault": "stall"}}"#
        let planned = try forecast(timeline: entry, arrival: "50s")
        let more = planned.memory(connections: nil) - calm.memory(connections: nil)
        let rows = planned.memory(connections: .max) - calm.memory(connections: .max)
        #expect(rows > 0 && more > rows, "\(more), \(rows)")
        #expect(more <= rows + 4 * Double(Self.devices) * DeviceMemory.openRequest)
    }
}
