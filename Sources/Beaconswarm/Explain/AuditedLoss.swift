import Accounting
import DeviceSDK
import Reporting

/// What a run's audit found of events that their devices take for delivered: their own story ends with the answer.
struct AuditedLoss {
    /// The ids and natural keys in `missing.ndjson`.
    private let missing: Set<String>

    init(missing: Set<String>) { self.missing = missing }

    init(of run: ExplainedRun) {
        let isListed = (run.report.audit?.ackedNotFound ?? 0) > 0
        self.init(missing: isListed ? MissingNames.read("\(run.folder)/\(MissingNames.fileName)") : [])
    }

    /// Whether the audit lists an event, by its id or by its natural key.
    func has(_ event: SealedEvent) -> Bool {
        missing.contains(event.id.text) || event.naturalKey.map { missing.contains($0.text) } ?? false
    }

    func has(_ id: EventID) -> Bool { missing.contains(id.text) }

    /// Said behind the fate of an event that is listed.
    static let sentence =
        "  ✗ the audit did not find it in the collector's store: acknowledged, then lost (\(MissingNames.fileName))\n"

    /// Said of a device some of whose events are listed; empty where none is.
    func sentence(of events: [SealedEvent]) -> String {
        let lost = events.filter(has)
        guard !lost.isEmpty else { return "" }
        let shown = lost.prefix(5).map(\.id.text).joined(separator: ", ")
        return "  ✗ the audit did not find \(lost.count.of("event")) in the collector's store that "
            + (lost.count == 1 ? "was" : "were") + " acknowledged: \(shown)\(lost.count > 5 ? ", …" : "")\n"
    }
}
