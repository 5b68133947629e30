import Accounting
import Wire

/// Reads the elements of GrowingIO's lists: events of the third protocol, events of the second one with its
/// short names, and items.
struct GrowingReader: CollectedKeyReader {
    private var scratch = WireBuffer()
    private var single = WireBuffer()
    private let parser = JSONParser(byteLimit: JSONBatch.textLimit)
    /// How many bytes the events of groups may still take: each repeats what its group shares, and walks over all of it.
    private var room = 0

    /// The most members that an event of a group has of its own; the SDK gives it eight.
    private static let partLimit = 32
    /// What walking over a member counts as, beside its name: a part takes as many comparisons for it as it has members.
    private static let memberCost = 64

    /// Begins a request.
    mutating func begin() { room = JSONBatch.textLimit }

    /// Calls `body` with what an element holds: one event, or each event of a group.
    mutating func read(
        _ value: JSONValue, text: UnsafeRawBufferPointer, isItem: Bool, _ body: (UploadElement) -> Void
    ) {
        do throws(UploadError) {
            guard value.kind == .object else { throw UploadError(reason: .notAnObject) }
            if isItem {
                body(.event(item(value, text: text)))
            } else if value["eventType"] != nil {
                body(.event(event(try GrowingEvent(value), value, text: text)))
            } else if let group = value["e"], group.kind == .array {
                try read(group, of: value, body)
            } else {
                body(.event(event(try GrowingEvent(short: value), value, text: text)))
            }
        } catch {
            body(.undecodable(error.reason))
        }
    }

    /// The key of one event's JSON.
    mutating func key(of value: JSONValue) -> EventKey? {
        guard let event = (try? GrowingEvent(value)) ?? (try? GrowingEvent(short: value)) else { return nil }
        return key(of: event, value)
    }

    /// When one event's JSON says that it was captured, in milliseconds since 1970.
    func capturedAt(of value: JSONValue) -> Int64? {
        ((try? GrowingEvent(value)) ?? (try? GrowingEvent(short: value)))?.timestamp
    }

    private mutating func event(
        _ event: GrowingEvent, _ value: JSONValue, text: UnsafeRawBufferPointer
    ) -> UploadEvent {
        UploadEvent(
            key: key(of: event, value), type: event.type, name: event.name, distinctID: event.distinctID,
            capturedAt: event.timestamp, payload: text, value: value)
    }

    /// An item has neither a time nor an id: it is what it says.
    private mutating func item(_ value: JSONValue, text: UnsafeRawBufferPointer) -> UploadEvent {
        scratch.removeAll()
        value.appendJSON(to: &scratch)
        let key: EventKey = value["attributes"]?.harnessID().map { .harness($0) } ?? scratch.naturalKey
        let type: StaticString = "item"
        return UploadEvent(
            key: key, type: UnsafeRawBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount),
            name: value["key"]?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), payload: text,
            value: value)
    }

    /// Reads a group of element events: what they share, with each one's own members in place of the list.
    private mutating func read(
        _ group: JSONValue, of value: JSONValue, _ body: (UploadElement) -> Void
    ) throws(UploadError) {
        let cost = value.members.reduce(0) { $0 + $1.name.count + GrowingReader.memberCost }
        for part in group.elements {
            guard part.kind == .object else {
                body(.undecodable(.notAnObject))
                continue
            }
            guard room > 0, part.count <= GrowingReader.partLimit else {
                body(.undecodable(.tooLarge))
                continue
            }
            join(value, part)
            room -= single.count + cost
            let text = single
            text.withUnsafeBytes { text in
                guard let value = try? parser.parse(text), let event = try? GrowingEvent(short: value) else {
                    return body(.undecodable(.missingTime))
                }
                body(.event(self.event(event, value, text: text)))
            }
        }
    }

    /// Makes one event of what a group shares and a part's own members, which come first in doubt.
    private mutating func join(_ group: JSONValue, _ part: JSONValue) {
        single.removeAll()
        single.append(UInt8(ascii: "{"))
        for (name, member) in group.members where !name.equals("e") && !part.has(name) {
            single.appendMember(name, member)
        }
        for (name, member) in part.members { single.appendMember(name, member) }
        single.append(UInt8(ascii: "}"))
    }

    /// The event's id, else its natural key: deviceId, sessionId, eventType, timestamp, and globalSequenceId or
    /// else eventSequenceId.
    ///
    /// Without a session and a sequence, as from servers, it is the event's JSON in normal form (members in
    /// order as received, no white space) without `sendTime`.
    private mutating func key(of event: GrowingEvent, _ value: JSONValue) -> EventKey {
        if let id = event.id { return .harness(id) }
        if event.sessionID.isEmpty, event.sequence == 0 {
            scratch.removeAll()
            value.appendJSON(to: &scratch, omittingMember: "sendTime")
            return scratch.naturalKey
        }
        scratch.beginKey(event.deviceID)
        scratch.appendKey(event.sessionID)
        scratch.appendKey(event.type)
        scratch.appendKey(event.timestamp)
        scratch.appendKey(event.sequence)
        return scratch.naturalKey
    }
}

extension JSONValue {
    /// Whether an object has a member of this name.
    fileprivate func has(_ name: UnsafeRawBufferPointer) -> Bool {
        members.contains { $0.name.count == name.count && $0.name.elementsEqual(name) }
    }
}

extension WireBuffer {
    /// Appends a member with its comma.
    fileprivate mutating func appendMember(_ name: UnsafeRawBufferPointer, _ value: JSONValue) {
        appendJSONComma()
        appendJSONString(utf8: name)
        append(UInt8(ascii: ":"))
        value.appendJSON(to: &self)
    }
}
