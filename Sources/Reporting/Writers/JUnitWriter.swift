import Measurement
import Rendering
import Timebase
import Wire

/// `junit.xml`: a test case for each threshold, and for the books, the audit, the generator, the answers, the parts and
/// the run itself: whatever speaks against a run fails one of them.
///
/// After the schemas of Ant (windyroad's JUnit.xsd) and of Jenkins (junit-10.xsd): times of day without a zone (they are
/// UTC), and a time for each case, which is all in that of the run itself.
package struct JUnitWriter: ReportWriter {
    package static let format = "junit"
    package static let fileName = "junit.xml"
    package init() {}

    private struct Case {
        var group: String
        var name: String
        var failure: String?
        var skipped: String?
        /// What kind of failure it would be, where the group does not say it.
        var type: String?
    }

    package func render(_ report: Report) -> [UInt8] {
        let cases = JUnitWriter.cases(report)
        var xml = Markup()
        xml.literal("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        let failures = String(cases.count { $0.failure != nil })
        let seconds = JSONNode.digits(of: report.wallSeconds)
        xml.element(
            "testsuites",
            [
                "name": "beaconswarm", "tests": String(cases.count), "failures": failures, "errors": "0",
                "time": seconds,
            ]
        ) { xml in
            xml.element(
                "testsuite",
                [
                    "name": report.scenario.name, "tests": String(cases.count), "failures": failures,
                    "errors": "0",
                    "skipped": String(cases.count { $0.skipped != nil }), "time": seconds,
                    "timestamp": JUnitWriter.timestamp(report.startedAt), "hostname": report.run.host,
                ]
            ) { xml in
                for check in cases { JUnitWriter.write(check, of: report, into: &xml) }
            }
        }
        return Array(xml.text.utf8)
    }

    private static func timestamp(_ instant: Instant) -> String {
        let day = CivilTime(instant)
        return "\(day.dateText)T\(day.timeText.prefix(8))"
    }

    private static func write(_ check: Case, of report: Report, into xml: inout Markup) {
        let attributes: Markup.Attributes = [
            "classname": "\(report.scenario.name).\(check.group)", "name": check.name,
            "time": check.group == "run" ? JSONNode.digits(of: report.wallSeconds) : "0",
        ]
        xml.element("testcase", attributes) { xml in
            if let failure = check.failure {
                xml.element("failure", ["message": failure, "type": check.type ?? check.group], failure)
            } else if let skipped = check.skipped {
                xml.empty("skipped", ["message": skipped])
            }
        }
    }

    private static func cases(_ report: Report) -> [Case] {
        let balance = report.events.balance
        var cases = [
            Case(
                group: "ledger", name: "every captured event has exactly one fate",
                failure: balance == 0 ? nil : "the balance is \(balance)")
        ]
        cases += auditCases(report)
        if report.mode == .live { cases += liveCases(report) }
        if report.mode == .live || !report.generator.ownFailures.isEmpty { cases.append(machineCase(report)) }
        cases.append(endCase(report))
        return cases + partCases(report)
            + report.thresholds.map { result in
                let failure = result.ok ? nil : VerdictRules.sentence(result)
                return Case(
                    group: "thresholds", name: "\(result.metric): \(result.expression)",
                    failure: report.isPartial ? nil : failure, skipped: skipped(report))
            }
    }

    /// Why nothing is judged of a run that is not over; `nil` for one that is.
    private static func skipped(_ report: Report) -> String? {
        report.isPartial ? "the run is not over: not judged yet" : nil
    }

    /// An interrupted run did not reach its end, whatever else weighs more in its verdict, nor did one that a threshold
    /// ended.
    private static func endCase(_ report: Report) -> Case {
        let ends = report.earlyEnds.filter { $0.cause != .guard || !report.delivery.expectsGuard }
        var check = Case(
            group: "run", name: "the run reached its end",
            failure: ends.isEmpty ? nil : ends.map(\.text).joined(separator: " "),
            type: ends.first?.cause.rawValue)
        if report.isPartial || report.exitCode == 70 {
            (check.failure, check.type) = (report.reasons.first ?? "cut short", nil)
        } else if let interruption = report.interruption {
            (check.failure, check.type) = (interruption, nil)
        } else if ends.isEmpty, let broken = report.thresholds.first(where: { $0.aborted }) {
            let moment = report.usersSeconds.map { " after \(Numbers.duration(seconds: $0))" } ?? ""
            check.failure = "\(broken.metric): \(broken.expression) ended it\(moment)"
            check.type = VerdictRules.Cause.thresholdBroken.rawValue
        }
        return check
    }

    private static func auditCases(_ report: Report) -> [Case] {
        let holds = "the collector holds what it acknowledged"
        guard let audit = report.audit else {
            let why = report.auditNote ?? report.earlyAuditNote ?? "the collector's store was not read"
            return [Case(group: "audit", name: holds, skipped: why)]
        }
        let missing = Numbers.count(audit.ackedNotFound, of: "acknowledged event")
        return [
            Case(
                group: "audit", name: holds,
                failure: audit.ackedNotFound == 0
                    ? nil : missing + (audit.ackedNotFound == 1 ? " is missing" : " are missing")),
            Case(
                group: "audit", name: "the collector holds nothing that no device made",
                failure: audit.unexpected == 0 ? nil : Numbers.count(audit.unexpected, of: "unexpected id")),
        ]
    }

    /// What only runs that were joined from parts can fail by.
    private static func partCases(_ report: Report) -> [Case] {
        guard let parts = report.run.parts else { return [] }
        let problems = parts.flatMap { $0.problems ?? [] }
        return [
            Case(
                group: "parts", name: "every part of the run is there", failure: report.run.missingParts,
                type: VerdictRules.Cause.partsMissing.rawValue),
            Case(
                group: "parts", name: "no part makes the run invalid",
                failure: problems.isEmpty ? nil : problems.map(\.text).joined(separator: " "),
                type: problems.first?.cause.rawValue),
        ]
    }

    /// What only live runs can fail by.
    private static func liveCases(_ report: Report) -> [Case] {
        let generator = report.generator
        let late = GeneratorWords.late(
            "The generator", lagP99: generator.scheduleLag.p99, busiestLoop: generator.cpuUtilization)
        let delivery = report.delivery
        let reason = delivery.reason
        let isExpected = delivery.expectsNothing
        var answered = Case(
            group: "delivery",
            name: isExpected
                ? "no upload gets an answer that its system takes as success, as expected"
                : "uploads get answers that their systems take as success",
            failure: report.isPartial ? nil : reason?.text,
            type: reason?.cause.rawValue)
        answered.skipped = skipped(report) ?? (delivery.uploads == 0 ? "no upload began" : nil)
        let guarded = delivery.expectsGuard ? [guardCase(report)] : []
        return [
            Case(
                group: "generator", name: "the generator kept its own schedule",
                failure: generator.saturated && !report.isPartial ? late : nil, skipped: skipped(report),
                type: VerdictRules.Cause.generatorLate.rawValue),
            answered,
        ] + guarded
    }

    /// What a simulation needs of its machine, too, where devices keep their events in files.
    private static func machineCase(_ report: Report) -> Case {
        Case(
            group: "generator", name: "the generator had the sockets and the disk that it needed",
            failure: report.isPartial ? nil : report.delivery.ownFailureReason, skipped: skipped(report),
            type: VerdictRules.Cause.generatorFailed.rawValue)
    }

    /// Of a scenario whose purpose is that the guard ends the run.
    private static func guardCase(_ report: Report) -> Case {
        let isGuarded = report.earlyEnds.contains { $0.cause == .guard }
        return Case(
            group: "delivery", name: "the guard ends the run, as expected",
            failure: isGuarded || report.isPartial ? nil : VerdictRules.guardMissing,
            skipped: skipped(report),
            type: VerdictRules.Cause.guardMissing.rawValue)
    }
}
