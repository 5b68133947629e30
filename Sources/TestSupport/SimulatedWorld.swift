import Accounting
import CollectorModel
import CollectorServer
import DeviceSDK
import Foundation
import LiveEngine
package import LiveSimulation
import NIOCore
import NIOEmbedded
package import Scenario
package import Timebase

/// The live engine and the collector as they are, on a simulated network and disk, under a clock that jumps from one
/// due moment to the next.
package struct SimulatedWorld: Sendable {
    package var shards = 1
    package var conditions = NetworkConditions()
    /// What a transaction of the collector takes.
    package var commitTime = Interval.microseconds(300)...Interval.microseconds(300)
    package var seed: UInt64 = 1
    package var makeFleet = Worlds.inMemory

    package init(shards: Int = 1) { self.shards = shards }

    /// Plays a scenario to its end; on the calling thread, and nowhere else.
    ///
    /// - Throws: ``Unfinished``, or whatever keeps the collector or the run from starting.
    package func play(_ document: ScenarioDocument) throws -> WorldOutcome {
        let folder = TestFolder.newPath("simulated")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let loop = SimulatedRun.makeLoop()
        let start = document.start ?? ScenarioDocument.virtualStart
        let clock = SimulatedRun.clock(showing: start - .milliseconds(300), on: loop)
        var served = CollectorServerConfiguration()
        served.plan = document.plans(start: start).collector
        served.clock = CollectorClock { clock.instant(atUptime: loop.now.uptimeNanoseconds) }
        let collector = try SimulatedCollector(
            on: loop, configuration: served, folder: folder, commitTime: commitTime, seed: seed)
        defer { collector.close() }
        let plans = document.plans(start: start, embedded: ScenarioDocument.embeddedTarget(port: 80))
        let sealed = SealedEvents()
        var configuration = LiveConfiguration(
            plans, clock: clock, sealedSink: sealed.sink, makeFleet: makeFleet)
        configuration.transport = SimulatedNetwork(
            on: loop, conditions: conditions, seed: seed, host: collector)
        let limit = plans.schedule.usersEnd - start + plans.schedule.drain + .minutes(1)
        guard let (result, run) = try SimulatedRun.play(configuration, shards: shards, on: loop, limit: limit)
        else { throw Unfinished(after: limit) }
        collector.beginStop()
        loop.advanceTime(by: .seconds(1))
        let (statistics, receipts) = collector.snapshot()
        var outcome = sealed.outcome(labels: run.labels, start: start)
        outcome.take(result.recorder, receipts: receipts, statistics: statistics[0])
        outcome.devicesStarted = result.devicesStarted
        return outcome
    }

    /// The run went on beyond its drain.
    package struct Unfinished: Error { package let after: Interval }
}
