import Accounting
import DeviceSDK
import Generation
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
    let interruption: any RunControl
    /// Hears now and then how much of the users' time is over, 0…1.
    var onProgress: (@Sendable (Double) -> Void)?

    /// Plays one simulation of many, whose owner has looked whether they fit.
    func runCell() throws(CommandFailure) -> CommandStatus {
        let stores = try RunStores(ofSimulated: scenario)
        defer { stores.removeIfTemporary() }
        return try play(stores, forecast: nil, sizes: UploadSizes(of: scenario.document, for: bodies))
    }

    func run() throws(CommandFailure) -> CommandStatus {
        try options.checkOutputs()
        // Nothing is made for a run that does not fit.
        var forecast: Forecast?
        let sizes = UploadSizes(of: scenario.document, for: bodies)
        if !options.quiet || Room.isNeeded(for: scenario.document) {
            let offered = Forecast(scenario.document, sizes: sizes.byReference)
            try Room.checkMemory(offered, connections: nil)
            forecast = offered
        }
        let stores = try RunStores(ofSimulated: scenario, keep: options.keepStores)
        defer { stores.removeIfTemporary() }
        return try play(stores, forecast: forecast, sizes: sizes)
    }

    private var bodies: Bodies { options.bodies ?? .encode }
    private var start: Instant { scenario.document.simulatedStart }

    private func play(
        _ stores: RunStores, forecast: Forecast?, sizes: UploadSizes
    ) throws(CommandFailure) -> CommandStatus {
        var plans = scenario.document.plans(start: start)
        plans.take(sizes)
        let output: RunOutput
        do {
            output = try RunOutput(scenario: scenario, plans: plans, mode: .virtual, options: options)
        } catch {
            stores.remove()
            throw error
        }
        // To make many devices takes seconds: an interrupt does not wait for that, and leaves nothing.
        interruption.leaveNothing(of: output, stores)
        plans = output.attached(to: plans)
        let builder = output.builder(target: Report.modelledTarget, bodies: bodies)
        console.begin(builder, forecast: forecast)
        let state = RunState(builder, folder: output.folder, start: start, console: console)
        let began = Host.monotonic
        let fleets = plans.populations.map { stores.fleetFactory($0, .whole) }
        state.begin(interruption) { stores.removeIfTemporary() }
        beginListening()
        let configuration = VirtualConfiguration(plans, sizes: sizes.byReference)
        var observer = Observer(
            interruption: interruption,
            follower: RunFollower(
                console: console, builder: builder, state: state, events: output.events, start: start,
                began: began, planned: scenario.document.duration,
                drain: scenario.document.drain),
            onProgress: onProgress)
        let result = runVirtually(configuration, fleets: fleets, observer: &observer)
        interruption.onRequestFromNowOn { [console] in console.writing() }
        var progress = ReportBuilder.Progress(result, of: scenario, wall: Host.monotonic - began)
        progress.interrupted = interruption.isRequested
        progress.abortedBy = observer.follower.abortedBy
        progress.warnings = stores.warnings
        progress.generator.ownFailures = OwnFailures.of(devices: stores.hostFailures)
        progress.unexpectedAnswers = output.redacted(result.unexpectedAnswers, of: builder.populations)
        return try output.finish(progress, builder: builder, console: console)
    }

    /// From here on a signal only asks for the end, and the run looks whether one came.
    private func beginListening() {
        interruption.begin {}
        interruption.onRequest { [console, drain = scenario.document.drain] in
            console.stopping(drain: drain, ofTheRun: true)
        }
    }

    /// Lets the engine's run be followed: signals, and what ``RunFollower`` does.
    struct Observer: VirtualObserver {
        let interruption: any RunControl
        var follower: RunFollower
        let onProgress: (@Sendable (Double) -> Void)?
        var mayEndUsers: Bool { follower.mayAbort }
        /// When it was found on the run's clock that users are to be stopped.
        private var stoppedAt: Instant?
        /// When the run's state was looked at and kept last, on the machine's clock.
        private var lastNoted: Interval

        /// How often the run's state is looked at and kept, in real time.
        private static let period = Interval.milliseconds(500)

        init(
            interruption: any RunControl, follower: RunFollower,
            onProgress: (@Sendable (Double) -> Void)? = nil
        ) {
            self.interruption = interruption
            self.follower = follower
            self.onProgress = onProgress
            lastNoted = follower.began
        }

        mutating func sealed(_ sealed: ContiguousArray<SealedEvent>, population: Int) {}

        mutating func sealed(
            _ sealed: ContiguousArray<SealedEvent>, population: Int, at now: Instant
        ) {
            follower.events?.write(sealed, population: population, at: now)
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            let goesOn = !follower.judge(recorder, at: now) && !interruption.isRequested
            if !goesOn { stoppedAt = stoppedAt ?? now }
            return goesOn
        }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            let wall = Host.monotonic
            if interruption.isRequested { stoppedAt = stoppedAt ?? now }
            if wall - lastNoted >= Observer.period {
                lastNoted = wall
                let isStopped = stoppedAt != nil
                follower.show(
                    recorder, at: now, phase: isStopped ? "draining" : "simulating", isDraining: isStopped)
                follower.keep(
                    recorder, at: now, fingerprint: recorder.eventFingerprint, usersStoppedAt: stoppedAt)
                let elapsed = now - follower.start
                onProgress?(min(1, elapsed.fractionalSeconds / follower.planned.fractionalSeconds))
            }
            if interruption.isRepeated { return .end }
            return interruption.isRequested ? .drain : .goOn
        }
    }
}
