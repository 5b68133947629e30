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
        // What is served until the first entry, from before the start on.
        var initial = ScenarioRemoteConfig()
        initial.version = "0"
        var served: [(at: Interval?, config: ScenarioRemoteConfig)] = [(nil, initial)]
        let entries = timeline.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        for entry in entries.map(\.element) {
            guard case .remoteConfig(let config) = entry.change, config.answer == nil,
                let version = config.version
            else { continue }
            let body = config.body(version: version)
            let isKnown = served.contains { before in
                let isEarlier = before.at.map { $0 < entry.at } ?? (entry.at > .zero)
                return isEarlier && before.config.version == version
                    && before.config.body(version: version) != body
            }
            served.append((entry.at, config))
            guard isKnown, let path = JSONPath(text: entry.pointer) else { continue }
            reading.warn(
                path.appending("remoteConfig").appending("v"),
                "version \"\(version)\" was served before with other content: devices that have it are told that "
                    + "nothing has changed (304), and keep what they have")
        }
    }
}
