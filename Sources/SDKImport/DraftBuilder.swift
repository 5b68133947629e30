import SDKDescription
import Wire

/// Puts a draft together.
struct DraftBuilder {
    let route: Route
    let list: EventList
    private let events: [JSONNode]
    let fields: EventFields
    private(set) var guesses: [Guess] = []
    /// What stands in the draft as it was captured.
    private var kept: [KeptValue] = []

    init(_ route: Route, _ list: EventList, _ events: [JSONNode]) {
        (self.route, self.list, self.events) = (route, list, events)
        fields = EventFields(events)
    }

    /// - Parameter leftOut: What of the capture is not in the draft: told after what is.
    mutating func build(leftOut: [Guess]) -> JSONNode {
        let request = self.request().map { ($0.0, shallow($0.1, at: JSONPath(["request", $0.0]))) }
        var (events, perEvent) = self.eventGroup()
        events = shallow(events, at: JSONPath(["events"]))
        perEvent = perEvent.map { ($0.0, shallow($0.1, at: JSONPath(["request", "perEvent", $0.0]))) }
        let members = perEvent.isEmpty ? request : request + [("perEvent", .object(perEvent))]
        var description: [(String, JSONNode)] = [
            ("name", .text(name)), ("upload", upload()), ("request", .object(members)),
            ("answers", .list([.texts(["2xx", "delivered"]), .texts(["*", "retry"])])),
            ("events", events),
        ]
        guesses += Guess.shared(guesses)
        if let told = KeptValue.guess(kept) { guesses.append(told) }
        guess(
            "/answers",
            "requests do not tell what the SDK makes of answers: 2xx is success, all else is tried again",
            .unsure)
        guess("/storage", "requests do not tell how events are stored: in files, without a limit", .unsure)
        guesses += leftOut
        description.insert(("notes", .texts(DraftBuilder.notes(guesses))), at: 1)
        return .object(description)
    }

    /// The lines that a draft keeps: no more, and no longer ones, than a description may have.
    private static func notes(_ guesses: [Guess]) -> [String] {
        let limit = DescribedSDK.noteLimit
        let lines = guesses.map { String($0.line.prefix(DescribedSDK.noteLength)) }
        guard lines.count > limit else { return lines }
        return lines.prefix(limit - 1) + ["and \(lines.count - limit + 1) more lines like these"]
    }

    mutating func guess(_ pointer: String, _ text: String, _ sureness: Guess.Sureness) {
        guesses.append(Guess(pointer, text, sureness))
    }

    mutating func guess(_ guess: Guess) { guesses.append(guess) }

    /// A value as it was captured.
    mutating func keep(_ node: JSONNode, at path: JSONPath) -> JSONNode {
        let value = CapturedValue(node, at: path)
        kept += value.kept
        guesses += value.guesses
        return value.node
    }

    /// A value of the draft without what lies deeper than JSON is read: a capture may be as deep, and a draft wraps it.
    private mutating func shallow(_ node: JSONNode, at path: JSONPath) -> JSONNode {
        if !node.isPlain, path.tokens.count >= JSONReader.depthLimit {
            guess(path.pointer, "is left out: more than \(JSONReader.depthLimit) levels", .sure)
            return .null
        }
        switch node.content {
        case .array(let elements):
            return .list(elements.enumerated().map { shallow($1, at: path.appending($0)) })
        case .object(let members):
            return .object(members.map { ($0.key, shallow($0.value, at: path.appending($0.key))) })
        default: return node
        }
    }

    /// The part of the host that is most its own.
    private var name: String {
        let host = route.requests[0].origin.split(separator: "/").last?.prefix { $0 != ":" } ?? ""
        let labels = host.split(separator: ".")
        guard labels.count > 1, !labels.allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return "captured" }
        return CapturedText.words(String(labels[labels.count - 2]))
    }

    // MARK: Upload

    private mutating func upload() -> JSONNode {
        var members: [(String, JSONNode)] = [("batch", .int(list.framing == .one ? 1 : max(1, list.longest)))]
        if list.framing != .one {
            guess(
                "/upload/batch", "the most events of a captured request; the SDK's limit may be higher",
                .unsure)
        }
        let times = route.requests.compactMap(\.startedAt).sorted()
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 >= 1000 }.sorted()
        if gaps.count >= 2 {
            let seconds = max(1, (gaps[gaps.count / 2] + 500) / 1000)
            members.append(("flushInterval", .text("\(seconds)s")))
            guess("/upload/flushInterval", "the median time between requests", .unsure)
        }
        return .object(members)
    }

    // MARK: Request

    private mutating func request() -> [(String, JSONNode)] {
        let first = route.requests[0]
        var members: [(String, JSONNode)] = [("path", .text(CapturedText.path(first.path)))]
        if first.method != "POST" { members.insert(("method", .text(first.method)), at: 0) }
        var told: Set<String> = []
        for text in route.requests.flatMap(\.leftOut) where told.insert(text).inserted {
            guess("", text, .sure)
        }
        if route.requests.contains(where: { !$0.query.isEmpty }) {
            members.append(("query", .object(query())))
        }
        let form = self.form()
        let headers = CapturedHeaders(route.requests)
        guesses += headers.guesses
        kept += headers.keptValues
        if let kept = self.headers(headers.kept, saysForm: form != nil) {
            members.append(("headers", .object(kept)))
        }
        if let packing = compress() { members.append(("compress", packing)) }
        if list.framing != .list {
            members.append(("framing", .text(list.framing == .lines ? "lines" : "one")))
        }
        members.append(("body", body()))
        if let form { members.append(("form", .object(form))) }
        return members
    }

    private mutating func query() -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = []
        var seen: Set<String> = []
        for name in route.requests.flatMap({ $0.query.map(\.name) }) where seen.insert(name).inserted {
            if let value = queryValue(name) { members.append((name, value)) }
        }
        return members
    }

    /// A part of the query; `nil` for what is left out.
    private mutating func queryValue(_ name: String) -> JSONNode? {
        let path = JSONPath(["request", "query", name])
        let found = route.requests.map { request in request.query.filter { $0.name == name } }
        let values = found.compactMap(\.first?.value)
        if found.contains(where: { $0.count > 1 }) { guessFirst(path.pointer) }
        if CapturedHeaders.isSecret(name, in: .parameter) {
            let variable = CapturedHeaders.variable(name)
            guesses.append(Guess.secret(path.pointer, "a key", variable, .likely))
            return .text("${\(variable)}")
        }
        if Set(values).count > 1 {
            guess("/request/query", "\(name) is left out: it differs from request to request", .sure)
            return nil
        }
        guard values.count == found.count, let value = values.first else {
            guess("/request/query", "\(name) is left out: only some requests have it", .sure)
            return nil
        }
        let drafted = CapturedValue(.text(value), at: path)
        guesses += drafted.guesses
        kept += drafted.kept
        return drafted.node
    }

    /// Tells that a name stands in the draft once, though it came more often.
    mutating func guessFirst(_ pointer: String) {
        guess(pointer, "the others of this name are left out: a description has each name once", .sure)
    }

    // MARK: Events

    private mutating func eventGroup() -> (JSONNode, perEvent: [(String, JSONNode)]) {
        let idPath = fields.path(of: .id)
        let ids = idPath.map { path in events.compactMap { $0.value(at: path) } } ?? []
        let form = ids.first.map { ValueForm($0) }
        var template = EventTemplateDraft(
            fields, at: JSONPath(["events", "common"]), idIsLower: idIsLower(form))
        let common = template.template(events, at: JSONPath())
        guesses += template.guesses
        kept += template.kept
        var members: [(String, JSONNode)] = []
        if let kind = idKind(form) { members.append(("id", .text(kind))) }
        let tag = (fields.properties ?? JSONPath()).appending("bs_id")
        members.append(("tag", .text(tag.pointer)))
        members.append(("key", .texts(key(idPath).map(\.pointer))))
        members.append(("common", common))
        members += actions()
        if let properties = fields.properties {
            guess(
                "/events/common" + properties.pointer, "what the app hands over, and where bs_id goes",
                .likely)
        } else {
            guess(
                "/events/tag",
                "no object of properties was found: bs_id and the app's properties are members of the event",
                .unsure)
        }
        return (.object(members), template.perEvent)
    }

    private mutating func key(_ idPath: JSONPath?) -> [JSONPath] {
        if let idPath {
            // An id differs in all events; of one, that says nothing.
            let isShown = events.count > 1
            let shown = isShown ? "differs in all \(events.count) events" : "looks like an id"
            guess("/events/key", "\(idPath.pointer) \(shown)", isShown ? .sure : .unsure)
            return [idPath]
        }
        let roles = [FieldRole.name, .time, .distinctID, .userID, .anonymousID, .deviceID]
        let parts = ([fields.number] + roles.map { fields.path(of: $0) }).compactMap { $0 }
            .filter { path in events.allSatisfy { $0.value(at: path) != nil } }
        let reason =
            fields.number.map {
                "\($0.pointer) differs in all \(events.count) events but is a number, which counts a device's events "
                    + "here ({{row}}): it,"
            } ?? "no id that differs in all events:"
        guess("/events/key", "\(reason) name, time and person together name one", .unsure)
        let keys = (events.first?.members ?? []).map(\.key).filter { !CapturedText.hasVariable($0) }
        return parts.isEmpty ? [JSONPath([keys.first ?? "id"])] : parts
    }

    private func idIsLower(_ form: ValueForm?) -> Bool {
        if case .uuid(let isUpper, _) = form { !isUpper } else { false }
    }

    private func idKind(_ form: ValueForm?) -> String? {
        switch form {
        case .uuid(_, let isTimed): isTimed ? "uuid7" : "uuid"
        case .hex16: "hex16"
        default: nil
        }
    }

    /// Which captured names are an app's own, and which are the SDK's for what happens to an app.
    private mutating func actions() -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("business", .object([("name", .text("{{event}}"))]))]
        guard let path = fields.path(of: .name) else {
            guess(
                "/events/common", "no field of all events looks like a name: put {{name}} where it is",
                .unsure)
            return members
        }
        var names: [String] = []
        var seen: Set<String> = []
        for name in events.compactMap({ $0.value(at: path)?.string }) where seen.insert(name).inserted {
            names.append(name)
        }
        for (action, words) in DraftBuilder.actionWords {
            let found = names.first { name in
                let plain = name.lowercased().filter { $0.isLetter }
                return words.contains { plain.hasSuffix($0) }
            }
            guard let found else { continue }
            let text = CapturedText.literal(found)
            guard !members.contains(where: { $0.1["name"]?.string == text }) else { continue }
            members.append((action, .object([("name", .text(text))])))
            guess("/events/\(action)", "\"\(found)\", by its name", .unsure)
        }
        guess(
            "/events/common" + path.pointer,
            "the event's name: \(names.prefix(5).joined(separator: ", "))\(names.count > 5 ? ", …" : "")",
            .likely)
        return members
    }

    private static let actionWords: [(String, [String])] = [
        ("install", ["applicationinstalled", "appinstall", "firstopen"]),
        ("launch", ["applicationopened", "appopen", "appopened", "applaunch", "appstart"]),
        ("foreground", ["applicationforegrounded", "appforeground"]),
        ("background", ["applicationbackgrounded", "appbackground", "append"]),
        ("screen", ["screen", "screenview", "screenviewed", "pageview"]), ("login", ["identify", "login"]),
    ]
}

extension JSONNode {
    /// What stands at a path; a way into JSON that a text holds goes on in there.
    func value(at path: JSONPath) -> JSONNode? {
        var current = self
        for token in path.tokens {
            if current.string != nil {
                guard let inner = current.jsonOfText else { return nil }
                current = inner
            }
            guard
                let next = current[token]
                    ?? Int(token).flatMap({ index in
                        current.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                    })
            else { return nil }
            current = next
        }
        return current
    }
}
