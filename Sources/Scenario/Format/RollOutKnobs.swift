import DeviceSDK
import Wire

/// A roll-out to a population before its knobs are read.
struct RollOutDraft {
    /// All rules of the devices that have what was rolled out before.
    var rules: any SystemRuleSet
    /// The population's own words on its SDK, and those of the roll-outs before, by time.
    var version: Located<String>?
    var written: Place?
    var before: [Place]
    /// What changes.
    var sdk: Place
}

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

    /// Groups of a description that say when rows leave the store, and for what.
    private static let describedGroups = ["answers", "retry", "upload"]
    private static let describedStorage = [
        "limit", "maxBytes", "evict", "evictFrom", "evictAt", "order", "ttl", "removeBy",
    ]
    private static let describedAllowed =
        "of a description \(quotedList(describedGroups)), or of \"storage\" one of: \(quotedList(describedStorage)); the others "
        + "are settled when the app is installed, or say how events look to the collector"

    /// The same for an SDK that is described.
    static func check(described sdk: Place, _ reading: inout Reading) {
        let members = sdk.node.members ?? []
        if members.isEmpty {
            reading.report(.conflict, sdk, found: "no knob", allowed: describedAllowed)
        }
        for member in members where !describedGroups.contains(member.key) {
            let place = Place(node: member.value, path: sdk.path.appending(member.key))
            guard member.key == "storage" else {
                refuse(member.key, place, allowed: describedAllowed, &reading)
                continue
            }
            guard place.node.isObject else {
                reading.report(.wrongType, place, allowed: "an object")
                continue
            }
            check(place, { describedStorage.contains($0) }, allowed: describedAllowed, &reading)
        }
    }

    private static func check(
        _ group: Place, _ isAllowed: (String) -> Bool, allowed: String = allowed, _ reading: inout Reading
    ) {
        for member in group.node.members ?? [] where !isAllowed(member.key) {
            refuse(
                member.key, Place(node: member.value, path: group.path.appending(member.key)),
                allowed: allowed, &reading)
        }
    }

    private static func refuse(
        _ key: String, _ place: Place, allowed: String = allowed, _ reading: inout Reading
    ) {
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
