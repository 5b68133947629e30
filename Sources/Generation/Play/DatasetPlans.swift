import CollectorModel
package import DeviceSDK
import GrowingSDK
package import Scenario
package import Timebase
package import VirtualEngine
import World

/// The simulation behind a dataset: the scenario's, cut where it is to be cut, and divided among threads.
package struct DatasetPlans: Sendable {
    package var populations: [PopulationPlan]
    /// Of each population, its name as it may be told.
    package let names: [String]
    /// Of each population, what the collector's table calls its SDK: a described one has a name of its own.
    let systems: [String]
    /// The columns of the apps' own properties.
    package let propertyColumns: PropertyColumns
    package let configuration: VirtualConfiguration
    let shardCount: Int
    /// Whether devices wait for each other, so that they cannot be divided.
    package let isShared: Bool
    /// Which of the devices are played.
    package let part: ShardShare
    package let tagsEvents: Bool
    let deviceCount: Int
    package let buckets: DeviceBuckets

    var collector: CollectorPlan { configuration.collector }
    /// The instant at which the world stops, where it is cut before it; users do nothing from it on.
    package var usersEnd: Instant { configuration.schedule.usersEnd }

    /// - Parameters:
    ///   - sizes: Of the scenario's uploads, as networks work with them; `nil` where nobody asks.
    ///   - part: Which devices are played; by default all.
    ///   - threads: Parts that they may be divided into.
    ///   - cut: The last instant at which anything happens; `nil` plays to the end.
    package init(
        _ document: ScenarioDocument, sizes: BodySizes?, part: ShardShare = .whole, tagsEvents: Bool,
        threads: Int, cut: Instant?
    ) {
        self.part = part
        self.tagsEvents = tagsEvents
        let start = document.simulatedStart
        var plans = document.plans(start: start)
        sizes?.tell(&plans.populations)
        for index in plans.populations.indices {
            plans.populations[index].tagsEvents = tagsEvents || plans.populations[index].rewritesRequests
        }
        if let cut {
            // What devices bring along from before the start is theirs in any case.
            let end = max(cut, start) + Interval(nanoseconds: 1)
            let drain = max(.zero, end - plans.schedule.usersEnd)
            plans.schedule.duration = end - start - drain
            plans.schedule.drain = min(drain, plans.schedule.drain)
        }
        var configuration = VirtualConfiguration(plans)
        // No device's end may depend on how the devices are divided.
        configuration.playsWholeDrain = true
        configuration.awaitsOpenAnswers = cut == nil
        configuration.isMeasured = false
        self.configuration = configuration
        populations = plans.populations
        propertyColumns = PropertyColumns(plans.populations)
        let names = document.publicNames
        self.names = names
        systems = zip(plans.populations, names).map { plan, name in
            guard let client = CollectorPlan().reading(plan).descriptions.first else {
                return plan.system.systemName
            }
            return client.name == plan.name ? name : document.redact(client.name)
        }
        deviceCount = plans.populations.reduce(0) { $0 + $1.deviceCount }
        buckets = DeviceBuckets(devices: deviceCount)
        isShared = plans.hasSharedQueue
        let storesInFiles = plans.populations.contains { $0.system.storesInFiles }
        shardCount = isShared || storesInFiles ? 1 : max(1, min(threads, deviceCount))
    }

    /// The devices of one of the threads.
    func share(ofShard number: Int) -> ShardShare {
        part.part(number, of: shardCount)
    }

    /// Whether a device is played, by its number in the run.
    func plays(_ device: UInt32) -> Bool {
        Int(device - populations.plan(ofDevice: device).firstDevice) % part.count == part.index
    }
}

extension PopulationPlan {
    /// Whether something beside the SDK itself may change its requests: then only an id in an event tells which it is.
    fileprivate var rewritesRequests: Bool {
        if plugins != nil { return true }
        guard let rules = system as? GrowingRules else { return false }
        return !rules.interceptors.isEmpty
    }
}
