import Accounting
import Measurement
import Reporting
import Scenario
import Timebase

/// Follows a run: its progress, the thresholds that may end it, the event file, the partial report.
///
/// Both worlds tell it how far their run has come, as often as suits them.
struct RunFollower {
    let console: RunConsole
    let builder: ReportBuilder
    let state: RunState
    let events: EventFile?
    /// On the run's clock.
    let start: Instant
    /// On the machine's, where it may lie ahead: a live run is followed while it waits for its start.
    let began: Interval
    /// How long users act, and what may follow in real time where a run is live.
    let planned: Interval
    let drain: Interval
    /// What the target tells of itself, where it is asked.
    var scraped: ScrapeBoard?
    /// The threshold that ended the run, if one did.
    private(set) var abortedBy: Report.ThresholdResult?
    // What is known is written at once: a run that breaks off early can be read too.
    private var isFirst = true

    init(
        console: RunConsole, builder: ReportBuilder, state: RunState, events: EventFile?, start: Instant,
        began: Interval, planned: Interval, drain: Interval
    ) {
        self.console = console
        self.builder = builder
        self.state = state
        self.events = events
        self.start = start
        self.began = began
        self.planned = planned
        self.drain = drain
    }

    private var isLive: Bool { builder.mode == .live }

    /// Whether a threshold that ends the run is broken; the first one found stays.
    mutating func judge(_ recorder: RunRecorder, at now: Instant) -> Bool {
        abortedBy = abortedBy ?? builder.abortingThreshold(recorder, elapsed: elapsed(at: now))
        return abortedBy != nil
    }

    /// Whether a threshold may end the run before its time.
    var mayAbort: Bool { builder.mayAbort }

    /// Shows how far the run has come.
    ///
    /// - Parameter isDraining: Whether users were stopped, at their time or before it: the drain ends when there is
    ///   nothing left to do.
    func show(_ recorder: RunRecorder, at now: Instant, phase: String, isDraining: Bool) {
        events?.flush()
        if let warning = events?.newWarning() { console.warn(warning) }
        let elapsed = elapsed(at: now)
        let isOver = isDraining || elapsed > planned
        console.progress(
            recorder, elapsed: elapsed, planned: isOver ? nil : planned, share: share(of: elapsed),
            phase: phase, isLive: isLive, left: isOver ? nil : left(at: now), pace: pace)
    }

    /// Seconds of the run's clock in a real one; a simulation has no such thing.
    private var pace: Int { isLive ? builder.pace : 1 }

    /// How much of the run is done, 0…1, if its drain takes as long as it may.
    private func share(of elapsed: Interval) -> Double {
        let whole = planned.fractionalSeconds + drain.fractionalSeconds * Double(pace)
        return whole > 0 ? min(1, elapsed.fractionalSeconds / whole) : 0
    }

    /// Keeps what is known of the run, for its partial report.
    ///
    /// - Parameters:
    ///   - usersStoppedAt: When users were stopped, where that was before their time.
    ///   - generator: How well a live run kept its schedule so far.
    mutating func keep(
        _ recorder: RunRecorder, at now: Instant, fingerprint: UInt64, usersStoppedAt: Instant?,
        generator: Report.Generator? = nil
    ) {
        var progress = ReportBuilder.Progress(
            recorder: recorder, simulated: elapsed(at: now),
            wall: max(.zero, Host.monotonic - began),
            devicesStarted: Int(recorder.series.buckets.last?.gauges.devicesStarted ?? 0),
            fingerprint: fingerprint)
        // Without the ids, which no partial report tells: a copy of them would be large.
        progress.recorder.beliefs = DeviceBeliefs()
        progress.usersStoppedAt = usersStoppedAt
        if let generator { progress.generator = generator }
        if let metrics = scraped?.metrics { progress.targetMetrics = [metrics] }
        state.note(progress, isFirst: isFirst)
        isFirst = false
    }

    /// How long users will still act, in real time; the drain after that ends when there is nothing left to do.
    private func left(at now: Instant) -> Interval? {
        let (done, whole) = (elapsed(at: now).fractionalSeconds, planned.fractionalSeconds)
        guard done < whole else { return nil }
        if isLive { return .fractional(seconds: (whole - done) / Double(max(1, builder.pace))) }
        return ProgressWords.left(done / whole, elapsed: Host.monotonic - began, from: 0.01)
    }

    private func elapsed(at now: Instant) -> Interval { max(.zero, now - start) }
}

extension ReportBuilder {
    /// Whether there is a threshold that may end the run.
    var mayAbort: Bool { thresholds.contains(where: \.abortOnFail) }

    /// The first threshold that is broken and ends the run, if its time to be judged has come.
    func abortingThreshold(_ recorder: RunRecorder, elapsed: Interval) -> Report.ThresholdResult? {
        let due = thresholds.filter {
            $0.abortOnFail
                && elapsed >= max(start(of: $0, recorder) + .seconds(1), $0.delayAbortEval ?? .zero)
        }
        guard !due.isEmpty else { return nil }
        let metrics = metrics(of: recorder, seconds: elapsed.fractionalSeconds)
        // A metric without samples fails at the end of a run, but is no reason to end one.
        guard var broken = evaluate(due, on: metrics).first(where: { !$0.ok && $0.value != nil }) else {
            return nil
        }
        broken.aborted = true
        return broken
    }

    /// When there begins what a threshold is about: before it has lasted, nothing is too few.
    private func start(of threshold: Threshold, _ recorder: RunRecorder) -> Interval {
        let entry = zip(marks, recorder.entries).first { $0.0.name == threshold.entry }?.1
        return max(measureFrom ?? .zero, entry.map { $0.range.lowerBound - recorder.series.start } ?? .zero)
    }
}
