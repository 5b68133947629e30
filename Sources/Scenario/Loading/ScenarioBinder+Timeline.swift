import CollectorModel
import DeviceSDK
import Timebase
import World

extension ScenarioBinder {
    /// Binds the timeline; entries at or after the duration are left out with a warning.
    mutating func bindTimeline() -> [TimelineEntry] {
        draft.timeline.compactMap { located in
            let entry = located.value
            checkKeys(entry, located.place)
            guard let at = entry.at, let change = change(entry, located.place) else { return nil }
            guard at < draft.duration else {
                reading.warn(
                    located.place.path.appending("at"),
                    "\(at.text) is not before the end of the run (\(draft.duration.text)): "
                        + "the entry does not happen"
                )
                return nil
            }
            return TimelineEntry(
                at: at, until: entry.length.map { at + $0 }, change: change, text: text(change, entry.length),
                pointer: located.place.path.pointer)
        }
    }

    private mutating func checkKeys(_ entry: TimelineDraft, _ place: Place) {
        let kinds = ["collector", "remoteConfig", "device"]
        let present = kinds.filter { place.node[$0] != nil }
        if present.count != 1 {
            reading.report(
                .conflict, place, found: present.isEmpty ? "none of them" : quotedList(present),
                allowed: "exactly one of: " + quotedList(kinds))
        }
        if let population = entry.population, present != ["device"] {
            reading.report(.conflict, population.place, allowed: "\"population\" only beside \"device\"")
        }
        if let share = place.node["share"], present == ["remoteConfig"] {
            reading.report(
                .conflict, Place(node: share, path: place.path.appending("share")),
                allowed: "no \"share\": a configuration is served to all")
        }
    }

    private mutating func change(_ entry: TimelineDraft, _ place: Place) -> TimelineEntry.Change? {
        if let config = entry.remoteConfig?.value { return .remoteConfig(ScenarioRemoteConfig(config)) }
        if let fault = entry.collector { return change(fault.value, fault.place, entry) }
        guard let device = entry.device?.value, let network = device.network else { return nil }
        var population: Int?
        if let name = entry.population {
            population = draft.populations.firstIndex { $0.name?.value == name.value }
            if population == nil {
                reading.reportUnknown(name.value, name.place, among: populationNames, what: "a population")
            }
        }
        return .network(network, share: entry.share ?? 1, population: population)
    }

    // MARK: Faults

    private mutating func change(
        _ draft: FaultDraft, _ place: Place, _ entry: TimelineDraft
    ) -> TimelineEntry.Change? {
        if entry.share != nil, draft.share != nil {
            reading.report(
                .conflict, place, found: "\"share\" twice",
                allowed: "\"share\" in the entry or in \"collector\"")
        }
        let share = draft.share ?? entry.share ?? 1
        guard let name = draft.fault else { return nil }
        for (key, owner) in [("status", FaultDraft.Fault.status), ("latency", .latency), ("hold", .stall)] {
            guard let node = place.node[key], name != owner else { continue }
            reading.report(
                .conflict, Place(node: node, path: place.path.appending(key)),
                allowed: "\"\(key)\" only for the fault \"\(owner.rawValue)\"")
        }
        guard let fault = fault(name, draft, place) else { return nil }
        if fault == .outage, share < 1 || draft.device != nil || draft.upload != nil {
            reading.report(
                .conflict, place, found: "an outage for some",
                allowed: "an outage for all; \"reset\" has shares")
        }
        return .collector(
            fault, share: share, device: draft.device.map { UInt32($0) },
            upload: draft.upload.map { UInt32($0) })
    }

    private mutating func fault(_ name: FaultDraft.Fault, _ draft: FaultDraft, _ place: Place)
        -> CollectorFault?
    {
        switch name {
        case .outage: return .outage
        case .stall: return .stall(draft.hold)
        case .acceptThenDie: return .acceptThenDie
        case .reset: return .resetBeforeReading
        case .status:
            if let status = draft.status { return .status(UInt16(status)) }
        case .latency:
            if let latency = draft.latency { return .latency(latency) }
        }
        let key = name.rawValue
        if place.node[key] == nil {
            reading.report(
                .missingKey, place, found: "no key \"\(key)\"", allowed: "\"\(key)\" for the fault \"\(key)\""
            )
        }
        return nil
    }

    // MARK: Texts and warnings

    private func text(_ change: TimelineEntry.Change, _ length: Interval?) -> String {
        var text: String
        switch change {
        case .collector(let fault, let share, let device, let upload):
            text = "collector: \(ScenarioBinder.text(fault))"
            if share < 1 { text += ", \(ScenarioBinder.percent(share)) of requests" }
            if let device { text += ", device \(device)" }
            if let upload { text += ", upload \(upload)" }
        case .network(let kind, let share, let population):
            text = "network: \(kind.name)"
            if share < 1 { text += ", \(ScenarioBinder.percent(share)) of devices" }
            if let population { text += ", \(populationNames[population])" }
        case .remoteConfig(let config):
            text = "remote config: \(config.summary)"
        }
        if let length { text += ", for \(length.text)" }
        return text
    }

    private static func text(_ fault: CollectorFault) -> String {
        switch fault {
        case .outage: "outage"
        case .stall(let hold): hold.map { "answers held for \($0.text)" } ?? "no answers"
        case .latency(.constant(let milliseconds)):
            "latency \(Interval.fractional(seconds: milliseconds / 1000).text)"
        case .latency(.lognormal(let median, let sigma)):
            "latency around \(Interval.fractional(seconds: median / 1000).text) "
                + "(sigma \(JSONNode.number(sigma).compactText))"
        case .latency: "latency by a distribution"
        case .status(let status): "status \(status)"
        case .acceptThenDie: "replies lost"
        case .resetBeforeReading: "connections reset"
        }
    }

    private static func percent(_ share: Double) -> String {
        "\(JSONNode.number((share * 1000).rounded() / 10).compactText) %"
    }

    /// Entries that will not reach the devices that they are meant for.
    mutating func warnAboutTimeline(_ timeline: [TimelineEntry], _ populations: [ScenarioPopulation]) {
        let devices = populations.reduce(0) { $0 + $1.devices }
        for entry in timeline {
            let path = JSONPath(text: entry.pointer) ?? JSONPath()
            switch entry.change {
            case .collector(_, _, let device?, _) where Int(device) >= devices:
                reading.warn(path, "there is no device \(device): the devices are 0 to \(devices - 1)")
            case .remoteConfig:
                for population in populations { warnAboutConfig(entry, population, path) }
            case .collector, .network: break
            }
        }
    }

    private mutating func warnAboutConfig(
        _ entry: TimelineEntry, _ population: ScenarioPopulation, _ path: JSONPath
    ) {
        guard case .sensors(let rules) = population.system else { return }
        let config = rules.remoteConfig
        if !config.enabled {
            reading.warn(path, "population \"\(population.name)\" fetches no remote configuration")
        } else if entry.at > .zero, config.fetchOn == .start, config.minimumInterval > draft.duration {
            reading.warn(
                path,
                "devices of population \"\(population.name)\" that fetched before will not fetch again for "
                    + config.minimumInterval.text)
        }
    }
}

extension ScenarioRemoteConfig {
    init(_ draft: RemoteConfigDraft) {
        version = draft.version
        disableSDK = draft.disableSDK
        disableDebugMode = draft.disableDebugMode
        autoTrackMode = draft.autoTrackMode
        eventBlacklist = draft.eventBlacklist
        effectMode = draft.effectMode
    }

    /// What differs from the default.
    var summary: String {
        var parts: [String] = []
        if disableSDK { parts.append("SDK disabled") }
        if disableDebugMode { parts.append("debug mode disabled") }
        if autoTrackMode >= 0 { parts.append("autoTrackMode \(autoTrackMode)") }
        if !eventBlacklist.isEmpty { parts.append("blacklist of \(eventBlacklist.count)") }
        if effectMode == 1 { parts.append("at once") }
        return parts.isEmpty ? "defaults" : parts.joined(separator: ", ")
    }
}
