package import Timebase
package import World

/// What decides about a population's requests on their way.
///
/// Apart from the plan, and by reference: a copy of the plan for each request would cost more than the verdict.
package final class PopulationLinks: Sendable {
    let population: Int
    let firstDevice: UInt32
    let streams: PopulationStreams
    let network: NetworkRules

    package init(_ plan: PopulationPlan) {
        population = plan.index
        firstDevice = plan.firstDevice
        streams = plan.streams
        network = plan.network
    }
}

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
        on request: OutgoingRequest, from fleet: any DeviceFleet, over links: PopulationLinks, index: Int,
        pace: Int64 = 1, at now: Instant
    ) -> ClientFaultVerdict {
        // Without a radio nothing gets as far as the network; and most requests meet neither faults nor a link.
        guard request.network != .none, !isIdle || request.radio != nil else { return .none }
        let planned = isIdle ? .none : planned(request, links, index, now)
        guard let link = links.network.links[request.network], let radio = request.radio,
            planned.fate != .drop
        else { return planned }
        let leaves = now + planned.delay.stretched(by: pace)
        let bytes =
            link.needsSize ? fleet.wireSize(Int(request.slot), request: request.number, at: leaves) : 0
        // A request that is held back may find its radio gone when it leaves.
        let staysFor =
            radio.changesAt < .distantFuture ? max(.zero, radio.changesAt - leaves) / pace : nil
        let stream = links.streams.stream(.network, index: index).child(1 << 33 | request.ordinal)
        let passage = link.passage(
            of: LinkRequest(stream: stream, bytes: bytes, radio: radio, staysFor: staysFor),
            handover: links.network.handover)
        return planned.followed(by: passage)
    }

    private func planned(
        _ request: OutgoingRequest, _ links: PopulationLinks, _ index: Int, _ now: Instant
    ) -> ClientFaultVerdict {
        verdict(
            on: ClientRequest(
                population: links.population, device: links.firstDevice + UInt32(index),
                stream: links.streams.stream(.clientFaults, index: index), ordinal: request.ordinal,
                upload: request.number.kind == .upload ? request.number.number : nil),
            at: now)
    }
}

extension OutgoingRequest {
    /// Tells a device's requests apart, whatever their kind.
    package var ordinal: UInt64 { UInt64(number.number) << 1 | (number.kind == .upload ? 0 : 1) }
}
