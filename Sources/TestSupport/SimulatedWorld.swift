package import Accounting
import CollectorModel
package import CollectorServer
package import DeviceSDK
import Foundation
package import LiveEngine
package import LiveSimulation
package import Measurement
package import NIOCore
import NIOEmbedded
package import Scenario
package import Timebase

/// The live engine and the collector as they are, on a simulated network and disk, under a clock that jumps from one
/// due moment to the next: the same seed gives the same run, to the byte.
package struct SimulatedWorld: Sendable {
    /// One end of a process, and how long until it runs again.
    package struct Death: Hashable, Sendable {
        /// Since the start of the run.
        package var at: Interval
        package var down: Interval

        package init(at: Interval, down: Interval) {
            self.at = at
            self.down = down
        }
    }

    package var shards = 1
    package var conditions = NetworkConditions()
    /// From when on the network is sound, since the start of the run.
    package var faultsEnd: Interval?
    /// Under the collector's store.
    package var disk = DiskConditions()
    package var limits = CollectorLimits()
    /// Where populations without a target of their own send to; the rules of its TLS, and what it speaks, are everybody's.
    package var target = ScenarioDocument.embeddedTarget(port: 80)
    /// Adds handlers to the collector's connections, in front of its own.
    package var decorate: @Sendable (any Channel) throws -> Void = { _ in }
    package var collectorDeaths: [Death] = []
    /// When the run's own process dies, since the start of the run.
    package var runnerDeath: Interval?
    /// Segments, connects and ends after which the run is ended at once, and its record says so.
    package var workLimit = Int.max
    /// Asked now and then whether the run is to be ended at once, as if ``workLimit`` were passed.
    package var isEnough: @Sendable () -> Bool = { false }
    package var seed: UInt64 = 1
    package var makeFleet = Worlds.inMemory
    /// Between the beginnings of two turns of a shard's timer; `nil` for the live engine's own.
    package var turnSpacing: Interval?

    package init(shards: Int = 1) { self.shards = shards }

    /// Plays a scenario to its end; on the calling thread, and nowhere else.
    ///
    /// What the collector counted is the sum over its lives. Of a run that dies itself, only what was sealed, the
    /// devices' beliefs and the collector's receipts are known.
    ///
    /// - Throws: ``Unfinished``, or whatever keeps the collector or the run from starting.
    package func play(_ document: ScenarioDocument) throws -> WorldOutcome {
        try record(document).outcome
    }

    /// The same, with all that the run left behind.
    package func record(_ document: ScenarioDocument) throws -> SimulatedRecord {
        let folder = TestFolder.newPath("simulated")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try Stage(self, document, folder: folder).play()
    }

    /// The run went on beyond its drain.
    package struct Unfinished: Error { package let after: Interval }
}

/// What a run of a simulated world left behind.
package struct SimulatedRecord: Sendable {
    package var outcome: WorldOutcome
    package var recorder: RunRecorder
    /// What was sealed, in the order in which it was, with its population.
    package var sealed: [(events: [SealedEvent], population: Int)]
    package var start: Instant
    package var finishedAt: Instant
    /// Whether the run was ended for the work that it took (``SimulatedWorld/workLimit``), or by its death.
    package var wasCut: Bool
    /// What the collector held in the end by its own account.
    package var held: Receipts
    /// What another process finds in its store.
    package var durable: Receipts
    /// Of what the live engine tells beside its measures; `nil` of a run that died.
    package var result: LiveResult?
}

/// One run of a simulated world, with all that takes part in it.
private struct Stage {
    /// How long before the run's start the clock begins.
    private static let lead = Interval.milliseconds(300)

    let world: SimulatedWorld
    let loop: EmbeddedEventLoop
    let plans: ScenarioPlans
    let collector: SimulatedCollector
    let network: SimulatedNetwork
    let configuration: LiveConfiguration
    let sealed = SealedEvents()

    init(_ world: SimulatedWorld, _ document: ScenarioDocument, folder: String) throws {
        self.world = world
        let loop = SimulatedRun.makeLoop()
        self.loop = loop
        let start = document.simulatedStart
        let clock = SimulatedRun.clock(showing: start - Stage.lead, on: loop)
        var plans = document.playedPlans(start: start, embedded: world.target)
        for population in plans.populations.indices {
            for index in plans.populations[population].targets.indices {
                plans.populations[population].targets[index].tls = world.target.tls
                plans.populations[population].targets[index].http = world.target.http
            }
        }
        self.plans = plans
        var served = CollectorServerConfiguration()
        served.plan = plans.collector
        served.limits = world.limits
        served.clock = CollectorClock { clock.instant(atUptime: loop.now.uptimeNanoseconds) }
        collector = try SimulatedCollector(
            on: loop, configuration: served, folder: folder, disk: world.disk, seed: world.seed)
        network = SimulatedNetwork(
            on: loop, conditions: world.conditions, seed: world.seed,
            host: CollectorHost(collector: collector, decorate: world.decorate),
            faultsEnd: world.faultsEnd.map { clock.deadline(of: start + $0) } ?? .distantFuture,
            carriesAtMost: world.workLimit)
        var configuration = LiveConfiguration(
            plans, clock: clock, sealedSink: sealed.sink, makeFleet: world.makeFleet)
        configuration.transport = network
        if let spacing = world.turnSpacing { configuration.turnSpacing = spacing }
        self.configuration = configuration
    }

    func play() throws -> SimulatedRecord {
        defer { collector.close() }
        for death in world.collectorDeaths { schedule(death) }
        if let death = world.runnerDeath { return try playUntil(death) }
        let start = plans.schedule.start
        let limit = plans.schedule.usersEnd - start + plans.schedule.drain + .minutes(1)
        guard
            let (result, run) = try SimulatedRun.play(
                configuration, shards: world.shards, on: loop, limit: limit,
                isEnough: { isExhausted })
        else { throw SimulatedWorld.Unfinished(after: limit) }
        let (statistics, receipts, durable) = try endCollector()
        var outcome = sealed.outcome(labels: run.labels, start: start)
        outcome.take(result.recorder, receipts: receipts, statistics: statistics[statistics.count - 1])
        outcome.collectorRequests = statistics.reduce(0) { $0 + $1.requests }
        outcome.configFetches = statistics.reduce(0) { $0 + $1.configFetches }
        outcome.devicesStarted = result.devicesStarted
        return SimulatedRecord(
            outcome: outcome, recorder: result.recorder, sealed: sealed.all, start: start,
            finishedAt: result.finishedAt, wasCut: isExhausted, held: receipts,
            durable: durable, result: result)
    }

    private var isExhausted: Bool { network.isExhausted || world.isEnough() }

    /// Plays up to a moment, as if the process ended there: what it knew by then is judged.
    private func playUntil(_ death: Interval) throws -> SimulatedRecord {
        let run = try LiveRun.startInPlace(
            configuration, on: Array(repeating: loop, count: world.shards))
        loop.advanceTime(by: TimeAmount(Stage.lead + death))
        let recorder = run.snapshotInPlace().recorder
        run.stop()
        run.stop()
        loop.advanceTime(by: .seconds(1))
        let (statistics, receipts, durable) = try endCollector()
        let start = plans.schedule.start
        var outcome = sealed.outcome(labels: run.labels, start: start)
        outcome.take(recorder, receipts: receipts, statistics: statistics[statistics.count - 1])
        return SimulatedRecord(
            outcome: outcome, recorder: recorder, sealed: sealed.all, start: start, finishedAt: start + death,
            wasCut: true, held: receipts, durable: durable)
    }

    /// The collector behind what else stands on its machine.
    private final class CollectorHost: SimulatedHost {
        let collector: SimulatedCollector
        let decorate: @Sendable (any Channel) throws -> Void

        init(collector: SimulatedCollector, decorate: @escaping @Sendable (any Channel) throws -> Void) {
            self.collector = collector
            self.decorate = decorate
        }

        var accepts: Bool { collector.accepts }

        func serve(_ channel: any Channel) throws -> Bool {
            try decorate(channel)
            return try collector.serve(channel)
        }
    }

    /// Has the collector answer what it has, and end.
    ///
    /// - Returns: what was counted in each of its lives, what it held in the end, and what one more life finds.
    private func endCollector() throws -> (
        statistics: [CollectorStatistics], held: Receipts, durable: Receipts
    ) {
        try collector.start()
        collector.beginStop()
        loop.advanceTime(by: .seconds(1))
        let (statistics, held) = collector.snapshot()
        try collector.die()
        try collector.start()
        return (statistics, held, collector.snapshot().receipts)
    }

    private func schedule(_ death: SimulatedWorld.Death) {
        let bound = (
            collector: NIOLoopBound(collector, eventLoop: loop), network: network, loop: loop
        )
        let due = loop.now + TimeAmount(Stage.lead + death.at)
        loop.scheduleTask(deadline: due) {
            try bound.collector.value.die()
            bound.network.hostDied()
        }
        loop.scheduleTask(deadline: due + TimeAmount(death.down)) {
            try bound.collector.value.start()
        }
    }
}
