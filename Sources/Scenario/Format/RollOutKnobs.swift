import Wire

/// Which knobs of `sdk` a roll-out may change: those that an SDK asks when it is about to store or to upload. All
/// others decide what a device is, or what its events look like, from its first event on.
enum RollOutKnobs {
    /// Rules of what a positive answer clears, and of what is sent again.
    private static let rules = ["clear", "retryFailedParts"]
    private static let storage = [
        "limit", "evict", "evictFrom", "order", "ttl", "maxBytes", "staysBelowLimit", "evictsRowsInFlight",
        "writeBuffer", "realtimeWriteBuffer",
    ]
    /// Knobs of `upload` that are no rules of when and how: the generator's effort, a device's failures, and what
    /// is settled when the app is built.
    private static let notUpload = ["compression", "bodyFailureChance", "policies"]

    private static let allowed =
        "knobs of \"upload\" other than \(quotedList(notUpload)), of \"storage\" one of: \(quotedList(storage)), "
        + "or one of: \(quotedList(rules)); the others are settled when the app is installed"

    /// Reports the knobs that no launch can change, and a roll-out of nothing.
    static func check(_ sdk: Place, _ reading: inout Reading) {
        let members = sdk.node.members ?? []
        if members.isEmpty {
            reading.report(.conflict, sdk, found: "no knob", allowed: allowed)
        }
        for member in members where !rules.contains(member.key) {
            let place = Place(node: member.value, path: sdk.path.appending(member.key))
            switch member.key {
            case "storage": check(place, { storage.contains($0) }, &reading)
            case "upload": check(place, { !notUpload.contains($0) }, &reading)
            default: refuse(member.key, place, &reading)
            }
        }
    }

    /// Reports a roll-out to a system whose rules no launch can change.
    static func refuse(all system: String, _ sdk: Place, _ reading: inout Reading) {
        reading.report(
            .conflict, sdk, found: "a roll-out to the system \"\(system)\"",
            allowed:
                "roll-outs to systems that are built in: what a description says is compiled before the run, and another "
                + "one is another population")
    }

    private static func check(_ group: Place, _ isAllowed: (String) -> Bool, _ reading: inout Reading) {
        for member in group.node.members ?? [] where !isAllowed(member.key) {
            refuse(
                member.key, Place(node: member.value, path: group.path.appending(member.key)), &reading)
        }
    }

    private static func refuse(_ key: String, _ place: Place, _ reading: inout Reading) {
        reading.report(.conflict, place, found: "\"\(key)\" in a roll-out", allowed: allowed)
    }

    /// What changes, for people: `upload.batch 200, upload.flushInterval 1m`.
    static func text(_ sdk: JSONNode) -> String {
        (sdk.members ?? []).flatMap { member -> [String] in
            guard let inner = member.value.members else {
                return ["\(member.key) \(words(member.value))"]
            }
            return inner.map { "\(member.key).\($0.key) \(words($0.value))" }
        }.joined(separator: ", ")
    }

    private static func words(_ value: JSONNode) -> String { value.string ?? value.compactText }
}
