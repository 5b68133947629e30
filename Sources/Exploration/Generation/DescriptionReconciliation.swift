import SDKDescription
import Timebase
import Wire

/// Makes what was drawn of a described SDK fit together.
///
/// Much of what a description may say rules something else out, or needs it. Drawn knob by knob, such a combination hardly
/// ever comes about: the loader would take away one half of it, or the preset below has what it rules out.
enum DescriptionReconciliation {
    static let rules: [String: DrawingRule] = [
        "sdk-declared": DrawingRule(reconcile: description),
        "sdk-declared.events": DrawingRule(presence: 0.6, reconcile: events),
    ]

    /// A whole description, or what is changed of a preset.
    @Sendable private static func description(
        _ drawn: JSONNode, _ draw: inout RandomStream, _ frame: WorldFrame
    ) -> JSONNode {
        var sdk = drawn
        reconcileFraming(&sdk)
        // Without flushes beside each other there are no rows that another one carries.
        if sdk.value(at: ["upload", "takes"])?.string == "all" {
            sdk.set("upload", "overlaps", to: .bool(true))
        }
        // Rounds are one after the other.
        if sdk.value(at: ["upload", "overlaps"])?.content == .bool(true) { sdk.drop("upload", "rounds") }
        reconcileFiles(&sdk, &draw)
        halveNoFiles(&sdk)
        dropWithoutEffect(&sdk)
        if let preset = sdk["preset"]?.string {
            keepNames(of: preset, &sdk)
        } else {
            complete(&sdk, &draw, frame)
        }
        return sdk
    }

    /// What a preset has, and what is drawn beside it leaves without an effect: the loader could not take that away.
    private static func dropWithoutEffect(_ sdk: inout JSONNode) {
        guard let preset = sdk["preset"]?.string,
            let known = SDKPreset.versions(of: preset).first?.description
        else { return }
        let whole = known.merging(sdk)
        let limits = [["storage", "limit"], ["storage", "maxBytes"]].compactMap { whole.value(at: $0) }
        if known.value(at: ["storage", "evict"]) != nil, limits.allSatisfy({ $0.string == "none" }) {
            sdk.drop("storage", "evict")
        }
        let waking = whole.value(at: ["upload", "onNetwork"])?.elements ?? []
        let networks = whole.value(at: ["upload", "networks"])?.elements ?? []
        if !networks.isEmpty, !waking.isEmpty,
            !waking.contains(where: { networks.map(\.string).contains($0.string) })
        {
            sdk.drop("upload", "onNetwork")
        }
    }

    /// An event of a preset with an envelope of its own keeps its name, which may be nowhere else in it: no collector reads
    /// an event without one.
    private static func keepNames(of preset: String, _ sdk: inout JSONNode) {
        guard let known = SDKPreset.versions(of: preset).first?.description["events"],
            sdk.value(at: ["events", "common"]) == nil
        else { return }
        for action in DescribedSDK.Action.allCases where known[action.rawValue]?["fields"] != nil {
            sdk.take("events", action.rawValue, "name")
        }
    }

    /// Each request with one event is a batch of one; lines have nothing around them.
    private static func reconcileFraming(_ sdk: inout JSONNode) {
        switch sdk.value(at: ["request", "framing"])?.string {
        case "one":
            sdk.set("upload", "batch", to: .int(1))
            sdk.set("storage", "seal", to: .text("none"))
            // A lane whose requests say nothing else has them, too.
            if sdk.value(at: ["lanes", LaneDrawing.name, "request", "framing"]) == nil {
                sdk.take("lanes", LaneDrawing.name, "batch")
            }
            leaveBatchAlone(&sdk)
        case "lines": sdk.set("request", "body", to: .text("{{events}}"))
        default: break
        }
    }

    /// No configuration turns the batch of requests with one event.
    private static func leaveBatchAlone(_ sdk: inout JSONNode) {
        guard let configs = sdk["config"]?.elements else { return }
        sdk.set(
            "config",
            to: .list(
                configs.map { config in
                    var config = config
                    for turn in config["apply"]?.members ?? [] where turn.value.string == "batch" {
                        config.take("apply", turn.key)
                    }
                    return config
                }))
    }

    /// Files are sent as they are: nothing says anew what a request carries, and flushes are not beside each other.
    private static func reconcileFiles(_ sdk: inout JSONNode, _ draw: inout RandomStream) {
        guard let seal = sdk.value(at: ["storage", "seal"]), seal.members != nil else { return }
        let forbidden = [
            ["upload", "batch"], ["upload", "maxBytes"], ["upload", "oversize"], ["upload", "overlaps"],
            ["upload", "takes"], ["upload", "rounds"], ["storage", "order"], ["storage", "removeBy"],
        ]
        for path in forbidden { sdk.drop(path[0], path[1]) }
        // Files together are those of days.
        if seal["together"] != nil { sdk.set("storage", "seal", "at", to: .text("day")) }
        guard sdk.value(at: ["storage", "seal", "at"])?.string == "day" else { return }
        for limit in ["events", "bytes"] {
            sdk.take("storage", "seal", limit)
            // That of the preset's own files.
            if sdk["preset"] != nil { sdk.set("storage", "seal", limit, to: .text("none")) }
        }
        let verdicts = (draw.chance(0.5) ? "deliveredClear" : "delivered", draw.chance(0.5) ? "keep" : "drop")
        sdk.set(
            "answers",
            to: .list(
                [("2xx", verdicts.0), ("4xx", verdicts.1), ("*", "retry")].map {
                    .list([.text($0.0), .text($0.1)])
                }))
    }

    /// No answer makes less of a file: what would halve a request is a failure like others, in a preset's table, too.
    private static func halveNoFiles(_ sdk: inout JSONNode) {
        let known = sdk["preset"]?.string.flatMap { SDKPreset.versions(of: $0).first?.description }
        let whole = known?.merging(sdk) ?? sdk
        guard whole.value(at: ["storage", "seal"])?.members != nil, let rules = whole["answers"]?.elements
        else { return }
        let others = rules.map { rule in
            guard let parts = rule.elements, parts.count == 2, parts[1].string == "halve" else { return rule }
            return JSONNode.list([parts[0], .text("retry")])
        }
        if others != rules { sdk.set("answers", to: .list(others)) }
    }

    /// What a description without a preset has to have: an envelope, a place by which events are known, an event.
    private static func complete(
        _ sdk: inout JSONNode, _ draw: inout RandomStream, _ frame: WorldFrame
    ) {
        if sdk.value(at: ["events", "common"]) == nil {
            sdk.set("events", "common", to: DescriptionDrawing.envelope(&draw, frame, []))
        }
        if sdk.value(at: ["events", "tag"]) == nil, sdk.value(at: ["events", "key"]) == nil {
            sdk.set("events", "tag", to: .text("/more/bs_id"))
        }
        for action in DescribedSDK.Action.allCases {
            guard let event = sdk.value(at: ["events", action.rawValue]), event["name"] == nil else {
                continue
            }
            sdk.set("events", action.rawValue, "name", to: .text("captured"))
        }
        sdk.set("events", "business", "name", to: .text("{{event}}"))
    }

    /// What comes along with an event is captured, too, and is not the event itself; only business events have a name of the
    /// app's own.
    @Sendable private static func events(
        _ drawn: JSONNode, _ draw: inout RandomStream, _ frame: WorldFrame
    ) -> JSONNode {
        var events = drawn
        for action in DescribedSDK.Action.allCases {
            guard let own = drawn[action.rawValue], own.members != nil else { continue }
            if action != .business, own["name"]?.string == "{{event}}" {
                events.set(action.rawValue, "name", to: .text("captured"))
            }
            for key in ["before", "after"] {
                guard let others = own[key]?.elements?.filter({ comes($0, alongWith: action) }) else {
                    continue
                }
                guard !others.isEmpty else {
                    events.take(action.rawValue, key)
                    continue
                }
                events.set(action.rawValue, key, to: .list(others))
                for other in others.compactMap(\.string) where events[other]?["name"] == nil {
                    events.set(other, "name", to: .text("along"))
                }
            }
        }
        return events
    }

    /// Whether an action may be captured along with another one: what the app's code hands over, sessions and ends of
    /// screens lead nothing.
    private static func comes(_ other: JSONNode, alongWith action: DescribedSDK.Action) -> Bool {
        let leadsNothing: [DescribedSDK.Action] = [.sessionStart, .sessionEnd, .screenEnd]
        return other.string != action.rawValue && !action.hasProperties && !leadsNothing.contains(action)
    }
}

extension JSONNode {
    /// Takes a key away, and a preset's, too.
    fileprivate mutating func drop(_ group: String, _ key: String) {
        take(group, key)
        if self["preset"] != nil { set(group, key, to: .null) }
    }
}
