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

#if canImport(Glibc)
    import Glibc
#endif

/// Plays a scenario live: brings up the embedded collector where one is needed, follows the run,
/// audits what arrived, and makes the report.
struct LiveRunner: Sendable {
    let scenario: LoadedScenario
    let options: RunOptions
    let console: RunConsole
    let interruption: Interruption

    func run() async throws -> CommandStatus {
        let embeds = scenario.document.needsEmbeddedCollector
        if embeds, options.receipts != nil {
            throw CommandFailure(
                .usage, "--receipts is for external targets: the embedded collector tells its own")
        }
        if !embeds { try await checkTargets() }
        let limit = MachineLimits.raiseDescriptorLimit()
        let budget = MachineLimits.descriptorBudget(limit: limit, sharedWithCollector: embeds)
        let loopCount = max(1, options.threads ?? (embeds ? Host.cores - 1 : Host.cores))
        let forecast = Forecast(scenario.document)
        // The run's clock goes before the run begins, by the time that setting everything up takes.
        let lead = RunClock.lead(devices: scenario.document.deviceCount) + .milliseconds(300)
        let start = scenario.document.start ?? Host.now + lead
        let clock = RunClock(showing: start - lead)
        let loads = MultiThreadedEventLoopGroup(numberOfThreads: loopCount)
        let collectors = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<CommandStatus, any Error>
        do {
            result = .success(
                try await play(
                    Stage(
                        embeds: embeds, budget: budget, forecast: forecast, clock: clock, start: start,
                        loads: loads, collectors: collectors)))
        } catch {
            result = .failure(error)
        }
        try? await loads.shutdownGracefully()
        try? await collectors.shutdownGracefully()
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
        let plans = self.plans(start: stage.start, port: server?.address.port)
        let output = try RunOutput(scenario: scenario, plans: plans, mode: .live, options: options)
        let builder = output.builder(target: targetText(plans), warnings: warnings(stage, server: server))
        console.begin(builder, forecast: stage.forecast)
        let sink = output.events.map { file -> LiveConfiguration.SealedSink in
            { events, population, _ in file.write(events, population: population) }
        }
        let configuration = LiveConfiguration(
            plans: plans.populations, schedule: plans.schedule, clock: stage.clock,
            descriptorBudget: stage.budget,
            sealedSink: sink)
        let began = Host.monotonic
        let run = try await LiveRun.start(configuration, on: stage.loads.makeIterator().map { $0 })
        interruption.onRequest { run.stop() }
        let follower = RunFollower(
            run: run, runner: self, builder: builder, folder: output.folder, events: output.events,
            start: stage.start, began: began)
        let abortedBy = await follower.follow()
        let result = try await run.result()
        var progress = self.progress(result, start: stage.start, began: began)
        progress.abortedBy = abortedBy
        await audit(&progress, result: result, server: server)
        try output.write(
            unexpected: result.unexpectedAnswers, populations: builder.populations,
            redact: scenario.document.redact)
        return try output.finish(progress, builder: builder, console: console)
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
        var configuration = CollectorServerConfiguration()
        if let store = options.store {
            if OutputFile.exists(store) { throw CommandFailure(.usage, "--store \(store) exists already") }
            configuration.storePath = store
        }
        configuration.plan = plans(start: stage.start, port: nil).collector
        let clock = stage.clock
        configuration.clock = CollectorClock { clock.now() }
        let console = console
        configuration.onTrouble = { console.say("collector: \($0)") }
        do {
            return try await CollectorServer.start(configuration: configuration, on: stage.collectors)
        } catch let error as CollectorServerError {
            throw CommandFailure(.internalError, "the embedded collector: \(error)")
        }
    }

    private func plans(start: Instant, port: Int?) -> ScenarioPlans {
        scenario.document.plans(
            start: start, embedded: ScenarioDocument.embeddedTarget(port: port ?? 8106),
            controlsCollector: scenario.document.needsEmbeddedCollector)
    }

    private func targetText(_ plans: ScenarioPlans) -> String {
        guard !scenario.document.needsEmbeddedCollector else { return "embedded collector" }
        var targets: [String] = []
        for plan in plans.populations {
            let text =
                "\(plan.target.scheme)://\(plan.target.host):\(plan.target.port)\(plan.target.pathAndQuery)"
            if !targets.contains(text) { targets.append(text) }
        }
        return targets.joined(separator: ", ")
    }

    private func warnings(_ stage: Stage, server: CollectorServer?) -> [String] {
        var warnings: [String] = []
        if !stage.embeds {
            warnings += scenario.document.collectorEntries.map {
                "\($0.pointer): skipped, since an external target cannot be made to: \($0.text)"
            }
        }
        let problem = LiveEngine.capacityProblem(
            devices: scenario.document.deviceCount, descriptorBudget: stage.budget,
            ephemeralPorts: MachineLimits.ephemeralPorts())
        if let problem { warnings.append(problem) }
        return warnings
    }

    /// Fills the audit from the embedded collector, or from what a foreign one's store holds.
    private func audit(
        _ progress: inout ReportBuilder.Progress, result: LiveResult, server: CollectorServer?
    ) async {
        if let server {
            await server.stop()
            progress.audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: server.snapshot().1)
        } else if let path = options.receipts {
            do {
                progress.audit = Audit.compare(
                    beliefs: result.recorder.beliefs, receipts: try ForeignReceipts.read(path: path))
                progress.auditNote = "From \(path)."
            } catch {
                // A run that was to be audited and could not be must not look like one that passed.
                progress.internalError = "--receipts: \(error); the run has no audit"
                progress.auditNote = "\(error)"
            }
        } else {
            progress.auditNote =
                "An external target: give what its store holds with --receipts, or later with beaconswarm audit."
        }
        let notes = [progress.auditNote, scenario.untaggedNote].compactMap { $0 }
        progress.auditNote = notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    // MARK: - Targets

    private func checkTargets() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var failure: CommandFailure?
        for target in scenario.document.populations.compactMap(\.target) {
            do {
                let channel = try await ClientBootstrap(group: group).connectTimeout(.seconds(5))
                    .connect(host: target.host, port: target.port).get()
                try? await channel.close()
            } catch {
                let url = scenario.document.redact("\(target.scheme)://\(target.host):\(target.port)")
                failure = CommandFailure(
                    .unreachable, "cannot connect to \(url): \(LiveRunner.reason(error)); nothing was run")
                break
            }
        }
        try? await group.shutdownGracefully()
        if let failure { throw failure }
    }

    private static func reason(_ error: any Error) -> String {
        if let connection = error as? NIOConnectionError {
            if let first = connection.connectionErrors.first { return reason(first.error) }
            return "the name \(connection.host) has no address"
        }
        if let system = error as? IOError { return String(cString: strerror(system.errnoCode)) }
        if case .connectTimeout? = error as? ChannelError { return "no answer within 5 s" }
        return "\(error)"
    }
}
