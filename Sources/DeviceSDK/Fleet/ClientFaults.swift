package import Timebase
package import World

extension ClientFaultDirector {
    /// The verdict on a request that a device of a fleet asked for: the one place in which both engines
    /// learn who a request's sender is.
    ///
    /// - Parameter index: The device's index in its population.
    /// - Parameter now: When the request begins.
    package func verdict(
        on request: OutgoingRequest, of plan: PopulationPlan, index: Int, at now: Instant
    ) -> ClientFaultVerdict {
        // Without a radio nothing gets as far as the network.
        guard !isIdle, request.network != .none else { return .none }
        let isUpload = request.number.kind == .upload
        return verdict(
            on: ClientRequest(
                population: plan.index, device: plan.firstDevice + UInt32(index),
                stream: plan.stream(.clientFaults, index: index),
                ordinal: UInt64(request.number.number) << 1 | (isUpload ? 0 : 1),
                upload: isUpload ? request.number.number : nil),
            at: now)
    }
}
