import Accounting
import Timebase
import Wire

@testable import CollectorModel

/// Builds uploads by hand, for the tests of the collector.
enum Bodies {
    /// The form of the official iOS SDKs: checksum, gzip, list.
    static func official(_ json: String, crc: Int64? = nil) -> [UInt8] {
        let text = base64(gzip(Array(json.utf8)))
        let sum = crc ?? Int64(Array(text.utf8).withUnsafeBytes { JavaHash.hash($0) })
        return Array("crc=\(sum)&gzip=1&data_list=\(escaped(text))".utf8)
    }

    /// The form of the Python SDK 1.11.0: no checksum, the list first.
    static func python(_ json: String, field: String = "data_list") -> [UInt8] {
        Array("\(field)=\(escaped(base64(gzip(Array(json.utf8)))))&gzip=1".utf8)
    }

    static func plain(_ json: String) -> [UInt8] {
        Array("data_list=\(escaped(base64(Array(json.utf8))))".utf8)
    }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var output = WireBuffer()
        bytes.withUnsafeBytes { GzipEncoder(level: 6).compress($0, into: &output) }
        return output.bytes
    }

    static func base64(_ bytes: [UInt8]) -> String {
        var output = WireBuffer()
        bytes.withUnsafeBytes { Base64.encode($0, into: &output) }
        return output.text
    }

    static func escaped(_ text: String) -> String {
        var output = WireBuffer()
        Array(text.utf8).withUnsafeBytes { PercentEncoding.sensorsModern.encode($0, into: &output) }
        return output.text
    }

    static func event(
        _ id: String? = nil, type: String = "track", name: String? = "Buy", trackID: Int? = 7,
        time: Int = 1_700_000_000_000, flushTime: Int? = nil
    ) -> String {
        var members = ["\"type\":\"\(type)\"", "\"distinct_id\":\"u-1\"", "\"time\":\(time)"]
        if let name { members.append("\"event\":\"\(name)\"") }
        if let trackID { members.append("\"_track_id\":\(trackID)") }
        if let flushTime { members.append("\"_flush_time\":\(flushTime)") }
        members.append("\"properties\":{\(id.map { "\"bs_id\":\"\($0)\"" } ?? "")}")
        return "{\(members.joined(separator: ","))}"
    }

    static func list(_ events: String...) -> String { "[\(events.joined(separator: ","))]" }
}

/// Keeps copies of what it is given.
struct RecordingSink: CollectedEventSink {
    struct Row: Equatable {
        var id: String
        var copy: Int
        var system: CollectorSystem
        var type: String
        var name: String
        var distinctID: String
        var capturedAt: Int64
        var project: String
        var payload: String
    }
    var rows: [Row] = []

    mutating func store(_ event: CollectedEvent) {
        rows.append(
            Row(
                id: event.key.text, copy: event.copy, system: event.system,
                type: String(decoding: event.type, as: UTF8.self),
                name: String(decoding: event.name, as: UTF8.self),
                distinctID: String(decoding: event.distinctID, as: UTF8.self), capturedAt: event.capturedAt,
                project: String(decoding: event.project, as: UTF8.self),
                payload: String(decoding: event.payload, as: UTF8.self)))
    }
}

/// A collector with the sink and the faults that a test needs.
struct Bench {
    var model: CollectorModel
    var sink = RecordingSink()

    init(plan: CollectorPlan = CollectorPlan()) { model = CollectorModel(plan: plan) }

    /// The undecodable events by reason, without those that did not occur.
    var undecodable: [UndecodableReason: UInt64] {
        let counts = UndecodableReason.allCases.map { ($0, model.statistics.undecodable($0)) }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }

    @discardableResult
    mutating func post(
        _ body: [UInt8], path: String = "/sa", query: String = "", dryRun: Bool = false,
        headers: [CollectedHeader: String] = [:], at now: Instant = Instant(nanoseconds: 0),
        fault: LateFault = .none
    ) -> CollectorReply {
        var collected = CollectedHeaders()
        for (header, value) in headers { collected[header] = value }
        return body.withUnsafeBytes { bytes in
            let request = CollectedRequest(
                method: .post, path: path, query: query, dryRun: dryRun, headers: collected, body: bytes)
            return model.receive(request, at: now, fault: fault, sink: &sink)
        }
    }

    @discardableResult
    mutating func post(_ upload: SystemUpload, fault: LateFault = .none) -> CollectorReply {
        post(upload.body, path: upload.path, query: upload.query, headers: upload.headers, fault: fault)
    }

    mutating func get(_ path: String, query: String = "", at now: Instant = Instant(nanoseconds: 0))
        -> CollectorReply
    {
        let request = CollectedRequest(method: .get, path: path, query: query)
        return model.receive(request, at: now, fault: .none, sink: &sink)
    }
}
