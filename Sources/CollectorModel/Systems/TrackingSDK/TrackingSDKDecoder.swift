import Accounting
import Wire

/// Reads the uploads of TrackingSDK: a JSON list of everything that a device had stored.
final class TrackingSDKDecoder: UploadDecoder {
    private let batch = JSONBatch()
    private var reader = TrackingSDKReader()
    private var text = WireBuffer()

    func open(_ request: CollectedRequest) -> UploadEnvelope {
        guard request.body.count <= JSONBatch.textLimit else { return .refused(.tooLarge) }
        text.removeAll()
        text.append(contentsOf: request.body)
        return .opened
    }

    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope {
        guard plain.count <= JSONBatch.textLimit else { return .refused(.tooLarge) }
        text.removeAll()
        text.append(contentsOf: plain)
        return .opened
    }

    var textCapacity: Int { text.capacity }

    func forEachElement(_ body: (UploadElement) -> Void) {
        text.withUnsafeBytes { text in
            batch.forEachElement(of: text) { element in
                guard case .value(let value, let text) = element else { return body(.undecodable(.json)) }
                body(reader.read(value, text: text))
            }
        }
    }
}

/// Reads TrackingSDK's events: `event_name`, `timestamp` in seconds since 1970, `parameters`.
struct TrackingSDKReader: CollectedKeyReader {
    private var scratch = WireBuffer()

    /// All of the SDK's events are of one type.
    private static let type: StaticString = "event"

    mutating func read(_ value: JSONValue, text: UnsafeRawBufferPointer) -> UploadElement {
        guard value.kind == .object else { return .undecodable(.notAnObject) }
        guard let name = value["event_name"]?.bytes, !name.isEmpty else { return .undecodable(.missingType) }
        guard let milliseconds = TrackingSDKReader.milliseconds(value) else {
            return .undecodable(.missingTime)
        }
        let type = TrackingSDKReader.type
        return .event(
            UploadEvent(
                key: key(of: value, name),
                type: UnsafeRawBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount),
                name: name,
                capturedAt: milliseconds, payload: text, value: value))
    }

    /// The key of one event's JSON.
    mutating func key(of value: JSONValue) -> EventKey? {
        guard let name = value["event_name"]?.bytes, TrackingSDKReader.milliseconds(value) != nil else {
            return nil
        }
        return key(of: value, name)
    }

    /// When one event's JSON says that it was captured, in milliseconds since 1970.
    func capturedAt(of value: JSONValue) -> Int64? {
        value["event_name"]?.bytes == nil ? nil : TrackingSDKReader.milliseconds(value)
    }

    private static func milliseconds(_ value: JSONValue) -> Int64? {
        // Written with six decimals, and rounded down as all times are; seconds in binary are not exact.
        value["timestamp"]?.double.flatMap { Int64(exactly: (($0 * 1e6).rounded() / 1000).rounded(.down)) }
    }

    /// The event's id, else its natural key: name, timestamp and parameters, the latter as JSON in normal form,
    /// each after a comma, in order of their names, since a dictionary's order is nobody's promise.
    private mutating func key(of value: JSONValue, _ name: UnsafeRawBufferPointer) -> EventKey {
        let parameters = value["parameters"]
        if let id = parameters?.harnessID() { return .harness(id) }
        scratch.beginKey(name)
        scratch.append(0x1F)
        value["timestamp"]?.appendJSON(to: &scratch)
        scratch.append(0x1F)
        let members = parameters.map { Array($0.members) } ?? []
        for (name, member) in members.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            scratch.append(UInt8(ascii: ","))
            scratch.appendJSONString(utf8: name)
            scratch.append(UInt8(ascii: ":"))
            member.appendJSON(to: &scratch)
        }
        return scratch.naturalKey
    }
}
