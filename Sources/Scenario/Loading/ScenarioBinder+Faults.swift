import CollectorModel
import Timebase
import Wire
import World

/// A change of the timeline, and what charts and messages call it.
struct BoundChange {
    var change: TimelineEntry.Change
    var text: String
}

extension ScenarioBinder {
    /// Binds a fault of the collector.
    mutating func change(
        _ draft: CollectorFaultFormat.Union.Draft, _ place: Place, _ entry: Located<TimelineDraft>
    ) -> BoundChange? {
        let scope = draft.common
        if entry.value.share != nil, scope.share != nil {
            reading.report(
                .conflict, place, found: "\"share\" twice",
                allowed: "\"share\" in the entry or in \"collector\"")
        }
        let share = scope.share ?? entry.value.share ?? 1
        guard let fault = draft.value else { return nil }
        let isForAll = share >= 1 && scope.device == nil && scope.upload == nil
        fault.check(faultEntry(entry, place, isForAll: isForAll), &reading)
        var text = "collector: \(fault.text)"
        if share < 1 { text += ", \(ScenarioBinder.percent(share)) of requests" }
        if let device = scope.device { text += ", device \(device)" }
        if let upload = scope.upload { text += ", upload \(upload)" }
        return BoundChange(
            change: .collector(
                fault.fault, share: share, device: scope.device.map { UInt32($0) },
                upload: scope.upload.map { UInt32($0) }), text: text)
    }

    /// Binds a fault of the client's side.
    mutating func change(
        _ draft: ClientFaultFormat.Union.Draft, _ place: Place, _ entry: Located<TimelineDraft>,
        _ population: Int?
    ) -> BoundChange? {
        guard let fault = draft.value else { return nil }
        var scope = ClientFaultScope()
        scope.share = entry.value.share ?? 1
        scope.deviceShare = draft.common.deviceShare
        scope.population = population
        scope.device = draft.common.device.map { UInt32($0) }
        scope.uploadNumber = draft.common.upload.map { UInt32($0) }
        fault.check(faultEntry(entry, place, isForAll: scope == ClientFaultScope()), &reading)
        var text = "client: \(fault.text)"
        if scope.share < 1 { text += ", \(ScenarioBinder.percent(scope.share)) of requests" }
        if scope.deviceShare < 1 { text += ", \(ScenarioBinder.percent(scope.deviceShare)) of devices" }
        text += suffix(population)
        if let device = scope.device { text += ", device \(device)" }
        if let upload = scope.uploadNumber { text += ", upload \(upload)" }
        return BoundChange(change: .client(fault.fault, scope), text: text)
    }

    private func faultEntry(
        _ entry: Located<TimelineDraft>, _ place: Place, isForAll: Bool
    ) -> FaultEntry {
        FaultEntry(
            place: place, length: entry.value.length, saysLength: entry.place.node["for"] != nil,
            isForAll: isForAll)
    }

    static func percent(_ share: Double) -> String {
        "\(JSONNode.number((share * 1000).rounded() / 10).compactText) %"
    }
}
