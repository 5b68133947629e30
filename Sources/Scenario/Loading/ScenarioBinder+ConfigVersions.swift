import DeviceSDK
import SensorsSDK
import Timebase
import Wire

extension ScenarioBinder {
    /// A device names the version that it has, and is told of no other configuration of that version (304): what an entry
    /// serves as a version that was served before with other content reaches only those who never fetched that.
    mutating func warnAboutVersions(_ timeline: [TimelineEntry], _ populations: [ScenarioPopulation]) {
        let isFetched = populations.contains { ($0.system as? SensorsRules)?.remoteConfig.enabled ?? false }
        guard isFetched else { return }
        // Since when each version is served, and since when with another content than at first. Until the first entry, and
        // from before the start on, it is "0".
        var served: [String: (body: [UInt8], since: Interval, otherSince: Interval?)] = [:]
        var initial = ScenarioRemoteConfig()
        initial.version = "0"
        served["0"] = (initial.body(version: "0"), .zero, nil)
        let entries = timeline.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        for entry in entries.map(\.element) {
            guard case .remoteConfig(let config) = entry.change, config.answer == nil,
                let version = config.version
            else { continue }
            let body = config.body(version: version)
            guard let before = served[version] else {
                served[version] = (body, entry.at, nil)
                continue
            }
            let isOther = before.body != body
            if isOther, before.otherSince == nil { served[version]?.otherSince = entry.at }
            guard let since = isOther ? before.since : before.otherSince, since < entry.at,
                let path = JSONPath(text: entry.pointer)
            else { continue }
            reading.warn(
                path.appending("remoteConfig").appending("v"),
                "version \"\(version)\" was served before with other content: devices that have it are told that "
                    + "nothing has changed (304), and keep what they have")
        }
    }
}
