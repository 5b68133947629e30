import Accounting
import CollectorModel
import DeviceSDK
import LiveEngine
import LiveSimulation
import Measurement
import NIOCore
package import Scenario
import SensorsSDK
import TestSupport
import Timebase
import World

/// The live engine and the collector as they are, on a simulated machine.
///
/// On a troubled one much goes wrong: bytes are cut and delayed, connections break, transactions fail, the collector's
/// process dies and comes back. It is judged by every invariant, and not compared with virtual time: what goes wrong is
/// not in the scenario. On a sound one nothing takes any time, though bytes are cut: it has to come to what virtual time
/// comes to.
package struct SimulatedLiveWorld: ExploredWorld {
    /// What the machine is like.
    package enum Machine: Sendable { case troubled, sound }

    package var name: String { "live, \(machine) machine \(seed)" }
    private let machine: Machine
    /// What else there is to know of the machine is drawn from it.
    private let seed: UInt64

    package init(_ machine: Machine = .troubled, seed: UInt64) {
        self.machine = machine
        self.seed = seed
    }

    /// How long a scenario may be to be played here: a live run looks at its devices every second.
    static let longest = Interval.hours(6)
    /// And how long its drain.
    static let longestDrain = Interval.minutes(10)
    /// What a world may cost: tens of thousands of segments.
    static let workLimit = 40_000

    /// The scenario as it is played here; `nil` for one that is too long.
    package static func fitting(_ scenario: ScenarioDocument) -> ScenarioDocument? {
        guard scenario.duration <= longest else { return nil }
        var document = scenario
        document.drain = min(document.drain, longestDrain)
        document.applyWantedRates()
        return document
    }

    /// The same without what virtual time does not model: connections that devices wait for, and a drain that is no
    /// whole number of its looks at the end.
    ///
    /// - Returns: `nil` also where what becomes of a request hangs on its position among all of them: of requests of one
    ///   instant, those that need a connection first come later than those that have one, and virtual time knows none.
    package static func modelled(_ scenario: ScenarioDocument) -> ScenarioDocument? {
        guard var document = fitting(scenario), !countsRequests(scenario), !orderDecides(scenario),
            // When the drain is over is looked at at other moments there.
            !scenario.populations.contains(where: { rules(of: $0).contains { $0.uploadsInBackground } })
        else { return nil }
        for index in document.populations.indices {
            document.populations[index].embedded.connections = .perDevice
        }
        document.drain = max(.seconds(1), document.drain)
        // A real collector takes the time that it takes.
        document.server = nil
        return document
    }

    /// Whether a collector's fault is drawn or counted request by request.
    private static func countsRequests(_ scenario: ScenarioDocument) -> Bool {
        scenario.timeline.contains { entry in
            guard case .collector(let fault, let share, _, _) = entry.change else { return false }
            return fault.countsRequests || share < 1
        }
    }

    /// Whether something is drawn by the number of a request or of an answer on a device that has several uploads in
    /// flight: the client's faults, what a link makes of a request, what a store makes of an answer. Which of them ends
    /// first at one instant, so that what follows it gets the lower number, hangs on their connections as well.
    private static func orderDecides(_ scenario: ScenarioDocument) -> Bool {
        let several = Set(
            scenario.populations.indices.filter { index in
                rules(of: scenario.populations[index]).contains { $0.uploadsAtOnce > 1 }
            })
        let drawsItself = several.contains { index in
            let population = scenario.populations[index]
            return population.network.links.drawAmongEqual
                || rules(of: population).contains { $0.drawsByAnswer }
        }
        if drawsItself { return true }
        return scenario.timeline.contains { entry in
            guard case .client(_, let scope) = entry.change, scope.share < 1 else { return false }
            return scope.population.map { several.contains($0) } ?? !several.isEmpty
        }
    }

    /// All rules that a population's devices may have.
    private static func rules(of population: ScenarioPopulation) -> [any SystemRuleSet] {
        [population.system] + population.rollOuts.map(\.rules)
    }

    package func play(_ scenario: ScenarioDocument) throws -> Outcome {
        let watches = Watches()
        var world = SimulatedWorld(shards: machine == .sound ? 1 : 1 + Int(seed % 4))
        world.seed = seed
        world.workLimit = Self.workLimit
        world.isEnough = { watches.all.reduce(0) { $0 + $1.wakes } > VirtualWorld.wakeLimit }
        switch machine {
        case .troubled: trouble(scenario, &world)
        case .sound: soothe(&world)
        }
        rewrapAnswers(&world)
        world.makeFleet = { plan, share in
            let watch = BoundsWatch()
            watches.all.append(watch)
            return WatchedFleet(
                Worlds.inMemory(plan, share), plan: plan, in: scenario, lateness: .seconds(2),
                watch: watch)
        }
        var outcome = Outcome(try world.record(scenario))
        outcome.isModelled = machine == .sound
        outcome.heals = world.disk.commitFails == 0 && world.disk.storeBytes == nil
        for watch in watches.all { watch.tell(&outcome) }
        return outcome
    }

    /// The watches of a run's fleets. Unchecked: a simulated run makes them and is judged on one thread.
    private final class Watches: @unchecked Sendable { var all: [BoundsWatch] = [] }

    /// A machine on which nothing takes any time, and a network that cuts what it carries.
    private func soothe(_ world: inout SimulatedWorld) {
        var random = RandomStream(key: seed ^ RandomStream.hash(of: "sound machine"))
        world.conditions.latency = .zero ... .zero
        world.conditions.lookup = .zero ... .zero
        world.conditions.segment = Self.segments(&random)
        world.disk.commitTime = .zero ... .zero
        world.turnSpacing = .zero
    }

    /// Bytes of a segment: as often some dozen, so that cuts fall on every byte of an answer, as thousands.
    private static func segments(_ random: inout RandomStream) -> ClosedRange<Int> {
        1...Int(WorldFrame.logUniform(32, 4_000, &random))
    }

    /// Puts a proxy in front of the collector that sends on its answers in chunks, for half of the seeds.
    private func rewrapAnswers(_ world: inout SimulatedWorld) {
        var random = RandomStream(key: seed ^ RandomStream.hash(of: "proxy"))
        guard random.chance(0.5) else { return }
        let sizes = 1...Int(1 + random.below(200))
        let stream = random.child(1)
        world.decorate = { channel in
            let own = stream.child(UInt64(channel.remoteAddress?.port ?? 0))
            try channel.pipeline.syncOperations.addHandler(ChunkingProxy(sizes: sizes, random: own))
        }
    }

    /// Draws what is wrong with the machine: nothing, for a fifth of the seeds.
    private func trouble(_ scenario: ScenarioDocument, _ world: inout SimulatedWorld) {
        var random = RandomStream(key: seed ^ RandomStream.hash(of: "simulated machine"))
        guard !random.chance(0.2) else { return }
        world.conditions.latency = .microseconds(1) ... .milliseconds(1 + Int64(random.below(300)))
        world.conditions.segment = Self.segments(&random)
        world.conditions.window = Int(1_024 + random.below(65_536))
        world.conditions.refused = random.uniform() * 0.1
        world.conditions.unanswered = random.uniform() * 0.02
        world.conditions.reset = random.uniform() * 0.15
        world.conditions.ended = random.uniform() * 0.1
        world.conditions.stalled = random.uniform() * 0.02
        world.conditions.faultAfter = 0...Int(1 + random.below(20_000))
        world.disk.commitTime = .zero ... .milliseconds(Int64(1 + random.below(500)))
        if random.chance(0.3) { world.disk.commitFails = random.uniform() * 0.1 }
        if random.chance(0.1) { world.disk.storeBytes = Int64(16_384 + random.below(1 << 20)) }
        // All of it ends with the users, so that what is alive can drain.
        world.faultsEnd = scenario.duration
        guard Self.keepsItsWord(scenario) else { return }
        let span = UInt64(max(scenario.duration.nanoseconds, 1))
        world.collectorDeaths = (0..<random.below(5)).map { _ in
            .init(
                at: Interval(nanoseconds: Int64(random.below(span))),
                down: .milliseconds(Int64(random.below(30_000))))
        }
    }

    /// Whether the collector's promises outlive its process: what was swallowed or only checked by plan is known to
    /// one process alone.
    private static func keepsItsWord(_ scenario: ScenarioDocument) -> Bool {
        scenario.timeline.allSatisfy { if case .collector = $0.change { false } else { true } }
            && scenario.populations.allSatisfy { population in
                guard let rules = population.system as? SensorsRules else { return true }
                return rules.debugMode == .off
            }
    }
}

extension Outcome {
    /// What a run on a simulated machine came to.
    fileprivate init(_ record: SimulatedRecord) {
        self.init()
        world = record.outcome
        for part in record.sealed { add(part.events, population: part.population, start: record.start) }
        take(record.recorder)
        wasCut = record.wasCut
        simulated = record.finishedAt - record.start
        slotsLeft = record.result?.slotsLeft ?? 0
        malformedAnswers = record.recorder.populations.reduce(0) { $0 + $1.count(of: .malformed) }
        // Those to fetches of configurations are kept as samples alone.
        let samples = record.result?.unexpectedAnswers ?? []
        malformedAnswers += UInt64(samples.count { $0.isConfig && $0.failure == .malformed })
        let (held, durable) = (record.held, record.durable)
        if held.held != durable.held || held.heldNatural != durable.heldNatural
            || held.duplicates != durable.duplicates
        {
            undurable = [
                "the collector said that it holds \(held.unique) events and \(held.duplicates) copies; its store has "
                    + "\(durable.unique) and \(durable.duplicates)"
            ]
        }
    }
}
