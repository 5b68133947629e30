package import Wire

/// A path in JSON: names of members, and numbers of elements from 0.
///
/// A path may lead into a text that holds JSON, as it is or in base64: the way goes on in there.
package struct EventPath: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The names' UTF-8.
    let steps: [[UInt8]]
    /// Whether what is there is a text, and the JSON in it is meant.
    let isText: Bool

    package init(_ path: JSONPath, isText: Bool = false) {
        steps = path.tokens.map { Array($0.utf8) }
        self.isText = isText
    }

    /// A JSON pointer; empty for the whole.
    package init(stringLiteral pointer: StaticString) {
        self.init(JSONPath(text: pointer.description) ?? JSONPath())
    }

    /// Whether it is the whole.
    var isWhole: Bool { steps.isEmpty }
}

extension JSONValue {
    /// The member or element that one step of a path leads to.
    fileprivate func step(_ name: [UInt8]) -> JSONValue? {
        switch kind {
        case .object:
            for member in members where member.name.count == name.count && member.name.elementsEqual(name) {
                return member.value
            }
            return nil
        case .array:
            guard let index = name.withUnsafeBytes({ $0.decimalInteger }), index >= 0, index < count else {
                return nil
            }
            return elements.dropFirst(Int(index)).first { _ in true }
        default: return nil
        }
    }

    /// Whether there is a member of this name.
    func hasMember(_ name: String) -> Bool {
        members.contains { $0.name.elementsEqual(name.utf8) }
    }
}

/// Follows paths into one value, and into the JSON that its texts hold.
///
/// What it hands out is valid until the next call of ``begin()``. Not thread-safe.
final class PathReader {
    /// Texts of one event, or of one body, that are opened; what is beyond is not looked into.
    private static let limit = UploadDescription.textLimit

    private var parsers: [JSONParser] = []
    /// The texts that were opened, by where they lie.
    private var opened: [(text: UnsafeRawPointer?, value: JSONValue?)] = []
    private var packed = WireBuffer()
    /// How many bytes of texts may still be opened: those within each other may be as long as the whole.
    private var room = JSONBatch.textLimit

    /// Forgets the texts of the value before.
    func begin() {
        opened.removeAll(keepingCapacity: true)
        room = JSONBatch.textLimit
    }

    /// The value at the first of some paths that is there and not null.
    func value(at paths: [EventPath], in value: JSONValue) -> JSONValue? {
        for path in paths {
            if let found = self.value(at: path, in: value), !found.isNull { return found }
        }
        return nil
    }

    /// The value at a path; `nil` if there is none.
    func value(at path: EventPath, in value: JSONValue) -> JSONValue? {
        var current = value
        for step in path.steps {
            while let text = current.bytes {
                guard let inner = open(text) else { return nil }
                current = inner
            }
            guard let next = current.step(step) else { return nil }
            current = next
        }
        return current
    }

    /// What lies at a path of events: in the JSON of a text, where the path says so; `nil` if there is nothing.
    func events(at path: EventPath, in value: JSONValue) -> JSONValue? {
        var found = self.value(at: path, in: value)
        while path.isText, let text = found?.bytes { found = open(text) }
        return found
    }

    /// The JSON that a text holds.
    private func open(_ text: UnsafeRawBufferPointer) -> JSONValue? {
        if let known = opened.first(where: { $0.text == text.baseAddress }) { return known.value }
        guard opened.count < PathReader.limit, text.count <= room else { return nil }
        room -= text.count
        if parsers.count == opened.count { parsers.append(JSONParser(byteLimit: JSONBatch.textLimit)) }
        let parser = parsers[opened.count]
        let value: JSONValue?
        if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "[") {
            value = try? parser.parse(text)
        } else {
            packed.removeAll()
            let isWhole = Base64.decodeLeniently(text, into: &packed)
            value = isWhole ? packed.withUnsafeBytes { try? parser.parse($0) } : nil
        }
        opened.append((text.baseAddress, value))
        return value
    }
}
