import Accounting
import CollectorServer
import DeviceSDK
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
import Reporting
import Scenario
import Timebase

/// Plays loads live: a fresh fleet, and where the collector is embedded a fresh one too, for each.
struct LiveStepPlayer: Sendable {
    let embeds: Bool
    /// Descriptors that connections may take.
    let budget: Int
    let loads: MultiThreadedEventLoopGroup
    let collectors: MultiThreadedEventLoopGroup
    let interruption: Interruption
    let console: RunConsole
    let keeper: SafetyKeeper

    /// How long a target is left alone after a load, and after one that broke it: bursts are forgiven,
    /// queues run empty, connections are closed.
    private static let pause = Interval.milliseconds(500)
    private static let longPause = Interval.seconds(2)

    init(
        embeds: Bool, threads: Int?, interruption: Interruption, console: RunConsole, keeper: SafetyKeeper
    ) throws(CommandFailure) {
        self.embeds = embeds
        self.keeper = keeper
        self.interruption = interruption
        self.console = console
        let (count, limit) = try Room.eventLoops(threads, embeds: embeds)
        budget = MachineLimits.descriptorBudget(limit: limit, sharedWithCollector: embeds)
        loads = MultiThreadedEventLoopGroup(numberOfThreads: count)
        collectors = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    func shutDown() async {
        try? await loads.shutdownGracefully()
        try? await collectors.shutdownGracefully()
    }

    /// Why the memory does not hold a step; `nil` if it does.
    func shortage(of plan: StepPlan) async throws -> String? {
        try await OwnThread.compute { [embeds, budget] in
            plan.memoryShortage(connections: budget, controlsCollector: embeds)
        }
    }

    /// Plays a step.
    ///
    /// - Returns: what was measured, and when the step began on the run's clock.
    /// - Throws: ``CommandFailure``, or what kept the engine from starting.
    func play(_ plan: StepPlan) async throws -> (measurement: StepMeasurement, start: Instant) {
        let sizes = UploadSizes(of: plan.document)
        let lead = RunClock.lead(devices: plan.document.deviceCount) + .milliseconds(300)
        let start = plan.document.start ?? Host.now + lead
        let clock = RunClock(showing: start - lead)
        let server = embeds ? try await startCollector(plan, start: start, clock: clock) : nil
        do {
            let measurement = try await play(plan, sizes, start: start, clock: clock, server: server)
            await server?.stop()
            return (measurement, start)
        } catch {
            await server?.stop()
            throw error
        }
    }

    private func startCollector(_ plan: StepPlan, start: Instant, clock: RunClock) async throws
        -> CollectorServer
    {
        try await EmbeddedCollector.start(
            plan.document.plans(start: start).collector, store: nil, clock: clock, on: collectors,
            console: console)
    }

    private func play(
        _ plan: StepPlan, _ sizes: UploadSizes, start: Instant, clock: RunClock, server: CollectorServer?
    ) async throws -> StepMeasurement {
        var plans = plan.plans(start: start, port: server?.address.port, controlsCollector: embeds)
        plans.take(sizes)
        let configuration = LiveRunner.configuration(plans, clock: clock, descriptorBudget: budget)
        let run = try await LiveRun.start(configuration, on: loads.makeIterator().map { $0 })
        interruption.onRequest { [console] in
            run.stop()
            CapacityRunner.acknowledge(on: console)
        }
        let (result, endedBy) = try await run.kept(by: keeper) { try await run.result() }
        guard let window = result.recorder.window else {
            throw CommandFailure(.internalError, "a step was not measured")
        }
        var measurement = StepMeasurement(window: window, series: result.recorder.series)
        let health = result.health
        measurement.generatorProblem =
            health.isSaturated
            ? GeneratorWords.late("The generator", lagP99: health.lagP99, busiestLoop: health.busiestLoop)
            : ownProblem(result.recorder, embedded: server?.storeFailure)
        measurement.balance = result.recorder.total.ledger.balance
        measurement.recycledConnections = result.connectionsRecycled
        measurement.wasCut = result.wasStopped || endedBy != nil
        measurement.endedBy = endedBy
        if let server {
            await server.stop()
            measurement.audit = Audit.compare(
                beliefs: result.recorder.beliefs, receipts: server.snapshot().1)
        }
        return measurement
    }

    /// What this machine refused to the step, if that was too much to say anything about the target.
    private func ownProblem(_ recorder: RunRecorder, embedded: StoreFailure?) -> String? {
        let failures = OwnFailures.of(recorder, embedded: embedded, devices: (0, ""))
        let count = failures.reduce(UInt64(0)) { $0 + $1.count }
        let uploads = Double(max(1, recorder.total.requests))
        guard Double(count) > VerdictRules.ownFailureLimit * uploads else { return nil }
        return failures.map(\.text).joined(separator: "; ")
    }

    /// Looks whether the target is there at all, after a step that leaves this in doubt: a closed port breaks every
    /// load, so a search that went on would find a limit where there is nobody. A target that comes back within the
    /// pause was broken by the load, and is there for the next.
    ///
    /// - Returns: whether there was a doubt; then the target had its pause.
    func lookForTarget(after plan: StepPlan, _ measurement: inout StepMeasurement) async throws -> Bool {
        guard measurement.mayHaveLostTarget else { return false }
        await pause(afterBreak: true)
        if !embeds {
            measurement.lostTarget = try await LiveRunner.connectProblem(
                of: plan.document.populations.flatMap(\.targets), in: plan.document, on: loads)
        }
        return true
    }

    /// Lets the target recover.
    func pause(afterBreak: Bool) async {
        let pause = embeds ? Interval.zero : afterBreak ? Self.longPause : Self.pause
        let end = Host.monotonic + pause
        while Host.monotonic < end, !interruption.isRequested {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }
}

extension StepPlan {
    /// The step on the run's clock, with its devices' numbers and its window.
    func plans(start: Instant, port: Int?, controlsCollector: Bool) -> ScenarioPlans {
        var plans = document.plans(
            start: start, embedded: ScenarioDocument.embeddedTarget(port: port ?? 8106),
            controlsCollector: controlsCollector)
        for index in plans.populations.indices { plans.populations[index].firstDevice += firstDevice }
        let begin = start + warmUp
        plans.schedule.measured = begin..<begin + window
        return plans
    }
}
