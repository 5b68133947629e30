import Accounting
import Timebase
import Wire
import World

/// Makes the devices of a population, or of a shard's share of it, with their stores in memory.
///
/// The one place that turns the closed set of systems into their own types.
package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
    switch plan.system {
    case .sensors(let rules):
        SensorsMemoryFleet(
            SystemFleet(
                plan: plan, share: share,
                system: SensorsSystem(plan: plan, rules: rules) { _ in EventLog() }))
    }
}

/// A fleet of Sensors devices that store in memory, under a type that is not generic.
///
/// Behind `any DeviceFleet` a generic class is served by the code for any system at all, which looks
/// up every type at run time (forty times the instructions). Calls from here know the system, so the
/// compiler makes code for it.
private final class SensorsMemoryFleet: DeviceFleet {
    private let fleet: SystemFleet<SensorsSystem<EventLog>>

    init(_ fleet: SystemFleet<SensorsSystem<EventLog>>) { self.fleet = fleet }

    var deviceCount: Int { fleet.deviceCount }
    var populationIndex: Int { fleet.populationIndex }
    var labels: [EventLabel] { fleet.labels }
    var capturedCount: UInt64 { fleet.capturedCount }
    var prefilledCount: UInt64 { fleet.prefilledCount }
    var storedCount: UInt64 { fleet.storedCount }
    var startedCount: Int { fleet.startedCount }
    var foregroundCount: Int { fleet.foregroundCount }
    var planFingerprint: UInt64 { fleet.planFingerprint }

    func globalNumber(of slot: Int) -> UInt32 { fleet.globalNumber(of: slot) }
    func arrival(of slot: Int) -> Instant { fleet.arrival(of: slot) }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        fleet.advance(slot, through: now, effects: &effects)
    }

    func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        fleet.encode(slot, request: request, at: now, into: &body)
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        fleet.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
    }

    func setNetwork(
        _ kind: NetworkKind, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        fleet.setNetwork(kind, of: slot, at: now, effects: &effects)
    }

    func stopUsers(at now: Instant) { fleet.stopUsers(at: now) }
    func isDraining(_ slot: Int) -> Bool { fleet.isDraining(slot) }
    func finish(effects: inout DeviceEffects) { fleet.finish(effects: &effects) }
    func capturedCount(of slot: Int) -> UInt32 { fleet.capturedCount(of: slot) }
}
