import Timebase
import Wire
import World

// What becomes of a request that a device asked for: its bytes, its events alone, or that it never left.

extension FleetCore {
    mutating func encode(
        _ slot: Int, request: RequestNumber, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        useRules(of: slot)
        return system.encode(request, of: &devices[slot], at: now, into: &body)
    }

    mutating func carry(
        _ slot: Int, request: RequestNumber, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        useRules(of: slot)
        return system.carry(request, of: &devices[slot], at: now, into: &events)
    }

    mutating func encodePlain(
        _ slot: Int, request: RequestNumber, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        useRules(of: slot)
        return system.encodePlain(request, of: &devices[slot], at: now, into: &plain)
    }

    /// What was asked for without a network was never counted.
    mutating func giveBack(
        _ slot: Int, request: RequestNumber, network: NetworkKind, at now: Instant,
        effects: inout DeviceEffects
    ) {
        useRules(of: slot)
        if request.kind == .upload, network != .none { system.takeBack(request, of: &devices[slot]) }
        if network != .none, !radios.isIdle { radios.takeBack(of: slot) }
        _ = complete(slot, request: request, outcome: .failed(.offline), at: now, effects: &effects)
    }
}
