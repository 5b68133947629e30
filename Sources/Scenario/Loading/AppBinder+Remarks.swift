import AppModel
import DeviceSDK
import SensorsSDK

extension AppBinder {
    /// Binds what an app adds to preset events. Names are those that every version accepts and that no
    /// preset event has; values are such that none is ever refused.
    mutating func remarks(_ drafts: [Named<GeneratorDraft>]) -> [PropertyRule] {
        for draft in drafts {
            let isNamed = SensorsRules.Version.allCases.allSatisfy {
                SensorsNames.isValid(draft.name, version: $0)
            }
            if !isNamed || draft.name.hasPrefix("$") {
                reading.report(
                    .outOfRange, draft.place, found: "the name \"\(draft.name)\"",
                    allowed:
                        "a letter or \"_\", then letters, digits and \"_\", 100 at most, and no reserved "
                        + "word such as \"user_id\"")
            }
        }
        let rules = rules(drafts)
        for rule in rules where !rule.generator.isAlwaysValid {
            guard let place = drafts.first(where: { $0.name == rule.key })?.place else { continue }
            reading.report(
                .outOfRange, place,
                allowed: "constant, choice, zipf or number, of texts, numbers and switches")
        }
        return rules
    }
}
