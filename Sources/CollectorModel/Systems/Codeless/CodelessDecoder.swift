import Accounting
import Wire

/// Reads the uploads of the codeless SDK: one message with a part of its events.
final class CodelessDecoder: UploadDecoder {
    private let batch = JSONBatch()
    private var messages = MessageList()
    private var reader = CodelessReader()

    func open(_ request: CollectedRequest) -> UploadEnvelope {
        open(request.body, eventsID: request.headers[.eventsID])
    }

    /// The batch has its own name in it.
    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope {
        open(plain, eventsID: "")
    }

    private func open(_ batch: UnsafeRawBufferPointer, eventsID: String) -> UploadEnvelope {
        var head = CodelessBatchHead(eventsID: eventsID)
        // A batch that ends early still has events: the list tells where.
        try? head.read(batch)
        let isRead = messages.read(
            batch, field: CodelessMessages.events, as: CodelessMessages.event
        ) { index, text in
            text.appendMember("appKey")
            text.appendJSONString(head.appKey)
            text.appendMember("deviceId")
            text.appendJSONString(head.deviceID)
            text.appendMember("eventsId")
            text.appendJSONString(head.eventsID)
            text.appendMember("index")
            text.appendDecimal(index)
        }
        return isRead ? .opened : .refused(.tooLarge)
    }

    var textCapacity: Int { messages.text.capacity }

    func forEachElement(_ body: (UploadElement) -> Void) {
        messages.text.withUnsafeBytes { text in
            batch.forEachElement(of: text) { element in
                guard case .value(let value, let text) = element else { return body(.undecodable(.json)) }
                body(reader.read(value, text: text))
            }
        }
        for _ in 0..<messages.broken { body(.undecodable(.protobuf)) }
    }
}

/// What the events of a batch share.
private struct CodelessBatchHead {
    var appKey = ""
    var deviceID = ""
    /// Of the batch itself, else of the request's header.
    var eventsID: String

    init(eventsID: String) { self.eventsID = eventsID }

    mutating func read(_ message: UnsafeRawBufferPointer) throws {
        var reader = MessageList.reader(of: message)
        while let field = try reader.next() {
            switch field.number {
            case CodelessMessages.appKey: appKey = try field.string()
            case CodelessMessages.deviceID: deviceID = try field.string()
            case CodelessMessages.eventsID:
                let text = try field.string()
                if !text.isEmpty { eventsID = text }
            default: continue
            }
        }
    }
}

/// Reads the codeless SDK's events as JSON.
struct CodelessReader: CollectedKeyReader {
    private var scratch = WireBuffer()

    mutating func read(_ value: JSONValue, text: UnsafeRawBufferPointer) -> UploadElement {
        guard let type = value["eventName"]?.bytes, !type.isEmpty else { return .undecodable(.missingType) }
        guard let time = value["eventTime"]?.int64 else { return .undecodable(.missingTime) }
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        return .event(
            UploadEvent(
                key: key(value), type: type, distinctID: value["deviceId"]?.bytes ?? empty, capturedAt: time,
                payload: text, value: value))
    }

    /// The key of one event's JSON.
    mutating func key(of value: JSONValue) -> EventKey? {
        value["eventName"]?.bytes == nil || value["eventTime"]?.int64 == nil ? nil : key(value)
    }

    func capturedAt(of value: JSONValue) -> Int64? { value["eventTime"]?.int64 }

    /// The event's id, else its natural key: deviceId, sessionId, eventName, eventTime, pageName, viewId, indexPath
    /// and url, each empty where it is absent. The batch's name is not in it: what is sent from a file has
    /// another one than it had in memory.
    private mutating func key(_ value: JSONValue) -> EventKey {
        if let id = value.harnessID("bsId") { return .harness(id) }
        func text(_ member: JSONValue?) -> UnsafeRawBufferPointer {
            member?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        }
        scratch.beginKey(text(value["deviceId"]))
        scratch.appendKey(text(value["sessionId"]))
        scratch.appendKey(text(value["eventName"]))
        scratch.appendKey(value["eventTime"]?.int64 ?? 0)
        for member in [value["pageName"], value["viewInfo"]?["viewId"], value["indexPath"], value["url"]] {
            scratch.appendKey(text(member))
        }
        return scratch.naturalKey
    }
}
