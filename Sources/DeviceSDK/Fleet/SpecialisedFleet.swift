package import Accounting
package import Timebase
package import Wire
package import World

/// A fleet whose class names its system, so that the compiler makes code for that system alone.
///
/// Behind `any DeviceFleet` a generic class is served by the code for any system at all, which looks up
/// every type at run time (forty times the instructions). So each system has a class of its own, one line,
/// in its folder:
///
/// ```swift
/// private final class KitFleet: SpecialisedFleet {
///     @exclusivity(unchecked) var core: FleetCore<KitSystem>
///     init(_ core: FleetCore<KitSystem>) { self.core = core }
/// }
/// ```
///
/// A fleet is confined to the engine's thread, and nothing that it calls knows it: that no two calls of an engine
/// are under way at once needs no check at each of them.
package protocol SpecialisedFleet: DeviceFleet {
    associatedtype System: TrackingSystem
    /// Everything that changes, in one value: each call of an engine is one access to it, and what
    /// happens inside needs no further checks and copies nothing.
    var core: FleetCore<System> { get set }
}

// Always inlined: each conformance then gets code for its own system.
extension SpecialisedFleet {
    @inline(__always) package var deviceCount: Int { core.devices.count }
    @inline(__always) package var populationIndex: Int { core.plan.index }
    @inline(__always) package var labels: [EventLabel] { core.system.labels }
    @inline(__always) package var capturedCount: UInt64 { core.capturedCount }
    @inline(__always) package var prefilledCount: UInt64 { core.prefilledCount }
    @inline(__always) package var storedCount: UInt64 { UInt64(core.storedSum) }
    @inline(__always) package var startedCount: Int { core.startedCount }
    @inline(__always) package var foregroundCount: Int { core.foregroundCount }
    @inline(__always) package var radioTime: TotalTime? { core.radioTime }
    @inline(__always) package var radioWakeups: UInt64? { core.radioWakeups }
    @inline(__always) package var planFingerprint: UInt64 { core.planFingerprint }

    @inline(__always)
    package func globalNumber(of slot: Int) -> UInt32 { core.globalNumber(of: slot) }

    /// Never for a device whose turn would come when the users have gone.
    @inline(__always)
    package func arrival(of slot: Int) -> Instant { core.arrival(of: slot) }

    @inline(__always)
    package func prefetch(_ slot: Int, isNext: Bool) { core.prefetch(slot, isNext: isNext) }

    @inline(__always)
    package func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        core.advance(slot, through: now, effects: &effects)
    }

    @inline(__always)
    package func runAhead(
        _ slot: Int, from now: Instant, before limit: Instant, effects: inout DeviceEffects
    ) -> RunAhead {
        core.runAhead(slot, from: now, before: limit, effects: &effects)
    }

    @inline(__always)
    package func catchUp(to now: Instant, interval: Interval) -> Bool {
        core.catchUp(to: now, interval: interval)
    }

    @inline(__always)
    package func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        core.encode(slot, request: request, at: now, into: &body)
    }

    @inline(__always)
    package func wireSize(_ slot: Int, request: RequestNumber, at now: Instant) -> Int {
        core.modelledSize(slot, request: request, at: now) ?? encodedSize(slot, request: request, at: now)
    }

    @inline(__always)
    package func carry(
        _ slot: Int, request: RequestNumber, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        core.carry(slot, request: request, at: now, into: &events)
    }

    @inline(__always)
    package func encodePlain(
        _ slot: Int, request: RequestNumber, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        core.encodePlain(slot, request: request, at: now, into: &plain)
    }

    @inline(__always)
    package func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        core.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
    }

    @inline(__always)
    package func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant) {
        core.giveBack(slot, request: request, network: network)
    }

    @inline(__always)
    package func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        core.setNetwork(change, of: slot, at: now, effects: &effects)
    }

    @inline(__always)
    package func stopUsers(at now: Instant) { core.usersEnd = min(core.usersEnd, now) }

    @inline(__always)
    package func isDraining(_ slot: Int) -> Bool { core.isDraining(slot) }

    @inline(__always)
    package func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        core.finish(slots, effects: &effects)
    }

    @inline(__always)
    package func edition(of slot: Int) -> Int { core.edition(of: slot) }

    @inline(__always)
    package func isLatched(_ slot: Int) -> Bool { core.devices[slot].isLatched }

    @inline(__always)
    package func updatedCount(at now: Instant) -> Int? { core.updatedCount(at: now) }

    @inline(__always)
    package func capturedCount(of slot: Int) -> UInt32 { core.devices[slot].nextSequence }
}

/// The fleet of a system that gets its store from elsewhere. Behind `any DeviceFleet` it is not specialised: the disk
/// costs more than that.
package final class GenericFleet<System: TrackingSystem>: SpecialisedFleet {
    package var core: FleetCore<System>

    /// Makes the devices of a share; none has arrived yet.
    package init(plan: PopulationPlan, share: ShardShare, system: System) {
        core = FleetCore(plan: plan, share: share, system: system)
    }
}
