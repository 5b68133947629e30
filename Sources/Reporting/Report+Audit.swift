package import Accounting
import Measurement
import Rendering
package import Timebase

extension Report {
    /// Takes an audit over: its counts, where the missing events are, and the metric that only an audit
    /// knows. Thresholds on that metric are looked at again; ``judge(internalError:)`` is to follow.
    package mutating func take(_ audit: Audit, note: String?) {
        var counts = AuditCounts(audit, events: events)
        let sent = eventsSent
        if let sent, counts.received > sent, counts.unexpected == 0, counts.ofMissingParts == nil {
            counts.neverSent = counts.received - sent
        }
        self.audit = counts
        auditNote = Report.note(note, counts.alikeNote, sent.flatMap(counts.neverSentNote))
        let rate = simulatedSeconds > 0 ? Double(counts.duplicates) / simulatedSeconds : 0
        metrics.removeAll { $0.name == Report.duplicatesMetric }
        metrics.append(
            Metric(
                Report.duplicatesMetric, .counter(count: Double(counts.duplicates), perSecond: rate)))
        metrics = MetricCatalogue.all.compactMap { entry in metrics.first { $0.name == entry.name } }
        for (index, result) in thresholds.enumerated() where result.metric == Report.duplicatesMetric {
            // What was parsed once is parsed again.
            guard
                let threshold = try? Threshold.parse(metric: result.metric, expression: result.expression)
            else { continue }
            thresholds[index] = threshold.evaluate(overall: metrics, populations: [])
        }
    }

    /// Events in all uploads together, each as often as an upload carried it: no store of an external target can hold more
    /// of the run. `nil` where that is not known of the whole run, or the collector is this program's own.
    private var eventsSent: UInt64? {
        guard mode == .live, run.target != Report.embeddedTarget, measuredFromSeconds == nil, !isPartial
        else { return nil }
        // Of a file that somebody else wrote, nothing is certain.
        return metrics.trend("batch_size").flatMap {
            UInt64(exactly: ($0.average * Double($0.count)).rounded())
        }
    }

    /// Sentences as one note, without those that are missing; `nil` where all are.
    package static func note(_ sentences: String?...) -> String? {
        let said = sentences.compactMap(\.self)
        return said.isEmpty ? nil : said.joined(separator: " ")
    }

    /// Sets verdict, exit code and reasons by what the report says.
    ///
    /// - Parameters:
    ///   - internalError: What went wrong inside, if anything did.
    ///   - unwritten: Why others of the results than those of ``unwritten`` could not be written.
    ///   - lacksReport: Whether the report itself is among them.
    package mutating func judge(
        internalError: String? = nil, unwritten: [String] = [], lacksReport: Bool = false
    ) {
        var findings = VerdictRules.Findings()
        findings.captured = events.captured
        findings.delivered = events.delivered
        findings.balance = events.balance
        findings.audit = audit
        findings.interruption = interruption
        findings.earlyEnds = earlyEnds
        findings.isPartial = isPartial
        findings.saturated = generator.saturated
        findings.lagP99 = generator.scheduleLag.p99
        findings.busiestLoop = generator.cpuUtilization
        findings.thresholds = thresholds
        findings.internalError = internalError
        findings.delivery = delivery
        findings.unwritten = self.unwritten + unwritten
        findings.lacksReport = lacksReport
        findings.missingParts = run.missingParts
        findings.partProblems = run.parts?.flatMap { $0.problems ?? [] } ?? []
        apply(VerdictRules.judge(findings))
        if isPartial { reasons.append(stateNote) }
    }

    /// What became of the uploads of the whole run, as verdicts are made from it.
    package var delivery: VerdictRules.Delivery {
        var delivery = VerdictRules.Delivery()
        delivery.isLive = mode == .live
        delivery.isExternal = run.target != Report.embeddedTarget
        delivery.expectsNothing = scenario.expectation == .nothingDelivered
        delivery.expectsGuard = scenario.expectation == .guard
        if measuredFromSeconds != nil, !series.isEmpty {
            // The metric is of what is measured; a run that delivers in its warm-up alone has delivered.
            delivery.uploads = series.reduce(0) { $0 + $1.requests }
            let failed = series.reduce(0) { $0 + $1.failures }
            delivery.acknowledged = delivery.uploads - min(delivery.uploads, failed)
        } else if let failed = metrics.rate("http_req_failed") {
            delivery.uploads = failed.samples
            delivery.acknowledged = failed.samples - failed.passes
        }
        delivery.answers = answers
        delivery.ownFailures = generator.ownFailures
        delivery.meetsNewerHTTP = unexpectedAnswers.contains(where: \.beginsHTTP2)
        return delivery
    }

    /// The target of runs against the collector that comes with them.
    package static let embeddedTarget = "embedded collector"
    /// That of simulations.
    package static let modelledTarget = "modelled world"

    /// How much real time passes between two states of a run that is still going on.
    package static let statePeriod = Interval.seconds(10)

    /// The verdict, which a state of a run that is not over has not got yet.
    var headline: String { isPartial ? "unfinished" : verdict.rawValue }

    /// How far the run was when this state of it was taken.
    var stateMoment: String {
        let whole = simulatedSeconds.rounded(.down)
        return whole > 0 ? "\(Ticks.clockLabel(whole)) into the run" : "the run's first second"
    }

    /// The same in a sentence.
    private var stateNote: String {
        let at = stateMoment
        if isInterrupted {
            return "These figures are of \(at), which an interrupt ended before its time."
        }
        let real =
            pace > 1 || mode == .virtual
            ? ", \(Numbers.duration(seconds: wallSeconds)) by the wall clock" : ""
        return
            "These figures are of \(at)\(real): they are written every \(Report.statePeriod.text), "
            + "and nothing later is known."
    }

    private static let duplicatesMetric = "events_duplicated"
}

extension Report.AuditCounts {
    /// The counts of an audit of a run with these books.
    package init(_ audit: Audit, events: Report.EventCounts) {
        self.init()
        received = audit.received
        unique = audit.unique
        duplicates = audit.duplicates
        confirmed = audit.confirmed
        ackedNotFound = audit.ackedNotFound
        swallowed = audit.swallowed
        dryRun = audit.dryRun
        recovered = audit.recovered
        unexpected = audit.unexpected
        undecodable = audit.undecodable
        alike = audit.alike > 0 ? audit.alike : nil
        ofMissingParts = audit.ofMissingParts > 0 ? audit.ofMissingParts : nil
        duplicatesOfMissingParts =
            audit.duplicatesOfMissingParts > 0 ? audit.duplicatesOfMissingParts : nil
        missing = Report.MissingEvents(audit, events: events)
    }
}

extension Report.AuditCounts {
    /// Said of events that a collector cannot tell apart; `nil` where there are none.
    fileprivate var alikeNote: String? {
        alike.map {
            "\(Numbers.count($0)) of the confirmed events bear no id and have the content of another one: the collector "
                + "holds them as one, and whether one of them was lost behind it cannot be told."
        }
    }
}

extension Report.AuditCounts {
    /// Said of copies that no device sent; `nil` where there are none.
    fileprivate func neverSentNote(_ sent: UInt64) -> String? {
        neverSent.map {
            "\(Numbers.count(received, of: "row")) of this run, yet all uploads together carried only "
                + "\(Numbers.count(sent, of: "event")): at least \(Numbers.count($0)) of the copies were sent by no device. "
                + "The collector, or something on the way to it, made them."
        }
    }
}

extension Report.MissingEvents {
    /// What the books say of the undelivered, less what the store holds of them all the same.
    ///
    /// captured = `confirmed` + `recovered` + `swallowed` + `dry_run` + never accepted + accepted, then lost.
    init(_ audit: Audit, events: Report.EventCounts) {
        acceptedThenLost = audit.ackedNotFound
        let books: [(fate: Fate, causes: [Report.NamedCount])] = [
            (.pending, events.pending), (.suppressed, events.suppressed), (.evicted, events.evicted),
            (.rejected, events.rejected), (.lost, events.lost),
        ]
        neverAccepted = books.map { fate, causes in
            let held = causes.map { cause in
                Disposition(fate: fate, cause: cause.name).flatMap { audit.recoveredFates[$0.code] } ?? 0
            }
            var left = zip(causes, held).map { cause, held in
                Report.NamedCount(cause.name, cause.count - min(cause.count, held))
            }
            if fate == .suppressed, audit.recoveredSuppressed > 0 {
                // Devices keep no list of what they suppressed, so the causes cannot be told any more.
                let total = causes.reduce(0) { $0 + $1.count }
                left = [Report.NamedCount("any", total - min(total, audit.recoveredSuppressed))]
            }
            return Report.FateCounts(fate: fate.rawValue, causes: left.filter { $0.count > 0 })
        }
    }

    /// Events that were never accepted.
    var neverAcceptedTotal: UInt64 {
        neverAccepted.reduce(0) { $1.causes.reduce($0) { $0 + $1.count } }
    }
}

extension Report.UnexpectedAnswer {
    /// Whether what came in the place of an answer begins with the SETTINGS of an HTTP/2 server (RFC 9113, 3.4).
    fileprivate var beginsHTTP2: Bool {
        let head = Array(body.utf8.prefix(9))
        guard status == 0, head.count == 9 else { return false }
        return head[..<2] == [0, 0] && head[3...] == [4, 0, 0, 0, 0, 0]
    }
}
