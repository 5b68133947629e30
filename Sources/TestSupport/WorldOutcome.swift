package import Accounting
package import CollectorModel
package import Measurement
package import Timebase

/// What a run came to, in the form in which worlds are compared.
package struct WorldOutcome: Sendable {
    /// One sealed event, without the times of answers.
    package struct Line: Hashable, Sendable {
        package var population: Int
        package var type: String
        package var name: String
        /// Since the start of the run.
        package var capturedAt: Interval
        package var disposition: Disposition
        package var attempts: UInt16
        package var naturalKey: NaturalKey?
    }

    package var ledgers: [Ledger] = []
    package var lines: [EventID: Line] = [:]
    /// Ids that were sealed more than once.
    package var repeated: [EventID] = []
    /// Events captured by each device, by number.
    package var captured: [UInt32] = []
    package var audit = Audit()
    /// Uploads and fetches of the configuration that the collector read.
    package var collectorRequests: UInt64 = 0
    package var configFetches: UInt64 = 0
    package var devicesStarted = 0
    /// Uploads that devices sent, those among them without success, and those that had no network.
    package var uploads: [UInt64] = []
    package var failedUploads: [UInt64] = []
    package var offlineUploads: [UInt64] = []
    /// The longest that the generator or the collector was late: zero in virtual time.
    package var lag = Interval.zero

    package init() {}

    package mutating func add(
        _ events: some Sequence<SealedEvent>, population: Int, labels: [EventLabel], start: Instant
    ) {
        for event in events {
            let label = labels[Int(event.label)]
            let line = Line(
                population: population, type: label.type, name: label.name,
                capturedAt: event.capturedAt - start, disposition: event.disposition,
                attempts: event.attempts, naturalKey: event.naturalKey)
            if lines.updateValue(line, forKey: event.id) != nil { repeated.append(event.id) }
        }
    }

    package mutating func take(_ recorder: RunRecorder, receipts: Receipts, statistics: CollectorStatistics) {
        ledgers = recorder.populations.map(\.ledger)
        uploads = recorder.populations.map(\.requests)
        failedUploads = recorder.populations.map(\.failedRequests)
        offlineUploads = recorder.populations.map(\.offlineAttempts)
        captured = recorder.beliefs.capturedCounts
        audit = Audit.compare(beliefs: recorder.beliefs, receipts: receipts)
        collectorRequests = statistics.requests
        configFetches = statistics.configFetches
    }

    /// What happened at all: fates with their causes as `fate` or `fate/cause`, and the audit's counts
    /// above zero as `audit/name`.
    package var facts: Set<String> {
        var facts: Set<String> = []
        for line in lines.values {
            let cause = line.disposition.cause.map { "/\($0)" } ?? ""
            facts.insert(line.disposition.fate.rawValue + cause)
        }
        for (name, count) in auditCounts where count > 0 { facts.insert("audit/\(name)") }
        if offlineUploads.contains(where: { $0 > 0 }) { facts.insert("offline") }
        return facts
    }

    /// The audit's counts by name.
    package var auditCounts: [(name: String, count: UInt64)] {
        [
            ("received", audit.received), ("unique", audit.unique), ("duplicates", audit.duplicates),
            ("confirmed", audit.confirmed), ("acked_not_found", audit.ackedNotFound),
            ("swallowed", audit.swallowed), ("dry_run", audit.dryRun), ("recovered", audit.recovered),
            ("unexpected", audit.unexpected), ("undecodable", audit.undecodable),
        ]
    }

    /// Whether the outcome is sound by itself: balanced books, one line for each event captured, and
    /// an audit whose sums hold.
    ///
    /// - Returns: what is wrong, in sentences.
    package var problems: [String] {
        var problems: [String] = []
        for (index, ledger) in ledgers.enumerated() where ledger.balance != 0 {
            problems.append("population \(index): the balance is \(ledger.balance)")
        }
        if !repeated.isEmpty { problems.append("sealed more than once: \(Self.list(repeated))") }
        let made = captured.reduce(0) { $0 + Int($1) }
        if lines.count != made { problems.append("\(made) events were captured, \(lines.count) sealed") }
        for (device, count) in captured.enumerated() {
            let missing = (0..<count).map { EventID(device: UInt32(device), sequence: $0) }
                .filter { lines[$0] == nil }
            if !missing.isEmpty { problems.append("never sealed: \(Self.list(missing))") }
        }
        let delivered = ledgers.reduce(0) { $0 + $1.delivered }
        if audit.delivered != delivered {
            problems.append("\(delivered) events were delivered, the audit knows \(audit.delivered)")
        }
        problems += audit.imbalances
        if audit.failed || audit.undecodable > 0 { problems.append("the audit failed: \(audit)") }
        return problems
    }

    static func list(_ ids: [EventID]) -> String {
        let shown = ids.sorted().prefix(5).map { "\($0.device)-\($0.sequence)" }.joined(separator: " ")
        return ids.count > 5 ? "\(shown) and \(ids.count - 5) more" : shown
    }
}
