package import Timebase

extension SensorsRules: SystemRuleSet {
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds()
        // What the database of 4.9.1 refuses waits in a list in memory without a limit; what may not be evicted, too.
        let isOverflowing =
            disksFail || storage.insertFailureChance > 0 || storage.deleteFailureChance > 0
            || !storage.evictsRowsInFlight
        if !isOverflowing || !isVersion4 {
            bounds.rows = storage.staysBelowLimit ? storage.limit - 1 : storage.limit
        }
        if upload.blocksTracking { bounds.uploads = 1 }
        return bounds
    }

    package static var systemName: String { "sensors" }
    package var wrapped: SystemRules { .sensors(self) }
    package func defaultPath(account: String) -> String {
        "/sa?project=" + (account.isEmpty ? "default" : account)
    }
    package var prefill: Int {
        get { storage.prefill }
        set { storage.prefill = newValue }
    }
    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        let system = SensorsSystem(plan: plan, rules: self) { _ in
            SensorsMemoryStore(marksInFile: marksInFile)
        }
        return SensorsFleet(FleetCore(plan: plan, share: share, system: system))
    }
    package var storesInFiles: Bool { storage.backend == .sqlite }
    /// One for uploads, and one for the configuration where it is fetched while an upload is under way.
    package var connectionsPerDevice: Int {
        remoteConfig.enabled && remoteConfig.fetchOn != .background ? 2 : 1
    }
    package var uploadInterval: Interval { upload.flushInterval }
    /// Whether the store's table has a column for the marks of uploads.
    package var marksInFile: Bool { isVersion4 }
}

/// Devices whose stores are in memory.
private final class SensorsFleet: SpecialisedFleet {
    var core: FleetCore<SensorsSystem<SensorsMemoryStore>>
    init(_ core: FleetCore<SensorsSystem<SensorsMemoryStore>>) { self.core = core }
}
