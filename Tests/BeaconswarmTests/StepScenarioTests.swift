import AppModel
import DeviceSDK
import Reporting
import Scenario
import SensorsSDK
import Testing
import Timebase

@testable import Beaconswarm

@Suite("The scenario of a step")
struct StepScenarioTests {
    @Test("has the devices of the load, arrives over whole flush intervals, and leaves the story out")
    func step() throws {
        let document = try CapacityScenario.document(
            #"""
            , "timeline": [{"at": "0s", "collector": {"fault": "latency", "latency": "5ms"}},
                           {"at": "20s", "for": "5s", "collector": {"fault": "outage"}}]
            """#)
        let scenario = StepScenario(document, scaling: .devices)
        #expect(scenario.warmUp(.climb) == .seconds(5) && scenario.warmUp(.bisect) == .seconds(15))
        #expect(scenario.warnings.count == 1)
        let step = scenario.document(load: 123, window: .seconds(10), purpose: .climb)
        #expect(step.deviceCount == 123 && step.duration == .seconds(15) && step.drain == .zero)
        #expect(step.timeline.count == 1)
    }

    @Test(
        "keeps the work of launches out of a set rate: no configuration, and an interval for what they leave")
    func launches() throws {
        let base = try CapacityScenario.document()
        func fetches(_ base: ScenarioDocument, inStep: Bool = true) -> Bool {
            let scenario = StepScenario(base, scaling: .devices)
            let step = scenario.document(load: 9, window: .seconds(10), purpose: .confirm)
            let document = inStep ? step : base
            guard let rules = document.populations[0].system as? SensorsRules else { return false }
            return rules.remoteConfig.enabled
        }
        #expect(fetches(base, inStep: false))
        #expect(!fetches(base))
        let served = try CapacityScenario.document(
            #", "timeline": [{"at": "0s", "remoteConfig": {"disableDebugMode": true}}]"#)
        #expect(fetches(served))
        let visitors = try CapacityScenario.document(persona: #""casual""#)
        #expect(fetches(visitors))
        let text = """
            {"name": "x", "duration": "1m", "populations": [
              {"name": "a", "devices": 80, "system": "sensors", "persona": "steady"}]}
            """
        guard case .success(let slow) = ScenarioLoader.load(bytes: Array(text.utf8), name: "x") else {
            Issue.record("no scenario")
            return
        }
        let scenario = StepScenario(slow, scaling: .devices)
        #expect(scenario.warmUp(.climb) == .seconds(16) && scenario.warmUp(.confirm) == .seconds(30))
    }

    @Test("lets no two devices upload at the same moment, however many there are")
    func phases() throws {
        let scenario = StepScenario(try CapacityScenario.document(), scaling: .devices)
        for (devices, purpose) in [1, 2, 3, 4, 100, 123, 300, 4096].flatMap({
            [($0, CapacitySearch.Purpose.climb), ($0, .bisect)]
        }) {
            let step = scenario.document(load: Double(devices), window: .seconds(10), purpose: purpose)
            let over = step.populations[0].arrival.over
            let most = purpose == .climb ? Interval.seconds(4) : .seconds(10)
            #expect(over <= most && over >= .fractional(seconds: 0.5 * most.fractionalSeconds))
            let phases = (0..<devices).map { index in
                let arrival = over.fractionalSeconds * Double(index) / Double(devices)
                return Int((arrival.truncatingRemainder(dividingBy: 1) * 1e6).rounded()) % 1_000_000
            }
            #expect(Set(phases).count == devices, "\(devices) devices")
        }
    }

    @Test("speeds devices up where their rate grows")
    func rate() throws {
        let document = try CapacityScenario.document()
        let scenario = StepScenario(document, scaling: .rate)
        let step = scenario.document(load: 2.5, window: .seconds(10), purpose: .bisect)
        #expect(step.deviceCount == 80 && scenario.devices(2.5) == 80)
        let (before, after) = (document.populations[0].persona, step.populations[0].persona)
        #expect(try #require(after.steadyRate) == #require(before.steadyRate) * 2.5)
        #expect(after.tempo == before.tempo, "apps start as fast as ever")
    }

    @Test("lets users with sessions come in all the time, in steps of one length, each trial with others")
    func sessions() throws {
        let scenario = StepScenario(
            try CapacityScenario.document(persona: #""casual""#), scaling: .devices)
        #expect(scenario.hasSessions && scenario.warmUp(.confirm) == .seconds(20))
        let step = scenario.document(load: 10, window: .seconds(10), purpose: .climb)
        #expect(step.populations[0].arrival.over == step.duration && step.duration == .seconds(30))
        let other = scenario.document(load: 10, window: .seconds(10), purpose: .climb, trial: 2)
        #expect(other.seed == step.seed + 2)
        let length = StepLength(fixed: nil, flushInterval: .seconds(1), hasSessions: true, conditions: [])
        let windows = [CapacitySearch.Purpose.climb, .bisect, .confirm, .recheck].map {
            length.window($0, requestRate: 3, eventRate: 1000)
        }
        #expect(Set(windows).count == 1)
    }
}
