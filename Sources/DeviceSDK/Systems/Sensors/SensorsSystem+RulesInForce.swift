import Accounting
package import DeviceSDK
import World

/// What a new version of the app may change.
package struct SensorsRulesInForce: Sendable {
    let rules: SensorsRules
    let networkMask: NetworkMask
    let isImmediate: [Bool]
    let isInstant: [Bool]
    let tellsInstant: Bool

    init(_ rules: SensorsRules, _ templates: SensorsTemplates) {
        self.rules = rules
        networkMask = Self.mask(rules)
        isImmediate = templates.labels.map { rules.upload.immediate.contains($0.name) }
        // Pages say for themselves whether their events are instant; those of the simulation never do.
        isInstant = templates.labels.indices.map { template in
            rules.isVersion4 && !templates.isOfPage(UInt16(template))
                && rules.upload.instant.contains(templates.labels[template].name)
        }
        tellsInstant = isInstant.contains(true)
    }

    /// The networks on which uploads begin. 1.10.17 names no network and 5G alike `NULL`, whose bits are
    /// those of all networks (`toNetworkType:`): it tries, unless the app allows none at all.
    private static func mask(_ rules: SensorsRules) -> NetworkMask {
        var mask = NetworkMask(rules.upload.networks)
        guard rules.upload.triesWithoutNetwork, !mask.isEmpty else { return mask }
        let isVersion4 = rules.isVersion4
        let null = NetworkKind.none.sensorsName(isVersion4: isVersion4)
        for kind in NetworkKind.allCases where kind.sensorsName(isVersion4: isVersion4) == null {
            mask.insert(kind)
        }
        return mask
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
