package import DeviceSDK
package import Timebase
import Wire
package import World

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
        bounds.clearsUnsent = upload.bodyFailureChance > 0
        bounds.batch = max(1, upload.batch)
        (bounds.networks, bounds.asksOncePerFlush) = (networkMask, !isVersion4)
        bounds.obey(upload.retry)
        // In debug mode every answer is the last word.
        bounds.keeps = debugMode == .off ? upload.keeps : nil
        // While rows wait in memory, because the store refused them, 4.9.1 neither deletes nor unmarks the store's.
        bounds.rejects = isVersion4 ? !isOverflowing : !disksFail && storage.deleteFailureChance == 0
        // An event that is larger than all bytes has no room by itself.
        bounds.evictsOldest = storage.evictFrom == .oldest && storage.maxBytes == nil && !isOverflowing
        if bounds.evictsOldest, storage.limit > storage.evict { bounds.evicts = max(1, storage.evict) }
        bounds.pausesOn = networkMask
        if !isOverflowing, upload.bodyFailureChance == 0, debugMode == .off {
            bounds.pause = upload.flushInterval + upload.jitter
            let bulk = upload.flushBulkSize + (upload.flushesAboveBulkSize ? 1 : 0)
            bounds.bulk = upload.retry.isIdle ? bulk : nil
            // 1.10.17 stores what a page hands over and looks no further.
            bounds.bulkCountsPages = isVersion4
        }
        return bounds
    }

    /// The networks on which uploads begin. 1.10.17 names no network and 5G alike `NULL`, whose bits are
    /// those of all networks (`toNetworkType:`): it tries, unless the app allows none at all.
    var networkMask: NetworkMask {
        var mask = NetworkMask(upload.networks)
        guard upload.triesWithoutNetwork, !mask.isEmpty else { return mask }
        let null = NetworkKind.none.sensorsName(isVersion4: isVersion4)
        for kind in NetworkKind.allCases where kind.sensorsName(isVersion4: isVersion4) == null {
            mask.insert(kind)
        }
        return mask
    }

    package func longestDrain(ofRows rows: Int, on network: NetworkKind) -> Interval? {
        let fails =
            upload.bodyFailureChance > 0 || storage.deleteFailureChance > 0 || storage.insertFailureChance > 0
        guard !fails, upload.networks.contains(network), debugMode == .off, upload.retry.isIdle else {
            return nil
        }
        // Rows that success keeps, and answers that nobody waits for, are never done with.
        if case .listed(let statuses) = upload.keeps, statuses.contains(200) { return nil }
        guard upload.timeout >= .seconds(1) else { return nil }
        let batches = rows / max(1, upload.batch) + 1
        let flushes = batches / max(1, upload.maxBatchesPerFlush) + 3
        return (upload.flushInterval + upload.jitter) * Int64(flushes) + .seconds(Int64(batches))
            + upload.timeout
    }

    package static var systemName: String { "sensors" }
    package var clearing: UnsentClearing { .itself }
    package var sendsSuperProperties: Bool { true }
    package func takesProperty(named key: String) -> Bool { SensorsNames.isValid(key, version: version) }
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
    package func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity {
        let traits = SensorsTraits(plan: plan, index: index)
        var login = WireBuffer()
        traits.appendLoginID(0, to: &login)
        return DeviceIdentity(
            anonymousID: traits.deviceID, loginID: login.text, model: "\(traits.machine)",
            systemVersion: "\(traits.osVersion)")
    }
    package var storesInFiles: Bool { storage.backend == .sqlite }
    /// One for uploads, and one for the configuration: whenever that is fetched, an upload may be under way or
    /// begin. Where flushes do not wait for each other, as in 4.9.1, those of an URLSession.
    package var connectionsPerDevice: Int {
        guard upload.blocksTracking else { return 4 }
        return remoteConfig.enabled ? 2 : 1
    }
    package var uploadInterval: Interval { upload.flushInterval }
    /// Whether the store's table has a column for the marks of uploads.
    package var marksInFile: Bool { isVersion4 }
}

/// Devices whose stores are in memory.
private final class SensorsFleet: SpecialisedFleet {
    @exclusivity(unchecked) var core: FleetCore<SensorsSystem<SensorsMemoryStore>>
    init(_ core: FleetCore<SensorsSystem<SensorsMemoryStore>>) { self.core = core }
}
