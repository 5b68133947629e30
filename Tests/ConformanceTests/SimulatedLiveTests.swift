import Scenario
import TestSupport
import Testing
import Timebase

@Suite("The live engine under a clock of its own")
struct SimulatedLiveTests {
    @Test(
        "comes to the books of virtual time, with one shard, two and four",
        arguments: ConformanceSuite.scenarios, [1, 2, 4])
    func books(scenario: ConformanceScenario, shards: Int) throws {
        let problems = try ConformanceSuite.simulatedDisagreement(scenario, SimulatedWorld(shards: shards))
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }
}
