import Accounting
import CollectorModel
import Timebase

/// The collector's decoders of all systems, and the counters behind them.
///
/// The first character says whose upload the rest is and how much of it; see ``CollectorInput``.
final class CollectorTarget: FuzzTarget {
    static let name = "collector"
    static let modes = CollectorInput.modes
    static let dictionary = [
        "data_list=", "data=", "crc=", "gzip=1", "gzip=0", "gzip=9", "gzip=13", "&", "\"type\":\"track\"",
        "\"time\":0",
        "\"event\":", "\"distinct_id\":", "\"_track_id\":", "\"_flush_time\":",
        "\"properties\":{\"bs_id\":\"0-0\"}",
        "\"lib\":{\"bs_id\":\"7-4294967295\"}", "\"4294967295-4294967295\"", "\"project\":\"p\"",
        "profile_set",
        "item_set", "{\"ekey\":\"k\",\"pkv\":1,\"payloads\":[\"a\",\"b\"]}", "H4sIAAAAAAAA",
        "\"eventType\":\"PAGE\"", "\"timestamp\":1", "\"attributes\":{\"bs_id\":\"1-2\"}",
        "\"sessionId\":\"s\"",
        "\"globalSequenceId\":1", "\"t\":\"clck\",\"tm\":1,", "\"e\":[{\"tm\":1},{\"tm\":2}]",
        "\"event_name\":\"a\"",
        "\"parameters\":{\"b\":1,\"a\":2}", "100,1,a|b|c|d|e|f~1-2,r", "\n0,1,a,b", "name=\"file\"",
        "\r\n--Boundary+0000000100000002", "PK\u{3}\u{4}", "PK\u{1}\u{2}", "PK\u{5}\u{6}",
        "\u{A}\u{2}\u{8}\u{1}",
    ]

    private var model = CollectorModel()

    init() {}

    /// Counts what is stored and keeps its keys, to take them back.
    private struct Sink: CollectedEventSink {
        var keys: [EventKey] = []
        var copies: [Int] = []

        mutating func store(_ event: CollectedEvent) {
            keys.append(event.key)
            copies.append(event.copy)
            if event.type.isEmpty { strangeness = "an event without a type is stored" }
            if event.payload.first != UInt8(ascii: "{") || event.payload.last != UInt8(ascii: "}") {
                strangeness = "a payload is no object"
            }
            // Every byte that a store would copy is touched.
            for text in [event.type, event.name, event.distinctID, event.payload] {
                checksum = text.reduce(checksum) { $0 &* 31 &+ UInt64($1) }
            }
        }
        var checksum: UInt64 = 0
        var strangeness: String?
    }

    func check(_ input: [UInt8]) throws {
        guard let body = CollectorInput.upload(of: input) else { return }
        model.receipts = Receipts()
        let first = try receive(body, dryRun: false)
        let second = try receive(body, dryRun: false)
        try demand(first.sink.strangeness == nil, first.sink.strangeness ?? "")
        try demand(first.sink.keys == second.sink.keys, "the same body names other events the second time")
        try demand(second.sink.copies.allSatisfy { $0 > 0 }, "an event's second copy counts as its first")
        try demand(
            model.receipts.unique == UInt64(Set(first.sink.keys).count),
            "\(model.receipts.unique) unique events of \(Set(first.sink.keys).count) keys")
        let dry = try receive(body, dryRun: true)
        try demand(dry.sink.keys.isEmpty, "a dry run stores")
        model.withdraw(first.sink.keys + second.sink.keys)
        try demand(
            model.receipts.received == 0, "what is taken back is still held: \(model.receipts.received)")
    }

    private func receive(
        _ upload: CollectorInput.Upload, dryRun: Bool
    ) throws -> (reply: CollectorReply, sink: Sink) {
        var sink = Sink()
        let before = model.statistics
        let reply = upload.body.withUnsafeBytes { bytes in
            let request = CollectedRequest(
                method: .post, path: upload.form.path, query: "project=p&stm=1700000000123", dryRun: dryRun,
                headers: CollectedHeaders(lines: upload.form.headerLines), body: bytes)
            return model.receive(request, at: Instant(nanoseconds: 0), fault: .none, sink: &sink)
        }
        let after = model.statistics
        try demand(
            after.requests == before.requests + 1,
            "a request counts \(after.requests - before.requests) times")
        try demand(after.received == before.received + UInt64(sink.keys.count), "stored and received differ")
        try demand(after.received == after.unique + after.duplicates, "received ≠ unique + duplicates")
        let reasons = UndecodableReason.allCases.reduce(0) { $0 + after.undecodable($1) }
        try demand(after.undecodable == reasons, "undecodable events and their reasons differ")
        let isRefused = reply.disposition == .undecodable
        try demand(isRefused == (reply.status == 400), "status \(reply.status) for \(reply.disposition)")
        try demand(!isRefused || sink.keys.isEmpty, "events of a refused request are stored")
        try demand(!isRefused || after.undecodable > before.undecodable, "a refusal is not counted")
        return (reply, sink)
    }
}
