import Accounting
import AppModel
import CollectorModel
import DeviceSDK
import Measurement
import Scenario
import Timebase
import VirtualEngine
import World

/// Some devices of a population, played.
///
/// They are the run's own devices, with its streams and its times of arrival: slices of a few, each of
/// which is spread over the whole population, are played one after another until they tell enough. What that takes
/// is bounded in steps of the engine, not in seconds, so the same scenario has the same forecast everywhere.
struct PopulationSample {
    /// Devices of a slice; at most so many slices are played, and none is begun after so many events.
    private static let sliceSize = 10
    private static let sliceLimit = 50
    private static let enoughEvents = 20_000
    /// Steps of the engine for a whole scenario.
    static let stepBudget = 200_000

    /// Requests of all kinds over the run, by the devices played.
    private(set) var requests: RequestsByInterval
    /// Of the devices played.
    private(set) var connections: ConnectionCourse
    /// What all slices recorded, as the one population of a run.
    private(set) var recorder: RunRecorder
    /// The most requests in the air at the same time, the slices' sum.
    private(set) var openRequests = 0
    /// Devices of the population per device played: for what happens at a time.
    private(set) var scale = 1.0
    /// What each slice's devices did, and how long they had the app open.
    private(set) var parts: [OfferedEvents.Part] = []
    /// The devices of each slice, by their indices, and until when they were played.
    private(set) var slices: [(devices: [Int], until: Instant)] = []
    /// The same for what happens in the whole run: devices that were not played to its end count in part.
    private(set) var totalScale = 1.0

    /// - Parameters:
    ///   - users: Those of the plan.
    ///   - stepLimit: Steps after which no further slice is begun; a slice takes no more either.
    ///   - share: Of the devices, for which the sample stands.
    ///   - pace: Seconds of the run in a real one.
    ///   - sizes: Those of the population's uploads, if the sample need not write them.
    init(
        _ plan: PopulationPlan, _ users: UserForecast.Population, schedule: RunSchedule, stepLimit: Int,
        share: Double = 1, pace: Int = 1, sizes: BodySizeModel? = nil
    ) {
        requests = RequestsByInterval(pace: pace)
        connections = ConnectionCourse(
            perDevice: plan.connectionsPerDevice, staysOpen: plan.target.connections != .perRequest,
            schedule: schedule, pace: pace)
        let sliceCount = (plan.deviceCount + PopulationSample.sliceSize - 1) / PopulationSample.sliceSize
        let slices = min(sliceCount, PopulationSample.sliceLimit)
        recorder = RunRecorder(start: schedule.start, populationCount: 1)
        var (played, whole) = (0, 0.0)
        var steps = 0
        let configuration = PopulationSample.configuration(plan, schedule, sizes)
        for rank in UserForecast.spreadOrder(slices)
        where recorder.populations[0].ledger.captured < PopulationSample.enoughEvents && steps < stepLimit {
            let slice = ShardShare(index: rank * sliceCount / slices, count: sliceCount)
            var result = play(configuration, slice, stepLimit: stepLimit)
            let part = min(1, result.simulated.fractionalSeconds / schedule.duration.fractionalSeconds)
            let devices = slice.deviceCount(of: plan.deviceCount)
            played += devices
            whole += Double(devices) * part
            steps += Int(result.wakes)
            requests.noteDevices(
                devices, until: result.wakes < UInt64(stepLimit) ? nil : result.simulated)
            openRequests += result.openRequestsPeak
            let indices = (0..<devices).map(slice.populationIndex(ofSlot:))
            let until = schedule.start + result.simulated
            self.slices.append((indices, until))
            let outline = UserOutline(of: users, indices: indices, until: until)
            parts.append(
                OfferedEvents.Part(
                    sessions: outline.sessions, seconds: outline.seconds,
                    events: Double(result.recorder.populations[0].ledger.captured)))
            result.recorder.beliefs = DeviceBeliefs()
            recorder.merge(result.recorder)
        }
        scale = Double(plan.deviceCount) * share / Double(max(1, played))
        totalScale = Double(plan.deviceCount) * share / max(1e-12, whole)
    }

    /// The population alone, on disks without faults, and without what the timeline does to networks and requests.
    private static func configuration(
        _ plan: PopulationPlan, _ schedule: RunSchedule, _ sizes: BodySizeModel?
    ) -> VirtualConfiguration {
        var plan = plan
        plan.index = 0
        plan.firstDevice = 0
        plan.numbersBySlot = true
        plan.disk = DiskSchedule()
        plan.system.prefill = 0
        let schedule = RunSchedule(
            start: schedule.start, duration: schedule.duration, drain: schedule.drain)
        var collector = CollectorPlan().reading(plan)
        collector.growingCiphers = GrowingCiphers(of: plan)
        var configuration = VirtualConfiguration(plans: [plan], schedule: schedule, collector: collector)
        configuration.sizes = sizes.map { BodySizes([$0]) }
        return configuration
    }

    private mutating func play(
        _ configuration: VirtualConfiguration, _ share: ShardShare, stepLimit: Int
    ) -> VirtualResult {
        var observer = Bound(
            steps: stepLimit, start: configuration.schedule.start,
            requests: RequestsByInterval(width: requests.width), connections: connections)
        let fleet = makeFleet(plan: configuration.plans[0], share: share)
        let result = runVirtually(configuration, fleets: [fleet], observer: &observer)
        requests.add(observer.requests)
        connections = observer.connections
        connections.endDevices()
        return result
    }

    /// Ends a run after a number of steps.
    private struct Bound: VirtualObserver {
        /// There is nothing to do in one.
        static let hearsQuietTicks = false
        let steps: Int
        let start: Instant
        var requests: RequestsByInterval
        var connections: ConnectionCourse

        init(steps: Int, start: Instant, requests: RequestsByInterval, connections: ConnectionCourse) {
            (self.steps, self.start) = (steps, start)
            (self.requests, self.connections) = (requests, connections)
        }

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
        mutating func requested(_ request: OutgoingRequest, at now: Instant) {
            // Without a radio nothing leaves.
            guard request.network != .none else { return }
            requests.note(at: now - start)
            connections.note(Int(request.slot), at: now - start)
        }
        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            wakes < UInt64(steps) ? .goOn : .end
        }
    }
}
