package import SDKDescription
import Wire

extension UploadDescription {
    /// What a collector has to know of a described SDK: its templates, read backwards.
    ///
    /// - Parameter name: What the store calls an SDK without a name.
    package init(_ sdk: DescribedSDK, unnamed name: String = "declared") {
        let body = sdk.request.body
        let list = body.path { $0 == .value(Placeholder(.events)) } ?? JSONPath()
        self.init(
            name: sdk.name.isEmpty ? name : sdk.name, uploads: sdk.paths.map { RequestPattern(.post, $0) },
            lists: [EventPlace(list)], event: EventDescription(sdk))
        project = body.places(of: [.apiKey, .account])
        answer = DescribedAnswer(sdk.answers)
    }
}

extension EventDescription {
    fileprivate init(_ sdk: DescribedSDK) {
        // The app's own events first: their place of a name is surely one.
        let order: [DescribedSDK.Action] =
            [.business] + DescribedSDK.Action.allCases.filter { $0 != .business }
        let events = order.compactMap { sdk.events.actions[$0] }
        self.init(names: events.flatMap(\.nameRules).uniqued())
        let envelopes = events.map(\.envelope)
        let moments = envelopes.compactMap { envelope in
            envelope.path { $0.source == .time }.map { ($0, envelope.value(at: $0)) }
        }
        times = moments.map { EventPlace($0.0) }.uniqued()
        if let filters = moments.first?.1?.placeholders.first?.filters, !filters.contains(.iso) {
            timeUnit = filters.contains(.s) ? .seconds : .milliseconds
        }
        distinctIDs = envelopes.flatMap { $0.places(of: [.distinctID, .userID, .anonymousID]) }.uniqued()
        tags = sdk.events.tag.map { [EventPlace($0)] } ?? []
        key = sdk.events.key.map { [EventPlace($0)] }
        attemptMembers = sdk.request.perEvent.compactMap(\.name)
    }
}

extension DescribedSDK.EventTemplate {
    /// Where the event's name is; where it has none, the members with what the app hands over: updates of profiles are
    /// called by what they do.
    fileprivate var nameRules: [EventDescription.NameRule] {
        // As it is, or within a longer text.
        let place =
            envelope.path { $0 == name }
            ?? envelope.path { $0.isText && $0.placeholders.contains { $0.source == .event } }
        if let place { return [.value(EventPlace(place))] }
        guard case .object(let members) = envelope else { return [] }
        return members.compactMap { member in
            guard case .key(let name, let value) = member,
                value.placeholders.contains(where: { $0.source == .properties })
            else { return nil }
            return .member(name)
        }
    }
}

extension DescribedAnswer {
    /// An empty answer of the first status of success that a table takes for one.
    fileprivate init(_ table: AnswerTable) {
        var ranges: [ClosedRange<UInt16>] = []
        for status in AnswerTable.statuses where table.verdict(status: status).isPositive {
            if let last = ranges.last, last.upperBound + 1 == status {
                ranges[ranges.count - 1] = last.lowerBound...status
            } else {
                ranges.append(status...status)
            }
        }
        self.init("", delivered: ranges)
        let successes = (200...299).filter { status in ranges.contains { $0.contains(status) } }
        status = successes.first ?? 200
    }
}

extension Template {
    /// What a placeholder that stands by itself, or alone in a text, is filled in with.
    fileprivate var source: Placeholder.Source? {
        switch self {
        case .value(let placeholder): placeholder.source
        case .text(let pieces): pieces.count == 1 ? placeholders.first?.source : nil
        default: nil
        }
    }

    fileprivate var isText: Bool { if case .text = self { true } else { false } }

    /// The places of some values, in their order.
    fileprivate func places(of sources: [Placeholder.Source]) -> [EventPlace] {
        sources.compactMap { source in path { $0.source == source } }.map { EventPlace($0) }
    }
}

extension Array where Element: Hashable {
    /// Each element once, where it is first.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
