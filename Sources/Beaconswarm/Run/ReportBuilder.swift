import Accounting
import Measurement
import Reporting
import Scenario
import Timebase

/// Makes reports from what engines measured: the same for both worlds, finished or not.
struct ReportBuilder: Sendable {
    /// What is known of a population before the run.
    struct PopulationInfo: Sendable {
        var name: String
        var system: String
        var version: String
        var devices: Int
        /// The population whose users these are too.
        var users: String?
        /// In which keys of the scenario it differs from that population, so that they do not do the same.
        var userDifferences: [String] = []
    }

    let scenario: Report.ScenarioReference
    let mode: Report.Mode
    let seed: UInt64
    var context: Report.RunContext
    let populations: [PopulationInfo]
    let marks: [Report.Mark]
    var warnings: [String]
    let thresholds: [Threshold]
    let startedAt: Instant
    /// Seconds of the run's clock in a real second.
    var pace = 1
    /// How long users act, unless they are stopped.
    var duration: Interval?
    /// Metrics are of what ended from here on, after the start; `nil` for the whole run.
    var measureFrom: Interval?

    /// Tells which radios the devices were on; `nil` where none changes its own.
    var radios: RadioSurvey?

    /// The local time of the people, where the scenario says where they live.
    var localTime: LocalTime?

    /// What a pace other than the real one means; `nil` for that.
    var paceNote: String? { Report.paceNote(pace) }

    /// What changes from one report of a run to the next.
    struct Progress {
        var recorder: RunRecorder
        var simulated: Interval
        var wall: Interval
        var devicesStarted: Int
        var fingerprint: UInt64
        var audit: Audit?
        var auditNote: String?
        var generator = Report.Generator()
        var interrupted = false
        var abortedBy: Report.ThresholdResult?
        var endedBy: Report.EarlyEnd?
        var internalError: String?
        /// Secrets taken out.
        var unexpectedAnswers: [Report.UnexpectedAnswer] = []
        /// What the target told of itself.
        var targetMetrics: [Report.TargetMetrics] = []
        /// What was found out during the run, beside what was known before it.
        var warnings: [String] = []
        /// A report in the middle of a run: what is on its way has no fate yet.
        var isPartial = false
        /// When users were stopped before their time.
        var usersStoppedAt: Instant?
        /// When the drain was over; known of simulations.
        var drainEndedAt: Instant?
        /// From the start to the last answer by the wall clock, where the run is not only just over.
        var wallTimes: ClosedRange<Instant>?
    }

    /// The metrics of the whole fleet and of each population.
    struct MetricSet {
        var overall: [Metric]
        var populations: [(name: String, metrics: [Metric])]
        var entries: [(name: String, metrics: [Metric])] = []
    }

    func metrics(of recorder: RunRecorder, seconds: Double) -> MetricSet {
        let warmUp = measureFrom?.fractionalSeconds ?? 0
        let window = measureFrom == nil ? nil : recorder.window
        let measured = max(0, seconds - warmUp)
        let each = zip(populations, window?.populations ?? recorder.populations).map { info, record in
            (name: info.name, metrics: record.metrics(seconds: measured))
        }
        return MetricSet(
            overall: (window?.total ?? recorder.total).metrics(seconds: measured), populations: each,
            entries: entries(of: recorder, seconds: seconds).map { ($0.name, $0.metrics) })
    }

    /// What the first entries of the timeline did.
    private func entries(of recorder: RunRecorder, seconds: Double) -> [Report.Entry] {
        let end = recorder.series.start + Interval(nanoseconds: Int64(seconds * 1e9))
        return zip(marks.indices, recorder.entries).map { index, entry in
            Report.Entry(name: marks[index].name, mark: index, metrics: entry.metrics(until: end))
        }
    }

    /// The thresholds' results on what is measured so far.
    func evaluate(_ thresholds: [Threshold], on metrics: MetricSet) -> [Report.ThresholdResult] {
        thresholds.map {
            $0.evaluate(
                overall: metrics.overall, populations: metrics.populations, entries: metrics.entries)
        }
    }

    func report(_ progress: Progress) -> Report {
        var progress = progress
        if progress.isPartial { progress.recorder.closeUnfinished() }
        return render(progress)
    }

    private func render(_ progress: Progress) -> Report {
        let seconds = progress.simulated.fractionalSeconds
        let metrics = metrics(of: progress.recorder, seconds: seconds)
        let total = progress.recorder.total
        var report = Report(
            toolVersion: Beaconswarm.version, scenario: scenario, mode: mode, seed: seed,
            // A live run has one at its end.
            fingerprint: progress.isPartial && progress.fingerprint == 0
                ? "" : ReportBuilder.hexadecimal(progress.fingerprint),
            startedAt: startedAt,
            wallSeconds: progress.wall.fractionalSeconds, simulatedSeconds: seconds,
            devices: populations.reduce(0) { $0 + $1.devices }, devicesStarted: progress.devicesStarted,
            run: context, events: ReportBuilder.counts(total.ledger), auditNote: progress.auditNote,
            metrics: metrics.overall, populations: populationReports(progress.recorder, metrics),
            generator: progress.generator,
            answers: total.answers.map { Report.NamedCount($0.name, $0.count) }, marks: marks,
            series: Report.SeriesPoint.points(of: progress.recorder.series),
            warnings: warnings + progress.warnings)
        report.usersSeconds = usersSeconds(progress)
        report.pace = pace
        let start = progress.recorder.series.start
        report.clock = localTime.map { $0.clock(from: start, for: progress.simulated) }
        report.peakUploadRate = progress.recorder.series.busiestRate(from: start + (measureFrom ?? .zero))
        addWarmUp(to: &report, progress.recorder)
        if !progress.isPartial { addEnd(to: &report, progress) }
        report.isInterrupted = progress.interrupted
        report.endedBy = progress.endedBy
        report.isPartial = progress.isPartial
        report.unexpectedAnswers = progress.unexpectedAnswers
        report.targetMetrics = progress.targetMetrics
        report.addDistributions(of: progress.recorder.series)
        report.addCloseUps(progress.recorder)
        report.entries = entries(of: progress.recorder, seconds: seconds)
        if let audit = progress.audit { report.take(audit, note: progress.auditNote) }
        report.thresholds = results(on: report, abortedBy: progress.abortedBy)
        report.judge(internalError: progress.internalError)
        return report
    }

    /// What only a run with a warm-up tells.
    private func addWarmUp(to report: inout Report, _ recorder: RunRecorder) {
        guard let measureFrom else { return }
        report.measuredFromSeconds = measureFrom.fractionalSeconds
        let measured = recorder.window?.total
        report.measuredDeliveries = measured?.ledger.delivered
        report.measuredAnswers = measured?.answers.map { Report.NamedCount($0.name, $0.count) }
    }

    /// What only the whole run tells.
    private func addEnd(to report: inout Report, _ progress: Progress) {
        report.warnings += report.delivery.warnings
        // Not in the middle of a run: a page that is renewed would have it drawn anew each time.
        report.radios = radios?.shares(from: progress.recorder.series.start, for: progress.simulated)
        guard report.populations.count > 1 else { return }
        for (index, spread) in spreads(progress.recorder).enumerated() {
            report.populations[index].spread = spread
        }
    }

    /// How long users acted; `nil` where nobody knows how long they were to.
    private func usersSeconds(_ progress: Progress) -> Double? {
        // A live run may be stopped before its clock has come to the start.
        let stopped = progress.usersStoppedAt.map { max(.zero, $0 - progress.recorder.series.start) }
        guard let acted = [stopped, duration].compactMap({ $0 }).min() else { return nil }
        return min(acted, progress.simulated).fractionalSeconds
    }

    /// How far each population's figures are chance.
    private func spreads(_ recorder: RunRecorder) -> [DeviceSpread?] {
        var first = 0
        let each = zip(populations, recorder.populations).map { info, record in
            defer { first += info.devices }
            return (first..<first + info.devices, record.ledger)
        }
        return recorder.beliefs.spreads(of: each)
    }

    private func results(
        on report: Report, abortedBy aborting: Report.ThresholdResult?
    ) -> [Report.ThresholdResult] {
        let each = report.populations.map { (name: $0.name, metrics: $0.metrics) }
        let metrics = MetricSet(
            overall: report.metrics, populations: each,
            entries: report.entries.map { ($0.name, $0.metrics) })
        var results = evaluate(thresholds, on: metrics)
        if let aborting,
            let index = results.firstIndex(where: {
                $0.metric == aborting.metric && $0.expression == aborting.expression
            })
        {
            // What ended the run stays broken, whatever the drain made of the figure.
            results[index] = aborting
        }
        return results
    }

    private func populationReports(_ recorder: RunRecorder, _ metrics: MetricSet) -> [Report.Population] {
        populations.indices.map { index in
            let info = populations[index]
            var population = Report.Population(
                name: info.name, system: info.system, version: info.version, devices: info.devices,
                events: ReportBuilder.counts(recorder.populations[index].ledger),
                metrics: metrics.populations[index].metrics)
            population.users = info.users
            population.userDifferences = info.userDifferences
            return population
        }
    }

    static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The ledger as reports tell it: every cause with its count, zeros included, so that a script may
    /// ask for one by name.
    static func counts(_ ledger: Ledger) -> Report.EventCounts {
        func named(_ fate: Fate) -> [Report.NamedCount] {
            ledger.causes(of: fate).map { Report.NamedCount($0.name, $0.count) }
        }
        var counts = Report.EventCounts()
        counts.captured = ledger.captured
        counts.delivered = ledger.delivered
        counts.suppressed = named(.suppressed)
        counts.evicted = named(.evicted)
        counts.rejected = named(.rejected)
        counts.lost = named(.lost)
        counts.pending = named(.pending)
        counts.balance = ledger.balance
        return counts
    }
}

extension RunRecorder {
    /// Books what has no fate yet as stored: where it is while the run goes on.
    ///
    /// Fates are known as of now, and what was captured as of the last look at the devices: events that were captured
    /// after it and have a fate already were captured all the same.
    fileprivate mutating func closeUnfinished() {
        for index in populations.indices {
            let balance = populations[index].ledger.balance
            if balance > 0 {
                populations[index].ledger.seal(.pending(.stored), times: UInt64(balance))
            } else {
                populations[index].ledger.captured = populations[index].ledger.sealed
            }
        }
    }
}

extension LocalTime {
    /// Local time in a run, with what changes in it.
    fileprivate func clock(from start: Instant, for length: Interval) -> Report.Clock {
        func minutes(_ offset: Interval) -> Int { Int(offset.milliseconds / 60_000) }
        var (offset, until) = offsets.offset(at: start)
        var clock = Report.Clock(startsAt: start, utcOffsetMinutes: minutes(offset), zone: zone)
        while until < start + length {
            let change = until
            (offset, until) = offsets.offset(at: change)
            clock.changes.append(
                .init(second: (change - start).fractionalSeconds, utcOffsetMinutes: minutes(offset)))
        }
        return clock
    }
}
