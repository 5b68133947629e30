import Measurement
import Rendering

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
        /// What is said of an interrupt; `nil` where there was none.
        package var interruption: String?
        /// Whether the run is not over: what is on its way has no fate yet, and thresholds are not judged.
        package var isPartial = false
        /// Whether a live run's generator could not keep its own schedule.
        package var saturated = false
        /// The generator's lag at p(99), milliseconds.
        package var lagP99 = 0.0
        /// The share of the time for which its busiest event loop was busy, 0…1.
        package var busiestLoop = 0.0
        package var thresholds: [Report.ThresholdResult] = []
        /// What ended a live run, or parts of it, at once, to keep harm from its target.
        package var earlyEnds: [Report.EarlyEnd] = []
        /// What went wrong inside, if anything did.
        package var internalError: String?
        package var delivery = Delivery()
        /// Why some of the results could not be written.
        package var unwritten: [String] = []
        /// Whether the report itself is among them, so that nobody reads more than what is printed.
        package var lacksReport = false
        /// Which parts of a run that was joined from several are missing, in words.
        package var missingParts: String?
        /// What makes parts of a live run, and with them the whole, invalid.
        package var partProblems: [Report.PartProblem] = []
        package init() {}
    }

    /// Why a run did not pass, for scripts.
    package enum Cause: String, CaseIterable, Sendable {
        case internalError = "internal_error"
        case unwritten
        case balance
        case ackedNotFound = "acked_not_found"
        case unexpectedEvents = "unexpected_events"
        case interrupted
        case generatorLate = "generator_late"
        case generatorFailed = "generator_failed"
        case maxRate = "max_rate"
        case partsMissing = "parts_missing"
        case clocksApart = "clocks_apart"
        case thresholdBroken = "threshold_broken"
        case `guard`
        case guardMissing = "guard_missing"
        case nothingDelivered = "nothing_delivered"
        case deliveredUnexpectedly = "delivered_unexpectedly"

        /// The exit code, and what it weighs: the lower the earlier.
        var code: Int32 {
            switch self {
            case .internalError, .unwritten: 70
            case .balance, .ackedNotFound, .unexpectedEvents: 95
            case .interrupted: 105
            case .generatorLate, .generatorFailed, .maxRate, .partsMissing, .clocksApart: 96
            case .thresholdBroken, .guard, .guardMissing, .nothingDelivered, .deliveredUnexpectedly: 99
            }
        }

        var verdict: Report.Verdict { VerdictRules.verdict(of: code) }
    }

    /// The verdict that an exit code stands for.
    package static func verdict(of code: Int32) -> Report.Verdict {
        switch code {
        case 0: .passed
        case 96: .invalid
        case 105: .interrupted
        default: .failed
        }
    }

    package struct Outcome: Hashable, Sendable {
        package var verdict: Report.Verdict
        package var exitCode: Int32
        /// The first is the headline.
        package var reasons: [String]
        /// ``Cause``s in the order of the reasons, each once.
        package var causes: [String]
        package init(
            verdict: Report.Verdict, exitCode: Int32, reasons: [String], causes: [String] = []
        ) {
            self.verdict = verdict
            self.exitCode = exitCode
            self.reasons = reasons
            self.causes = causes
        }

        /// Passed without a word.
        package static let passed = Outcome(verdict: .passed, exitCode: 0, reasons: [])
    }

    /// Judges the findings.
    package static func judge(_ findings: Findings) -> Outcome {
        if findings.isPartial {
            let text =
                "The run broke off, or is still going on: these are its figures so far, and nothing is judged."
            return Outcome(
                verdict: .interrupted, exitCode: 105, reasons: [text], causes: [Cause.interrupted.rawValue])
        }
        let found = reasons(findings)
        guard let heaviest = found.first?.cause else {
            return Outcome(verdict: .passed, exitCode: 0, reasons: [passedReason(findings)])
        }
        var causes: [String] = []
        for (cause, _) in found where !causes.contains(cause.rawValue) { causes.append(cause.rawValue) }
        return Outcome(
            verdict: heaviest.verdict, exitCode: heaviest.code, reasons: found.map(\.text), causes: causes)
    }

    /// Everything that speaks against the run, the heaviest first.
    private static func reasons(_ findings: Findings) -> [(cause: Cause, text: String)] {
        var found: [(cause: Cause, text: String)] = []
        if let message = findings.internalError {
            found.append(
                (.internalError, "Beaconswarm itself failed: \(message). The figures may be incomplete."))
        }
        if !findings.unwritten.isEmpty {
            found.append((.unwritten, unwrittenReason(findings)))
        }
        found += balanceReasons(findings.balance).map { (.balance, $0) } + auditReasons(findings.audit)
        if let text = findings.interruption { found.append((.interrupted, text)) }
        let isPartLate = findings.partProblems.contains { $0.cause == .generatorLate }
        if findings.saturated, !isPartLate {
            let text = GeneratorWords.late(
                "The generator", lagP99: findings.lagP99, busiestLoop: findings.busiestLoop)
            found.append((.generatorLate, text))
        }
        found += findings.partProblems.map { ($0.cause, $0.text) }
        if let text = findings.delivery.ownFailureReason { found.append((.generatorFailed, text)) }
        found += findings.earlyEnds.filter { $0.cause == .maxRate }.map { (.maxRate, $0.text) }
        if let text = findings.missingParts { found.append((.partsMissing, text)) }
        found += findings.thresholds.filter { !$0.ok }.map { (.thresholdBroken, sentence($0)) }
        let guarded = findings.earlyEnds.filter { $0.cause == .guard }
        if !findings.delivery.expectsGuard {
            found += guarded.map { (.guard, $0.text) }
        } else if findings.delivery.isLive, guarded.isEmpty {
            found.append((.guardMissing, guardMissing))
        }
        if let reason = findings.delivery.reason { found.append(reason) }
        return found
    }

    private static func unwrittenReason(_ findings: Findings) -> String {
        let reasons = findings.unwritten.joined(separator: "; ")
        return findings.lacksReport
            ? "Not even the report could be written: \(reasons). Only this summary exists."
            : "Not all results could be written: \(reasons). This report itself is whole."
    }

    static let guardMissing =
        "The scenario expects that the guard ends the run, but it did not: it watches targets that are neither "
        + "loopback nor private, and acts when one of them answers nothing but 403, 429 or 5xx for long enough."

    private static func balanceReasons(_ balance: Int64) -> [String] {
        guard balance != 0 else { return [] }
        let count = Numbers.count(balance.magnitude)
        let noun = balance.magnitude == 1 ? "event has" : "events have"
        return balance > 0
            ? ["The books do not balance: \(count) captured \(noun) no fate."]
            : ["The books do not balance: \(count) \(noun) more than one fate, or were never captured."]
    }

    private static func auditReasons(_ audit: Report.AuditCounts?) -> [(cause: Cause, text: String)] {
        guard let audit else { return [] }
        var reasons: [(cause: Cause, text: String)] = []
        if audit.ackedNotFound > 0 {
            let events = Numbers.count(audit.ackedNotFound, of: "event")
            reasons.append((.ackedNotFound, "The collector acknowledged \(events) that it does not hold."))
        }
        if audit.unexpected > 0 {
            let events = Numbers.count(audit.unexpected, of: "event")
            reasons.append((.unexpectedEvents, "The collector holds \(events) that no device made."))
        }
        return reasons
    }

    /// A broken threshold as a sentence.
    package static func sentence(_ result: Report.ThresholdResult) -> String {
        let metric = MetricCatalogue.entry(String(result.metric.prefix { $0 != "{" }))
        guard let value = result.value else { return withoutSamples(result) }
        let end = result.aborted ? ", which ended the run early." : "."
        return violated(result) + spoken(value, result, metric) + end
    }

    /// Whether a sentence is that of a broken threshold, whatever the value was.
    static func tells(_ sentence: String, of result: Report.ThresholdResult) -> Bool {
        sentence == withoutSamples(result) || sentence.hasPrefix(violated(result))
    }

    private static func withoutSamples(_ result: Report.ThresholdResult) -> String {
        "\(result.metric) had no samples, so \(result.expression) failed."
    }

    private static func violated(_ result: Report.ThresholdResult) -> String {
        "\(result.metric) violated \(result.expression) with "
    }

    /// The value in the threshold's own unit, and in a reader's.
    private static func spoken(
        _ value: Double, _ result: Report.ThresholdResult, _ metric: MetricCatalogue.Entry?
    ) -> String {
        let exact = Numbers.exact(value, besides: Numbers.bound(of: result))
        if Numbers.isTime(metric, result.expression) {
            return "\(exact) (\(Numbers.duration(milliseconds: value)))"
        }
        guard metric?.unit == .share else { return exact }
        return "\(exact) (\(Numbers.percent(value)))"
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
        if findings.delivery.expectsGuard, findings.delivery.isLive {
            return ", and the guard ended the run, as the scenario expects"
        }
        if findings.delivered == 0 {
            return findings.delivery.expectsNothing
                ? ", and none was delivered, as the scenario expects" : ", but none was delivered"
        }
        guard let audit = findings.audit else { return "" }
        let holds = ", and the collector holds what it acknowledged"
        let excused = [
            (audit.swallowed, "that planned answers swallowed"),
            (audit.dryRun, "that were only to be checked"),
        ].filter { $0.0 > 0 }.map { "\(Numbers.count($0.0)) \($0.1)" }
        return excused.isEmpty ? holds : "\(holds), but for \(excused.joined(separator: " and "))"
    }
}
