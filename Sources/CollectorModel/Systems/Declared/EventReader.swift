import Accounting
import Timebase
import Wire

/// Reads events by their descriptions.
struct DescribedEventReader {
    private let paths = PathReader()
    private var scratch = WireBuffer()

    /// What an event is where its product has no kinds.
    private static let plainType: StaticString = "event"

    /// Reads one event.
    ///
    /// - Parameter text: Its JSON as received.
    mutating func read(
        _ value: JSONValue, text: UnsafeRawBufferPointer, as description: UploadDescription
    ) -> UploadElement {
        guard value.kind == .object else { return .undecodable(.notAnObject) }
        paths.begin()
        let event = description.event
        guard let name = name(of: value, event) else { return .undecodable(.missingType) }
        var time: Int64?
        if let found = paths.value(at: event.times, in: value) {
            guard let milliseconds = DescribedEventReader.milliseconds(found, event.timeUnit) else {
                return .undecodable(.missingTime)
            }
            time = milliseconds
        }
        let plain = DescribedEventReader.plainType
        let type = paths.value(at: event.types, in: value)?.bytes
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        return .event(
            UploadEvent(
                key: key(of: value, description) ?? wholeKey(of: value, description),
                type: type.flatMap { $0.isEmpty ? nil : $0 }
                    ?? UnsafeRawBufferPointer(start: plain.utf8Start, count: plain.utf8CodeUnitCount),
                name: name, distinctID: paths.value(at: event.distinctIDs, in: value)?.bytes ?? empty,
                capturedAt: time, payload: text, value: value))
    }

    // MARK: Names

    /// What an event is called; `nil` for something that is none of the description's.
    private func name(of value: JSONValue, _ event: EventDescription) -> UnsafeRawBufferPointer? {
        for rule in event.names {
            switch rule {
            case .value(let path):
                if let name = paths.value(at: path, in: value)?.bytes, !name.isEmpty { return name }
            case .member(let name):
                for member in value.members where member.name.elementsEqual(name.utf8) { return member.name }
            }
        }
        return nil
    }

    /// Whether a value may be an event of the description.
    func fits(_ value: JSONValue, _ description: UploadDescription) -> Bool {
        paths.begin()
        return value.kind == .object && name(of: value, description.event) != nil
    }

    /// How much speaks for an event being of a description.
    enum Likeness: Comparable {
        case nothing
        /// It has a name.
        case named
        /// It has a name and all parts of the key, which is all that the description knows events by.
        case keyed
        /// It has the harness's id where the description says.
        case tagged
    }

    func likeness(of value: JSONValue, to description: UploadDescription) -> Likeness {
        let event = description.event
        paths.begin()
        let hasTag = event.tags.contains { tag in
            paths.value(at: tag, in: value)?.bytes.flatMap { EventID(text: $0) } != nil
        }
        if hasTag { return .tagged }
        guard fits(value, description) else { return .nothing }
        let isKeyed = event.tags.isEmpty && event.key.allSatisfy { paths.value(at: $0, in: value) != nil }
        return isKeyed ? .keyed : .named
    }

    // MARK: Keys

    /// The event's id of the harness, else the hash of its natural key; `nil` where it has neither.
    ///
    /// The natural key is the product and then the text of each part, in order, joined with U+001F: a text as it is,
    /// anything else as JSON in normal form, nothing where a part is absent. Parts that are all absent are no key.
    private mutating func key(
        of value: JSONValue, _ description: UploadDescription
    ) -> EventKey? {
        let event = description.event
        for tag in event.tags {
            if let text = paths.value(at: tag, in: value)?.bytes, let id = EventID(text: text) {
                return .harness(id)
            }
        }
        scratch.removeAll()
        scratch.append(description.product)
        var isThere = false
        for part in event.key {
            scratch.append(0x1F)
            guard let found = paths.value(at: part, in: value) else { continue }
            if let text = found.bytes {
                isThere = isThere || !text.isEmpty
                scratch.append(contentsOf: text)
            } else {
                isThere = true
                found.appendJSON(to: &scratch)
            }
        }
        return isThere ? scratch.naturalKey : nil
    }

    /// The hash of the product and all of an event's JSON in normal form, without what each attempt has of its own.
    private mutating func wholeKey(of value: JSONValue, _ description: UploadDescription) -> EventKey {
        scratch.removeAll()
        scratch.append(description.product)
        for (name, member) in value.members {
            if description.event.attemptMembers.contains(where: { name.elementsEqual($0.utf8) }) { continue }
            scratch.append(UInt8(ascii: ","))
            scratch.appendJSONString(utf8: name)
            scratch.append(UInt8(ascii: ":"))
            member.appendJSON(to: &scratch)
        }
        return scratch.naturalKey
    }

    /// The key of one event's JSON, as a store holds it; `nil` for what is no event of the description, or has no key
    /// by which it could be told from other JSON.
    mutating func key(of value: JSONValue, as description: UploadDescription) -> EventKey? {
        guard fits(value, description) else { return nil }
        return key(of: value, description)
    }

    // MARK: Times

    /// When one event's JSON says that it was captured, in milliseconds since 1970.
    func capturedAt(_ value: JSONValue, as description: UploadDescription) -> Int64? {
        guard fits(value, description) else { return nil }
        return paths.value(at: description.event.times, in: value).flatMap {
            DescribedEventReader.milliseconds($0, description.event.timeUnit)
        }
    }

    private static func milliseconds(_ value: JSONValue, _ unit: EventDescription.TimeUnit) -> Int64? {
        if let number = value.double { return milliseconds(number, unit) }
        guard let bytes = value.bytes else { return nil }
        if let whole = bytes.decimalInteger { return milliseconds(Double(whole), unit) }
        let text = String(decoding: bytes, as: UTF8.self)
        if let number = Double(text) { return milliseconds(number, unit) }
        return (Instant(text: text) ?? Instant(text: text + "Z"))?.milliseconds
    }

    /// Milliseconds of a number; doubles hold all of the years that are told apart to the millisecond.
    private static func milliseconds(_ number: Double, _ unit: EventDescription.TimeUnit) -> Int64? {
        let milliseconds =
            switch unit {
            case .seconds: number * 1e3
            case .milliseconds: number
            case .microseconds: number / 1e3
            case .nanoseconds: number / 1e6
            case .bySize:
                switch number.magnitude {
                case ..<1e11: number * 1e3
                case ..<1e14: number
                case ..<1e17: number / 1e3
                default: number / 1e6
                }
            }
        return milliseconds.magnitude < 9e15 ? Int64(milliseconds.rounded()) : nil
    }
}
