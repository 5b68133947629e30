import Accounting
import DeviceSDK
import Measurement
package import Scenario
import Snapshots
package import Timebase
import VirtualEngine

/// Plays scenarios in virtual time twice: with devices that run ahead of the clock where nobody notices, and with each
/// woken at its time.
package enum AheadComparison {
    /// What came of it.
    package struct Result: Sendable {
        /// What is not the same, in words.
        package var differences: [String] = []
        /// Moments at which devices were awake ahead of the clock.
        package var wakesAhead: UInt64 = 0
    }

    /// - Parameter isPart: Whether the devices are played as a part of a run, of which each look is kept.
    package static func play(_ document: ScenarioDocument, isPart: Bool = false) -> Result {
        var configuration = Worlds.configuration(document)
        configuration.isPart = isPart
        let ahead = played(configuration, Recording())
        configuration.runsAhead = false
        let inTime = played(configuration, Recording())
        var result = Result()
        result.wakesAhead = ahead.result.wakesAhead
        func compare<Value: Equatable>(_ what: String, _ value: (Played) -> Value) {
            guard value(ahead) != value(inTime) else { return }
            result.differences.append("\(what): \(value(ahead)), in time \(value(inTime))")
        }
        if ahead.observer.order != inTime.observer.order {
            result.differences.append("fates, or their order")
        }
        if ahead.observer.looks != inTime.observer.looks || ahead.observer.levels != inTime.observer.levels {
            result.differences.append("what looks tell")
        }
        if ahead.snapshot != inTime.snapshot { result.differences.append("what was recorded") }
        compare("simulated") { $0.result.simulated }
        compare("wakes") { $0.result.wakes }
        compare("devices started") { $0.result.devicesStarted }
        compare("end of the drain") { $0.result.drainEndedAt }
        compare("requests in the air") { $0.result.openRequestsPeak }
        compare("wakes in time") { _ in inTime.result.wakesAhead == 0 }
        return result
    }

    /// What came of a run whose users were stopped early.
    package struct Stopped: Sendable {
        package var stoppedAt: Instant?
        /// When an event was captured last.
        package var lastCapture: Instant?
        package var captured: UInt64
        /// Events that have a fate.
        package var sealed: Int
        package var wakesAhead: UInt64
    }

    /// Plays a scenario whose owner wants it to stop after so many calls of `poll`.
    package static func stop(_ document: ScenarioDocument, after polls: Int, atOnce: Bool) -> Stopped {
        let played = played(
            Worlds.configuration(document), Recording(polls: polls, wish: atOnce ? .end : .drain))
        return Stopped(
            stoppedAt: played.result.stoppedAt, lastCapture: played.observer.order.map(\.capturedAt).max(),
            captured: played.result.recorder.populations.reduce(0) { $0 + $1.ledger.captured },
            sealed: played.observer.order.count, wakesAhead: played.result.wakesAhead)
    }

    private struct Played {
        var result: VirtualResult
        var observer: Recording
        var snapshot: [UInt8]
    }

    private static func played(_ configuration: VirtualConfiguration, _ observer: Recording) -> Played {
        var observer = observer
        let fleets = configuration.plans.map { Worlds.inMemory($0, .whole) }
        let result = runVirtually(configuration, fleets: fleets, observer: &observer)
        var writer = SnapshotWriter()
        writer.write(result.recorder)
        if let levels = result.levels { writer.write(levels.log) }
        return Played(result: result, observer: observer, snapshot: writer.bytes)
    }

    private struct Recording: VirtualObserver {
        let mayEndUsers = false
        var polls = Int.max
        var wish = VirtualWish.goOn
        var order: [VirtualRecord.Line] = []
        /// What each look found of all populations.
        var looks: [UInt64] = []
        var levels: [TimeSeries.Gauges] = []

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {
            order += events.map { VirtualRecord.Line($0, population: population) }
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool {
            // By index: a record is large, and would be copied whole.
            for index in recorder.populations.indices {
                looks.append(recorder.populations[index].ledger.captured)
            }
            if let latest = recorder.series.buckets.last { levels.append(latest.gauges) }
            return true
        }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            polls -= 1
            return polls < 0 ? wish : .goOn
        }
    }
}
