import Wire

/// The events of captured bodies, and where the bodies have them.
struct EventList {
    enum Framing: Hashable {
        /// In a list.
        case list
        /// Each on a line.
        case lines
        /// One in a body.
        case one
    }

    var path: JSONPath
    var framing: Framing
    /// The events of each body that has some, in order.
    let batches: [[JSONNode]]

    var eventCount: Int { batches.reduce(0) { $0 + $1.count } }
    var longest: Int { batches.map(\.count).max() ?? 0 }

    /// The list with the most events-like elements that bodies of one route have; `nil` if none has any.
    init?(_ bodies: [CapturedBody]) {
        let isLines = bodies.contains(where: \.isLines)
        let nodes = bodies.map { isLines ? $0.lines : $0.json }
        if let found = EventList.likeliest(in: nodes, opensTexts: false) {
            self = found
            framing = isLines ? .lines : .list
            return
        }
        let singles = nodes.filter { $0.members != nil }
        // An event may have a text with a list of other things.
        if !isLines, !singles.isNamed, let found = EventList.likeliest(in: nodes, opensTexts: true) {
            self = found
            return
        }
        guard !singles.isEmpty, singles.likeness > 0 else { return nil }
        self.init(path: JSONPath(), framing: .one, batches: singles.map { [$0] })
    }

    /// The events without those that an earlier body had, but for the time of the attempt: a batch without an answer is
    /// sent again.
    var withoutRepeats: [JSONNode] {
        var seen: Set<String> = []
        var isOfAttempt: [String: Bool] = [:]
        func text(_ event: JSONNode) -> String {
            let lasting = (event.members ?? []).filter { member in
                if let known = isOfAttempt[member.key] { return !known }
                let found = FieldRole.candidates(member.key).contains { $0.role == .sent }
                isOfAttempt[member.key] = found
                return !found
            }
            return JSONNode.object(lasting.map { ($0.key, $0.value) }).compactText
        }
        var events: [JSONNode] = []
        for batch in batches {
            let texts = batch.map(text)
            events += zip(batch, texts).filter { !seen.contains($1) }.map { $0.0 }
            seen.formUnion(texts)
        }
        return events
    }

    /// - Parameter opensTexts: Whether lists in the JSON that texts hold count too.
    private static func likeliest(in bodies: [JSONNode], opensTexts: Bool) -> EventList? {
        var found: [JSONPath: [[JSONNode]]] = [:]
        var order: [JSONPath] = []
        for body in bodies {
            for (path, elements) in lists(in: body, at: JSONPath(), depth: 0, opensTexts) {
                if found[path] == nil { order.append(path) }
                found[path, default: []].append(elements)
            }
        }
        let likeness = found.mapValues { Array($0.joined().prefix(likenessSample)).likeness }
        let best = order.max { (likeness[$0] ?? 0) < (likeness[$1] ?? 0) }
        guard let best, let batches = found[best], likeness[best] ?? 0 > 0 else { return nil }
        return EventList(path: best, framing: .list, batches: batches)
    }

    private init(path: JSONPath, framing: Framing, batches: [[JSONNode]]) {
        (self.path, self.framing, self.batches) = (path, framing, batches)
    }

    /// Elements that are asked whether they look like events.
    fileprivate static let likenessSample = 100

    /// How likely a body by itself holds events: in a list, as one, or not at all.
    static func rank(of body: JSONNode) -> Int {
        if likeliest(in: [body], opensTexts: false) != nil { return 2 }
        return [body].likeness > 0 ? 1 : 0
    }

    /// Every list of objects that is not within another one.
    private static func lists(
        in node: JSONNode, at path: JSONPath, depth: Int, _ opensTexts: Bool
    ) -> [(JSONPath, [JSONNode])] {
        switch node.content {
        case .array(let elements):
            return !elements.isEmpty && elements.allSatisfy { $0.members != nil } ? [(path, elements)] : []
        case .object(let members) where depth < 4:
            return members.flatMap {
                lists(in: $0.value, at: path.appending($0.key), depth: depth + 1, opensTexts)
            }
        case .string where opensTexts && depth <= 4:
            return node.jsonOfText.map { lists(in: $0, at: path, depth: depth, opensTexts) } ?? []
        default: return []
        }
    }
}

extension [JSONNode] {
    /// Whether some of them have a name, as events have.
    fileprivate var isNamed: Bool {
        contains { element in
            (element.members ?? []).contains { member in
                FieldRole.candidates(member.key).contains { $0.role == .name }
            }
        }
    }

    /// How many of a few elements have the fields that events have.
    fileprivate var likeness: Int {
        prefix(EventList.likenessSample).reduce(0) { sum, element in
            let roles = (element.members ?? []).flatMap { member in
                FieldRole.candidates(member.key).map(\.role)
                    + (member.value.members ?? []).flatMap { FieldRole.candidates($0.key).map(\.role) }
            }
            let hasName = roles.contains(.name)
            let others = [FieldRole.time, .id, .distinctID, .userID].count { roles.contains($0) }
            return sum + (hasName ? 1 + others : others > 1 ? 1 : 0)
        }
    }
}
