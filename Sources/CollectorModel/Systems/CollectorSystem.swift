import Timebase

/// The systems whose uploads a collector can read. The raw value is the name in the store.
///
/// This file is the one list of them: a further system is a case here, its definition, its decoder, and its line in
/// each switch.
package enum CollectorSystem: String, CaseIterable, Sendable {
    case sensors
    case growing
    case trackingSDK = "trackingsdk"
    case kit
    case codeless

    /// What the collector knows of the system, for all that is asked once per request or less.
    var definition: any CollectedSystem.Type {
        switch self {
        case .sensors: SensorsCollected.self
        case .growing: GrowingCollected.self
        case .trackingSDK: TrackingSDKCollected.self
        case .kit: KitCollected.self
        case .codeless: CodelessCollected.self
        }
    }

    /// The forms of the system's uploads.
    package var uploadForms: [UploadForm] { definition.uploadForms }

    /// The fields that hold the events, where its uploads are forms; else none.
    package var eventFields: [String] { definition.eventFields }
}

/// A decoder of each system, by its own type.
struct UploadDecoders {
    let sensors: SensorsCollected.Decoder
    let growing: GrowingCollected.Decoder
    let trackingSDK: TrackingSDKCollected.Decoder
    let kit: KitCollected.Decoder
    let codeless: CodelessCollected.Decoder

    init(_ plan: CollectorPlan) {
        sensors = SensorsCollected.makeDecoder(plan)
        growing = GrowingCollected.makeDecoder(plan)
        trackingSDK = TrackingSDKCollected.makeDecoder(plan)
        kit = KitCollected.makeDecoder(plan)
        codeless = CodelessCollected.makeDecoder(plan)
    }

    /// The decoder of a system, for what is asked for now and then.
    func decoder(of system: CollectorSystem) -> any UploadDecoder {
        switch system {
        case .sensors: sensors
        case .growing: growing
        case .trackingSDK: trackingSDK
        case .kit: kit
        case .codeless: codeless
        }
    }
}

extension CollectorModel {
    /// Takes an upload of a system.
    ///
    /// Each call knows its system's types: what is done per event costs no dispatch, and what a system costs is
    /// its own.
    mutating func receive(
        _ request: CollectedRequest, of system: CollectorSystem, _ now: Instant,
        _ sink: inout some CollectedEventSink, _ decide: (_ firstDevice: () -> UInt32?) -> LateFault
    ) -> (reply: CollectorReply, fault: LateFault) {
        switch system {
        case .sensors: receive(request, SensorsCollected.self, decoders.sensors, now, &sink, decide)
        case .growing: receive(request, GrowingCollected.self, decoders.growing, now, &sink, decide)
        case .trackingSDK:
            receive(request, TrackingSDKCollected.self, decoders.trackingSDK, now, &sink, decide)
        case .kit: receive(request, KitCollected.self, decoders.kit, now, &sink, decide)
        case .codeless: receive(request, CodelessCollected.self, decoders.codeless, now, &sink, decide)
        }
    }
}
