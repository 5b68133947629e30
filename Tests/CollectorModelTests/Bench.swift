import Accounting
import TestSupport
import Timebase

@testable import CollectorModel

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
