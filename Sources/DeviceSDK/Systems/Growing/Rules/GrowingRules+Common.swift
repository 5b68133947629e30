package import AppModel
package import DeviceSDK
package import Timebase
package import World

extension GrowingRules: SystemRuleSet {
    package static var systemName: String { "growing" }
    /// 3.x sends them as events of their own.
    package var sendsSuperProperties: Bool { isVersion4 }
    /// Attributes are texts, whatever they were.
    package func sent(_ value: PropertyValue) -> PropertyValue {
        .string(String(decoding: GrowingText.text(value, .zero), as: UTF8.self))
    }
    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        GrowingFleet(FleetCore(plan: plan, share: share, system: GrowingSystem(plan: plan, rules: self)))
    }
    package func defaultPath(account: String) -> String {
        "/v3/projects/\(account.isEmpty ? accountId : account)/collect"
    }

    package func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity {
        let traits = GrowingTraits(plan: plan, isVersion4: isVersion4, index: index)
        let keepsModel = !ignoredFields.contains(GrowingField.deviceModel.name)
        return DeviceIdentity(
            anonymousID: traits.deviceID.text, loginID: traits.userID(0),
            model: keepsModel ? traits.machine : nil, systemVersion: traits.systemVersion)
    }

    /// 3.x finds what it could not delete in its queue and in its store.
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds()
        bounds.carriesTwice =
            storage.queueLimit != nil && (disksFail || storage.deleteFailureChance > 0)
        bounds.batch = upload.batch
        bounds.networks = NetworkMask(upload.networks)
        bounds.obey(upload.retry)
        bounds.keeps = upload.keeps
        bounds.rejects = !disksFail && storage.deleteFailureChance == 0
        // Elsewhere the day's budget and policies have their say.
        bounds.pausesOn = NetworkMask(upload.networks.intersection([.wifi]))
        if ticksSendAll, !disksFail {
            bounds.pause = max(upload.firstFlush, upload.flushInterval) + upload.jitter
        }
        return bounds
    }

    /// Whether nothing of the app's, of a policy's or of a store that fails keeps a tick from sending what is there,
    /// unless it waits after a failure.
    private var ticksSendAll: Bool {
        let fails = storage.deleteFailureChance > 0 || storage.insertFailureChance > 0
        let isWhole = services.network && services.database && channels.isEmpty && interceptors.isEmpty
        // No tick writes what waits for the realtime store.
        return !fails && isWhole && storage.realtimeWriteBuffer == 0
            && upload.maxBytes ?? .max >= 65_536 && upload.flushInterval > .zero
    }

    /// A tick of the timer sends a batch of each channel.
    package func longestDrain(ofRows rows: Int, on network: NetworkKind) -> Interval? {
        guard ticksSendAll, upload.retry.isIdle, upload.networks.contains(network),
            upload.timeout >= .seconds(1), storage.maxBytes == nil, storage.queueLimit ?? .max >= rows
        else { return nil }
        // The budget of a day on a cellular network lasts for these.
        let isInBudget = upload.cellularLimit >= 1 << 20 && rows < 200
        guard network == .wifi || isInBudget && !upload.policies.values.contains(.wifi) else { return nil }
        let ticks = Int64(rows / max(1, upload.batch) + 4)
        return upload.firstFlush + (upload.flushInterval + upload.jitter) * ticks + .seconds(ticks)
            + upload.timeout
    }

    /// The channels' own, those of the scenario, and those that interceptors put in their place.
    package func uploadPaths(of target: PopulationPlan.Target) -> [String] {
        let endpoints = GrowingEndpoints(target: target, rules: self)
        let added =
            isVersion4 ? [] : channels.map(path) + interceptors.compactMap(\.toTemplate) + registeredTemplates
        var paths: [String] = []
        for template in [GrowingChannel.template] + added {
            let path = endpoints.path(template: template)
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    package var prefill: Int {
        get { storage.prefill }
        set { storage.prefill = newValue }
    }
    /// Those that an `URLSession` opens to one host, on iOS
    /// (`URLSessionConfiguration.httpMaximumConnectionsPerHost`): channels do not wait for each other.
    package var connectionsPerDevice: Int { 4 }
    /// Of each of its channels, of which rarely more than two have something to send.
    package var uploadsAtOnce: Int { 2 * upload.concurrency }
    package var drawsByAnswer: Bool { storage.deleteFailureChance > 0 || storage.insertFailureChance > 0 }
    package var uploadsInBackground: Bool { upload.whileInBackground }
    /// Two stores with their write buffers.
    package var footprint: DeviceFootprint {
        DeviceFootprint(idle: 640, active: 1100, storedEvent: 88)
    }
    package var uploadInterval: Interval { upload.flushInterval }
}

private final class GrowingFleet: SpecialisedFleet {
    @exclusivity(unchecked) var core: FleetCore<GrowingSystem<GrowingMemoryTable>>
    init(_ core: FleetCore<GrowingSystem<GrowingMemoryTable>>) { self.core = core }
}
