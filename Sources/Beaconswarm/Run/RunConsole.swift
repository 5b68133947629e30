import Accounting
import Measurement
import Rendering
import Reporting
import Scenario
import Synchronization
import Timebase

/// What a run says while it goes on, and at its end. Progress goes to standard error; the summary,
/// or the report's JSON, to standard output.
final class RunConsole: Sendable {
    private let json: Bool
    private let quiet: Bool
    private let color: Bool
    private let isTerminal: Bool
    /// What of it is left to the owner of many runs.
    private let voice: Voice
    /// Which of many runs it speaks for, where nothing else says so; `nil` for a run alone.
    private let name: String?
    /// Its turn among them, where they are played one after the other: progress is that of all.
    private let turn: RunTurn?
    /// Who watches from elsewhere, and hears all of it, whether quiet or not; `nil` if nobody can.
    let watch: Watch?
    /// When a line of progress was said last, by the clock that only goes forward.
    private let lastSpoken = Mutex<Interval?>(nil)

    private enum Voice {
        case whole
        /// Neither what is going to happen nor the result.
        case progress
        case none
    }

    init(_ options: RunOptions) {
        json = options.json
        quiet = options.quiet
        color = options.color && Host.allowsColor
        isTerminal = Host.isTerminal
        voice = .whole
        name = nil
        turn = nil
        watch = options.watch
    }

    private init(mute: Void) {
        watch = nil
        (name, turn) = (nil, nil)
        (json, quiet, color, isTerminal, voice) = (false, true, false, false, .none)
    }

    /// Shows where one of many runs is, and says nothing of how it begins and ends but what went wrong.
    init(progressOf options: RunOptions, name: String, turn: RunTurn?) {
        json = false
        quiet = options.quiet
        color = options.color && Host.allowsColor
        isTerminal = Host.isTerminal
        voice = .progress
        (self.name, self.turn) = (name, turn)
        watch = options.watch
    }

    /// Says nothing, not even warnings.
    static let mute = RunConsole(mute: ())

    /// Says what is going to happen; where nothing else is to be said, what to beware of all the same.
    func begin(_ builder: ReportBuilder, forecast: Forecast?) {
        guard voice == .whole else { return }
        if !quiet { introduce(builder, forecast: forecast) }
        warn(builder.warnings)
    }

    private func introduce(_ builder: ReportBuilder, forecast: Forecast?) {
        let devices = builder.populations.reduce(0) { $0 + $1.devices }
        tell(
            "beaconswarm \(Beaconswarm.version): \(builder.scenario.name), \(devices.of("device")), "
                + "\(builder.mode.rawValue), seed \(builder.seed), against \(builder.context.targetInWords)")
        if let note = builder.paceNote { tell(note) }
        if let forecast { tell("\(forecast.subject) \(forecast.text(for: builder.mode))") }
    }

    /// Says what to beware of, whether quiet or not.
    func warn(_ text: String) { announce("warning: \(Escaping.line(text))") }

    /// Says what went wrong, whether quiet or not, where the work is not over with that.
    func fail(_ text: String) { announce("error: \(text)") }

    /// Says what an interrupt left undone, whether quiet or not.
    func interrupted(_ text: String) { announce("interrupted: \(text)") }

    /// A line that is said whether quiet or not.
    private func announce(_ line: String) {
        watch?.say(line)
        tell(line)
    }

    /// Says what to beware of in a scenario, each with its place.
    func warn(of document: ScenarioDocument) { warn(document.warnings.map(\.placedText)) }

    /// Says what to beware of.
    func warn(_ texts: [String]) {
        for text in texts { warn(text) }
    }

    /// A line in between.
    func say(_ line: String) {
        watch?.say(line)
        if !quiet { tell(line) }
    }

    /// A line on standard error, broken between words where a terminal has no room for it.
    private func tell(_ line: String) {
        guard voice != .none else { return }
        RunConsole.clearStatus()
        Console.error(isTerminal ? TerminalText.wrapped(line, width: Host.terminalWidth) : line)
    }

    /// How often the line of a terminal is renewed, and how often a line is printed elsewhere, in real time.
    private static let periods = (terminal: Interval.seconds(1), plain: Interval.seconds(10))

    /// Whether it is time to say again where the run is.
    private var isProgressDue: Bool {
        let now = Host.monotonic
        let period = isTerminal ? RunConsole.periods.terminal : RunConsole.periods.plain
        return lastSpoken.withLock { last in
            if let last, now - last < period { return false }
            last = now
            return true
        }
    }

    /// Shows where the run is, if it is time for that: one line that rewrites itself, or a plain line.
    ///
    /// - Parameters:
    ///   - planned: How long users act; `nil` in the drain, which has no length of its own.
    ///   - share: How much of the run is done, 0…1.
    ///   - left: How long it will still take, in real time; `nil` if nobody can say.
    ///   - pace: Seconds of the run in a real one; rates are told by real seconds.
    func progress(
        _ recorder: RunRecorder, elapsed: Interval, planned: Interval?, share: Double, phase: String,
        isLive: Bool, left: Interval? = nil, pace: Int = 1
    ) {
        let phase = turn.map { "\($0.words), \(phase)" } ?? phase
        let left: Interval? = turn.map { $0.left(share) } ?? left
        if let watch {
            // The figures themselves are the page's own business.
            var clock = StatusSnapshot()
            (clock.phase, clock.elapsed, clock.pace) = (phase, elapsed.fractionalSeconds, pace)
            clock.total = planned?.fractionalSeconds
            clock.left = left?.fractionalSeconds
            watch.show(StatusLine.clock(clock), share: turn?.share(share) ?? share)
        }
        guard !quiet, isProgressDue else { return }
        var snapshot = snapshot(recorder, elapsed: elapsed, planned: planned, phase: phase, isLive: isLive)
        snapshot.left = left?.fractionalSeconds
        snapshot.pace = pace
        snapshot.eventsPerSecond *= Double(pace)
        snapshot.requestsPerSecond *= Double(pace)
        if isTerminal {
            let line = StatusLine.render(snapshot, color: color, width: Host.terminalWidth)
            RunConsole.rewriteStatus(line)
        } else {
            Console.error(StatusLine.plain(snapshot))
        }
    }

    /// Shows a line of progress, if it is time for that.
    ///
    /// - Parameter share: How much of the work is done, 0…1; `nil` if that is no more than was said before.
    func progress(share: Double? = nil, _ line: () -> String) {
        watch?.show(ProgressWords.withoutBar(line()), share: share)
        guard !quiet, isProgressDue else { return }
        if isTerminal { status(line()) } else { Console.error(line()) }
    }

    private func snapshot(
        _ recorder: RunRecorder, elapsed: Interval, planned: Interval?, phase: String, isLive: Bool
    ) -> StatusSnapshot {
        var snapshot = StatusSnapshot()
        snapshot.phase = phase
        snapshot.elapsed = elapsed.fractionalSeconds
        snapshot.total = planned?.fractionalSeconds
        let gauges = recorder.series.buckets.last?.gauges ?? TimeSeries.Gauges()
        snapshot.devices = Int(gauges.devicesStarted)
        snapshot.rowsStored = gauges.storedRows
        // Rates and freshness of the last five intervals: what goes on now, without the jitter of one.
        let recent = recorder.series.buckets.suffix(5)
        let seconds = Double(recent.count) * recorder.series.width.fractionalSeconds
        var freshness = IntervalHistogram()
        var lag = IntervalHistogram()
        for bucket in recent {
            freshness.merge(bucket.freshness)
            lag.merge(bucket.lag)
        }
        if seconds > 0 {
            snapshot.eventsPerSecond = Double(recent.reduce(0) { $0 + $1.captured }) / seconds
            snapshot.requestsPerSecond = Double(recent.reduce(0) { $0 + $1.requests }) / seconds
        }
        if freshness.count > 0 { snapshot.freshnessP95 = freshness.milliseconds(atPercentile: 95) }
        snapshot.errors = recorder.populations.reduce(0) { $0 + $1.failedRequests }
        if isLive { snapshot.lagP99 = lag.milliseconds(atPercentile: 99) }
        return snapshot
    }

    /// Shows the result.
    ///
    /// - Parameters:
    ///   - folder: Where the report is, if it could be written.
    ///   - warned: The warnings that were said when it began.
    ///   - errors: What is said of it as errors.
    func end(_ report: Report, folder: String?, warned: [String], errors: [String] = []) {
        watch?.take(.run(report))
        status("")
        alarm(report, warned: warned, errors: errors)
        end(json: { ReportJSON.write(report) }) { colored in
            TerminalSummary.render(report, color: colored, width: summaryWidth)
                + (folder.map { "report: \(RunConsole.page(in: $0))\n" } ?? "")
        }
    }

    /// Says what must not be overlooked, whether quiet or not: who reads only the exit code may not know what it does not
    /// say. Where there is no summary, that is every reason for a verdict, and what the run gave warning of on its way.
    private func alarm(_ report: Report, warned: [String], errors: [String]) {
        let reasons = quiet && report.verdict != .passed ? report.reasons : []
        let place = quiet ? name.map { "\($0): " } ?? "" : ""
        for reason in reasons where !errors.contains(where: reason.contains) {
            announce(Escaping.line("\(report.verdict.rawValue): \(place)\(reason)"))
        }
        let alarms = report.alarms
        for text in alarms where !reasons.contains(text) { warn(place + text) }
        guard quiet else { return }
        let said = warned + alarms
        for text in report.warnings where !said.contains(text) { warn(place + text) }
    }

    /// What to open: the page, or what it is made from where it found no room.
    private static func page(in folder: String) -> String {
        let page = "\(folder)/report.html"
        return OutputFile.exists(page) ? page : "\(folder)/report.json"
    }

    /// Columns of where summaries go: standard error if the report's JSON has standard output.
    var summaryWidth: Int { json ? Host.terminalWidth : Host.outputWidth }

    /// Shows a result: its JSON, if that was asked for, and its summary, with colours or without.
    ///
    /// - Parameter quietly: What is said in the summary's place if that is not wanted; `nil` for nothing.
    func end(json bytes: () -> [UInt8], quietly: String? = nil, summary: (_ colored: Bool) -> String) {
        status("")
        guard voice == .whole else { return }
        if json { Console.output(bytes()) }
        guard !quiet else {
            if let quietly { tell(Escaping.line(quietly)) }
            return
        }
        let text = summary(color && (json ? isTerminal : Host.outputIsTerminal))
        if json { Console.status(text) } else { Console.output(text) }
    }

    /// A line of a terminal that the next one overwrites; an empty one clears it.
    ///
    /// - Parameter share: As of ``progress(share:_:)``.
    func status(_ line: String, share: Double? = nil) {
        if !line.isEmpty { watch?.show(ProgressWords.withoutBar(line), share: share) }
        guard isTerminal, !quiet else { return }
        RunConsole.rewriteStatus(String(line.prefix(max(1, Host.terminalWidth - 1))))
    }

    /// Whether a line that rewrites itself stands on the terminal, of which a process has one.
    private static let hasStatus = Mutex(false)

    private static func rewriteStatus(_ line: String) {
        hasStatus.withLock { $0 = !line.isEmpty }
        Console.status("\r\u{1B}[2K" + line)
    }

    /// Clears that line, or what is said next would begin behind it.
    private static func clearStatus() {
        if hasStatus.withLock({ $0 }) { rewriteStatus("") }
    }

    /// Whether lines on the way may have colours.
    var colorsProgress: Bool { color && isTerminal }
}
