package import Accounting
package import Timebase
package import Wire
package import World

/// A fleet that passes everything on to another but for what it looks at, or changes, itself: for measurements and
/// tests. A call costs one more dispatch.
package protocol ForwardingFleet: DeviceFleet {
    /// Where everything goes.
    var base: any DeviceFleet { get }
}

extension ForwardingFleet {
    package var deviceCount: Int { base.deviceCount }
    package var populationIndex: Int { base.populationIndex }
    package var labels: [EventLabel] { base.labels }
    package var capturedCount: UInt64 { base.capturedCount }
    package var prefilledCount: UInt64 { base.prefilledCount }
    package var storedCount: UInt64 { base.storedCount }
    package var startedCount: Int { base.startedCount }
    package var foregroundCount: Int { base.foregroundCount }
    package var radioTime: TotalTime? { base.radioTime }
    package var radioWakeups: UInt64? { base.radioWakeups }
    package var planFingerprint: UInt64 { base.planFingerprint }

    package func globalNumber(of slot: Int) -> UInt32 { base.globalNumber(of: slot) }
    package func arrival(of slot: Int) -> Instant { base.arrival(of: slot) }
    package func prefetch(_ slot: Int, isNext: Bool) { base.prefetch(slot, isNext: isNext) }
    package func stopUsers(at now: Instant) { base.stopUsers(at: now) }
    package func isDraining(_ slot: Int) -> Bool { base.isDraining(slot) }
    package func capturedCount(of slot: Int) -> UInt32 { base.capturedCount(of: slot) }
    package func edition(of slot: Int) -> Int { base.edition(of: slot) }
    package func isLatched(_ slot: Int) -> Bool { base.isLatched(slot) }
    package func updatedCount(at now: Instant) -> Int? { base.updatedCount(at: now) }

    package func advance(_ slot: Int, through now: Instant, effects: inout DeviceEffects) -> Instant {
        base.advance(slot, through: now, effects: &effects)
    }

    package func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        base.encode(slot, request: request, at: now, into: &body)
    }

    package func wireSize(_ slot: Int, request: RequestNumber, at now: Instant) -> Int {
        base.wireSize(slot, request: request, at: now)
    }

    package func carry(
        _ slot: Int, request: RequestNumber, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        base.carry(slot, request: request, at: now, into: &events)
    }

    package func encodePlain(
        _ slot: Int, request: RequestNumber, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        base.encodePlain(slot, request: request, at: now, into: &plain)
    }

    package func complete(
        _ slot: Int, request: RequestNumber, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects
    ) -> Instant {
        base.complete(slot, request: request, outcome: outcome, at: now, effects: &effects)
    }

    package func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant) {
        base.giveBack(slot, request: request, network: network, at: now)
    }

    package func setNetwork(
        _ change: NetworkChange, of slot: Int, at now: Instant, effects: inout DeviceEffects
    ) -> Instant {
        base.setNetwork(change, of: slot, at: now, effects: &effects)
    }

    package func finish(_ slots: Range<Int>, effects: inout DeviceEffects) {
        base.finish(slots, effects: &effects)
    }
}
