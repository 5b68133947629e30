import SDKDescription
import Wire

/// Makes a description of its draft: reads the templates.
struct DescriptionBinder {
    let draft: DeclaredDraft
    let place: Place
    /// Whether it is a lane's own part.
    let isOfLane: Bool
    private let constants: [String: String]

    init(draft: DeclaredDraft, place: Place) {
        self.draft = draft
        self.place = place
        isOfLane = false
        constants = Dictionary(draft.constants.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The binder of a lane's own part.
    private init(_ lane: LaneDraft, at place: Place, constants: [String: String]) {
        draft = lane.own
        self.place = place
        isOfLane = true
        self.constants = constants
    }

    func bind(_ reading: inout Reading) -> DescribedSDK {
        var sdk = draft.sdk
        sdk.retry.backoff = draft.backoff
        sdk.retry.retryAfter = draft.retryAfter
        sdk.consent = draft.consent
        for name in constants.keys.sorted() where Placeholder.Source(rawValue: name) != nil {
            reading.report(
                .conflict, at(["consts", name]), found: "the name of a placeholder",
                allowed: "a name of its own for each constant")
        }
        bindRequest(&sdk.request, &reading)
        sdk.lanes = draft.lanes.map { lane in
            let binder = DescriptionBinder(
                lane.value, at: at(["lanes", lane.name]), constants: constants)
            var request = binder.draft.sdk.request
            binder.bindRequest(&request, &reading)
            var bound = DescribedSDK.Lane(
                lane.name, request: request, batch: lane.value.batch ?? sdk.upload.batch)
            bound.hasOwnBatch = lane.value.batch != nil
            bound.waitsForLogin = lane.value.waitsFor == .login
            return bound
        }
        bindEvents(&sdk.events, &reading)
        sdk.configs = bindConfigs(&reading)
        warnOfUnusedConstants(&reading)
        return sdk
    }

    private func warnOfUnusedConstants(_ reading: inout Reading) {
        guard !constants.isEmpty else { return }
        let used = (place.node.members ?? []).filter { $0.key != "consts" }
            .reduce(into: Set<String>()) { $0.formUnion($1.value.slotNames) }
        for name in constants.keys.sorted() where !used.contains(name) {
            reading.warn(
                at(["consts", name]).path, "no template has {{\(name)}}: the constant has no effect")
        }
    }

    /// A place deeper in the description; its own node where there is one.
    func at(_ keys: [String]) -> Place {
        place.value(at: keys) ?? Place(node: place.node, path: JSONPath(place.path.tokens + keys))
    }

    // MARK: Events

    private static let eventScopes: Set<Placeholder.Scope> = [.population, .device, .state, .event]

    private func bindEvents(_ events: inout DescribedSDK.Events, _ reading: inout Reading) {
        let envelope = "\"common\", the envelope of every event: an object"
        guard let common = draft.common else {
            return reading.report(.missingKey, at(["events"]), found: "no envelope", allowed: envelope)
        }
        let envelopes = [common] + draft.lanes.compactMap(\.value.common)
        let wrong = envelopes.filter { !$0.node.isObject }
        for place in wrong { reading.report(.wrongType, place, allowed: envelope) }
        guard wrong.isEmpty else { return }
        // What is wrong with the envelope is told once, and not for each action.
        _ = template(common, Self.eventScopes, &reading)
        for lane in draft.lanes {
            if let own = lane.value.common { _ = template(own, Self.eventScopes, &reading) }
        }
        for action in DescribedSDK.Action.allCases {
            guard let own = draft.actions[action] else { continue }
            let lane = lane(of: own, &reading)
            var bound = event(action, own, lane?.draft.common ?? common, &reading)
            bound.lane = lane?.number ?? 0
            bound.tag = lane?.draft.tag
            events.actions[action] = bound
        }
        if events.actions.values.allSatisfy(\.isOff) {
            reading.report(
                .conflict, at(["events"]), found: "no event that is captured",
                allowed: "an action with a name: " + quotedList(DescribedSDK.Action.allCases.map(\.rawValue)))
        }
        checkFirstForeground(&reading)
        checkAlong(&reading)
    }

    /// What is captured along with an action are others that the description has.
    private func checkAlong(_ reading: inout Reading) {
        for (action, own) in draft.actions {
            // Sessions begin and end with what is captured otherwise, and a screen's end is nothing by itself.
            let isLeading =
                !action.hasProperties && ![.sessionStart, .sessionEnd, .screenEnd].contains(action)
            for (key, others) in [("before", own.before), ("after", own.after)] where !others.isEmpty {
                let place = at(["events", action.rawValue, key])
                guard isLeading else {
                    reading.report(
                        .conflict, place, found: "\"\(key)\" of \"\(action.rawValue)\"",
                        allowed: "before and after of actions of the app or the system, which lead others")
                    continue
                }
                for other in others where draft.actions[other] == nil || other == action {
                    reading.report(
                        .conflict, place, found: "\"\(other.rawValue)\"",
                        allowed: "other actions that the description has")
                }
            }
        }
    }

    private func checkFirstForeground(_ reading: inout Reading) {
        // Without the key, what a return captures may be nothing.
        guard let list = place.value(at: ["events", "firstForeground"]), let names = list.node.elements else {
            return
        }
        for (index, name) in names.enumerated() {
            // What is no action's name was told when it was read.
            guard let action = name.string.flatMap(DescribedSDK.Action.init(rawValue:)),
                draft.actions[action] == nil || action.hasProperties
            else { continue }
            let fitting = DescribedSDK.Action.allCases.filter {
                draft.actions[$0] != nil && !$0.hasProperties
            }
            reading.report(
                .conflict, Place(node: name, path: JSONPath(list.path.tokens + ["\(index)"])),
                found: "\"\(action.rawValue)\"",
                allowed: "actions of the app or the system that the description has: "
                    + (fitting.isEmpty ? "none" : quotedList(fitting.map(\.rawValue))))
        }
    }

    /// The lane that an action names; `nil` for the main one.
    private func lane(
        of action: ActionDraft, _ reading: inout Reading
    ) -> (number: Int, draft: LaneDraft)? {
        guard let lane = action.lane else { return nil }
        guard let index = draft.lanes.firstIndex(where: { $0.name == lane.value }) else {
            reading.reportUnknown(lane.value, lane.place, among: draft.lanes.map(\.name), what: "a lane")
            return nil
        }
        return (index + 1, draft.lanes[index].value)
    }

    private func event(
        _ action: DescribedSDK.Action, _ own: ActionDraft, _ common: Place, _ reading: inout Reading
    ) -> DescribedSDK.EventTemplate {
        var name = Template.constant(action.rawValue)
        if let place = own.name {
            let before = reading.problems.count
            let missing = Placeholder.Source.missing(in: action)
            name = template(
                place, [.population, .event], excluding: missing.union([.name, .properties]), &reading)
            if case .value(let placeholder) = name { name = .text([.slot(placeholder)]) }
            if case .text = name {
            } else if reading.problems.count == before {
                reading.report(.wrongType, place, allowed: "a text")
            }
        } else {
            reading.report(
                .missingKey, at(["events", action.rawValue]), found: "no key \"name\"",
                allowed: "the event's name")
        }
        let properties = properties(action, own, &reading)
        var silent = Reading()
        var envelope = template(common, Self.eventScopes, &silent)
        if let fields = own.fields {
            _ = template(fields, Self.eventScopes, &reading)
            envelope = template(
                Place(node: common.node.merging(fields.node), path: fields.path), Self.eventScopes, &silent)
        }
        var event = DescribedSDK.EventTemplate(
            name: name, properties: properties,
            envelope: envelope.event(name: name, properties: properties))
        event.isOff = own.isOff
        event.before = own.before
        event.after = own.after
        return event
    }

    private func properties(
        _ action: DescribedSDK.Action, _ own: ActionDraft, _ reading: inout Reading
    ) -> Template {
        guard let place = own.properties else {
            return action.hasProperties ? .value(Placeholder(.properties)) : .object([])
        }
        let properties = template(
            place, Self.eventScopes, excluding: action.hasProperties ? [] : [.properties], &reading)
        if case .object = properties { return properties }
        if case .value(let placeholder) = properties, placeholder.source == .properties { return properties }
        reading.report(.wrongType, place, allowed: "an object of properties")
        return .object([])
    }

    func template(
        _ place: Place, _ scopes: Set<Placeholder.Scope>, excluding: Set<Placeholder.Source> = [],
        _ reading: inout Reading
    ) -> Template {
        var parser = TemplateParser(constants: constants, scopes: scopes, excluded: excluding)
        let template = parser.parse(place.node, at: place.path)
        for problem in parser.problems { reading.report(problem) }
        return template
    }
}

extension Placeholder.Source {
    /// What no event of an action has.
    fileprivate static func missing(in action: DescribedSDK.Action) -> Set<Placeholder.Source> {
        action == .business ? [] : [.event]
    }
}

extension JSONNode {
    /// What stands between the braces of `{{…}}` in its texts.
    fileprivate var slotNames: Set<String> {
        switch content {
        case .string(let text):
            var names: Set<String> = []
            var rest = text[...]
            while let open = rest.firstRange(of: "{{"),
                let close = rest[open.upperBound...].firstRange(of: "}}")
            {
                let inner = rest[open.upperBound..<close.lowerBound].drop { $0 == " " }
                names.insert(String(inner.reversed().drop { $0 == " " }.reversed()))
                rest = rest[close.upperBound...]
            }
            return names
        case .array(let elements):
            return elements.reduce(into: []) { $0.formUnion($1.slotNames) }
        case .object(let members):
            return members.reduce(into: []) { $0.formUnion($1.value.slotNames) }
        default: return []
        }
    }
}

extension Reading {
    /// Notes a problem of a template.
    mutating func report(_ problem: TemplateProblem) {
        let place = Place(node: problem.node, path: problem.path)
        switch problem.kind {
        case .syntax: report(.syntax, place, found: problem.found, allowed: problem.allowed)
        case .type: report(.wrongType, place, found: problem.found, allowed: problem.allowed)
        case .range: report(.outOfRange, place, found: problem.found, allowed: problem.allowed)
        case .place, .unknownName:
            let name = problem.found.filter { !"\"{}?|".contains($0) }
            report(
                problem.kind == .place ? .conflict : .unknownName, place, found: problem.found,
                allowed: "\(problem.allowed): \(quotedList(problem.names))",
                nearest: problem.kind == .place
                    ? nil : NameDistance.nearest(to: name, among: problem.names))
        }
    }
}
