import Timebase

/// The systems whose uploads a collector can read. The raw value is the name in the store.
///
/// This file is the one list of them, in which the order counts: a request is of the first that takes it. A further
/// system is a case here, before the described ones, its property among the collected, and its line in each switch.
package enum CollectorSystem: String, CaseIterable, Sendable {
    case sensors
    case growing
    case trackingSDK = "trackingsdk"
    case kit
    case codeless
    /// Clients that are described and not programmed; their names in the store are their own.
    case declared

    /// What is known of the system whatever a collector's plan says.
    var definition: any CollectedSystem.Type {
        switch self {
        case .sensors: SensorsCollected.self
        case .growing: GrowingCollected.self
        case .trackingSDK: TrackingSDKCollected.self
        case .kit: KitCollected.self
        case .codeless: CodelessCollected.self
        case .declared: DeclaredCollected.self
        }
    }

    /// The forms of the system's uploads.
    package var uploadForms: [UploadForm] { definition.uploadForms }

    /// The fields that hold the events, where its uploads are forms; else none.
    package var eventFields: [String] { definition.eventFields }

    /// What its events look like.
    package var eventShape: EventShape { definition.eventShape }
}

/// Each system in one collector, by its own type.
struct CollectedSystems {
    let sensors: SensorsCollected
    let growing: GrowingCollected
    let trackingSDK: TrackingSDKCollected
    let kit: KitCollected
    let codeless: CodelessCollected
    let declared: DeclaredCollected
    /// All of them in the order of the list, for what is asked once per request or less.
    private var all: [any CollectedSystem] = []

    init(_ plan: CollectorPlan) {
        sensors = SensorsCollected(plan)
        growing = GrowingCollected(plan)
        trackingSDK = TrackingSDKCollected(plan)
        kit = KitCollected(plan)
        codeless = CodelessCollected(plan)
        declared = DeclaredCollected(plan)
        all = CollectorSystem.allCases.map { self[$0] }
    }

    subscript(system: CollectorSystem) -> any CollectedSystem {
        switch system {
        case .sensors: sensors
        case .growing: growing
        case .trackingSDK: trackingSDK
        case .kit: kit
        case .codeless: codeless
        case .declared: declared
        }
    }

    /// What a request is, to the first system in the list that takes it; `nil` if none does.
    func purpose(
        of request: borrowing CollectedRequest
    ) -> (system: CollectorSystem, purpose: RequestPurpose)? {
        for member in all {
            if let purpose = member.purpose(of: request) { return (type(of: member).system, purpose) }
        }
        return nil
    }
}

extension CollectorModel {
    /// Takes an upload of a system.
    ///
    /// Each call knows its system's types: what is done per event costs no dispatch, and what a system costs is
    /// its own.
    mutating func receive(
        _ request: CollectedRequest, of system: CollectorSystem, _ now: Instant,
        _ sink: inout some CollectedEventSink, _ decide: Decision
    ) -> (reply: CollectorReply, fault: LateFault) {
        defer { giveBackMemory(of: system) }
        return switch system {
        case .sensors: receive(request, collected.sensors, now, &sink, decide)
        case .growing: receive(request, collected.growing, now, &sink, decide)
        case .trackingSDK: receive(request, collected.trackingSDK, now, &sink, decide)
        case .kit: receive(request, collected.kit, now, &sink, decide)
        case .codeless: receive(request, collected.codeless, now, &sink, decide)
        case .declared: receive(request, collected.declared, now, &sink, decide)
        }
    }

    /// The memory of texts that a system may keep for its next request: uploads of devices have less by far.
    private static var keptBytes: Int { 4 << 20 }

    /// Gives back the memory of a system that has read a large upload: one after the other, each would keep that of its
    /// largest for ever.
    private mutating func giveBackMemory(of system: CollectorSystem) {
        guard collected[system].decoder.textCapacity > CollectorModel.keptBytes else { return }
        collected = CollectedSystems(plan)
    }
}
