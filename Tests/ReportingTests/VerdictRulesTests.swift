import Testing

@testable import Reporting

@Suite("Verdict and exit code")
struct VerdictRulesTests {
    private static let broken = Report.ThresholdResult(
        metric: "events_lost", expression: "rate<0.001", value: 0.02, ok: false)
    private static let held = Report.ThresholdResult(
        metric: "event_freshness", expression: "p(95)<30000", value: 12_000, ok: true)

    @Test(
        "a server of HTTP/2 that answers HTTP/1.1 in its own way is told as that", arguments: [true, false])
    func newerHTTP(isSettings: Bool) {
        var report = Fixtures.outage()
        report.mode = .live
        report.scenario.expectation = nil
        report.unexpectedAnswers = [
            Report.UnexpectedAnswer(
                at: report.startedAt, population: "ios", status: 0, failure: "malformed", headers: "",
                body: isSettings ? "\0\0\u{12}\u{4}\0\0\0\0\0\0\u{3}" : "SSH-2.0-OpenSSH_9.2")
        ]
        var delivery = report.delivery
        #expect(delivery.meetsNewerHTTP == isSettings)
        (delivery.isLive, delivery.isExternal, delivery.uploads, delivery.acknowledged) = (true, true, 9, 0)
        let text = delivery.reason?.text ?? ""
        #expect(text.contains("answers in HTTP/2") == isSettings, "\(text)")
    }

    /// Every mixture of the five things that can go wrong.
    @Test("weighs 70 before 95 before 105 before 96 before 99", arguments: 0..<32)
    func precedence(mask: Int) {
        var findings = VerdictRules.Findings()
        findings.captured = 10
        findings.internalError = mask & 1 != 0 ? "no memory" : nil
        findings.balance = mask & 2 != 0 ? 3 : 0
        findings.interruption = mask & 4 != 0 ? "interrupted" : nil
        findings.saturated = mask & 8 != 0
        findings.thresholds = mask & 16 != 0 ? [Self.broken, Self.held] : [Self.held]
        let outcome = VerdictRules.judge(findings)
        let expected: (Int32, Report.Verdict) =
            if mask & 1 != 0 {
                (70, .failed)
            } else if mask & 2 != 0 {
                (95, .failed)
            } else if mask & 4 != 0 {
                (105, .interrupted)
            } else if mask & 8 != 0 {
                (96, .invalid)
            } else if mask & 16 != 0 {
                (99, .failed)
            } else {
                (0, .passed)
            }
        #expect(outcome.exitCode == expected.0)
        #expect(outcome.verdict == expected.1)
        #expect(outcome.reasons.count == max(1, mask.nonzeroBitCount))
    }

    @Test("what could not be written is told, and whether more than the summary is there")
    func unwritten() {
        var findings = VerdictRules.Findings()
        findings.unwritten = ["cannot write a: no room", "cannot write b: no room"]
        let some = VerdictRules.judge(findings)
        #expect(some.exitCode == 70 && some.causes == ["unwritten"])
        #expect(
            some.reasons == [
                "Not all results could be written: cannot write a: no room; cannot write b: no room. "
                    + "This report itself is whole."
            ])
        findings.unwritten = ["cannot write report.json: no room"]
        findings.lacksReport = true
        let none = VerdictRules.judge(findings)
        #expect(none.exitCode == 70 && none.causes == ["unwritten"])
        #expect(
            none.reasons == [
                "Not even the report could be written: cannot write report.json: no room. "
                    + "Only this summary exists."
            ])
    }

    @Test("acknowledged events that are missing, and ids that no device made, fail a run")
    func audit() {
        var findings = VerdictRules.Findings()
        findings.audit = Report.AuditCounts()
        #expect(VerdictRules.judge(findings).exitCode == 0)
        findings.audit?.duplicates = 7
        findings.audit?.swallowed = 7
        findings.audit?.recovered = 7
        #expect(VerdictRules.judge(findings).exitCode == 0)
        findings.audit?.ackedNotFound = 1
        #expect(
            VerdictRules.judge(findings).reasons == [
                "The collector acknowledged 1 event that it does not hold."
            ])
        findings.audit?.unexpected = 2000
        let outcome = VerdictRules.judge(findings)
        #expect(outcome.exitCode == 95)
        #expect(outcome.reasons.last == "The collector holds 2,000 events that no device made.")
    }

    @Test("says by how much the books are off, and which way")
    func balance() {
        var findings = VerdictRules.Findings()
        findings.balance = 1
        #expect(
            VerdictRules.judge(findings).reasons == [
                "The books do not balance: 1 captured event has no fate."
            ])
        findings.balance = -4
        #expect(
            VerdictRules.judge(findings).reasons
                == ["The books do not balance: 4 events have more than one fate, or were never captured."])
    }

    @Test("tells a broken threshold with its value, in the metric's unit too")
    func sentences() {
        #expect(
            VerdictRules.sentence(Self.broken) == "events_lost violated rate<0.001 with 0.02 (2.00 %)."
        )
        let slow = Report.ThresholdResult(
            metric: "http_req_duration{population:ios}", expression: "p(99)<250", value: 1234.5, ok: false,
            aborted: true)
        #expect(
            VerdictRules.sentence(slow)
                == "http_req_duration{population:ios} violated p(99)<250 with 1,234.5 (1.23 s), "
                + "which ended the run early."
        )
        let none = Report.ThresholdResult(metric: "retries", expression: "count<1", value: nil, ok: false)
        #expect(VerdictRules.sentence(none) == "retries had no samples, so count<1 failed.")
    }

    @Test("a pass says what was checked")
    func passed() {
        var findings = VerdictRules.Findings()
        findings.captured = 1_204
        findings.delivered = 1_200
        findings.thresholds = [Self.held, Self.held]
        findings.audit = Report.AuditCounts()
        #expect(
            VerdictRules.judge(findings).reasons == [
                "Both thresholds held; every one of the 1,204 events captured has its one fate, "
                    + "and the collector holds what it acknowledged."
            ])
        findings.audit?.swallowed = 1_004
        var nothing = findings
        nothing.delivered = 0
        #expect(
            VerdictRules.judge(nothing).reasons.first?.hasSuffix("its one fate, but none was delivered.")
                == true)
        #expect(
            VerdictRules.judge(findings).reasons.first?.hasSuffix(
                "holds what it acknowledged, but for 1,004 that planned answers swallowed.") == true)
    }

    // MARK: What became of the uploads

    /// A live run that lost nothing and broke no threshold.
    private static func live(
        uploads: UInt64, acknowledged: UInt64, expectsNothing: Bool = false, own: UInt64 = 0
    ) -> VerdictRules.Findings {
        var findings = VerdictRules.Findings()
        findings.captured = 100
        findings.thresholds = [held]
        findings.delivery.isLive = true
        findings.delivery.uploads = uploads
        findings.delivery.acknowledged = acknowledged
        findings.delivery.expectsNothing = expectsNothing
        findings.delivery.answers = [Report.NamedCount("404", uploads - acknowledged)]
        if own > 0 {
            findings.delivery.ownFailures = [
                Report.OwnFailure(name: "no_socket", count: own, text: "no socket was left")
            ]
        }
        return findings
    }

    @Test("a live run without one answer of success fails, unless that is its purpose")
    func nothingDelivered() {
        let dead = VerdictRules.judge(Self.live(uploads: 8, acknowledged: 0))
        #expect(dead.exitCode == 99)
        #expect(dead.verdict == .failed)
        #expect(dead.causes == ["nothing_delivered"])
        #expect(dead.reasons.first?.contains("of 8 uploads not one") == true)
        #expect(dead.reasons.first?.contains("404: 8") == true)
        var large = Self.live(uploads: 8, acknowledged: 0)
        large.delivery.isExternal = false
        #expect(VerdictRules.judge(large).reasons.first?.contains("scenario's timeline. If") == true)
        large.delivery.answers = [Report.NamedCount("413", 8)]
        #expect(VerdictRules.judge(large).reasons.first?.contains("more than 8 MiB with 413. If") == true)
        #expect(VerdictRules.judge(Self.live(uploads: 8, acknowledged: 1)).exitCode == 0)
        #expect(VerdictRules.judge(Self.live(uploads: 0, acknowledged: 0)).exitCode == 0)
        var modelled = Self.live(uploads: 8, acknowledged: 0)
        modelled.delivery.isLive = false
        #expect(VerdictRules.judge(modelled).exitCode == 0)

        let meant = VerdictRules.judge(Self.live(uploads: 8, acknowledged: 0, expectsNothing: true))
        #expect(meant.exitCode == 0)
        #expect(meant.reasons.first?.hasSuffix("none was delivered, as the scenario expects.") == true)
        let alive = VerdictRules.judge(Self.live(uploads: 8, acknowledged: 1, expectsNothing: true))
        #expect(alive.exitCode == 99)
        #expect(alive.causes == ["delivered_unexpectedly"])
    }

    @Test("what ended a run at once is its verdict, unless that is its purpose")
    func endedAtOnce() {
        var findings = Self.live(uploads: 8, acknowledged: 0)
        findings.earlyEnds = [Report.EarlyEnd(cause: .guard, text: "guarded")]
        let guarded = VerdictRules.judge(findings)
        #expect(guarded.exitCode == 99 && guarded.causes == ["guard", "nothing_delivered"])
        findings.delivery.expectsGuard = true
        let meant = VerdictRules.judge(findings)
        #expect(meant.exitCode == 0 && meant.causes.isEmpty)
        #expect(meant.reasons.first?.hasSuffix("the guard ended the run, as the scenario expects.") == true)
        findings.earlyEnds = []
        #expect(VerdictRules.judge(findings).causes == ["guard_missing"])
        #expect(VerdictRules.judge(findings).exitCode == 99)
        findings.earlyEnds = [Report.EarlyEnd(cause: .maxRate, text: "too fast")]
        let fast = VerdictRules.judge(findings)
        #expect(fast.exitCode == 96 && fast.verdict == .invalid && fast.reasons.first == "too fast")
        #expect(fast.causes == ["max_rate", "guard_missing"])
        findings.delivery.expectsGuard = false
        // Parts of a run that was joined have an end each.
        findings.earlyEnds.insert(Report.EarlyEnd(cause: .guard, text: "guarded"), at: 0)
        let apart = VerdictRules.judge(findings)
        #expect(apart.exitCode == 96 && apart.causes == ["max_rate", "guard", "nothing_delivered"])
        #expect(apart.reasons.prefix(2) == ["too fast", "guarded"])
    }

    @Test("warns where less than half was acknowledged", arguments: [(49, true), (50, false), (100, false)])
    func fewAcknowledged(acknowledged: UInt64, warns: Bool) {
        let delivery = Self.live(uploads: 100, acknowledged: acknowledged).delivery
        #expect(delivery.warnings.contains { $0.hasPrefix("only ") } == warns)
        let meant = Self.live(uploads: 100, acknowledged: acknowledged, expectsNothing: true).delivery
        #expect(meant.warnings.isEmpty)
    }

    @Test("what the machine refused makes a run invalid above 1 % of its uploads", arguments: [10, 11])
    func ownFailures(own: UInt64) {
        let findings = Self.live(uploads: 1000, acknowledged: 900, own: own)
        let outcome = VerdictRules.judge(findings)
        if own == 11 {
            #expect(outcome.exitCode == 96)
            #expect(outcome.verdict == .invalid)
            #expect(outcome.causes == ["generator_failed"])
            #expect(outcome.reasons.first?.contains("11 times in 1,000 uploads") == true)
            #expect(findings.delivery.warnings.isEmpty)
        } else {
            #expect(outcome.exitCode == 0)
            #expect(findings.delivery.warnings.first?.contains("no socket was left") == true)
        }
        let once = Self.live(uploads: 1000, acknowledged: 900, own: 1).delivery.warnings
        #expect(once.first?.hasPrefix("Beaconswarm itself failed 1 time in 1,000 uploads") == true)
        // Both are of the whole run, however little of it is measured.
        var measured = findings
        (measured.delivery.uploads, measured.delivery.acknowledged) = (100, 90)
        measured.delivery.answers = [.init("200", 900), .init("503", 100)]
        #expect(VerdictRules.judge(measured).exitCode == outcome.exitCode)
        // It outweighs a threshold, and nothing else than it is to blame where no upload got further.
        var broken = findings
        broken.thresholds = [Self.broken]
        #expect(VerdictRules.judge(broken).exitCode == (own == 11 ? 96 : 99))
        let all = VerdictRules.judge(Self.live(uploads: 9, acknowledged: 0, own: 9))
        #expect(all.causes == ["generator_failed"])
    }

    @Test("a simulation whose machine failed it is invalid by the same rule", arguments: [0, 10, 11])
    func failedSimulation(own: UInt64) {
        var findings = Self.live(uploads: 1000, acknowledged: 100, own: own)
        findings.delivery.isLive = false
        let outcome = VerdictRules.judge(findings)
        #expect(outcome.exitCode == (own == 11 ? 96 : 0))
        #expect(outcome.causes == (own == 11 ? ["generator_failed"] : []))
        #expect(
            own != 11
                || outcome.reasons[0].contains("so this simulation says nothing about its devices: no socket")
        )
        // That few uploads were acknowledged is its model's business.
        #expect(findings.delivery.warnings.count == (own == 10 ? 1 : 0))
        findings.thresholds = [Self.broken]
        #expect(VerdictRules.judge(findings).exitCode == (own == 11 ? 96 : 99))
        (findings.delivery.uploads, findings.delivery.answers) = (0, [])
        let early = VerdictRules.judge(findings).reasons[0]
        #expect(
            own == 0 || early.hasPrefix("Beaconswarm itself failed \(own) times and no upload began, so "),
            "\(early)")

        var report = Fixtures.outage()
        report.mode = .virtual
        report.generator.ownFailures =
            own == 0 ? [] : [.init(name: "device_store", count: 10_000_000, text: "full")]
        let xml = String(decoding: JUnitWriter().render(report), as: UTF8.self)
        #expect(xml.contains("type=\"generator_failed\"") == (own > 0))
        #expect(xml.contains("the sockets and the disk that it needed") == (own > 0))
    }
}
