package import Timebase
package import World

extension ClientFaultDirector {
    /// The verdict on a request that a device of a fleet asked for, of the plan's faults first and then of the
    /// device's link: the one place in which both engines learn what becomes of a request on the client's side.
    ///
    /// - Parameters:
    ///   - fleet: Whose device in `request.slot` it is.
    ///   - index: The device's index in its population.
    ///   - pace: Seconds of the run's clock in a second of the network's.
    ///   - now: When the request begins.
    package func verdict(
        on request: OutgoingRequest, from fleet: any DeviceFleet, of plan: @autoclosure () -> PopulationPlan,
        index: Int,
        pace: Int64 = 1, at now: Instant
    ) -> ClientFaultVerdict {
        // Without a radio nothing gets as far as the network; and most requests meet neither faults nor a link, so that
        // their plan is not looked at.
        guard request.network != .none, !isIdle || request.radio != nil else { return .none }
        let plan = plan()
        let planned = isIdle ? .none : planned(request, plan, index, now)
        guard let link = plan.network.links[request.network], let radio = request.radio,
            planned.fate != .drop
        else { return planned }
        let leaves = now + planned.delay * pace
        let bytes =
            link.needsSize ? fleet.wireSize(Int(request.slot), request: request.number, at: leaves) : 0
        let staysFor =
            radio.changesAt < .distantFuture && radio.changesAt > leaves
            ? (radio.changesAt - leaves) / pace : nil
        let stream = plan.stream(.network, index: index).child(1 << 33 | request.ordinal)
        let passage = link.passage(
            of: LinkRequest(stream: stream, bytes: bytes, radio: radio, staysFor: staysFor),
            handover: plan.network.handover)
        return planned.followed(by: passage)
    }

    private func planned(
        _ request: OutgoingRequest, _ plan: PopulationPlan, _ index: Int, _ now: Instant
    ) -> ClientFaultVerdict {
        verdict(
            on: ClientRequest(
                population: plan.index, device: plan.firstDevice + UInt32(index),
                stream: plan.stream(.clientFaults, index: index), ordinal: request.ordinal,
                upload: request.number.kind == .upload ? request.number.number : nil),
            at: now)
    }
}

extension OutgoingRequest {
    /// Tells a device's requests apart, whatever their kind.
    package var ordinal: UInt64 { UInt64(number.number) << 1 | (number.kind == .upload ? 0 : 1) }
}
