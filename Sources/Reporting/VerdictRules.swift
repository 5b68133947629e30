import Measurement

/// What a run comes to: verdict, exit code and the reasons in sentences.
///
/// Several things at once go by the weight of their exit code: 70 before 95 before 105 before 96
/// before 99; the lighter ones are still told.
package enum VerdictRules {
    /// What the verdict is made from.
    package struct Findings: Sendable {
        package var captured: UInt64 = 0
        package var delivered: UInt64 = 0
        /// captured − all fates.
        package var balance: Int64 = 0
        package var audit: Report.AuditCounts?
        package var interrupted = false
        /// Whether the run is not over: what is on its way has no fate yet, and thresholds are not judged.
        package var isPartial = false
        /// Whether a live run's generator could not keep its own schedule.
        package var saturated = false
        /// The generator's lag at p(99), milliseconds.
        package var lagP99 = 0.0
        package var thresholds: [Report.ThresholdResult] = []
        /// What went wrong inside, if anything did.
        package var internalError: String?
        package init() {}
    }

    package struct Outcome: Hashable, Sendable {
        package var verdict: Report.Verdict
        package var exitCode: Int32
        /// The first is the headline.
        package var reasons: [String]
        package init(verdict: Report.Verdict, exitCode: Int32, reasons: [String]) {
            self.verdict = verdict
            self.exitCode = exitCode
            self.reasons = reasons
        }

        /// Passed without a word.
        package static let passed = Outcome(verdict: .passed, exitCode: 0, reasons: [])
    }

    /// Judges the findings.
    package static func judge(_ findings: Findings) -> Outcome {
        if findings.isPartial {
            let text =
                "The run broke off, or is still going on: these are its figures so far, and nothing is judged."
            return Outcome(verdict: .interrupted, exitCode: 105, reasons: [text])
        }
        var outcomes: [(code: Int32, verdict: Report.Verdict, reasons: [String])] = []
        if let message = findings.internalError {
            outcomes.append(
                (70, .failed, ["Beaconswarm itself failed: \(message). The figures may be incomplete."]))
        }
        let books = balanceReasons(findings.balance) + auditReasons(findings.audit)
        if !books.isEmpty { outcomes.append((95, .failed, books)) }
        if findings.interrupted {
            let text = "The run was interrupted; it was drained, and the figures cover what ran until then."
            outcomes.append((105, .interrupted, [text]))
        }
        if findings.saturated {
            let lag = Numbers.duration(milliseconds: findings.lagP99)
            let text =
                "The generator could not keep its own schedule (lag p(99) \(lag)), so this run says nothing about "
                + "the collector: use fewer devices, more threads or a faster machine."
            outcomes.append((96, .invalid, [text]))
        }
        let broken = findings.thresholds.filter { !$0.ok }
        if !broken.isEmpty { outcomes.append((99, .failed, broken.map(sentence))) }
        guard let heaviest = outcomes.first else {
            return Outcome(verdict: .passed, exitCode: 0, reasons: [passedReason(findings)])
        }
        return Outcome(
            verdict: heaviest.verdict, exitCode: heaviest.code, reasons: outcomes.flatMap(\.reasons))
    }

    private static func balanceReasons(_ balance: Int64) -> [String] {
        guard balance != 0 else { return [] }
        let count = Numbers.count(balance.magnitude)
        let noun = balance.magnitude == 1 ? "event has" : "events have"
        return balance > 0
            ? ["The books do not balance: \(count) captured \(noun) no fate."]
            : ["The books do not balance: \(count) \(noun) more than one fate, or were never captured."]
    }

    private static func auditReasons(_ audit: Report.AuditCounts?) -> [String] {
        guard let audit else { return [] }
        var reasons: [String] = []
        if audit.ackedNotFound > 0 {
            let noun = audit.ackedNotFound == 1 ? "event" : "events"
            reasons.append(
                "The collector acknowledged \(Numbers.count(audit.ackedNotFound)) \(noun) that it does not hold."
            )
        }
        if audit.unexpected > 0 {
            let noun = audit.unexpected == 1 ? "event" : "events"
            reasons.append(
                "The collector holds \(Numbers.count(audit.unexpected)) \(noun) that no device made.")
        }
        return reasons
    }

    /// A broken threshold as a sentence.
    package static func sentence(_ result: Report.ThresholdResult) -> String {
        let metric = MetricCatalogue.entry(String(result.metric.prefix { $0 != "{" }))
        let bound = "\(result.metric) had to keep \(result.expression)"
        guard let value = result.value else { return "\(bound), but had no samples." }
        let end = result.aborted ? "; that ended the run early." : "."
        return "\(bound), but was \(spoken(value, result.expression, metric))\(end)"
    }

    /// The value in the threshold's own unit, and in a reader's.
    private static func spoken(_ value: Double, _ expression: String, _ metric: MetricCatalogue.Entry?)
        -> String
    {
        if Numbers.isTime(metric, expression) {
            return "\(Numbers.plain(value)) (\(Numbers.duration(milliseconds: value)))"
        }
        guard metric?.unit == .share else { return Numbers.plain(value) }
        return "\(Numbers.plain(value)) (\(Numbers.percent(value)))"
    }

    private static func passedReason(_ findings: Findings) -> String {
        let count = findings.thresholds.count
        let thresholds =
            switch count {
            case 0: "No thresholds were set"
            case 1: "The threshold held"
            case 2: "Both thresholds held"
            default: "All \(count) thresholds held"
            }
        guard findings.captured > 0 else { return "\(thresholds); no event was captured." }
        let captured = Numbers.count(findings.captured)
        let events =
            findings.captured == 1
            ? "the one event captured has its" : "every one of the \(captured) events captured has its"
        return "\(thresholds); \(events) one fate\(held(findings))."
    }

    /// What the audit adds. Planned answers that store nothing, such as a captive portal's, took what no reader
    /// should believe to be in the collector.
    private static func held(_ findings: Findings) -> String {
        if findings.delivered == 0 { return ", but none was delivered" }
        guard let audit = findings.audit else { return "" }
        let holds = ", and the collector holds what it acknowledged"
        guard audit.swallowed > 0 else { return holds }
        return "\(holds), but for \(Numbers.count(audit.swallowed)) that planned answers swallowed"
    }
}
