import Accounting
import CollectorModel
import CollectorServer
import DeviceSDK
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
import Reporting
import Scenario
import Timebase

/// Plays a scenario live: brings up the embedded collector where one is needed, follows the run,
/// audits what arrived, and makes the report.
struct LiveRunner: Sendable {
    let scenario: LoadedScenario
    let options: RunOptions
    let console: RunConsole
    let interruption: Interruption
    /// The devices to play, where it is a part of them.
    var part: PartNumber?
    /// When to begin, by the clock on the wall; `nil` for as soon as can be.
    var appointment: Instant?
    /// Whether it is one of several runs that are compared: what ends early has no part in that.
    var isOneOfSeveral = false

    func run() async throws -> CommandStatus {
        let ground = try ground()
        if !ground.embeds { try await checkTargets() }
        let sizes = UploadSizes(of: scenario.document)
        try options.checkOutputs()
        let attempt = try claim()
        let (start, beginning, clock) = try await meet(attempt)
        let loads = MultiThreadedEventLoopGroup(numberOfThreads: ground.loopCount)
        let collectors = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var stores: RunStores?
        let result: Result<CommandStatus, any Error>
        do {
            let made = try RunStores(
                scenario, keep: options.keepStores, connections: ground.storeBudget, shards: ground.loopCount)
            stores = made
            result = .success(
                try await play(
                    Stage(
                        embeds: ground.embeds, budget: ground.budget,
                        forecast: ground.forecast.share(of: part), sizes: sizes, clock: clock,
                        start: start, beginning: beginning, loads: loads, collectors: collectors,
                        stores: made, attempt: attempt))
            )
        } catch {
            result = .failure(error)
        }
        try? await loads.shutdownGracefully()
        try? await collectors.shutdownGracefully()
        stores?.removeIfTemporary()
        if case .failure(let error) = result { attempt?.note(reason: LiveRunner.words(error)) }
        return try result.get()
    }

    /// What a run stands on.
    struct Stage {
        var embeds: Bool
        /// Descriptors that connections may take.
        var budget: Int
        var forecast: Forecast
        var sizes: UploadSizes
        var clock: RunClock
        /// Second 0 of the run, by its own clock and by the one on the wall.
        var start: Instant
        var beginning: Instant
        var loads: MultiThreadedEventLoopGroup
        var collectors: MultiThreadedEventLoopGroup
        var stores: RunStores
        /// The folder of a part.
        var attempt: PartFolder?

        /// Second 0 by the machine's clock that only goes forward.
        var began: Interval {
            Interval(nanoseconds: Int64(clock.deadline(of: start).uptimeNanoseconds))
        }
    }

    private func play(_ stage: Stage) async throws -> CommandStatus {
        let server: CollectorServer?
        do {
            server = stage.embeds ? try await startCollector(stage) : nil
            interruption.leaveNothing(of: nil, stage.stores, server)
        } catch {
            stage.stores.remove()
            throw error
        }
        do {
            let status = try await play(try await prepare(stage, server: server), stage, server: server)
            await server?.stop()
            return status
        } catch let failure as Unbegun {
            await server?.stop()
            discardStore()
            throw failure.reason
        } catch {
            await server?.stop()
            throw error
        }
    }

    /// Why a run did not come to begin: its collector's store is empty.
    private struct Unbegun: Error {
        var reason: any Error
    }

    private func discardStore() {
        if let store = options.store { StoreFiles.remove(store) }
    }

    /// A run whose time may begin.
    private struct ReadyRun {
        var plans: ScenarioPlans
        var output: RunOutput
        var builder: ReportBuilder
        var state: RunState
        var run: LiveRun
        /// How long before its start it was ready.
        var margin: Interval
    }

    /// Makes all that a run needs, and waits for its start.
    ///
    /// - Throws: ``Unbegun`` for one that does not come to begin; nothing is left of it but what an attempt at a part
    ///   notes.
    private func prepare(_ stage: Stage, server: CollectorServer?) async throws -> ReadyRun {
        var made: RunOutput?
        do {
            var plans = self.plans(start: stage.start, port: server?.address.port)
            plans.take(stage.sizes)
            let warnings = warnings(
                embeds: stage.embeds, budget: stage.budget, forecast: stage.forecast, of: plans)
            let output = try self.output(stage, plans)
            made = output
            interruption.leaveNothing(
                of: output, stage.stores, keepingFolder: stage.attempt != nil, server)
            plans = output.attached(to: plans)
            var builder = output.builder(target: targetText(plans), warnings: warnings)
            builder.pace = scenario.document.pace
            console.begin(builder, forecast: stage.forecast)
            let state = RunState(builder, folder: output.folder, start: stage.start, console: console)
            let (run, margin) = try await setUp(configuration(plans, output: output, stage), stage)
            try await awaitStart(run, stage)
            return ReadyRun(
                plans: plans, output: output, builder: builder, state: state, run: run, margin: margin)
        } catch {
            made?.discard(keepingFolder: stage.attempt != nil)
            stage.stores.remove()
            throw Unbegun(reason: error)
        }
    }

    private func play(
        _ ready: ReadyRun, _ stage: Stage, server: CollectorServer?
    ) async throws -> CommandStatus {
        let (plans, output, builder, run) = (ready.plans, ready.output, ready.builder, ready.run)
        ready.state.begin(interruption) { stage.stores.removeIfTemporary() }
        beginListening(run)
        var follower = LiveFollower(
            run: run, interruption: interruption,
            follower: RunFollower(
                console: console, builder: builder, state: ready.state, events: output.events,
                start: stage.start, began: stage.began, planned: scenario.document.duration,
                drain: scenario.document.drain))
        let scraping = try await startScraper(stage)
        follower.follower.scraped = scraping?.board
        let keeper = keeper(of: builder)
        let (abortedBy, endedBy) = await run.kept(by: keeper) { await follower.follow() }
        let result = try await run.result()
        let scraped = await finish(scraping, stage)
        interruption.onRequestFromNowOn { [console] in console.writing() }
        var progress = self.progress(result, stage)
        progress.abortedBy = abortedBy
        progress.endedBy = endedBy
        if let scraped { progress.take(scraped) }
        await audit(&progress, result: result, server: server, output: output)
        // The collector's own failures are known once it has stopped.
        progress.generator.ownFailures = OwnFailures.of(
            result.recorder, embedded: server?.storeFailure, devices: stage.stores.hostFailures)
        if let part {
            let measured = Measured(
                progress: progress, result: result, tallies: run.tallies, margin: ready.margin,
                redact: scenario.document.redact)
            return try finish(measured, of: part, plans, output, builder, stage)
        }
        progress.unexpectedAnswers = output.redacted(result.unexpectedAnswers, of: builder.populations)
        return try output.finish(progress, builder: builder, console: console)
    }

    /// What the engine is to play, and who is told of it.
    private func configuration(
        _ plans: ScenarioPlans, output: RunOutput, _ stage: Stage
    ) -> LiveConfiguration {
        var configuration = LiveRunner.configuration(
            plans, clock: stage.clock, descriptorBudget: stage.budget)
        configuration.sealedSink = output.events.map { file -> LiveConfiguration.SealedSink in
            { [clock = stage.clock] events, population, _ in
                file.write(events, population: population, at: clock.now())
            }
        }
        configuration.fleetFactory = stage.stores.fleetFactory
        if let trace = output.trace {
            configuration.fleetFactory = { [makeFleet = stage.stores.fleetFactory] plan, share in
                TracingFleet.tracing(trace.devices, of: makeFleet(plan, share), listener: trace.listener)
            }
        }
        configuration.share = part?.share ?? .whole
        configuration.isPunctual = appointment != nil
        return configuration
    }

    /// From here on signals only end the run.
    private func beginListening(_ run: LiveRun) {
        interruption.begin { run.stop() }
        interruption.onRequest { [console, drain = scenario.document.drain, isOneOfSeveral] in
            run.stop()
            console.stopping(drain: drain)
            if isOneOfSeveral { console.leavingOut() }
        }
    }

    /// What the engine is to play: for whole runs and for the steps of a search alike.
    static func configuration(
        _ plans: ScenarioPlans, clock: RunClock, descriptorBudget: Int
    ) -> LiveConfiguration {
        LiveConfiguration(
            plans: plans.populations, schedule: plans.schedule, clock: clock,
            descriptorBudget: descriptorBudget)
    }

    private func progress(_ result: LiveResult, _ stage: Stage) -> ReportBuilder.Progress {
        var progress = ReportBuilder.Progress(
            // What is ended before the clock has come to the start took no time.
            recorder: result.recorder, simulated: max(.zero, result.finishedAt - stage.start),
            wall: max(.zero, Host.monotonic - stage.began),
            devicesStarted: result.devicesStarted, fingerprint: result.planFingerprint)
        progress.generator = ReportBuilder.generator(result)
        progress.usersStoppedAt = result.usersStoppedAt
        progress.interrupted = interruption.isRequested
        progress.warnings = stage.stores.warnings + [LiveRunner.overlongWarning(result)].compactMap { $0 }
        return progress
    }

    /// That answers are longer than they say. To a device they are whole, and each costs it its connection of HTTP/1.1.
    private static func overlongWarning(_ result: LiveResult) -> String? {
        guard result.overlongAnswers > 0 else { return nil }
        return
            "\(Int(result.overlongAnswers).of("answer")) of the target went on behind the end that the head tells "
            + "(Content-Length, the last chunk, a status without a body), or behind END_STREAM of HTTP/2; what came there was "
            + "dropped, and a connection of HTTP/1.1 closed"
    }

    // MARK: - The collector's side

    private func startCollector(_ stage: Stage) async throws -> CollectorServer {
        try await EmbeddedCollector.start(
            plans(start: stage.start, port: nil).collector, store: options.store, clock: stage.clock,
            on: stage.collectors, console: console)
    }

    private func plans(start: Instant, port: Int?) -> ScenarioPlans {
        scenario.document.plans(
            start: start, embedded: ScenarioDocument.embeddedTarget(port: port ?? 8106),
            controlsCollector: scenario.document.needsEmbeddedCollector)
    }

    /// Fills the audit from the embedded collector, or from what a foreign one's store holds.
    private func audit(
        _ progress: inout ReportBuilder.Progress, result: LiveResult, server: CollectorServer?,
        output: RunOutput
    ) async {
        if let server {
            await server.stop()
            progress.audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: server.snapshot().1)
        } else if !options.receipts.isEmpty {
            do {
                var known = CollectorPlan()
                known.descriptions = scenario.document.uploadDescriptions
                let foreign = try ForeignAudit(
                    receipts: options.receipts, beliefs: result.recorder.beliefs,
                    times: output.times(of: progress, skew: scenario.document.clockSkew), plan: known)
                progress.audit = foreign.audit
                progress.auditNote = foreign.note
            } catch {
                // A run that was to be audited and could not be must not look like one that passed.
                progress.internalError =
                    "\(error.message); the run has no audit (beaconswarm audit \(output.folder.path) --receipts FILE makes one)"
                progress.auditNote = error.message
            }
        } else {
            progress.auditNote = LiveRunner.externalNote
        }
        progress.auditNote = Report.note(progress.auditNote, scenario.untaggedNote)
    }
}
