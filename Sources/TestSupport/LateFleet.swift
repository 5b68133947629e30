import DeviceSDK
import Timebase
import World

/// A fleet whose devices are woken later than they want to be, as by a shard that comes late: what fell due
/// meanwhile happens in one go, each thing at its own time.
final class LateFleet: ForwardingFleet {
    let base: any DeviceFleet
    private let lateness: Interval

    init(_ base: any DeviceFleet, by lateness: Interval) {
        self.base = base
        self.lateness = lateness
    }

    func arrival(of slot: Int) -> Instant { late(base.arrival(of: slot)) }

    func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        late(base.advance(slot, through: now, effects: &effects))
    }

    func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        late(base.complete(slot, request: request, outcome: outcome, at: now, effects: &effects))
    }

    func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        late(base.setNetwork(change, of: slot, at: now, effects: &effects))
    }

    private func late(_ wake: Instant) -> Instant {
        wake == .distantFuture ? wake : wake + lateness
    }
}
