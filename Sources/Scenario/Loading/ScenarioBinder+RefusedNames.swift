import AppModel
import DeviceSDK
import SensorsSDK
import Wire

extension ScenarioBinder {
    /// Events that an app tracks and the SDK refuses for a name, as a whole (1.x) or in part (4.x).
    mutating func warnAboutRefused(
        _ population: String, _ rules: any SystemRuleSet, _ app: AppDescription, _ path: JSONPath
    ) {
        guard let sensors = rules as? SensorsRules else { return }
        // What a page sends is taken as it is.
        let events = app.events.filter { !$0.isWeb }
        for event in events where !sensors.isVersion4 {
            let refused = ([event.name] + event.properties.map(\.key)).filter {
                !sensors.takesProperty(named: $0)
            }
            guard let first = refused.first else { continue }
            let culprit = first == event.name ? "its name" : "the name of its property \"\(first)\""
            warn(population, sensors, path, "drops each \"\(event.name)\", because of \(culprit)")
        }
        for event in events where sensors.isVersion4 {
            let refused = event.properties.map(\.key).filter { !sensors.takesProperty(named: $0) }
            guard !refused.isEmpty else { continue }
            warn(
                population, sensors, path,
                "sends \"\(event.name)\" without \(quotedList(refused)), because of the name")
        }
    }

    private mutating func warn(_ population: String, _ rules: SensorsRules, _ path: JSONPath, _ text: String)
    {
        reading.warn(
            path.appending("app"),
            "population \"\(population)\": version \(rules.versionName) \(text): it takes a letter, \"_\" or \"$\", then "
                + "letters, digits, \"_\" and \"$\", and no reserved word such as \"time\"")
    }
}
