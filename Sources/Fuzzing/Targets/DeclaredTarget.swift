import CollectorModel
import SDKDescription
import Scenario
import Timebase
import Wire

/// Uploads of clients that a description tells: the description, a NUL, and a body for it.
///
/// An input without a description is a body for the public products.
final class DeclaredTarget: FuzzTarget {
    static let name = "declared"
    static let dictionary = [
        "{{events}}", "{{id}}", "{{name}}", "{{time|ms}}", "{{time|iso}}", "{{properties}}", "{{sent|s}}",
        "\"framing\":\"lines\"",
        "\"framing\":\"one\"", "\"base64url\":", "\"jsonText\":", "\"perEvent\":", "\"events\":",
        "\"common\":", "\"key\":[\"/i\"]",
        "\"tag\":\"/p/bs_id\"", "\"preset\":\"posthog-ios\"", "\"batch\":[", "\"messageId\":",
        "\"bs_id\":\"0-1\"", "data=", "verbose=1",
        "eyJhIjoxfQ", "\"timestamp\":\"2026-03-02T11:30:00Z\"", "\n", "\u{0}", "\u{1F}\u{8B}",
    ]

    init() {}

    private struct Sink: CollectedEventSink {
        var keys: [String] = []
        var payloads: [String] = []
        var isWhole = true

        mutating func store(_ event: CollectedEvent) {
            keys.append("\(event.key)")
            payloads.append(String(decoding: event.payload, as: UTF8.self))
            if event.type.isEmpty || event.name.isEmpty || event.payload.first != UInt8(ascii: "{") {
                isWhole = false
            }
        }
    }

    func check(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        var plan = CollectorPlan()
        if parts.count > 1 {
            guard case .success(let sdk) = DescriptionReader.read(bytes: Array(parts[0])) else { return }
            plan.descriptions = [UploadDescription(sdk)]
        }
        let body = Array(parts.last ?? [])
        // A path that only a target knows is anybody's.
        plan.uploadPaths = [UploadPath(path: "/fuzz", system: .declared)]
        let (first, again) = (try receive(body, plan), try receive(body, plan))
        try demand(first.isWhole, "an event without a type or a name, or one that is no object, is stored")
        try demand(first.keys == again.keys, "the same body names other events the second time")
        for payload in first.payloads.prefix(20) {
            // By the parser that takes what collectors take: a name twice, as of a form, and lists within lists.
            let kind = Array(payload.utf8).withUnsafeBytes { bytes in
                try? JSONParser().withParsed(bytes) { $0.kind }
            }
            try demand(kind == .object, "a payload is no object: \(payload.prefix(400))")
        }
    }

    private func receive(_ body: [UInt8], _ plan: CollectorPlan) throws -> Sink {
        var (model, sink) = (CollectorModel(plan: plan), Sink())
        let reply = body.withUnsafeBytes { bytes in
            model.receive(
                CollectedRequest(method: .post, path: "/fuzz", body: bytes), at: Instant(nanoseconds: 0),
                fault: .none,
                sink: &sink)
        }
        let undecodable = model.statistics.undecodable
        try demand((reply.disposition == .undecodable) == (reply.status == 400), "status \(reply.status)")
        try demand(
            reply.status != 400 || (sink.keys.isEmpty && undecodable > 0),
            "a refusal stores, or is not counted")
        try demand(model.statistics.received == UInt64(sink.keys.count), "stored and received differ")
        return sink
    }
}
