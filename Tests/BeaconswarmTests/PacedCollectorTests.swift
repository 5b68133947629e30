import CollectorModel
import LiveEngine
import Testing
import Timebase

@testable import Beaconswarm

@Suite("The collector of a paced run")
struct PacedCollectorTests {
    private static let start = Instant(milliseconds: 1_767_571_200_000)

    @Test("has its windows at the real times of the run's, and what it takes itself unchanged")
    func plan() {
        let clock = RunClock(showing: Self.start, pace: 3600)
        let deploy = DeployFault(
            instances: 2, down: .minutes(6), warmUp: .minutes(12), latency: .constant(1000))
        var plan = CollectorPlan()
        plan.faults = [
            FaultWindow(
                from: Self.start + .hours(1), until: Self.start + .hours(3), fault: .deploy(deploy)),
            FaultWindow(from: Self.start + .hours(24), until: .distantFuture, fault: .stall(.seconds(2))),
        ]
        plan.configs = [ServedConfig(from: Self.start - .hours(24), version: "0", body: [])]
        plan.seed = 7

        let real = plan.moved(by: clock.realInstant(of:))
        #expect(real.faults[0].from == Self.start + .seconds(1))
        #expect(real.faults[0].until == Self.start + .seconds(3))
        let stages = DeployFault(
            instances: 2, down: .milliseconds(100), warmUp: .milliseconds(200), latency: .constant(1000))
        #expect(real.faults[0].fault == .deploy(stages))
        #expect(real.faults[1].from == Self.start + .seconds(24))
        #expect(real.faults[1].until == .distantFuture)
        #expect(real.faults[1].fault == .stall(.seconds(2)))
        #expect(real.configs[0].from == Self.start - .seconds(24))
        #expect(real.seed == 7)
    }

    @Test("is what it was at the real pace")
    func real() {
        let clock = RunClock(showing: Self.start)
        var plan = CollectorPlan()
        plan.faults = [FaultWindow(from: Self.start, until: Self.start + .hours(1), fault: .outage)]
        #expect(plan.moved(by: clock.realInstant(of:)) == plan)
    }
}
