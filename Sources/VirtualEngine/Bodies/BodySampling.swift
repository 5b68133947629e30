import Accounting
import CollectorModel
import DeviceSDK
import Measurement
import Timebase
import Wire

/// How ``BodySizes`` come about: some devices of each population are played before the run, and some of their
/// uploads are written.
extension BodySizes {
    /// Fits a model to each population of a run.
    ///
    /// The devices are the run's own, with its streams, spread over each population; they meet the run's faults. They are played
    /// thrice: to count uploads, to write as many as it takes, and once more with an outage in the middle, so that the
    /// sample has full batches too. Each upload that is written is also read, and what the collector finds is
    /// compared with what was handed over.
    ///
    /// - Parameter fewest: A population with fewer uploads in its sample has its requests written.
    package static func fitted(to configuration: VirtualConfiguration, fewest: Int = 40) -> BodySizes {
        var sampling = BodySampling(configuration)
        // A run that is cut short says nothing of its end: fewer devices, but the whole of it.
        while !sampling.play(as: .counting), sampling.halve() {}
        sampling.enlarge(fewest: fewest)
        sampling.play(as: .plain)
        sampling.play(as: .stressed)
        return BodySizes(configuration.plans.indices.map { sampling.model(of: $0, fewest: fewest) })
    }
}

/// What is known while models are made.
private struct BodySampling {
    /// Uploads of each population that are written.
    private static let sampleSize = 500.0
    /// Uploads that a sample is enlarged for.
    private static let enoughUploads = 200
    /// At most one in so many devices of a population is played in an enlarged sample: beyond that, writing all
    /// requests takes no longer.
    private static let enlargedShare = 16
    private static let enlargements = 3
    /// Entries of the event queue in one of the three runs.
    private static let stepLimit: UInt64 = 200_000

    enum Part { case counting, plain, stressed }

    private var configuration: VirtualConfiguration
    private var fleets: [Collected] = []

    /// What came together about a population.
    private struct Collected {
        /// The population's index in the run.
        let index: Int
        let system: CollectorSystem
        /// Devices that are played, about; fewer where they do more than ``stepLimit``, more where they hardly upload.
        var deviceCount = 16
        var uploads = 0
        var samples: [BodySample] = []
        var isFaithful = true
    }

    init(_ configuration: VirtualConfiguration) {
        self.configuration = configuration
        // Only the uploads matter.
        self.configuration.isMeasured = false
        self.configuration.isWatched = false
        self.configuration.plans = []
        for (index, plan) in configuration.plans.enumerated() {
            // An app's own parts may change bytes in ways of which nothing is known, and are asked once per event.
            // A whole file of days is compressed as one, and after a disk has failed batches are others than in a
            // sample of few devices: no sum of terms is within 2 % there.
            guard plan.plugins == nil, plan.disk.isIdle, !type(of: plan.system).sendsDailyArchives,
                let system = CollectorSystem(rawValue: plan.system.systemName)
            else { continue }
            var sampled = plan
            // On a network that asks for sizes, each upload would have to be written for its true one. Uploads are the
            // same ones but for few.
            sampled.uploadSizes = .typical
            self.configuration.plans.append(sampled)
            fleets.append(Collected(index: index, system: system))
        }
        let last = configuration.plans.map(\.index).max() ?? 0
        var systems = [BodySizeModel?](repeating: nil, count: last + 1)
        for fleet in fleets {
            systems[configuration.plans[fleet.index].index] = BodySizeModel(nothingKnownOf: fleet.system)
        }
        // Nobody asks for sizes here.
        self.configuration.sizes = BodySizes(systems)
    }

    /// Whether there are fewer devices from now on.
    mutating func halve() -> Bool {
        guard let count = fleets.first?.deviceCount, count > 1 else { return false }
        for index in fleets.indices { fleets[index].deviceCount = count / 2 }
        return true
    }

    /// Takes more devices of populations whose devices hardly upload, so that luck does not decide whether there is a
    /// model.
    mutating func enlarge(fewest: Int) {
        for _ in 0..<BodySampling.enlargements {
            let before = fleets
            for index in fleets.indices where fleets[index].uploads < fewest { grow(index) }
            guard fleets.map(\.deviceCount) != before.map(\.deviceCount) else { return }
            guard play(as: .counting) else {
                fleets = before
                return
            }
        }
    }

    private mutating func grow(_ index: Int) {
        let (count, uploads) = (fleets[index].deviceCount, fleets[index].uploads)
        let factor = uploads == 0 ? 8 : BodySampling.enoughUploads / uploads + 1
        let limit = configuration.plans[index].deviceCount / BodySampling.enlargedShare
        fleets[index].deviceCount = max(count, min(count * factor, limit))
    }

    /// - Returns: Whether the run came to its end.
    @discardableResult
    mutating func play(as part: Part) -> Bool {
        guard !fleets.isEmpty else { return true }
        var configuration = configuration
        if part == .stressed { addOutage(to: &configuration) }
        let played = zip(configuration.plans, fleets).map { plan, fleet in
            // Who uploads nothing needs no model, and no second look at many.
            let devices = part == .counting || fleet.uploads > 0 ? fleet.deviceCount : 1
            let count = max(1, (plan.deviceCount + devices - 1) / devices)
            let share = ShardShare(index: count / 2, count: count)
            return SampledFleet(
                makeFleet(plan: plan, share: share), system: fleet.system, collector: configuration.collector,
                share: part == .counting
                    ? 0 : min(1, BodySampling.sampleSize / Double(max(1, fleet.uploads))),
                weight: part == .stressed ? 0.125 : 1)
        }
        var observer = StepLimit(steps: BodySampling.stepLimit)
        _ = runVirtually(configuration, fleets: played, observer: &observer)
        for (index, fleet) in played.enumerated() {
            if part == .counting { fleets[index].uploads = fleet.uploads }
            fleets[index].samples += fleet.samples
            fleets[index].isFaithful = fleets[index].isFaithful && fleet.isFaithful
        }
        return !observer.isOver
    }

    /// For a third of the users' time nothing arrives.
    private func addOutage(to configuration: inout VirtualConfiguration) {
        let schedule = configuration.schedule
        configuration.collector.faults.insert(
            FaultWindow(
                from: schedule.start + schedule.duration / 3,
                until: schedule.start + schedule.duration / 3 * 2, fault: .outage), at: 0)
    }

    /// The model of the population in a place of the run.
    func model(of index: Int, fewest: Int) -> BodySizeModel? {
        guard let fleet = fleets.first(where: { $0.index == index }), fleet.isFaithful,
            fleet.samples.count >= max(1, fewest)
        else { return nil }
        let fit = BodyFit(fleet.samples)
        return BodySizeModel(
            system: fleet.system, sizes: UploadSizeModel(terms: fit.terms, factors: fit.factors()))
    }

    private struct StepLimit: VirtualObserver {
        let steps: UInt64
        private(set) var isOver = false

        init(steps: UInt64) { self.steps = steps }

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            isOver = wakes >= steps
            return isOver ? .end : .goOn
        }
    }
}

/// Writes some of the uploads that it hands over, and reads them as the collector would.
private final class SampledFleet: ForwardingFleet {
    let base: any DeviceFleet
    private let system: CollectorSystem
    private let collector: CollectorModel
    private let share: Double
    private let weight: Double
    private var body = WireBuffer()
    private(set) var uploads = 0
    private(set) var samples: [BodySample] = []
    /// Whether the collector found in the bytes what was handed over, each time.
    private(set) var isFaithful = true

    init(
        _ base: any DeviceFleet, system: CollectorSystem, collector: CollectorPlan, share: Double,
        weight: Double
    ) {
        self.base = base
        self.system = system
        self.collector = CollectorModel(plan: collector)
        self.share = share
        self.weight = weight
    }

    func carry(
        _ slot: Int, request: RequestNumber, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        let head = base.carry(slot, request: request, at: now, into: &events)
        uploads += 1
        var draw = RandomStream(key: UInt64(globalNumber(of: slot)) << 32 | UInt64(request.number))
        if head != nil, share > 0, draw.chance(share) {
            sample(slot, request: request, at: now, events)
        }
        return head
    }

    private func sample(_ slot: Int, request: RequestNumber, at now: Instant, _ events: CarriedEvents) {
        body.removeAll()
        let head = base.encode(slot, request: request, at: now, into: &body)
        let found = body.withUnsafeBytes { collector.keys(in: CollectedRequest(head, body: $0), of: system) }
        if found != events.keys { isFaithful = false }
        samples.append(BodySample(events, bytes: body.count + head.byteCount, weight: weight))
    }
}
