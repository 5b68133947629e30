import Accounting
import CollectorModel
import DeviceSDK
import Measurement
package import Scenario
import TestSupport
package import Timebase
import VirtualEngine
import World

/// Virtual time: the devices in a modelled world.
package struct VirtualWorld: ExploredWorld {
    /// Where devices keep their events.
    package enum Stores: Sendable {
        /// As the scenario says.
        case asWritten
        /// In memory, whatever it says.
        case memory
        /// In memory, and uploads hand their events over without bytes that are written and read.
        case memoryByReference
    }

    package let name: String
    private let stores: Stores
    /// Entries of the event queue that a world may take: what bounds its cost, and the same on every machine.
    private let wakeLimit: UInt64
    /// Likewise uploads: rows that nothing deletes may travel a thousand times a second, for days.
    private static let uploadLimit: UInt64 = 3000
    /// Wakes of devices that a world may cost.
    package static let wakeLimit: UInt64 = 60_000
    /// What the collector takes for each answer.
    private let serviceTime: Interval

    package init(
        stores: Stores = .asWritten, wakeLimit: UInt64 = VirtualWorld.wakeLimit,
        serviceTime: Interval = .milliseconds(1)
    ) {
        name =
            switch stores {
            case .asWritten: "virtual"
            case .memory: "virtual, stores in memory"
            case .memoryByReference: "virtual, events by reference"
            }
        self.stores = stores
        self.wakeLimit = wakeLimit
        self.serviceTime = serviceTime
    }

    package func play(_ scenario: ScenarioDocument) throws -> Outcome {
        var document = scenario
        document.applyWantedRates()
        let start = document.simulatedStart
        let plans = document.playedPlans(start: start)
        let inFiles = stores == .asWritten && document.populations.contains(where: \.storesInFiles)
        let folder = try inFiles ? StoreFolder(fleets: document.populations.count) : nil
        let watch = BoundsWatch()
        let fleets = plans.populations.map { plan -> any DeviceFleet in
            let storesInFiles = inFiles && plan.system.storesInFiles
            let base = (storesInFiles ? folder?.makeFleet : nil) ?? Worlds.inMemory
            return WatchedFleet(
                base(plan, .whole), plan: plan, in: document, lateness: .zero, watch: watch)
        }
        var observer = Observer(
            labels: fleets.map(\.labels), start: start, wakeLimit: wakeLimit)
        var configuration = VirtualConfiguration(
            plans: plans.populations, schedule: plans.schedule, collector: plans.collector,
            server: plans.server)
        configuration.server.serviceTime = serviceTime
        if stores == .memoryByReference {
            configuration.sizes = BodySizes(
                plans.populations.map { plan in
                    CollectorSystem(rawValue: plan.system.systemName).map(BodySizeModel.init(nothingKnownOf:))
                })
        }
        let result = runVirtually(configuration, fleets: fleets, observer: &observer)
        var outcome = observer.outcome
        outcome.take(result)
        watch.tell(&outcome)
        if stores != .memoryByReference { outcome.bodies = watch.bodies }
        outcome.trespasses += folder?.warnings ?? []
        return outcome
    }

    private struct Observer: VirtualObserver {
        let labels: [[EventLabel]]
        let start: Instant
        let wakeLimit: UInt64
        var outcome = Outcome()

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {
            outcome.world.add(events, population: population, labels: labels[population], start: start)
            outcome.add(events, population: population, start: start)
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            let uploads = recorder.populations.reduce(0) { $0 + $1.requests }
            guard wakes > wakeLimit || uploads > VirtualWorld.uploadLimit else { return .goOn }
            outcome.wasCut = true
            return .end
        }
    }
}

extension Outcome {
    fileprivate mutating func take(_ result: VirtualResult) {
        world.take(result.recorder, receipts: result.receipts, statistics: result.statistics)
        world.devicesStarted = result.devicesStarted
        simulated = result.simulated
        take(result.recorder)
    }

    /// Adds events that were sealed.
    mutating func add(_ events: some Sequence<SealedEvent>, population: Int, start: Instant) {
        sealed += events.map { event in
            Outcome.Sealed(
                population: population, id: event.id, disposition: event.disposition,
                attempts: event.attempts, capturedAt: event.capturedAt - start,
                acknowledgedAt: event.ackedAt == .distantFuture ? nil : event.ackedAt - start)
        }
    }

    /// Takes over what a run's recorder measured.
    mutating func take(_ recorder: RunRecorder) {
        fingerprint = recorder.eventFingerprint
        let fates = recorder.beliefs.undelivered.sorted
        for event in sealed where event.disposition.fate != .suppressed {
            // The others are known by their keys, which may be those of several events.
            guard let line = world.lines[event.id], line.naturalKey == nil else { continue }
            let isDelivered = event.disposition == .delivered
            let code = isDelivered ? nil : event.disposition.code
            if recorder.beliefs.delivered.contains(event.id) == isDelivered, fates.code(of: event.id) == code
            {
                continue
            }
            misbelieved =
                "\(event.id.device)-\(event.id.sequence) is \(event.disposition), and not in what is believed"
            break
        }
        freshness = recorder.populations.map {
            Freshness(
                count: $0.freshness.count, least: $0.freshness.minimumMilliseconds,
                mean: $0.freshness.meanMilliseconds, most: $0.freshness.maximumMilliseconds)
        }
        for (index, population) in recorder.populations.enumerated() {
            measured[index] = Uploads(of: population)
        }
        for bucket in recorder.series.buckets {
            series.captured += bucket.captured
            series.delivered += bucket.delivered
            series.requests += bucket.requests
        }
    }
}

extension Outcome.Uploads {
    /// As a population's record has them.
    fileprivate init(of record: PopulationRecord) {
        for (name, count) in record.answers where count > 0 { ends[name] = count }
        answering = nil
        for metric in record.metrics(seconds: 1) where metric.name == "http_req_duration" {
            guard case .trend(.time(let times)) = metric.value else { continue }
            answering = times.meanMilliseconds * Double(times.count)
        }
    }
}
