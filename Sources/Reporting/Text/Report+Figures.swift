import Accounting
import Measurement
import Rendering

/// One fate with its causes, as every output shows it.
struct FateFigures {
    var fate: Fate
    var count: UInt64
    var causes: [Report.NamedCount]

    /// The word at the start of a line.
    var title: String { fate.rawValue.prefix(1).uppercased() + fate.rawValue.dropFirst() }

    /// What it means, in a clause.
    var meaning: String {
        switch fate {
        case .delivered: "acknowledged by the collector"
        case .pending: "still on a device, or in an unanswered request, at the end"
        case .suppressed: "never recorded, by the app's or the server's will"
        case .evicted: "dropped by a full or ageing store"
        case .rejected: "dropped by the SDK after the collector's answer"
        case .lost: "vanished from the device unsent"
        }
    }
}

extension Report.EventCounts {
    private func sum(_ counts: [Report.NamedCount]) -> UInt64 { counts.reduce(0) { $0 + $1.count } }

    /// The six fates, from the best to the worst.
    var fates: [FateFigures] {
        func figures(_ fate: Fate, _ causes: [Report.NamedCount]) -> FateFigures {
            FateFigures(fate: fate, count: sum(causes), causes: causes.filter { $0.count > 0 })
        }
        return [
            FateFigures(fate: .delivered, count: delivered, causes: []), figures(.pending, pending),
            figures(.suppressed, suppressed), figures(.evicted, evicted), figures(.rejected, rejected),
            figures(.lost, lost),
        ]
    }

    /// Evicted, rejected and lost: gone for good.
    var gone: UInt64 { sum(evicted) + sum(rejected) + sum(lost) }
}

extension Report {
    /// The same report with every distribution reduced to its summary, so that percentiles are
    /// looked for once and not at every place that shows them.
    var summarised: Report {
        func reduced(_ metrics: [Metric]) -> [Metric] {
            metrics.map { metric in
                guard case .trend(let trend) = metric.value else { return metric }
                return Metric(metric.name, .trend(.summary(trend.summary)))
            }
        }
        var copy = self
        copy.metrics = reduced(metrics)
        for index in copy.populations.indices {
            copy.populations[index].metrics = reduced(populations[index].metrics)
        }
        for index in copy.entries.indices { copy.entries[index].metrics = reduced(entries[index].metrics) }
        return copy
    }

    /// Whether it is of the middle of a live run, where the figures of its event loops and connections are not known.
    var lacksEndFigures: Bool { isPartial && mode == .live && generator.eventLoops == 0 }

    /// Why a run that goes on has no audit yet; `nil` for one that is over.
    var earlyAuditNote: String? {
        guard isPartial else { return nil }
        let isOwn = [Report.embeddedTarget, Report.modelledTarget].contains(run.target)
        return isOwn
            ? "Not known yet: the collector's store is compared at the end of the run."
            : "Not known yet: a store is compared at the end of the run where --receipts names it, or later by "
                + "beaconswarm audit."
    }

    /// Why there is no audit where no other note says it.
    var noAuditNote: String { earlyAuditNote ?? "Not known: the collector's store was not read." }

    /// What delivered events came to at the collector, where that is known; empty without an audit.
    var deliveredAudit: [NamedCount] {
        guard let audit else { return [] }
        return [
            NamedCount("confirmed", audit.confirmed), NamedCount("swallowed", audit.swallowed),
            NamedCount("dry_run", audit.dryRun), NamedCount("acked_not_found", audit.ackedNotFound),
        ].filter { $0.count > 0 }
    }

    /// The command that repeats the run: as it was given, with the seed made plain.
    var repeatCommand: ShellCommand {
        run.repeatCommand(seed: seed, verb: mode == .live ? "run" : "simulate")
    }

    /// Said before everything else of a run whose people lived faster than its sockets.
    var paceNote: String? { Report.paceNote(pace) }

    /// Said of a run with a warm-up; `nil` for one that is measured from its start.
    var warmUpNote: String? {
        measuredFromSeconds.map {
            "Metrics and thresholds are of what ended from \(Numbers.duration(seconds: $0)) on; the ledger, the audit with "
                + "events_duplicated and thresholds on it, the answers, the series and the timeline's entries are of the "
                + "whole run."
        }
    }

    /// What a pace above 1 means for all that is told of a run; `nil` for the real one.
    package static func paceNote(_ pace: Int) -> String? {
        guard pace > 1 else { return nil }
        return "Pace \(Numbers.count(pace)): people's and device clocks went \(Numbers.count(pace)) times as "
            + "fast as the wall clock. Times of requests and of the generator are real; freshness and times to "
            + "recover are not measured; rates and the run's time are by people's clocks, so the collector met "
            + "\(Numbers.count(pace)) times these rates."
    }

    /// Where a part of the events was captured before the run: that no rate has them; `nil` where next to none was.
    var prefilledNote: String? {
        guard let captured = metrics.counter("events_captured") else { return nil }
        let seconds = max(0, simulatedSeconds - (measuredFromSeconds ?? 0))
        let before = (captured.count - captured.perSecond * seconds).rounded()
        // A report's time is rounded, and so is what is told by it.
        guard before >= 1, before > captured.count / 1000, before < 1e15 else { return nil }
        return
            "events_captured has \(Numbers.count(UInt64(before), of: "event")) that devices brought along from before the "
            + "run: its rate leaves them out."
    }

    /// Said wherever request times are shown: what they are, and of how many uploads there are none. Those that timed
    /// out are the slowest of all.
    var durationNote: String {
        let note =
            "http_req_duration here is planned start to last byte, so waiting for the generator or a "
            + "connection counts; it is not k6's meaning. http_req_service is what k6 measures."
        guard let count = metrics.counter("http_reqs")?.count, let uploads = UInt64(exactly: count),
            case .trend(let times) = metrics.first(where: { $0.name == "http_req_duration" })?.value
        else { return note }
        let answered = times.summary.count
        guard uploads > answered else { return note }
        return note + " Both are of uploads with a whole answer: \(Numbers.count(uploads - answered)) of "
            + "\(Numbers.count(uploads)) had none, and are in no percentile."
    }
}

extension Report.RunContext {
    /// The command, with the seed made plain and without the outputs that it named.
    ///
    /// - Parameter verb: Of a command that nobody typed.
    func repeatCommand(seed: UInt64, verb: String) -> ShellCommand {
        var words = command.isEmpty ? ["beaconswarm", verb, "SCENARIO"] : commandWithoutOutputs
        let hasSeed = words.contains { $0 == "--seed" || $0.hasPrefix("--seed=") }
        if parts != nil {
            // What joins parts draws nothing, and wants a folder to write to.
            if !command.isEmpty { words += ["--out", "DIR"] }
        } else if !hasSeed {
            words += ["--seed", String(seed)]
        }
        return ShellCommand(words)
    }

    /// The command without the outputs that it named: they exist now and are never overwritten.
    private var commandWithoutOutputs: [String] {
        let outputs = ["--out", "--events", "--store", "--keep-stores"]
        var words: [String] = []
        var skips = false
        for word in command {
            if skips {
                skips = false
            } else if outputs.contains(word) {
                skips = true
            } else if !outputs.contains(where: { word.hasPrefix($0 + "=") }) {
                words.append(word)
            }
        }
        return words
    }
}

extension [Metric] {
    /// A trend with samples.
    func trend(_ name: String) -> TrendSummary? {
        guard case .trend(let trend) = first(where: { $0.name == name })?.value else { return nil }
        let summary = trend.summary
        return summary.count > 0 ? summary : nil
    }

    /// A counter, over the run and per second of it.
    func counter(_ name: String) -> (count: Double, perSecond: Double)? {
        guard case .counter(let count, let perSecond) = first(where: { $0.name == name })?.value else {
            return nil
        }
        return (count, perSecond)
    }

    /// A gauge's last value.
    func gauge(_ name: String) -> Double? {
        guard case .gauge(let value, _, _) = first(where: { $0.name == name })?.value else { return nil }
        return value
    }

    /// A rate with samples: the share of its passes, the passes, and all its samples.
    func rate(_ name: String) -> (share: Double, passes: UInt64, samples: UInt64)? {
        guard case .rate(let passes, let fails) = first(where: { $0.name == name })?.value,
            let share = MetricCatalogue.share(passes: passes, fails: fails)
        else { return nil }
        return (share, passes, passes + fails)
    }
}
