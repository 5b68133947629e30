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
        for event in events {
            guard let fault = ScenarioBinder.fault(of: event, sensors) else { continue }
            reading.warn(
                path.appending("app"),
                "population \"\(population)\": version \(sensors.versionName) \(fault): it takes a letter, \"_\" or "
                    + "\"$\", then letters, digits, \"_\" and \"$\", and no reserved word such as \"time\"")
        }
    }

    /// What the SDK does with an event for its names; `nil` if it takes it whole.
    private static func fault(of event: BusinessEvent, _ sensors: SensorsRules) -> String? {
        let keys = event.properties.map(\.key).filter { !sensors.takesProperty(named: $0) }
        if sensors.isVersion4 {
            return keys.isEmpty
                ? nil : "sends \"\(event.name)\" without \(quotedList(keys)), because of the name"
        }
        if !sensors.takesProperty(named: event.name) {
            return "drops each \"\(event.name)\", because of its name"
        }
        return keys.first.map {
            "drops each \"\(event.name)\", because of the name of its property \"\($0)\""
        }
    }
}
