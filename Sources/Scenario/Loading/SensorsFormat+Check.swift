import DeviceSDK
import SensorsSDK
import Timebase

extension SensorsFormat {
    /// Reports knobs that contradict each other, and warns where the real setters would clamp.
    @Sendable
    static func check(_ rules: SensorsRules, _ sdk: Place, _ reading: inout Reading) {
        if let cookie = rules.cookie { reading.secrets.append(cookie) }
        checkConflicts(rules, sdk, &reading)
        warn(rules, sdk, &reading)
    }

    private static func checkConflicts(_ rules: SensorsRules, _ sdk: Place, _ reading: inout Reading) {
        if rules.storage.evict > rules.storage.limit,
            reading.isSound([["storage", "evict"], ["storage", "limit"]], of: sdk)
        {
            reading.report(
                .conflict,
                sdk.value(at: ["storage", "evict"]) ?? sdk.value(at: ["storage", "limit"]) ?? sdk,
                found: "evict \(rules.storage.evict), limit \(rules.storage.limit)",
                allowed: "\"evict\" not above \"limit\"")
        }
        let config = rules.remoteConfig
        if config.minimumInterval > config.maximumInterval,
            reading.isSound([["remoteConfig", "minInterval"], ["remoteConfig", "maxInterval"]], of: sdk)
        {
            reading.report(
                .conflict, sdk.value(at: ["remoteConfig"]) ?? sdk,
                found:
                    "minInterval \(config.minimumInterval.text), maxInterval \(config.maximumInterval.text)",
                allowed: "\"minInterval\" not above \"maxInterval\"")
        }
        if !rules.isVersion4, !rules.upload.instant.isEmpty {
            reading.report(
                .conflict, sdk.value(at: ["upload", "instant"]) ?? sdk,
                found: "instant events in version \(rules.version.rawValue)",
                allowed: "version 4.9.1: the SDK has instant events since 4.5.2")
        }
        if let cookie = rules.cookie,
            cookie.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        {
            reading.report(
                .outOfRange, sdk.value(at: ["cookie"]) ?? sdk, found: "a control character",
                allowed: "text of one line")
        }
    }

    /// Where the real setters would clamp. Sources: sa-sdk-ios v1.10.17 `SensorsAnalyticsSDK.m`
    /// (`setFlushInterval:`, `setMaxCacheSize:`), v4.9.1 `Core/SAConfigOptions.m`.
    private static func warn(_ rules: SensorsRules, _ sdk: Place, _ reading: inout Reading) {
        let isVersion4 = rules.isVersion4
        if rules.version != .document {
            reading.warn(
                ["storage", "limit"], of: sdk, when: rules.storage.limit < 10_000,
                "the SDK's setter would raise it to 10000")
            reading.warn(
                ["upload", "flushInterval"], of: sdk, when: rules.upload.flushInterval < .seconds(5),
                "the SDK's setter would raise it to 5s")
            reading.warn(
                ["upload", "flushBulkSize"], of: sdk, when: isVersion4 && rules.upload.flushBulkSize < 50,
                "the SDK's setter would raise it to 50")
            reading.warn(
                ["upload", "batch"], of: sdk, when: rules.upload.batch != 50,
                "the SDK has no such setting: 50 is fixed in its source")
            reading.warn(
                ["storage", "evict"], of: sdk, when: rules.storage.evict != 100,
                "the SDK has no such setting: 100 is fixed in its source")
            reading.warn(
                ["remoteConfig", "maxInterval"], of: sdk,
                when: isVersion4 && rules.remoteConfig.maximumInterval > .hours(168),
                "the SDK's setter allows 168 hours at most")
        }
        reading.warn(
            ["storage", "prefill"], of: sdk, when: rules.storage.prefill >= rules.storage.limit,
            "not below the limit of \(rules.storage.limit) rows: events are evicted before the start")
        reading.warn(
            ["upload", "networks"], of: sdk, when: rules.upload.networks.isEmpty, "nothing is ever uploaded")
    }
}
