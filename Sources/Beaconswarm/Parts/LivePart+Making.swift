import Accounting
import LiveEngine
import Measurement
import Reporting
import Timebase
import VirtualEngine

extension LivePart {
    /// - Parameter wall: From the start to after the last answer.
    init(
        _ measured: LiveRunner.Measured, of part: PartNumber, builder: ReportBuilder,
        wall: ClosedRange<Instant>
    ) {
        let progress = measured.progress
        let servers = measured.tallies.compactMap { LivePart.Server($0, redact: measured.redact) }
        self.init(
            wall: wall, fingerprint: progress.fingerprint, target: builder.context.target,
            conduct: Report.PartConduct(measured, builder.context, servers: servers),
            generator: progress.generator, isInterrupted: progress.interrupted, endedBy: progress.endedBy,
            usersStoppedAt: progress.usersStoppedAt, serverClocks: servers,
            scraped: progress.targetMetrics.first)
        problems = ownProblems(of: part, host: builder.context.host)
    }

    /// What the part knows by itself to be wrong with it.
    private func ownProblems(of part: PartNumber, host: String) -> [Report.PartProblem] {
        var problems: [Report.PartProblem] = []
        if conduct.saturated {
            let text = GeneratorWords.late(
                "Part \(part.text) on \(host)", lagP99: conduct.lagP99, busiestLoop: conduct.cpuUtilization,
                remedy: "more parts, fewer devices or a faster machine")
            problems.append(Report.PartProblem(cause: .generatorLate, text: text))
        }
        let failed = generator.ownFailures.reduce(0) { $0 + $1.count }
        if failed > 0, Double(failed) > VerdictRules.ownFailureLimit * Double(conduct.uploads) {
            let texts = generator.ownFailures.map(\.text).joined(separator: "; ")
            problems.append(
                Report.PartProblem(
                    cause: .generatorFailed,
                    text:
                        "Part \(part.text) on \(host) failed by itself in \(failed) of \(conduct.uploads) uploads, so the "
                        + "run says nothing about the collector: \(texts)."))
        }
        return problems
    }

    /// What must not be overlooked when the part was played.
    var alarms: [String] { problems.map(\.text) + [endedBy?.text].compactMap(\.self) }

    /// The code to exit with: of what a part can know.
    func status(balance: Int64, _ audit: Audit?) -> CommandStatus {
        if balance != 0 || audit?.failed == true { return .unaccounted }
        if isInterrupted { return .interrupted }
        if !problems.isEmpty || endedBy?.cause == .maxRate { return .invalidRun }
        return endedBy == nil ? .success : .thresholdFailed
    }
}

extension Report.PartConduct {
    fileprivate init(
        _ measured: LiveRunner.Measured, _ context: Report.RunContext, servers: [LivePart.Server]
    ) {
        self.init()
        let (progress, total) = (measured.progress, measured.progress.recorder.total)
        marginSeconds = measured.margin.fractionalSeconds
        captured = total.ledger.captured
        uploads = total.requests
        lagP99 = progress.generator.scheduleLag.p99
        saturated = progress.generator.saturated
        cpuUtilization = progress.generator.cpuUtilization
        eventLoops = progress.generator.eventLoops
        cores = context.cores
        memoryBytes = context.memoryBytes
        operatingSystem = context.operatingSystem
        clock = Report.PartClock(KernelClock.now, server: servers.max { $0.answers < $1.answers })
    }
}

extension LivePart.Server {
    /// `nil` where answers did not tell.
    fileprivate init?(_ tally: TargetTally, redact: (String) -> String) {
        let clock = tally.clock
        guard let bounds = clock.bounds else { return nil }
        self.init(
            origin: redact(tally.origin), least: bounds.least, most: bounds.most, answers: clock.answers)
    }
}

extension PartLevels {
    /// Of a part that records what it sees at its looks, as live ones do.
    static func none(populationCount: Int, at instant: Instant) -> PartLevels {
        PartLevels(
            log: LevelLog(populationCount: populationCount), quietSince: nil,
            closing: FleetLook(
                at: instant, levels: Array(repeating: FleetLevels(), count: populationCount),
                isDrained: true))
    }
}
