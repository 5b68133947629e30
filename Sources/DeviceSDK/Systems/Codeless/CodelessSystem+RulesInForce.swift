package import DeviceSDK

/// What a new version of the app may change.
package struct CodelessRulesInForce: Sendable {
    let rules: CodelessRules
    let networkMask: NetworkMask

    init(_ rules: CodelessRules) {
        self.rules = rules
        networkMask = NetworkMask(rules.upload.networks)
    }
}

extension CodelessSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> CodelessRulesInForce {
        guard let rules = rules as? CodelessRules else { preconditionFailure("rules of another system") }
        return CodelessRulesInForce(rules)
    }

    package mutating func follow(_ new: CodelessRulesInForce) {
        rules = new.rules
        networkMask = new.networkMask
    }
}
