import Accounting
import Wire

/// Reads uploads by the descriptions of their clients: JSON with a list of events, a list, one event, or lines.
final class DeclaredDecoder: UploadDecoder {
    /// How the events lie in the text.
    private enum Shape {
        /// Nothing can be read.
        case none
        /// In a list at a path of the parsed text.
        case list(EventPath)
        /// One at a path of the parsed text.
        case one(EventPath)
        /// Each line is one, or a body of its own.
        case lines
    }

    private let clients: DescribedClients
    private let body = DeclaredBody()
    private let parser = JSONParser(byteLimit: JSONBatch.textLimit)
    private var reader = DescribedEventReader()
    private let paths = PathReader()
    private var shape = Shape.none
    private var root: JSONValue?
    private var client = UploadClient()
    /// The text of an event that came without one.
    private var scratch = WireBuffer()
    /// The latest request's path and method, and who may have sent it: nearly all requests of a target share them.
    private var head: (method: CollectedRequest.Method, path: String)?
    private var candidates: [Int] = []
    /// Who may have sent what is read now.
    private var readers: [Int] = []
    private var fields: [String] = []

    init(_ clients: DescribedClients) { self.clients = clients }

    // MARK: Opening

    func open(_ request: CollectedRequest) -> UploadEnvelope {
        shape = .none
        if head?.path != request.path || head?.method != request.method {
            head = (request.method, request.path)
            candidates = clients.candidates(for: request)
            fields = candidates.flatMap { clients.all[$0].formFields }
        }
        client = UploadClient(number: candidates.first ?? 0)
        let takesFields = candidates.contains { clients.all[$0].takesFields }
        let reason = body.open(request, fields: fields, takesFields: takesFields) ?? read(candidates)
        client.wantsWords = body.wantsWords
        return envelope(reason)
    }

    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope {
        shape = .none
        client = UploadClient()
        guard plain.count <= JSONBatch.textLimit else { return envelope(.tooLarge) }
        body.open(plain: plain)
        return envelope(read(Array(clients.all.indices), isPlain: true))
    }

    private func envelope(_ reason: UndecodableReason?) -> UploadEnvelope {
        var envelope = reason.map { UploadEnvelope.refused($0) } ?? .opened
        envelope.client = client
        return envelope
    }

    /// Parses the text, and finds whose it is and where its events are.
    ///
    /// - Parameter isPlain: Whether the text is a list of events whatever is around them in a body.
    private func read(_ candidates: [Int], isPlain: Bool = false) -> UndecodableReason? {
        paths.begin()
        readers = candidates
        root = parse()
        if let root { return find(in: root, candidates, isPlain: isPlain) }
        // Lines are no JSON as a whole, but the first of them is.
        guard let line = body.text.withUnsafeBytes({ firstLine(of: $0) }), let first = parse(line) else {
            return .json
        }
        if let reason = find(in: first, candidates) { return reason }
        shape = .lines
        return nil
    }

    private func parse() -> JSONValue? { body.text.withUnsafeBytes { try? parser.parse($0) } }
    private func parse(_ bytes: UnsafeRawBufferPointer) -> JSONValue? { try? parser.parse(bytes) }

    /// Finds the client whose list a value has, else the one whose event it may be.
    ///
    /// Of several at one path, the one that most speaks for in the first event, else the first.
    private func find(
        in value: JSONValue, _ candidates: [Int], isPlain: Bool = false
    ) -> UndecodableReason? {
        if !body.isFields, !isPlain {
            let lists = candidates.lazy.compactMap { number in
                self.list(of: number, in: value).map { (number, $0.0, $0.first) }
            }
            if let found = likeliest(of: lists) {
                choose(found.number, found.shape)
                return nil
            }
        }
        let first = value.kind == .array ? value.elements.first { _ in true } : value
        let whole = EventPath(JSONPath())
        let shape = value.kind == .array ? Shape.list(whole) : .one(whole)
        let wholes = candidates.lazy.filter { number in
            let client = self.clients.all[number]
            return self.body.isFields
                ? client.takesFields : isPlain || client.lists.contains(where: \.isWhole)
        }
        guard let found = likeliest(of: wholes.map { ($0, shape, first) }) else { return .missingEvents }
        choose(found.number, shape)
        return nil
    }

    /// The client that most speaks for in its first event; the first of several, `nil` if there are none.
    private func likeliest(
        of clients: some Sequence<(Int, Shape, JSONValue?)>
    ) -> (number: Int, shape: Shape)? {
        var best: (number: Int, shape: Shape, likeness: DescribedEventReader.Likeness)?
        for (number, shape, first) in clients {
            let likeness = first.map { reader.likeness(of: $0, to: self.clients.all[number]) } ?? .nothing
            guard best.map({ likeness > $0.likeness }) ?? true else { continue }
            best = (number, shape, likeness)
            if likeness == .tagged { break }
        }
        return best.map { ($0.number, $0.shape) }
    }

    /// Where the events of a client lie in a body, with the first of them; `nil` where they are not.
    private func list(of number: Int, in value: JSONValue) -> (Shape, first: JSONValue?)? {
        for path in clients.all[number].lists where !path.isWhole {
            guard let found = paths.events(at: path, in: value) else { continue }
            if found.kind == .array { return (.list(path), found.elements.first { _ in true }) }
            if found.kind == .object { return (.one(path), found) }
        }
        return nil
    }

    private func choose(_ number: Int, _ shape: Shape) {
        client.number = number
        self.shape = shape
    }

    // MARK: Walking

    var textCapacity: Int { body.textCapacity }

    func forEachElement(_ body: (UploadElement) -> Void) {
        self.body.text.withUnsafeBytes { text in
            switch shape {
            case .none: break
            case .lines: forEachLine(of: text) { line in element(ofLine: line, body) }
            case .one(let path):
                if let root, let event = paths.events(at: path, in: root) {
                    element(event, text: path.isWhole ? text.trimmed : nil, body)
                }
            case .list(let path):
                if let root {
                    forEachElement(of: root, at: path, parser.listSlices(of: text, at: path.steps)) {
                        element($0, text: $1, body)
                    }
                }
            }
        }
    }

    /// Walks a list with the texts of its elements, where they can be told.
    private func forEachElement(
        of root: JSONValue, at path: EventPath, _ slices: JSONListSlices?,
        _ body: (JSONValue, UnsafeRawBufferPointer?) -> Void
    ) {
        guard let list = paths.events(at: path, in: root) else { return }
        var slices = slices
        for value in list.elements { body(value, slices?.next()) }
    }

    private func element(
        _ value: JSONValue, text: UnsafeRawBufferPointer?, _ body: (UploadElement) -> Void
    ) {
        if let text { return body(read(value, text)) }
        scratch.removeAll()
        value.appendJSON(to: &scratch)
        let copy = scratch
        copy.withUnsafeBytes { body(read(value, $0)) }
    }

    /// Reads an event by the description of the body's client; one that it has no name for by the first that has one: two
    /// clients at one path may differ in nothing but what an event is called.
    private func read(_ value: JSONValue, _ text: UnsafeRawBufferPointer) -> UploadElement {
        let element = reader.read(value, text: text, as: clients.all[client.number])
        guard case .undecodable(.missingType) = element,
            let other = readers.first(where: { reader.fits(value, clients.all[$0]) })
        else { return element }
        return reader.read(value, text: text, as: clients.all[other])
    }

    /// A line: an event, or an object with a list of events.
    private func element(ofLine line: UnsafeRawBufferPointer, _ body: (UploadElement) -> Void) {
        guard let value = parse(line) else { return body(.undecodable(.json)) }
        paths.begin()
        let lists = clients.all[client.number].lists
        let path = lists.first { !$0.isWhole && paths.events(at: $0, in: value)?.kind == .array }
        guard let path else { return element(value, text: line, body) }
        forEachElement(of: value, at: path, parser.listSlices(of: line, at: path.steps)) {
            element($0, text: $1, body)
        }
    }

    // MARK: Lines

    private func forEachLine(
        of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: 0x0A) ?? text.count
            let line = UnsafeRawBufferPointer(rebasing: text[start..<end]).trimmed
            if !line.isEmpty { body(line) }
            start = end + 1
        }
    }

    private func firstLine(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var first: UnsafeRawBufferPointer?
        forEachLine(of: text) { first = first ?? $0 }
        // One line alone would have been JSON as a whole.
        return text.contains(0x0A) ? first : nil
    }
}
