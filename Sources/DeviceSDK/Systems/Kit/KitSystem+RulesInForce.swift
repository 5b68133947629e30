package import DeviceSDK

/// What a new version of the app may change.
package struct KitRulesInForce: Sendable {
    let rules: KitRules
    let networkMask: NetworkMask

    init(_ rules: KitRules) {
        self.rules = rules
        networkMask = NetworkMask(rules.upload.networks)
    }
}

extension KitSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> KitRulesInForce {
        guard let rules = rules as? KitRules else { preconditionFailure("rules of another system") }
        return KitRulesInForce(rules)
    }

    package mutating func follow(_ new: KitRulesInForce) {
        rules = new.rules
        networkMask = new.networkMask
    }
}
