import Reporting

/// A run's report, for programs.
public struct RunReport: Sendable {
    let report: Report

    /// Reads the report of a run's folder, or a report by its own path; for an interrupted run, its last known state.
    ///
    /// - Throws: ``CommandFailure`` with the code ``CommandStatus/usage`` if there is no run,
    ///   ``CommandStatus/invalidScenario`` if its report cannot be read.
    public init(of run: String) throws(CommandFailure) { report = try RunReader.read(run) }

    /// `passed`, `failed`, `invalid` or `interrupted`.
    public var verdict: String { report.verdict.rawValue }
    /// The reasons for the verdict, one sentence each; the first is the headline.
    public var reasons: [String] { report.reasons }
    /// Where the events ended.
    public var events: EventCounts { EventCounts(report.events) }
    /// Where the events of one population ended; `nil` for a name that no population has.
    public func events(ofPopulation name: String) -> EventCounts? {
        report.populations.first { $0.name == name }.map { EventCounts($0.events) }
    }

    /// What the collector holds against what the devices believe, by the names of `report.json`: `received`, `unique`,
    /// `duplicates`, `confirmed`, `acked_not_found` and so on; `nil` if there was no audit.
    public var audit: [String: UInt64]? { report.audit?.named }

    /// A metric of the whole fleet, as a threshold asks for it: `value(of: "event_freshness", "p(95)")`.
    ///
    /// - Returns: `nil` for a metric or an aggregation that does not exist, and for a metric without samples.
    public func value(of metric: String, _ aggregation: String) -> Double? {
        (try? Threshold.parse(metric: metric, expression: "\(aggregation)>0"))?.value(in: report.metrics)
    }

    /// Names of the formats that ``rendered(as:)`` knows: `json`, `html`, `md` and others.
    public static var formats: [String] { ReportFormats.names }

    /// The report in one of the ``formats``; `nil` for an unknown name. `json` is `report.json` whole.
    public func rendered(as format: String) -> [UInt8]? {
        ReportFormats.writer(named: format)?.render(report)
    }
}

/// Where events ended: each has one fate, with a cause.
public struct EventCounts: Hashable, Sendable {
    /// Every event that the SDK began to build.
    public var captured: UInt64
    /// Carried by a request whose answer the SDK takes as success.
    public var delivered: UInt64
    /// By cause, such as `intercepted`.
    public var suppressed: [String: UInt64]
    /// By cause: `storage_limit`, `expired`.
    public var evicted: [String: UInt64]
    /// By the status of the answer after which the SDK dropped them, or `retries_exhausted`.
    public var rejected: [String: UInt64]
    /// By cause, such as `killed`.
    public var lost: [String: UInt64]
    /// Left at the end: `stored`, `in_flight`.
    public var pending: [String: UInt64]
    /// Captured minus all fates: 0 unless the ledger is wrong.
    public var balance: Int64

    init(_ counts: Report.EventCounts) {
        func byName(_ list: [Report.NamedCount]) -> [String: UInt64] {
            Dictionary(list.map { ($0.name, $0.count) }, uniquingKeysWith: +)
        }
        captured = counts.captured
        delivered = counts.delivered
        suppressed = byName(counts.suppressed)
        evicted = byName(counts.evicted)
        rejected = byName(counts.rejected)
        lost = byName(counts.lost)
        pending = byName(counts.pending)
        balance = counts.balance
    }
}

/// How a run ended, and what it left behind.
public struct RunResult: Sendable {
    /// By the run's verdict.
    public var status: CommandStatus
    /// The run's folder.
    public var folder: String
    /// Read back from the folder.
    public var report: RunReport
}
