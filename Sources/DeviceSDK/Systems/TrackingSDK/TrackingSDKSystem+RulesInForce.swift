package import DeviceSDK

/// What a new version of the app may change.
package struct TrackingSDKRulesInForce: Sendable {
    let rules: TrackingSDKRules
    let networkMask: NetworkMask

    init(_ rules: TrackingSDKRules) {
        self.rules = rules
        networkMask = NetworkMask(rules.upload.networks)
    }
}

extension TrackingSDKSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> TrackingSDKRulesInForce {
        guard let rules = rules as? TrackingSDKRules else { preconditionFailure("rules of another system") }
        return TrackingSDKRulesInForce(rules)
    }

    package mutating func follow(_ new: TrackingSDKRulesInForce) {
        rules = new.rules
        networkMask = new.networkMask
    }
}
