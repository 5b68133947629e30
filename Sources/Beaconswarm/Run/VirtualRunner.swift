import Accounting
import DeviceSDK
import LiveEngine
import Measurement
import Reporting
import Scenario
import Timebase
import VirtualEngine

/// Plays a scenario in virtual time and makes its report.
struct VirtualRunner {
    let scenario: LoadedScenario
    let options: RunOptions
    let console: RunConsole
    let interruption: Interruption

    func run() throws(CommandFailure) -> CommandStatus {
        // Nothing is made for a run that does not fit.
        var forecast: Forecast?
        if !options.quiet || Room.isNeeded(for: scenario.document) {
            let offered = Forecast(scenario.document)
            try Room.checkMemory(offered, connections: nil)
            forecast = offered
        }
        let files = scenario.filesOfDevices
        let limit = MachineLimits.raiseDescriptorLimit()
        let stores = try RunStores(
            scenario, keep: options.keepStores,
            connections: MachineLimits.storeBudget(limit: limit, files: files), shards: 1)
        defer { stores.removeIfTemporary() }
        return try play(stores, forecast: forecast)
    }

    private func play(_ stores: RunStores, forecast: Forecast?) throws(CommandFailure) -> CommandStatus {
        let start = scenario.document.start ?? ScenarioDocument.virtualStart
        var plans = scenario.document.plans(start: start)
        let output = try RunOutput(scenario: scenario, plans: plans, mode: .virtual, options: options)
        plans = output.attached(to: plans)
        let builder = output.builder(target: "modelled world")
        console.begin(builder, forecast: forecast)
        let state = RunState(builder, folder: output.folder, start: start, console: console)
        interruption.onEnd {
            state.writeLastWords()
            stores.removeIfTemporary()
        }
        let began = Host.monotonic
        let fleets = plans.populations.map { stores.fleetFactory($0, .whole) }
        beginListening()
        let configuration = VirtualConfiguration(
            plans: plans.populations, schedule: plans.schedule, collector: plans.collector)
        var observer = Observer(
            runner: self, builder: builder, state: state, events: output.events, start: start, began: began)
        let result = runVirtually(configuration, fleets: fleets, observer: &observer)
        interruption.onRequestFromNowOn { [console] in console.writing() }
        var progress = progress(result, wall: Host.monotonic - began)
        progress.interrupted = interruption.isRequested
        progress.abortedBy = observer.abortedBy
        progress.warnings = stores.warnings
        progress.unexpectedAnswers = output.redacted(result.unexpectedAnswers, of: builder.populations)
        return try output.finish(progress, builder: builder, console: console)
    }

    private func progress(_ result: VirtualResult, wall: Interval) -> ReportBuilder.Progress {
        var progress = ReportBuilder.Progress(
            recorder: result.recorder, simulated: result.simulated, wall: wall,
            devicesStarted: result.devicesStarted, fingerprint: result.recorder.eventFingerprint)
        progress.audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: result.receipts)
        progress.auditNote = scenario.untaggedNote
        return progress
    }

    /// From here on a signal only asks for the end, and the run looks whether one came.
    private func beginListening() {
        interruption.begin {}
        interruption.onRequest { [console, drain = scenario.document.drain] in
            console.stopping(drain: drain, ofTheRun: true)
        }
    }

    /// Follows the run: signals, progress, thresholds that end it, the event file, the partial report.
    struct Observer: VirtualObserver {
        let runner: VirtualRunner
        let builder: ReportBuilder
        let state: RunState
        let events: EventFile?
        let start: Instant
        let began: Interval
        var abortedBy: Report.ThresholdResult?
        private var lastNoted: Interval
        private var isFirst = true

        /// How often the run's state is looked at and kept, in real time.
        private static let period = Interval.milliseconds(500)

        init(
            runner: VirtualRunner, builder: ReportBuilder, state: RunState, events: EventFile?,
            start: Instant, began: Interval
        ) {
            self.runner = runner
            self.builder = builder
            self.state = state
            self.events = events
            self.start = start
            self.began = began
            lastNoted = began
        }

        mutating func sealed(_ sealed: ContiguousArray<SealedEvent>, population: Int) {
            events?.write(sealed, population: population)
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            abortedBy = abortedBy ?? builder.abortingThreshold(recorder, elapsed: now - start)
            return abortedBy == nil && !runner.interruption.isRequested
        }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            let wall = Host.monotonic
            if wall - lastNoted >= Observer.period {
                lastNoted = wall
                note(recorder, at: now, wall: wall)
            }
            if runner.interruption.isRepeated { return .end }
            return runner.interruption.isRequested ? .drain : .goOn
        }

        private mutating func note(_ recorder: RunRecorder, at now: Instant, wall: Interval) {
            runner.console.progress(
                recorder, elapsed: now - start, planned: runner.scenario.document.duration,
                phase: "simulating", isLive: false)
            events?.flush()
            if let warning = events?.newWarning() { runner.console.warn(warning) }
            // Without the ids, which no partial report tells: a copy of them would be large.
            var recorder = recorder
            recorder.beliefs = DeviceBeliefs()
            state.note(
                ReportBuilder.Progress(
                    recorder: recorder, simulated: now - start, wall: wall - began,
                    devicesStarted: Int(recorder.series.buckets.last?.gauges.devicesStarted ?? 0),
                    fingerprint: recorder.eventFingerprint),
                isFirst: isFirst)
            isFirst = false
        }
    }
}

extension ReportBuilder {
    /// The first threshold that is broken and ends the run, if its time to be judged has come.
    func abortingThreshold(_ recorder: RunRecorder, elapsed: Interval) -> Report.ThresholdResult? {
        let due = thresholds.filter { $0.abortOnFail && elapsed >= $0.delayAbortEval ?? .zero }
        guard !due.isEmpty else { return nil }
        let metrics = metrics(of: recorder, seconds: elapsed.fractionalSeconds)
        // A metric without samples fails at the end of a run, but is no reason to end one.
        guard var broken = evaluate(due, on: metrics).first(where: { !$0.ok && $0.value != nil }) else {
            return nil
        }
        broken.aborted = true
        return broken
    }
}
