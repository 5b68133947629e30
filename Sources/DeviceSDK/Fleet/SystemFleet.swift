package import Accounting
import AppModel
package import Timebase
package import Wire
package import World

/// The devices of one population, or of a shard's share of it, that run one system.
///
/// Generic over the system, so that the hot path has neither existentials nor a device type as wide
/// as the largest system. Confined to the engine's thread.
///
/// Order of things on one device: by due time; at one instant user actions come before timers, so
/// that a flush takes what was captured at its very moment along.
package final class SystemFleet<System: TrackingSystem>: DeviceFleet {
    /// Everything that changes, in one value: each call of an engine is one access to it, and what
    /// happens inside needs no further checks and copies nothing.
    private var core: FleetCore<System>

    /// Makes the devices of a share; none has arrived yet.
    package init(plan: PopulationPlan, share: ShardShare, system: System) {
        core = FleetCore(plan: plan, share: share, system: system)
    }

    package var deviceCount: Int { core.devices.count }
    package var populationIndex: Int { core.plan.index }
    package var labels: [EventLabel] { core.system.labels }
    package var capturedCount: UInt64 { core.capturedCount }
    package var prefilledCount: UInt64 { core.prefilledCount }
    package var storedCount: UInt64 { core.storedCount }
    package var startedCount: Int { core.startedCount }
    package var foregroundCount: Int { core.foregroundCount }
    package var planFingerprint: UInt64 { core.planFingerprint }

    package func globalNumber(of slot: Int) -> UInt32 {
        core.plan.number(ofIndex: core.share.populationIndex(ofSlot: slot), slot: slot)
    }

    /// Never for a device whose turn would come when the users have gone.
    package func arrival(of slot: Int) -> Instant { core.arrival(of: slot) }

    package func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        core.advance(slot, through: now, effects: &effects)
    }

    package func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        core.encode(slot, request: request, at: now, into: &body)
    }

    package func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        core.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
    }

    package func giveBack(
        _ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant,
        effects: inout DeviceEffects
    ) {
        core.giveBack(slot, request: request, network: network, at: now, effects: &effects)
    }

    package func setNetwork(
        _ kind: NetworkKind, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        core.setNetwork(kind, of: slot, at: now, effects: &effects)
    }

    package func stopUsers(at now: Instant) { core.usersEnd = min(core.usersEnd, now) }
    package func isDraining(_ slot: Int) -> Bool { core.isDraining(slot) }
    package func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        core.finish(slots, effects: &effects)
    }
    package func capturedCount(of slot: Int) -> UInt32 { core.devices[slot].nextSequence }
}
