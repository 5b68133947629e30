import AppModel
import CollectorModel
import DeclaredSDK
import DeviceSDK
import SDKDescription
import SensorsSDK
import Timebase
import Wire
import World

extension ScenarioBinder {
    /// Binds the timeline; entries at or after the duration are left out with a warning.
    mutating func bindTimeline() -> [TimelineEntry] {
        checkEntryNames()
        return draft.timeline.enumerated().compactMap { number, located in
            let entry = located.value
            checkKeys(entry, located.place)
            guard let at = entry.at, let bound = change(entry, number: number, located.place) else {
                return nil
            }
            guard at < draft.duration else {
                reading.warn(
                    located.place.path.appending("at"),
                    "\(at.text) is not before the end of the run (\(draft.duration.text)): "
                        + "the entry does not happen"
                )
                return nil
            }
            let over = entry.sdk == nil ? nil : entry.over.map(\.value).flatMap { $0 > .zero ? $0 : nil }
            let length = entry.push?.value.within ?? over ?? entry.length
            return TimelineEntry(
                name: entry.name?.value, at: at, until: length.map { at + $0 }, change: bound.change,
                text: bound.text + (entry.length.map { ", for \($0.text)" } ?? ""),
                pointer: located.place.path.pointer)
        }
    }

    private mutating func checkEntryNames() {
        var seen: Set<String> = []
        for name in draft.timeline.compactMap(\.value.name) where !seen.insert(name.value).inserted {
            reading.report(.conflict, name.place, allowed: "a name that no other entry has")
        }
    }

    private mutating func checkKeys(_ entry: TimelineDraft, _ place: Place) {
        let all = TimelineDraft.Kind.allCases
        let kinds = all.filter { hasDevices || !$0.needsDevices }.map(\.rawValue)
        let present = all.map(\.rawValue).filter { place.node[$0] != nil }
        if present.count != 1 {
            reading.report(
                .conflict, place, found: present.isEmpty ? "none of them" : quotedList(present),
                allowed: "exactly one of: " + quotedList(kinds))
        }
        guard hasDevices else { return checkKeysWithoutDevices(entry) }
        if let population = entry.population, ![["client"], ["device"], ["push"], ["sdk"]].contains(present) {
            reading.report(
                .conflict, population.place,
                allowed: "\"population\" only beside \"client\", \"device\", \"push\" or \"sdk\"")
        }
        if let region = entry.region, entry.device?.value.network == nil {
            reading.report(
                .conflict, region.place, allowed: "\"region\" only beside \"device\" with a \"network\"")
        } else if let region = entry.region, entry.share == nil {
            reading.report(
                .conflict, region.place, allowed: "\"region\" beside a \"share\", which says how large it is")
        }
        if let length = place.node["for"], present == ["push"] {
            reading.report(
                .conflict, Place(node: length, path: place.path.appending("for")),
                allowed: "no \"for\": a notification is sent once; \"within\" says how long users take")
        }
        checkRollOut(entry, place, present)
    }

    /// What says which devices are meant means nothing where there are none.
    private mutating func checkKeysWithoutDevices(_ entry: TimelineDraft) {
        let places = [("population", entry.population?.place), ("region", entry.region?.place)]
        for (key, place) in places {
            guard let place else { continue }
            reading.report(.conflict, place, allowed: "no \"\(key)\": there are no devices here")
        }
        if let over = entry.over, entry.remoteConfig == nil {
            reading.report(.conflict, over.place, allowed: "no \"over\": there are no devices here")
        }
    }

    private mutating func change(_ entry: TimelineDraft, number: Int, _ place: Place) -> BoundChange? {
        if let draft = entry.remoteConfig?.value {
            var config = ScenarioRemoteConfig(draft)
            if entry.isRolledOut {
                config.spread = .init(
                    over: entry.over?.value ?? .zero, share: entry.share ?? 1, number: UInt64(number))
            }
            if draft.answer != nil, draft != RemoteConfigDraft(answer: draft.answer, path: draft.path) {
                reading.report(
                    .conflict, place, found: "\"answer\" beside other keys",
                    allowed:
                        "\"answer\" alone or with \"path\": it is for described SDKs, all else is for Sensors"
                )
            }
            if draft.path != nil, draft.answer == nil {
                reading.report(
                    .conflict, place, found: "\"path\" without \"answer\"",
                    allowed: "\"path\" beside \"answer\": Sensors has one configuration")
            }
            return BoundChange(
                change: .remoteConfig(config),
                text: "remote config: \(config.summary)" + pace(of: entry))
        }
        let located = Located(value: entry, place: place)
        if let fault = entry.collector { return change(fault.value, fault.place, located) }
        let population = population(of: entry)
        if let fault = entry.client { return change(fault.value, fault.place, located, population) }
        if let push = entry.push { return change(push.value, push.place, entry, population) }
        if let sdk = entry.sdk { return change(sdk, entry, population) }
        guard let device = entry.device else { return nil }
        return change(device.value, device.place, entry, population)
    }

    private mutating func change(
        _ device: DeviceDraft, _ place: Place, _ entry: TimelineDraft, _ population: Int?
    ) -> BoundChange? {
        let kinds = ["network", "disk", "consent"]
        let present = kinds.filter { place.node[$0] != nil }
        guard present.count == 1 else {
            reading.report(
                .conflict, place, found: present.isEmpty ? "none of them" : quotedList(present),
                allowed: "exactly one of: " + quotedList(kinds))
            return nil
        }
        let share = entry.share ?? 1
        let some = share < 1 ? ", \(ScenarioBinder.percent(share)) of devices" : ""
        if let network = device.network {
            let region = entry.region.map { " in region \($0.value)" } ?? ""
            return BoundChange(
                change: .network(
                    network, share: share, population: population, region: entry.region?.value),
                text: "network: \(network.name)" + some + region + suffix(population))
        }
        if let consent = device.consent {
            return BoundChange(
                change: .consent(isGiven: consent == .given, share: share, population: population),
                text: "consent \(consent.rawValue)"
                    + (share < 1 ? " by \(ScenarioBinder.percent(share)) of users" : "") + suffix(population))
        }
        guard let disk = device.disk else { return nil }
        if disk == .corrupt, entry.length != nil {
            reading.warn(place.path, "no disk repairs a damaged file: \"for\" means nothing here")
        }
        return BoundChange(
            change: .disk(disk, share: share, population: population),
            text: "disk: \(disk.rawValue)" + some + suffix(population))
    }

    private mutating func change(
        _ push: PushDraft, _ place: Place, _ entry: TimelineDraft, _ population: Int?
    ) -> BoundChange {
        if entry.share != nil, push.share != nil {
            reading.report(
                .conflict, place, found: "\"share\" twice", allowed: "\"share\" in the entry or in \"push\"")
        }
        let share = push.share ?? entry.share ?? 1
        return BoundChange(
            change: .push(share: share, within: push.within, population: population),
            text: "push: \(ScenarioBinder.percent(share)) of users open the app within \(push.within.text)"
                + suffix(population))
    }

    /// The end of an entry's text that says whom alone it concerns: nothing for a population that has no name yet.
    func suffix(_ population: Int?) -> String {
        population.flatMap { draft.populations[$0].name?.value }.map { ", \($0)" } ?? ""
    }

    /// The index of the population that an entry names.
    private mutating func population(of entry: TimelineDraft) -> Int? {
        guard let name = entry.population else { return nil }
        let population = draft.populations.firstIndex { $0.name?.value == name.value }
        if population == nil {
            reading.reportUnknown(name.value, name.place, among: populationNames, what: "a population")
        }
        return population
    }

    // MARK: Warnings

    /// Entries that will not reach the devices that they are meant for.
    mutating func warnAboutTimeline(_ timeline: [TimelineEntry], _ populations: [ScenarioPopulation]) {
        let devices = populations.reduce(0) { $0 + $1.devices }
        for entry in timeline {
            let path = JSONPath(text: entry.pointer) ?? JSONPath()
            switch entry.change {
            case .collector(_, _, let device?, _) where Int(device) >= devices:
                reading.warn(path, "there is no device \(device): the devices are 0 to \(devices - 1)")
            case .client(_, let scope):
                guard let device = scope.device, Int(device) >= devices else { continue }
                reading.warn(path, "there is no device \(device): the devices are 0 to \(devices - 1)")
            case .remoteConfig(let config) where config.answer != nil:
                warnAboutAnswer(config, populations, path)
            case .remoteConfig:
                for population in populations { warnAboutConfig(entry, population, path) }
            case .push(_, _, let only):
                for (index, population) in populations.enumerated()
                where only ?? index == index && population.persona.steadyRate != nil {
                    reading.warn(
                        path,
                        "users of population \"\(population.name)\" have the app open all the time: a notification "
                            + "changes nothing for them")
                }
            case .consent(_, _, let only): warnAboutConsent(populations, only, path)
            case .collector, .network, .disk, .rollOut: break
            }
        }
        warnAboutVersions(timeline, populations)
    }

    private mutating func warnAboutAnswer(
        _ config: ScenarioRemoteConfig, _ populations: [ScenarioPopulation], _ path: JSONPath
    ) {
        let fetched = populations.compactMap { $0.system as? DeclaredRules }
            .flatMap { UploadDescription($0.sdk).configs }
        guard let wanted = config.answerPath else {
            if fetched.isEmpty {
                reading.warn(path, "no described SDK fetches a configuration (sdk.config)")
            }
            return
        }
        let pattern = RequestPattern(.get, wanted)
        guard !fetched.contains(where: { $0.pattern.overlaps(pattern) }) else { return }
        reading.warn(path, "no described SDK fetches a configuration at \"\(wanted)\" (sdk.config)")
    }

    private mutating func warnAboutConsent(
        _ populations: [ScenarioPopulation], _ only: Int?, _ path: JSONPath
    ) {
        for (index, population) in populations.enumerated() where only ?? index == index {
            guard (population.system as? DeclaredRules)?.sdk.consent == nil else { continue }
            reading.warn(
                path,
                "population \"\(population.name)\" has no described SDK with a group \"consent\": nothing changes for it"
            )
        }
    }

    private mutating func warnAboutConfig(
        _ entry: TimelineEntry, _ population: ScenarioPopulation, _ path: JSONPath
    ) {
        guard let rules = population.system as? SensorsRules else { return }
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
        answer = draft.answer
        answerPath = draft.path
    }

    /// What differs from the default.
    var summary: String {
        if let answer { return (answerPath.map { "\($0): " } ?? "") + answer.compactText }
        var parts: [String] = []
        if disableSDK { parts.append("SDK disabled") }
        if disableDebugMode { parts.append("debug mode disabled") }
        if autoTrackMode >= 0 { parts.append("autoTrackMode \(autoTrackMode)") }
        if !eventBlacklist.isEmpty { parts.append("blacklist of \(eventBlacklist.count)") }
        if effectMode == 1 { parts.append("at once") }
        return parts.isEmpty ? "defaults" : parts.joined(separator: ", ")
    }
}
