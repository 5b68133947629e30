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
        let start = scenario.document.start ?? ScenarioDocument.virtualStart
        var plans = scenario.document.plans(start: start)
        let files = scenario.filesOfDevices
        let limit = MachineLimits.raiseDescriptorLimit()
        let stores = try RunStores(
            scenario, keep: options.keepStores,
            connections: MachineLimits.storeBudget(limit: limit, files: files), shards: 1)
        defer { stores.removeIfTemporary() }
        let output = try RunOutput(scenario: scenario, plans: plans, mode: .virtual, options: options)
        plans = output.attached(to: plans)
        let builder = output.builder(target: "modelled world")
        console.begin(builder, forecast: options.quiet ? nil : Forecast(scenario.document))
        interruption.onRequest { [console, drain = scenario.document.drain] in
            console.stopping(drain: drain, ofTheRun: true)
        }
        let began = Host.monotonic
        let fleets = plans.populations.map { stores.fleetFactory($0, .whole) }
        let configuration = VirtualConfiguration(
            plans: plans.populations, schedule: plans.schedule, collector: plans.collector)
        var observer = Observer(
            runner: self, builder: builder, folder: output.folder, events: output.events, start: start,
            began: began)
        let result = runVirtually(configuration, fleets: fleets, observer: &observer)
        var progress = ReportBuilder.Progress(
            recorder: result.recorder, simulated: result.simulated, wall: Host.monotonic - began,
            devicesStarted: result.devicesStarted, fingerprint: result.recorder.eventFingerprint)
        progress.audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: result.receipts)
        progress.auditNote = scenario.untaggedNote
        progress.interrupted = interruption.isRequested
        progress.abortedBy = observer.abortedBy
        progress.warnings = stores.warnings
        progress.unexpectedAnswers = output.redacted(result.unexpectedAnswers, of: builder.populations)
        return try output.finish(progress, builder: builder, console: console)
    }

    /// Follows the run: progress, thresholds that end it, the event file, the partial report.
    struct Observer: VirtualObserver {
        let runner: VirtualRunner
        let builder: ReportBuilder
        let folder: RunFolder
        let events: EventFile?
        let start: Instant
        let began: Interval
        var abortedBy: Report.ThresholdResult?
        private var lastSeen = Interval.zero
        private var lastPartial = Interval.zero

        init(
            runner: VirtualRunner, builder: ReportBuilder, folder: RunFolder, events: EventFile?,
            start: Instant,
            began: Interval
        ) {
            self.runner = runner
            self.builder = builder
            self.folder = folder
            self.events = events
            self.start = start
            self.began = began
            lastPartial = began
        }

        mutating func sealed(_ sealed: ContiguousArray<SealedEvent>, population: Int) {
            events?.write(sealed, population: population)
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            if runner.interruption.isRequested { return false }
            abortedBy = abortedBy ?? builder.abortingThreshold(recorder, elapsed: now - start)
            if abortedBy != nil { return false }
            let wall = Host.monotonic
            if wall - lastSeen > .milliseconds(200) {
                lastSeen = wall
                runner.console.progress(
                    recorder, elapsed: now - start, planned: runner.scenario.document.duration,
                    phase: "simulating", isLive: false)
            }
            if wall - lastPartial > Report.statePeriod {
                lastPartial = wall
                var progress = ReportBuilder.Progress(
                    recorder: recorder, simulated: now - start, wall: wall - began, devicesStarted: 0,
                    fingerprint: recorder.eventFingerprint)
                progress.isPartial = true
                // A full disk shows when the run's end is written; the run itself goes on.
                try? folder.writePartial(builder.report(progress))
            }
            return true
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
