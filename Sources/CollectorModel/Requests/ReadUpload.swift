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
    ///   - ciphers: Encryptions of GrowingIO's beside the collector's own.
    package init(
        _ request: CollectedRequest, of system: CollectorSystem, ciphers: GrowingCiphers = GrowingCiphers()
    ) {
        let decoder = ReadUpload.decoder(of: system, ciphers)
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

    private static func decoder(of system: CollectorSystem, _ ciphers: GrowingCiphers) -> any UploadDecoder {
        switch system {
        case .sensors: SensorsDecoder()
        case .growing: GrowingDecoder(ciphers: ciphers)
        case .trackingSDK: TrackingSDKDecoder()
        case .kit: KitDecoder()
        case .codeless: CodelessDecoder()
        }
    }
}
