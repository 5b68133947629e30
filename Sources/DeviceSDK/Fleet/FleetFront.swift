import Accounting
import Timebase
import Wire
import World

/// A type that is not generic in front of a ``SystemFleet``.
///
/// Behind `any DeviceFleet` a generic class is served by the code for any system at all, which looks up
/// every type at run time (forty times the instructions). A front names its system, so the compiler makes
/// code for it: one line per system.
///
/// ```swift
/// private final class KitFleet: FleetFront {
///     let fleet: SystemFleet<KitSystem>
///     init(_ fleet: SystemFleet<KitSystem>) { self.fleet = fleet }
/// }
/// ```
protocol FleetFront: DeviceFleet {
    associatedtype System: TrackingSystem
    var fleet: SystemFleet<System> { get }
}

// Always inlined: each conformance then gets code for its own system.
extension FleetFront {
    @inline(__always) package var deviceCount: Int { fleet.deviceCount }
    @inline(__always) package var populationIndex: Int { fleet.populationIndex }
    @inline(__always) package var labels: [EventLabel] { fleet.labels }
    @inline(__always) package var capturedCount: UInt64 { fleet.capturedCount }
    @inline(__always) package var prefilledCount: UInt64 { fleet.prefilledCount }
    @inline(__always) package var storedCount: UInt64 { fleet.storedCount }
    @inline(__always) package var startedCount: Int { fleet.startedCount }
    @inline(__always) package var foregroundCount: Int { fleet.foregroundCount }
    @inline(__always) package var planFingerprint: UInt64 { fleet.planFingerprint }

    @inline(__always)
    package func globalNumber(of slot: Int) -> UInt32 { fleet.globalNumber(of: slot) }

    @inline(__always)
    package func arrival(of slot: Int) -> Instant { fleet.arrival(of: slot) }

    @inline(__always)
    package func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        fleet.advance(slot, through: now, effects: &effects)
    }

    @inline(__always)
    package func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        fleet.encode(slot, request: request, at: now, into: &body)
    }

    @inline(__always)
    package func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        fleet.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
    }

    @inline(__always)
    package func giveBack(
        _ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant,
        effects: inout DeviceEffects
    ) {
        fleet.giveBack(slot, request: request, network: network, at: now, effects: &effects)
    }

    @inline(__always)
    package func setNetwork(
        _ kind: NetworkKind, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        fleet.setNetwork(kind, of: slot, at: now, effects: &effects)
    }

    @inline(__always)
    package func stopUsers(at now: Instant) { fleet.stopUsers(at: now) }

    @inline(__always)
    package func isDraining(_ slot: Int) -> Bool { fleet.isDraining(slot) }

    @inline(__always)
    package func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        fleet.finish(slots, effects: &effects)
    }

    @inline(__always)
    package func capturedCount(of slot: Int) -> UInt32 { fleet.capturedCount(of: slot) }
}
