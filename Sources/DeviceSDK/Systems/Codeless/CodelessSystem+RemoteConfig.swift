import DeviceSDK
import Timebase
import World

/// The configuration is fetched once, when the SDK is initialised; without an answer of 2xx that is a JSON
/// array, the process goes on without any. It is not kept over the process.
extension CodelessSystem {
    mutating func fetchConfig(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        guard rules.remoteConfig.enabled else { return }
        device.fetch = device.fetchCount
        device.fetchCount += 1
        effects.requests.append(
            OutgoingRequest(
                slot: device.slot, number: RequestNumber(kind: .config, number: device.fetchCount - 1),
                plannedAt: now, timeout: rules.remoteConfig.timeout, eventCount: 0, isRetry: false,
                network: device.network))
    }

    mutating func completeFetch(_ number: UInt32, of device: inout Device, outcome: RequestOutcome) {
        guard device.fetch == number else { return }
        device.fetch = nil
        guard case .answered(200...299, let body, _, _) = outcome,
            let config = CodelessConfig(body: body, parser: parser)
        else { return }
        let index = intern(config)
        device.epochs.change { $0.config = index }
    }

    /// The number of a configuration in the system's table.
    private mutating func intern(_ config: CodelessConfig) -> UInt16 {
        if let known = configIndices[config] { return known }
        // Beyond 65,535 different configurations the last one stands for all others.
        guard let index = UInt16(exactly: configs.count) else { return .max }
        configs.append(CodelessBusinessData(config, plan: plan, views: views))
        configIndices[config] = index
        return index
    }
}
