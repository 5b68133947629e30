/// What a collector reads in one upload, for people to look at: nothing is stored or counted.
package struct ReadUpload: Sendable, Equatable {
    /// Each event as the JSON text that the store would hold, in order.
    package var events: [String] = []
    /// Why an element is no event, for each that is none; for a request that cannot be opened, why.
    package var undecodable: [UndecodableReason] = []

    /// Reads an upload.
    ///
    /// - Parameters:
    ///   - request: The request, whose body is borrowed.
    ///   - system: Whose upload it is, whatever its path says.
    ///   - plan: What the collector knows beside what is its own: encryptions of GrowingIO's.
    package init(
        _ request: CollectedRequest, of system: CollectorSystem, plan: CollectorPlan = CollectorPlan()
    ) {
        let decoder: any UploadDecoder = CollectedSystems(plan)[system].decoder
        if let refusal = decoder.open(request).refusal {
            undecodable = [refusal.reason]
            return
        }
        decoder.forEachElement { element in
            switch element {
            case .event(let event): events.append(String(decoding: event.payload, as: UTF8.self))
            case .undecodable(let reason): undecodable.append(reason)
            }
        }
    }
}
