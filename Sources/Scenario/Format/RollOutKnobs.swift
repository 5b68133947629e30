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
struct RollOutKnobs: Sendable {
    /// Keys of `sdk` that may change as a whole.
    private let whole: [String]
    /// Groups of which some knobs may change.
    private let groups: [String: @Sendable (String) -> Bool]
    /// What may change, for people.
    private let allowed: String

    /// Those of a built-in system: rules of what a positive answer clears and of what is sent again, and the knobs of
    /// the store and of uploads that are rules of when and how. The generator's effort, a device's failures, and what
    /// is fixed when the app is built are none.
    static let builtIn: RollOutKnobs = {
        let rules = ["clear", "retryFailedParts"]
        let storage = [
            "limit", "evict", "evictFrom", "order", "ttl", "maxBytes", "staysBelowLimit",
            "evictsRowsInFlight",
            "writeBuffer", "realtimeWriteBuffer",
        ]
        let notUpload = ["compression", "bodyFailureChance", "policies"]
        return RollOutKnobs(
            whole: rules,
            groups: ["storage": { storage.contains($0) }, "upload": { !notUpload.contains($0) }],
            allowed: "knobs of \"upload\" other than \(quotedList(notUpload)), of \"storage\" one of: "
                + "\(quotedList(storage)), or one of: \(quotedList(rules)); the others are settled when the app is "
                + "installed")
    }()

    /// Those of an SDK that is described: when rows leave the store, and for what.
    static let described: RollOutKnobs = {
        let groups = ["answers", "retry", "upload"]
        let storage = ["limit", "maxBytes", "evict", "evictFrom", "evictAt", "order", "ttl", "removeBy"]
        return RollOutKnobs(
            whole: groups, groups: ["storage": { storage.contains($0) }],
            allowed:
                "of a description \(quotedList(groups)), or of \"storage\" one of: \(quotedList(storage)); the "
                + "others are settled when the app is installed, or say how events look to the collector")
    }()

    /// Reports the knobs that no launch can change, and a roll-out of nothing.
    func check(_ sdk: Place, _ reading: inout Reading) {
        let members = sdk.node.members ?? []
        if members.isEmpty { reading.report(.conflict, sdk, found: "no knob", allowed: allowed) }
        for member in members where !whole.contains(member.key) {
            let place = Place(node: member.value, path: sdk.path.appending(member.key))
            guard let isAllowed = groups[member.key] else {
                refuse(member.key, place, &reading)
                continue
            }
            guard let inner = member.value.members else {
                reading.report(.wrongType, place, allowed: "an object")
                continue
            }
            for knob in inner where !isAllowed(knob.key) {
                refuse(knob.key, Place(node: knob.value, path: place.path.appending(knob.key)), &reading)
            }
        }
    }

    private func refuse(_ key: String, _ place: Place, _ reading: inout Reading) {
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
