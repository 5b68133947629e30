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

    func run() async throws -> CommandStatus {
        try TargetGate.check(scenario.document, options: options)
        let forecast = Forecast(scenario.document, pace: scenario.document.pace)
        try RateLimit.check(forecast, maximumRate: options.maximumRate)
        let embeds = scenario.document.needsEmbeddedCollector
        if embeds, options.receipts != nil {
            throw CommandFailure(
                .usage, "--receipts is for external targets: the embedded collector tells its own")
        }
        if !embeds { try await checkTargets() }
        let limit = MachineLimits.raiseDescriptorLimit()
        let storeBudget = MachineLimits.storeBudget(limit: limit, files: scenario.filesOfDevices)
        let budget = MachineLimits.descriptorBudget(
            limit: limit, sharedWithCollector: embeds, stores: storeBudget)
        let loopCount = max(1, options.threads ?? (embeds ? Host.cores - 1 : Host.cores))
        try Room.checkDescriptors(forecast, limit: limit, budget: budget)
        try Room.checkMemory(forecast, connections: budget)
        // The run's clock goes before the run begins, by the time that setting everything up takes.
        let lead = RunClock.lead(devices: scenario.document.deviceCount) + .milliseconds(300)
        let start = scenario.document.start ?? Host.now + lead
        let clock = RunClock(reaching: start, in: lead, pace: scenario.document.pace)
        let loads = MultiThreadedEventLoopGroup(numberOfThreads: loopCount)
        let collectors = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let stores = try RunStores(
            scenario, keep: options.keepStores, connections: storeBudget, shards: loopCount)
        let result: Result<CommandStatus, any Error>
        do {
            result = .success(
                try await play(
                    Stage(
                        embeds: embeds, budget: budget, forecast: forecast, clock: clock, start: start,
                        loads: loads, collectors: collectors, stores: stores)))
        } catch {
            result = .failure(error)
        }
        try? await loads.shutdownGracefully()
        try? await collectors.shutdownGracefully()
        stores.removeIfTemporary()
        return try result.get()
    }

    /// What a run stands on.
    private struct Stage {
        var embeds: Bool
        /// Descriptors that connections may take.
        var budget: Int
        var forecast: Forecast
        var clock: RunClock
        var start: Instant
        var loads: MultiThreadedEventLoopGroup
        var collectors: MultiThreadedEventLoopGroup
        var stores: RunStores
    }

    private func play(_ stage: Stage) async throws -> CommandStatus {
        let server = stage.embeds ? try await startCollector(stage) : nil
        do {
            let status = try await play(stage, server: server)
            await server?.stop()
            return status
        } catch {
            await server?.stop()
            throw error
        }
    }

    private func play(_ stage: Stage, server: CollectorServer?) async throws -> CommandStatus {
        var plans = self.plans(start: stage.start, port: server?.address.port)
        let output = try RunOutput(scenario: scenario, plans: plans, mode: .live, options: options)
        plans = output.attached(to: plans)
        var builder = output.builder(target: targetText(plans), warnings: warnings(stage, server: server))
        builder.pace = scenario.document.pace
        console.begin(builder, forecast: stage.forecast)
        let state = RunState(builder, folder: output.folder, start: stage.start, console: console)
        interruption.onEnd {
            state.writeLastWords()
            stage.stores.removeIfTemporary()
        }
        let sink = output.events.map { file -> LiveConfiguration.SealedSink in
            { events, population, _ in file.write(events, population: population) }
        }
        var configuration = LiveRunner.configuration(
            plans, clock: stage.clock, descriptorBudget: stage.budget)
        configuration.sealedSink = sink
        configuration.fleetFactory = stage.stores.fleetFactory
        if let trace = output.trace {
            configuration.fleetFactory = { [makeFleet = stage.stores.fleetFactory] plan, share in
                TracingFleet.tracing(trace.devices, of: makeFleet(plan, share), listener: trace.listener)
            }
        }
        let began = Host.monotonic
        let run = try await LiveRun.start(configuration, on: stage.loads.makeIterator().map { $0 })
        interruption.begin { run.stop() }
        interruption.onRequest { [console, drain = scenario.document.drain] in
            run.stop()
            console.stopping(drain: drain)
        }
        var follower = LiveFollower(
            run: run, interruption: interruption,
            follower: RunFollower(
                console: console, builder: builder, state: state, events: output.events,
                start: stage.start, began: began, planned: scenario.document.duration, isLive: true))
        let keeper = SafetyKeeper(maximumRate: options.maximumRate, redact: scenario.document.redact)
        let (abortedBy, endedBy) = await run.kept(by: keeper) { await follower.follow() }
        let result = try await run.result()
        interruption.onRequestFromNowOn { [console] in console.writing() }
        var progress = self.progress(result, start: stage.start, began: began)
        progress.abortedBy = abortedBy
        progress.endedBy = endedBy
        progress.warnings = stage.stores.warnings
        await audit(&progress, result: result, server: server, output: output)
        progress.generator.ownFailures = OwnFailures.of(
            result.recorder, embedded: server?.storeFailure, devices: stage.stores.hostFailures)
        progress.unexpectedAnswers = output.redacted(result.unexpectedAnswers, of: builder.populations)
        return try output.finish(progress, builder: builder, console: console)
    }

    /// What the engine is to play: for whole runs and for the steps of a search alike.
    static func configuration(
        _ plans: ScenarioPlans, clock: RunClock, descriptorBudget: Int
    ) -> LiveConfiguration {
        LiveConfiguration(
            plans: plans.populations, schedule: plans.schedule, clock: clock,
            descriptorBudget: descriptorBudget)
    }

    private func progress(_ result: LiveResult, start: Instant, began: Interval) -> ReportBuilder.Progress {
        var progress = ReportBuilder.Progress(
            recorder: result.recorder, simulated: result.finishedAt - start, wall: Host.monotonic - began,
            devicesStarted: result.devicesStarted, fingerprint: result.planFingerprint)
        progress.generator = ReportBuilder.generator(result)
        progress.interrupted = interruption.isRequested
        return progress
    }

    // MARK: - The collector's side

    private func startCollector(_ stage: Stage) async throws -> CollectorServer {
        if let store = options.store, OutputFile.exists(store) {
            throw CommandFailure(.usage, "--store \(store) exists already")
        }
        return try await EmbeddedCollector.start(
            plans(start: stage.start, port: nil).collector, store: options.store, clock: stage.clock,
            on: stage.collectors, console: console)
    }

    private func plans(start: Instant, port: Int?) -> ScenarioPlans {
        scenario.document.plans(
            start: start, embedded: ScenarioDocument.embeddedTarget(port: port ?? 8106),
            controlsCollector: scenario.document.needsEmbeddedCollector)
    }

    /// Where the events go, for people.
    func targetText(_ plans: ScenarioPlans) -> String {
        guard !scenario.document.needsEmbeddedCollector else { return Report.embeddedTarget }
        var targets: [String] = []
        for url in plans.populations.flatMap({ $0.targets.map(\.url) }) where !targets.contains(url) {
            targets.append(url)
        }
        return targets.joined(separator: ", ")
    }

    private func warnings(_ stage: Stage, server: CollectorServer?) -> [String] {
        var warnings: [String] = []
        if scenario.document.server != nil {
            warnings.append("/server: only simulations have a modelled server; this run's is real")
        }
        if !stage.embeds {
            warnings += scenario.document.collectorEntries.map {
                "\($0.pointer): skipped, since an external target cannot be made to: \($0.text)"
            }
        }
        let plans = plans(start: stage.start, port: server?.address.port).populations
        warnings += [
            LiveEngine.capacityProblem(plans: plans, descriptorBudget: stage.budget),
            LiveEngine.portProblem(plans: plans, requestsPerSecond: stage.forecast.requestsMean),
        ].compactMap { $0 }
        return warnings
    }

    /// Fills the audit from the embedded collector, or from what a foreign one's store holds.
    private func audit(
        _ progress: inout ReportBuilder.Progress, result: LiveResult, server: CollectorServer?,
        output: RunOutput
    ) async {
        if let server {
            await server.stop()
            progress.audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: server.snapshot().1)
        } else if let path = options.receipts {
            do {
                var known = CollectorPlan()
                known.descriptions = scenario.document.uploadDescriptions
                let foreign = try ForeignAudit(
                    receipts: path, beliefs: result.recorder.beliefs,
                    times: output.times(of: progress, skew: scenario.document.clockSkew), plan: known)
                progress.audit = foreign.audit
                progress.auditNote = foreign.note
            } catch {
                // A run that was to be audited and could not be must not look like one that passed.
                progress.internalError = "\(error.message); the run has no audit"
                progress.auditNote = error.message
            }
        } else {
            progress.auditNote =
                "An external target: give what its store holds with --receipts, or later with beaconswarm audit."
        }
        let notes = [progress.auditNote, scenario.untaggedNote].compactMap { $0 }
        progress.auditNote = notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    // MARK: - Targets

    /// Reads the targets' certificates, and tries to reach every target once.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for a file that cannot be used, with 69 for the first
    ///   target that cannot be reached.
    func checkTargets() async throws {
        let targets = scenario.document.populations.flatMap(\.targets)
        try LiveRunner.checkCredentials(of: targets)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<CommandFailure?, any Error>
        do {
            result = .success(try await connectFailure(targets, on: group))
        } catch {
            result = .failure(error)
        }
        try? await group.shutdownGracefully()
        if let failure = try result.get() { throw failure }
    }

    private func connectFailure(
        _ targets: [PopulationPlan.Target], on group: MultiThreadedEventLoopGroup
    ) async throws -> CommandFailure? {
        var checked: Set<String> = []
        for target in targets where checked.insert("\(target.origin) \(target.tls)").inserted {
            if let problem = try await LiveEngine.connectProblem(target, on: group.next()) {
                let origin = scenario.document.redact(target.origin)
                return CommandFailure(
                    .unreachable, "cannot connect to \(origin): \(problem); nothing was run")
            }
        }
        return nil
    }

    /// Reads the files that the targets' `tls` names.
    ///
    /// - Throws: ``CommandFailure`` with code 104 that names the file and what is wrong with it.
    static func checkCredentials(of targets: [PopulationPlan.Target]) throws(CommandFailure) {
        for target in targets where target.isSecure {
            do throws(LiveEngineError) {
                try LiveEngine.checkCredentials(target)
            } catch {
                throw CommandFailure(.invalidScenario, "\(error); nothing was run")
            }
        }
    }
}
