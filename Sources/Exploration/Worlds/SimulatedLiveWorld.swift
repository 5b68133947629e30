import Beaconswarm
import DeviceSDK
import LiveEngine
import LiveSimulation
package import Scenario
import TestSupport
import Timebase

/// The live engine and the collector as they are, on a simulated machine on which much goes wrong: bytes are cut and
/// delayed, connections break, transactions fail, the collector's process dies and comes back.
///
/// It is judged by every invariant, and not compared with virtual time: what goes wrong here is not in the scenario.
package struct SimulatedLiveWorld: ExploredWorld {
    package var name: String { "live, simulated machine \(seed)" }
    /// What the machine is like is drawn from it.
    private let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

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

    package func play(_ scenario: ScenarioDocument) throws -> Outcome {
        let watches = Watches()
        var world = SimulatedWorld(shards: 1 + Int(seed % 4))
        world.workLimit = Self.workLimit
        machine(of: scenario, &world)
        let timeline = scenario.timeline
        world.makeFleet = { plan, share in
            let watch = BoundsWatch()
            watches.all.append(watch)
            return WatchedFleet(Worlds.inMemory(plan, share), plan: plan, timeline: timeline, watch: watch)
        }
        let record = try world.record(scenario)
        var outcome = Outcome()
        outcome.world = record.outcome
        for part in record.sealed {
            outcome.add(part.events, population: part.population, start: record.start)
        }
        outcome.take(record.recorder)
        outcome.wasCut = record.wasCut
        outcome.isModelled = false
        outcome.heals = world.disk.commitFails == 0 && world.disk.storeBytes == nil
        outcome.simulated = record.finishedAt - record.start
        for watch in watches.all { watch.tell(&outcome) }
        return outcome
    }

    /// The watches of a run's fleets. Unchecked: a simulated run makes them and is judged on one thread.
    private final class Watches: @unchecked Sendable { var all: [BoundsWatch] = [] }

    /// Draws what is wrong with the machine: nothing, for a fifth of the seeds.
    private func machine(of scenario: ScenarioDocument, _ world: inout SimulatedWorld) {
        var random = RandomStream(key: seed ^ RandomStream.hash(of: "simulated machine"))
        world.seed = seed
        guard !random.chance(0.2) else { return }
        world.conditions.latency = .microseconds(1) ... .milliseconds(1 + Int64(random.below(300)))
        world.conditions.segment = 1...Int(1 + random.below(4_000))
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
                guard case .sensors(let rules) = population.system else { return true }
                return rules.debugMode == .off
            }
    }
}
