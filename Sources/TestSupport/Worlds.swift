package import Accounting
import CollectorModel
import CollectorServer
package import DeviceSDK
import LiveEngine
import Measurement
import NIOCore
import NIOPosix
package import Scenario
import Synchronization
package import Timebase
import VirtualEngine
import World

/// The worlds in which a scenario can be played.
package enum Worlds {
    /// Reads a scenario's text.
    ///
    /// - Throws: `ScenarioProblems`.
    package static func load(_ json: String, name: String = "conformance") throws -> ScenarioDocument {
        try ScenarioLoader.load(bytes: Array(json.utf8), name: name).get()
    }

    /// Plays a scenario in virtual time.
    ///
    /// - Parameters:
    ///   - serviceTime: What each answer takes.
    ///   - makeFleet: Where devices keep their events: in memory by default.
    package static func virtual(
        _ document: ScenarioDocument, serviceTime: Interval = .milliseconds(1),
        makeFleet: FleetFactory = inMemory
    ) -> WorldOutcome {
        play(document, serviceTime: serviceTime, makeFleet: makeFleet).outcome
    }

    /// Makes a shard's part of a population.
    package typealias FleetFactory = @Sendable (PopulationPlan, ShardShare) -> any DeviceFleet

    /// Wakes the devices of another factory late, as a shard does that the machine keeps waiting.
    package static func late(
        by lateness: Interval, _ factory: @escaping FleetFactory = inMemory
    ) -> FleetFactory {
        { LateFleet(factory($0, $1), by: lateness) }
    }

    /// Keeps every device's events in memory.
    package static let inMemory: FleetFactory = { makeFleet(plan: $0, share: $1) }

    /// Plays a scenario in virtual time and keeps the order in which events were sealed.
    package static func virtualRun(_ document: ScenarioDocument) -> VirtualRecord {
        let (_, result, observer) = play(document, serviceTime: .milliseconds(1), makeFleet: inMemory)
        return VirtualRecord(observer.order, result)
    }

    /// A run in virtual time with everything that is known of it.
    struct PlayedResult {
        var configuration: VirtualConfiguration
        var outcome: WorldOutcome
        var record: VirtualRecord
        var result: VirtualResult
        /// Uploads that were written.
        var bodies: Int
        var populations: [PopulationPlan] { configuration.plans }
    }

    /// Plays a scenario in virtual time, with requests that are written, or with events by reference.
    ///
    /// - Parameter sizes: What events by reference are said to have; `nil` writes them.
    static func virtualResult(_ document: ScenarioDocument, sizes: BodySizes?) -> PlayedResult {
        var configuration = configuration(document)
        configuration.sizes = sizes
        let fleets = configuration.plans.map { UploadCounter(inMemory($0, .whole)) }
        let (outcome, result, observer) = play(configuration, fleets: fleets)
        return PlayedResult(
            configuration: configuration, outcome: outcome, record: VirtualRecord(observer.order, result),
            result: result, bodies: fleets.reduce(0) { $0 + $1.bodies })
    }

    private static func play(
        _ document: ScenarioDocument, serviceTime: Interval, makeFleet: FleetFactory
    ) -> (outcome: WorldOutcome, result: VirtualResult, observer: Observer) {
        var configuration = configuration(document)
        let fleets = configuration.plans.map { makeFleet($0, .whole) }
        configuration.server.serviceTime = serviceTime
        return play(configuration, fleets: fleets)
    }

    /// What is played in virtual time.
    static func configuration(_ document: ScenarioDocument) -> VirtualConfiguration {
        let plans = document.playedPlans(start: document.simulatedStart)
        return VirtualConfiguration(
            plans: plans.populations, schedule: plans.schedule, collector: plans.collector,
            server: plans.server)
    }

    private static func play(
        _ configuration: VirtualConfiguration, fleets: [any DeviceFleet]
    ) -> (outcome: WorldOutcome, result: VirtualResult, observer: Observer) {
        var observer = Observer(labels: fleets.map(\.labels), start: configuration.schedule.start)
        let result = runVirtually(configuration, fleets: fleets, observer: &observer)
        var outcome = observer.outcome
        outcome.take(result.recorder, receipts: result.receipts, statistics: result.statistics)
        outcome.devicesStarted = result.devicesStarted
        return (outcome, result, observer)
    }

    private struct Observer: VirtualObserver {
        let mayEndUsers = false
        let labels: [[EventLabel]]
        let start: Instant
        var outcome = WorldOutcome()
        var order: [VirtualRecord.Line] = []

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {
            outcome.add(events, population: population, labels: labels[population], start: start)
            order += events.map { VirtualRecord.Line($0, population: population) }
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
    }

    /// Plays a scenario on the real clock, against a collector of its own on the loopback interface.
    ///
    /// - Throws: whatever keeps the server or the run from starting.
    package static func live(
        _ document: ScenarioDocument, shards: Int, makeFleet: @escaping FleetFactory = inMemory
    ) async throws -> WorldOutcome {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: shards + 1)
        let loops = group.makeIterator().map { $0 }
        let outcome: Result<WorldOutcome, any Error>
        do {
            outcome = .success(
                try await live(
                    document, loops: Array(loops.dropFirst()), collectorLoop: loops[0], makeFleet: makeFleet))
        } catch {
            outcome = .failure(error)
        }
        try await group.shutdownGracefully()
        return try outcome.get()
    }

    private static func live(
        _ document: ScenarioDocument, loops: [any EventLoop], collectorLoop: any EventLoop,
        makeFleet: @escaping FleetFactory
    ) async throws -> WorldOutcome {
        let start = document.simulatedStart
        let watch = try await LoopWatch.start(on: [collectorLoop] + loops)
        defer { watch.stop() }
        let clock = RunClock(showing: start - .milliseconds(300))
        var configuration = CollectorServerConfiguration()
        configuration.temporaryFolder = TestFolder.base
        configuration.plan = document.plans(start: start).collector
        configuration.clock = CollectorClock { clock.now() }
        // When the run is over, nobody waits for a stalled answer any more.
        configuration.limits.stopGrace = .milliseconds(200)
        let server = try await CollectorServer.start(configuration: configuration, on: collectorLoop)
        do {
            let target = ScenarioDocument.embeddedTarget(port: server.address.port ?? 0)
            let plans = document.playedPlans(start: start, embedded: target)
            var outcome = try await drive(
                plans, clock: clock, loops: loops, server: server, makeFleet: makeFleet)
            outcome.lag = max(outcome.lag, watch.latest)
            return outcome
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func drive(
        _ plans: ScenarioPlans, clock: RunClock, loops: [any EventLoop], server: CollectorServer,
        makeFleet: @escaping FleetFactory
    ) async throws -> WorldOutcome {
        let sealed = SealedEvents()
        let configuration = LiveConfiguration(
            plans, clock: clock, sealedSink: sealed.sink, makeFleet: makeFleet)
        let run = try await LiveRun.start(configuration, on: loops)
        let result = try await run.result()
        await server.stop()
        let (statistics, receipts) = server.snapshot()
        var outcome = sealed.outcome(labels: run.labels, start: plans.schedule.start)
        outcome.take(result.recorder, receipts: receipts, statistics: statistics)
        outcome.devicesStarted = result.devicesStarted
        outcome.lag = .fractional(seconds: result.health.scheduleLag.milliseconds(atPercentile: 100) / 1000)
        return outcome
    }
}

extension LiveConfiguration {
    init(
        _ plans: ScenarioPlans, clock: RunClock, sealedSink: @escaping SealedSink,
        makeFleet: @escaping Worlds.FleetFactory
    ) {
        self.init(
            plans: plans.populations, schedule: plans.schedule, clock: clock, descriptorBudget: 1000,
            sealedSink: sealedSink)
        fleetFactory = makeFleet
    }
}

/// Keeps what a live run seals.
final class SealedEvents: Sendable {
    private let parts = Mutex<[(events: [SealedEvent], population: Int)]>([])

    var all: [(events: [SealedEvent], population: Int)] { parts.withLock { $0 } }

    var sink: LiveConfiguration.SealedSink {
        { events, population, _ in self.parts.withLock { $0.append((events, population)) } }
    }

    func outcome(labels: [[EventLabel]], start: Instant) -> WorldOutcome {
        var outcome = WorldOutcome()
        for part in parts.withLock({ $0 }) {
            outcome.add(
                part.events, population: part.population, labels: labels[part.population], start: start)
        }
        return outcome
    }
}

/// What two virtual runs of one scenario must have in common to the last bit.
package struct VirtualRecord: Hashable, Sendable {
    /// A sealed event with the times of answers.
    package struct Line: Hashable, Sendable {
        package var population: Int
        package var id: EventID
        package var label: UInt16
        package var attempts: UInt16
        package var disposition: Disposition
        package var capturedAt: Instant
        package var ackedAt: Instant

        init(_ event: SealedEvent, population: Int) {
            self.population = population
            id = event.id
            label = event.label
            attempts = event.attempts
            disposition = event.disposition
            capturedAt = event.capturedAt
            ackedAt = event.ackedAt
        }
    }

    /// In the order in which they were sealed.
    package var sealed: [Line]
    package var eventFingerprint: UInt64
    package var wakes: UInt64
    package var simulated: Interval

    init(_ order: [Line], _ result: VirtualResult) {
        sealed = order
        eventFingerprint = result.recorder.eventFingerprint
        wakes = result.wakes
        simulated = result.simulated
    }
}
