import Accounting
package import DeviceSDK

/// What a new version of the app may change.
package struct SensorsRulesInForce: Sendable {
    let rules: SensorsRules
    let networkMask: NetworkMask
    let isImmediate: [Bool]
    let isInstant: [Bool]
    let tellsInstant: Bool

    init(_ rules: SensorsRules, _ templates: SensorsTemplates) {
        self.rules = rules
        networkMask = rules.networkMask
        isImmediate = templates.labels.map { rules.upload.immediate.contains($0.name) }
        // Pages say for themselves whether their events are instant; those of the simulation never do.
        isInstant = templates.labels.indices.map { template in
            rules.isVersion4 && !templates.isOfPage(UInt16(template))
                && rules.upload.instant.contains(templates.labels[template].name)
        }
        tellsInstant = isInstant.contains(true)
    }
}

extension SensorsSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> SensorsRulesInForce {
        guard let rules = rules as? SensorsRules else { preconditionFailure("rules of another system") }
        return SensorsRulesInForce(rules, templates)
    }

    package mutating func follow(_ new: SensorsRulesInForce) {
        rules = new.rules
        networkMask = new.networkMask
        isImmediate = new.isImmediate
        isInstant = new.isInstant
        tellsInstant = new.tellsInstant
    }
}
