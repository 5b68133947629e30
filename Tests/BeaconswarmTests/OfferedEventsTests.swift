import AppModel
import DeviceSDK
import Scenario
import Testing

@testable import Beaconswarm

@Suite("The events that a population will capture")
struct OfferedEventsTests {
    /// Slices that differ in how long their sessions are, and of which one makes most of the load.
    private func parts(tempo: Double) -> [OfferedEvents.Part] {
        let even = (0..<12).map { (number: Int) -> OfferedEvents.Part in
            let (seconds, events) = (100 + 10 * number, 20 + 7 * number % 5)
            return OfferedEvents.Part(sessions: 5, seconds: Double(seconds) / tempo, events: Double(events))
        }
        return even + [OfferedEvents.Part(sessions: 5, seconds: 20_000 / tempo, events: 2500)]
    }

    @Test("are told alike of the same lives, however fast these pass")
    func tempo() throws {
        let text = """
            {"name": "f", "seed": 5, "duration": "1h", "populations": [{"name": "p", "devices": 200, \
            "system": "sensors", "persona": {"extends": "casual", "tempo": 200}}]}
            """
        let bench = try ScenarioBench()
        let document = try withExtendedLifetime(bench) {
            try LoadedScenario(bench.source(text)).document
        }
        let plan = document.plans(start: document.simulatedStart).populations[0]
        #expect(plan.persona.tempo == 200)
        let outline = UserOutline(of: plan.forecastUsers, budget: .max)
        func range(tempo: Double, _ outline: UserOutline, partsAt partsTempo: Double) -> ClosedRange<Double> {
            OfferedEvents(
                parts: parts(tempo: partsTempo), outline: outline, isSteady: false, tempo: tempo,
                holdsSample: false
            ).range
        }
        let fast = range(tempo: 200, outline, partsAt: 200)
        let slow = range(tempo: 1, outline.stretched(by: 200), partsAt: 1)
        #expect(fast.upperBound > fast.lowerBound && fast.upperBound > 0)
        #expect(abs(fast.lowerBound - slow.lowerBound) <= 1e-6 * slow.upperBound, "\(fast) and \(slow)")
        #expect(abs(fast.upperBound - slow.upperBound) <= 1e-6 * slow.upperBound, "\(fast) and \(slow)")
    }
}
