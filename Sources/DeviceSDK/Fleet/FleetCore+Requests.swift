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
    mutating func giveBack(_ slot: Int, request: RequestNumber, network: NetworkKind) {
        let hasNetwork = network != .none
        if request.kind == .upload { system.takeBack(request, isCounted: hasNetwork, of: &devices[slot]) }
        if hasNetwork, !radios.isIdle { radios.takeBack(of: slot) }
    }
}
