import AppModel
import DeclaredSDK
import DeviceSDK
import SensorsSDK
import Wire

extension ScenarioBinder {
    /// Events that are uploaded at once, as the scenario says, and that the app does not send.
    mutating func warnAboutUnsent(
        _ draft: PopulationDraft, _ rules: any SystemRuleSet, _ app: AppDescription, _ target: BoundTarget
    ) {
        for knob in ["immediate", "instant"] {
            guard let place = draft.sdk?.value(at: ["upload", knob]), let written = place.node.elements else {
                continue
            }
            let sent: Set<String>
            switch rules {
            case let declared as DeclaredRules:
                sent = declared.namesSent(of: app, apiKey: target.apiKey, accountID: target.accountID)
            // What the SDK captures by itself has names with a dollar sign, but for two.
            case is SensorsRules:
                sent = Set(app.events.map(\.name) + ["AppCrashed", "DisableSensorsDataSDK"])
            default: return
            }
            for (index, name) in written.enumerated() {
                guard let name = name.string, !sent.contains(name) else { continue }
                if rules is SensorsRules, name.hasPrefix("$") { continue }
                reading.warn(
                    place.path.appending(index),
                    "\"\(name)\" has no effect: no event that is sent is called so")
            }
        }
    }
}
