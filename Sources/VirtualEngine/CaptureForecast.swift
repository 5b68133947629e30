import Accounting
import AppModel
package import CollectorModel
package import DeviceSDK
import Measurement
import Timebase
import World

/// What an SDK makes of what its users do: not every SDK takes note of the same.
package enum CaptureForecast {
    /// Devices that are played together, each slice spread over the whole population, and how many slices at most.
    private static let sliceSize = 10
    private static let sliceLimit = 50
    /// Events after which no further slice is begun.
    private static let enoughEvents: UInt64 = 10_000
    /// Steps of the engine, so that the answer is the same on every machine.
    private static let stepLimit = 60_000

    /// Plays some of a population's devices from the start to the users' end.
    ///
    /// - Parameter collector: What can read what they send.
    /// - Returns: events captured for each that ``DeviceSDK/PopulationPlan/weight`` lets expect; 0 where nothing happens.
    package static func share(
        of plan: PopulationPlan, schedule: RunSchedule, collector: CollectorPlan
    ) -> Double {
        let configuration = VirtualConfiguration(
            alone: plan, RunSchedule(start: schedule.start, duration: schedule.duration, drain: .zero),
            collector: collector)
        let users = plan.forecastUsers
        let sliceCount = (plan.deviceCount + sliceSize - 1) / sliceSize
        let slices = min(sliceCount, sliceLimit)
        var (steps, captured, expected): (Int, UInt64, Double) = (0, 0, 0)
        for rank in UserForecast.spreadOrder(slices) where steps < stepLimit && captured < enoughEvents {
            let slice = ShardShare(index: rank * sliceCount / slices, count: sliceCount)
            var bound = Bound()
            let result = runVirtually(
                configuration, fleets: [makeFleet(plan: configuration.plans[0], share: slice)],
                observer: &bound)
            steps += Int(result.wakes)
            captured += result.recorder.populations[0].ledger.captured
            let devices = (0..<slice.deviceCount(of: plan.deviceCount)).map(slice.populationIndex(ofSlot:))
            expected += users.weight(
                of: devices, until: schedule.start + result.simulated, plan.weight)
        }
        return expected > 0 ? Double(captured) / expected : 0
    }

    /// Ends a run after a number of steps.
    private struct Bound: VirtualObserver {
        static let hearsQuietTicks = false

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            wakes < UInt64(stepLimit) ? .goOn : .end
        }
    }
}

extension VirtualConfiguration {
    /// A population alone, on disks without faults, with nothing stored from before, and without what a timeline does.
    package init(alone plan: PopulationPlan, _ schedule: RunSchedule, collector: CollectorPlan) {
        var plan = plan
        plan.index = 0
        plan.firstDevice = 0
        plan.numbersBySlot = true
        plan.disk = DiskSchedule()
        plan.system.prefill = 0
        self.init(
            plans: [plan],
            schedule: RunSchedule(
                start: schedule.start, duration: schedule.duration, drain: schedule.drain),
            collector: collector)
    }
}
