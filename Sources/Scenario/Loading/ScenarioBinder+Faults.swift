import CollectorModel
import Timebase
import World

// MARK: - Faults of the collector

extension ScenarioBinder {
    mutating func change(
        _ draft: FaultDraft, _ place: Place, _ entry: TimelineDraft
    ) -> TimelineEntry.Change? {
        if entry.share != nil, draft.share != nil {
            reading.report(
                .conflict, place, found: "\"share\" twice",
                allowed: "\"share\" in the entry or in \"collector\"")
        }
        let share = draft.share ?? entry.share ?? 1
        guard let name = draft.fault else { return nil }
        for (key, owners) in FaultDraft.owners where !owners.contains(name) {
            let noun = owners.count == 1 ? "fault" : "faults"
            refuse(key, in: place, allowed: "\(noun) \(quotedList(owners.map(\.rawValue)))")
        }
        guard let fault = fault(name, draft, place) else { return nil }
        if fault == .outage, share < 1 || draft.device != nil || draft.upload != nil {
            reading.report(
                .conflict, place, found: "an outage for some",
                allowed: "an outage for all; \"reset\" has shares")
        }
        if case .deploy(let rules) = fault { check(rules, place, entry) }
        return .collector(
            fault, share: share, device: draft.device.map { UInt32($0) },
            upload: draft.upload.map { UInt32($0) })
    }

    /// Reports a key that belongs to other faults.
    private mutating func refuse(_ key: String, in place: Place, allowed owners: String) {
        guard let node = place.node[key] else { return }
        reading.report(
            .conflict, Place(node: node, path: place.path.appending(key)),
            allowed: "\"\(key)\" only for the \(owners)")
    }

    /// Reports a key without which a fault says nothing.
    private mutating func demand(_ key: String, of fault: String, in place: Place) {
        guard place.node[key] == nil else { return }
        reading.report(
            .missingKey, place, found: "no key \"\(key)\"", allowed: "\"\(key)\" for the fault \"\(fault)\"")
    }

    private mutating func fault(_ name: FaultDraft.Fault, _ draft: FaultDraft, _ place: Place)
        -> CollectorFault?
    {
        switch name {
        case .outage: return .outage
        case .stall: return .stall(draft.hold)
        case .acceptThenDie: return .acceptThenDie
        case .reset: return .resetBeforeReading
        case .truncate: return .truncate(bytes: draft.bytes ?? 1000)
        case .wrongContent:
            return .wrongContent(
                status: UInt16(draft.status ?? 200),
                page: draft.body.map { Array($0.utf8) } ?? CollectorFault.portalPage)
        case .status:
            if let status = draft.status {
                return .status(UInt16(status), retryAfter: draft.retryAfter, stored: draft.stored)
            }
        case .latency:
            if let latency = draft.latency { return .latency(latency) }
        case .slowBody:
            if let pace = draft.bytesPerSecond, let bytes = draft.bytes {
                return .slowBody(SlowBodyFault(bytesPerSecond: pace, bytes: bytes))
            }
        case .capacity:
            if let rate = draft.rate, let queue = draft.queue {
                return .capacity(
                    CapacityFault(
                        rate: rate, queue: queue, degrade: draft.degrade ?? 0,
                        status: UInt16(draft.status ?? 503), retryAfter: draft.retryAfter))
            }
        case .deploy:
            if let instances = draft.instances, let down = draft.down {
                return .deploy(
                    DeployFault(
                        instances: instances, down: down, warmUp: draft.warmUp ?? .zero,
                        latency: draft.latency ?? .constant(1000)))
            }
        }
        for key in ScenarioBinder.requiredKeys(of: name) { demand(key, of: name.rawValue, in: place) }
        return nil
    }

    private static func requiredKeys(of fault: FaultDraft.Fault) -> [String] {
        switch fault {
        case .status: ["status"]
        case .latency: ["latency"]
        case .slowBody: ["bytesPerSecond", "bytes"]
        case .capacity: ["rate", "queue"]
        case .deploy: ["instances", "down"]
        case .outage, .stall, .acceptThenDie, .reset, .truncate, .wrongContent: []
        }
    }

    /// A deployment needs room for each of its instances.
    private mutating func check(_ rules: DeployFault, _ place: Place, _ entry: TimelineDraft) {
        guard let length = entry.length else {
            reading.report(
                .missingKey, place, found: "no \"for\" in the entry",
                allowed: "\"for\" for the fault \"deploy\"")
            return
        }
        let part = length / Int64(rules.instances)
        guard rules.down + rules.warmUp > part else { return }
        reading.report(
            .conflict, place, found: "\((rules.down + rules.warmUp).text) for each instance",
            allowed: "\"down\" and \"warmUp\" of at most \(part.text) together: the entry's time, shared by "
                + "\(rules.instances)")
    }
}

// MARK: - Faults of the client's side

extension ScenarioBinder {
    mutating func change(
        _ draft: ClientFaultDraft, _ place: Place, _ entry: TimelineDraft, _ population: Int?
    ) -> TimelineEntry.Change? {
        guard let name = draft.fault else { return nil }
        for (key, owner) in ClientFaultDraft.owners where owner != name {
            refuse(key, in: place, allowed: "fault \"\(owner.rawValue)\"")
        }
        var scope = ClientFaultScope()
        scope.share = entry.share ?? 1
        scope.deviceShare = draft.deviceShare
        scope.population = population
        scope.device = draft.device.map { UInt32($0) }
        scope.uploadNumber = draft.upload.map { UInt32($0) }
        switch name {
        case .drop: return .client(.drop, scope)
        case .reset: return .client(.reset(draft.after ?? .connect), scope)
        case .lostReply: return .client(.lostReply(draft.seenAs ?? .reset), scope)
        case .delay:
            if let latency = draft.latency { return .client(.delay(latency), scope) }
            demand("latency", of: name.rawValue, in: place)
            return nil
        }
    }
}

// MARK: - Texts

extension ScenarioBinder {
    static func text(_ fault: CollectorFault) -> String {
        switch fault {
        case .outage: "outage"
        case .stall(let hold): hold.map { "answers held for \($0.text)" } ?? "no answers"
        case .latency(let distribution): "latency " + text(distribution)
        case .status(let status, let retryAfter, let stored):
            "status \(status)" + (stored ? " for what is stored" : "") + text(retryAfter: retryAfter)
        case .acceptThenDie: "replies lost"
        case .resetBeforeReading: "connections reset"
        case .slowBody(let rules): "bodies of \(rules.bytes) bytes at \(rules.bytesPerSecond) bytes/s"
        case .truncate: "answers cut off"
        case .wrongContent(let status, _): "status \(status) with a page of somebody else"
        case .capacity(let rules):
            "capacity of \(JSONNode.number(rules.rate).compactText) requests/s, \(rules.queue) waiting, then "
                + "\(rules.status)" + text(retryAfter: rules.retryAfter)
        case .deploy(let rules):
            "deployment of \(rules.instances) instance\(rules.instances == 1 ? "" : "s"), each down for "
                + rules.down.text
        }
    }

    private static func text(retryAfter: Interval?) -> String {
        retryAfter.map { ", Retry-After \($0.text)" } ?? ""
    }

    static func percent(_ share: Double) -> String {
        "\(JSONNode.number((share * 1000).rounded() / 10).compactText) %"
    }

    private static func text(_ distribution: Distribution) -> String {
        switch distribution {
        case .constant(let milliseconds): Interval.fractional(seconds: milliseconds / 1000).text
        case .lognormal(let median, let sigma):
            "around \(Interval.fractional(seconds: median / 1000).text) "
                + "(sigma \(JSONNode.number(sigma).compactText))"
        default: "by a distribution"
        }
    }

    static func text(_ fault: ClientFault, _ scope: ClientFaultScope, _ populations: [String]) -> String {
        var text = "client: "
        switch fault {
        case .delay(let distribution): text += "requests delayed " + self.text(distribution)
        case .drop: text += "requests dropped"
        case .reset(.connect): text += "connections reset"
        case .reset(.half): text += "connections reset in the middle of requests"
        case .lostReply(.reset): text += "replies lost"
        case .lostReply(.timeout): text += "replies lost without a sign"
        }
        if scope.share < 1 { text += ", \(percent(scope.share)) of requests" }
        if scope.deviceShare < 1 { text += ", \(percent(scope.deviceShare)) of devices" }
        if let population = scope.population { text += ", \(populations[population])" }
        if let device = scope.device { text += ", device \(device)" }
        if let upload = scope.uploadNumber { text += ", upload \(upload)" }
        return text
    }
}
