package import SDKDescription
import Wire

extension UploadDescription {
    /// Actions whose events a collector reads in part, or not at all, in their own order.
    package struct Blanks: Hashable, Sendable {
        /// Their events are undecodable, or called by something else: their names are nowhere.
        package var unnamed: [DescribedSDK.Action] = []
        /// They do not tell when they were captured.
        package var untimed: [DescribedSDK.Action] = []
        /// Without an id of the harness, they are not told apart.
        package var unidentified: [DescribedSDK.Action] = []
    }

    /// What is missing in the events of a described SDK.
    ///
    /// - Parameter sdk: What this description was made of.
    package func blanks(in sdk: DescribedSDK) -> Blanks {
        var blanks = Blanks()
        for action in DescribedSDK.Action.allCases {
            guard let template = sdk.events.actions[action], !template.isOff else { continue }
            let envelope = template.envelope
            if event.names.first(where: { $0.holds(in: envelope) })?.isName(of: template) != true {
                blanks.unnamed.append(action)
            }
            // A reader takes what stands at the first of the places that is there.
            let moment = event.times.lazy.compactMap { envelope.value(at: $0.jsonPath) }.first
            if moment?.placeholders.contains(where: { $0.source == .time }) != true {
                blanks.untimed.append(action)
            }
            // Without a key, an event is known by all of its JSON.
            let parts =
                sdk.events.key.isEmpty ? [envelope] : sdk.events.key.compactMap { envelope.value(at: $0) }
            if !parts.contains(where: \.differs) { blanks.unidentified.append(action) }
        }
        return blanks
    }
}

extension EventDescription.NameRule {
    /// Whether a name is there in all events of an envelope.
    fileprivate func holds(in envelope: Template) -> Bool {
        switch self {
        case .member(let name): envelope.value(at: JSONPath([name])) != nil
        case .value(let path): envelope.value(at: path.jsonPath)?.isWord ?? false
        }
    }

    /// Whether what is there is the event's own name.
    fileprivate func isName(of template: DescribedSDK.EventTemplate) -> Bool {
        switch self {
        case .member(let name): template.name.constantText == name
        case .value(let path):
            // As it is, or within a longer text.
            template.envelope.value(at: path.jsonPath).map { value in
                template.isName(value) || value.placeholders.contains { $0.source == .event }
            } ?? false
        }
    }
}

extension EventPath {
    fileprivate var jsonPath: JSONPath { JSONPath(steps.map { String(decoding: $0, as: UTF8.self) }) }
}

extension Template {
    /// Whether it is a text that is not empty.
    fileprivate var isWord: Bool {
        switch self {
        case .text: constantText != ""
        case .value(let placeholder): placeholder.kind == .text && !placeholder.source.mayBeAbsent
        default: false
        }
    }

    /// Whether it has something that is another in each event of a user.
    fileprivate var differs: Bool {
        let own: Set<Placeholder.Source> = [.id, .row, .time, .sessionEventIndex]
        return placeholders.contains { own.contains($0.source) }
    }
}
