package import SDKDescription
package import Wire

extension UploadDescription {
    /// What a collector has to know of a described SDK: its templates, read backwards.
    ///
    /// - Parameter name: What the store calls an SDK without a name.
    package init(_ sdk: DescribedSDK, unnamed name: String = "declared") {
        let lists = sdk.requests.map { request in
            let path = request.body.path { $0 == .value(Placeholder(.events)) } ?? JSONPath()
            return EventPath(path, isText: request.body.value(at: path)?.isEncoded ?? false)
        }
        self.init(
            name: sdk.name.isEmpty ? name : sdk.name, uploads: sdk.requests.map(\.pattern).uniqued(),
            lists: lists.uniqued(), event: EventDescription(sdk))
        configs = sdk.configs.flatMap { config in
            config.paths.map {
                DescribedConfig(config.method == .get ? .get : .post, $0, neutral: config.fallback)
            }
        }
        let fields = sdk.requests.flatMap(\.bodyFields).uniqued()
        if !fields.isEmpty { formFields = fields }
        answer = DescribedAnswer(sdk.answers)
    }
}

extension DescribedSDK.Config {
    /// Where it is fetched: a target without a key leaves its component empty, which is none.
    fileprivate var paths: [String] {
        [path.pattern(filler: "{}"), path.pattern(filler: "")].uniqued()
    }

    /// Where a target with a key has it fetched: what of the key would be more than a part of a component is escaped.
    package func path(apiKey: String) -> String {
        path.pattern(filler: PercentEncoding.pathComponent.encode(apiKey))
    }

    /// The same for people: `{apiKey}` in place of the key.
    package var pathForPeople: String { path.pattern(filler: "{apiKey}") }
}

extension DescribedSDK.Request {
    fileprivate var pattern: RequestPattern {
        let method: CollectedRequest.Method =
            switch method {
            case .get: .get
            case .post: .post
            case .put: .put
            }
        return RequestPattern(method, String(path.prefix { $0 != "?" }))
    }
}

extension EventDescription {
    fileprivate init(_ sdk: DescribedSDK) {
        // The app's own events first: their path of a name is surely one.
        let order: [DescribedSDK.Action] =
            [.business] + DescribedSDK.Action.allCases.filter { $0 != .business }
        let events = order.compactMap { sdk.events.actions[$0] }
        self.init(names: events.flatMap(\.nameRules).uniqued())
        let envelopes = events.map(\.envelope)
        let moments = envelopes.compactMap { envelope in
            envelope.path { $0.source == .time }.map { ($0, envelope.value(at: $0)) }
        }
        times = moments.map { EventPath($0.0) }.uniqued()
        if let filters = moments.first?.1?.placeholders.first?.filters, !filters.contains(.iso) {
            let units: [Placeholder.Filter: TimeUnit] = [
                .s: .seconds, .us: .microseconds, .ns: .nanoseconds,
            ]
            timeUnit = filters.compactMap { units[$0] }.first ?? .milliseconds
        }
        let senders = sdk.requests.flatMap { Template.object($0.perEvent).paths(of: [.sender]) }
        distinctIDs =
            (senders + envelopes.flatMap { $0.paths(of: [.distinctID, .userID, .anonymousID]) }).uniqued()
        if let tag = sdk.events.tag {
            tags = ([tag] + events.compactMap(\.tag)).map { EventPath($0) }.uniqued()
        }
        key = sdk.events.key.map { [EventPath($0)] }
        attemptMembers = sdk.requests.flatMap { $0.perEvent.compactMap(\.name) }.uniqued()
    }
}

extension DescribedSDK.EventTemplate {
    /// Where the event's name is; where it has none, the member that is called so, or those with what the app hands over:
    /// updates of profiles are called by what they do.
    fileprivate var nameRules: [EventDescription.NameRule] {
        if let namePath { return [.value(EventPath(namePath))] }
        guard case .object(let members) = envelope else { return [] }
        if let own = name.constantText, members.contains(where: { $0.name == own }) { return [.member(own)] }
        return members.compactMap { member in
            guard case .key(let name, let value) = member,
                value.placeholders.contains(where: { $0.source == .properties })
            else { return nil }
            return .member(name)
        }
    }

    /// Where the event's name is: as it is, within a longer text, or in other letters; `nil` for nowhere.
    package var namePath: JSONPath? {
        envelope.path { $0 == name }
            ?? envelope.path { $0.isText && $0.placeholders.contains { $0.source == .event } }
            ?? envelope.path { isName($0) }
    }

    /// Whether a value is the event's name, in its own letters or through a filter.
    func isName(_ value: Template) -> Bool {
        let letters: [[Placeholder.Filter]] = [[], [.upper], [.lower]]
        return letters.contains { value == name.through($0) }
    }
}

extension DescribedAnswer {
    /// The answer that a table takes for success: of a status of success, and empty if nothing of its body matters.
    fileprivate init(_ table: AnswerTable) {
        var ranges: [ClosedRange<UInt16>] = []
        for status in AnswerTable.statuses where table.verdict(status: status).isPositive {
            if let last = ranges.last, last.upperBound + 1 == status {
                ranges[ranges.count - 1] = last.lowerBound...status
            } else {
                ranges.append(status...status)
            }
        }
        let success = table.success
        self.init(delivered: ranges)
        if let wanted = success?.body { body = AnswerTable.body(with: wanted.value, at: wanted.path) }
        status = success?.status ?? 200
        if table.readsBodies { self.table = table }
    }
}

extension Template {
    /// What a placeholder that stands by itself, or alone in a text, is filled in with.
    fileprivate var source: Placeholder.Source? {
        switch self {
        case .value(let placeholder): placeholder.source
        case .text(let segments): segments.count == 1 ? placeholders.first?.source : nil
        default: nil
        }
    }

    /// A text with something else where something is filled in: a component of a path with braces may be anything.
    fileprivate func pattern(filler: String) -> String {
        switch self {
        case .text(let segments):
            segments.map { if case .constant(let text) = $0 { text } else { filler } }.joined()
        default: filler
        }
    }

    fileprivate var isText: Bool { if case .text = self { true } else { false } }

    fileprivate var isEncoded: Bool { if case .encoded = self { true } else { false } }

    /// The paths of some values, in their order.
    fileprivate func paths(of sources: [Placeholder.Source]) -> [EventPath] {
        sources.compactMap { source in path { $0.source == source } }.map { EventPath($0) }
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it is first.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
