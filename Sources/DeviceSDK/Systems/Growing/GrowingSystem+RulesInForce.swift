package import DeviceSDK

/// What a new version of the app may change.
package struct GrowingRulesInForce: Sendable {
    let rules: GrowingRules
    let networkMask: NetworkMask
    /// Batches of fewer events cannot reach ``GrowingRules/Upload/maxBytes``, however large the events are.
    let measuredCount: Int

    /// - Parameter isPlain: Whether nobody but the encoder has a say in how large an event is.
    init(_ rules: GrowingRules, _ encoder: GrowingEncoder, isPlain: Bool) {
        self.rules = rules
        networkMask = NetworkMask(rules.upload.networks)
        measuredCount = Self.measuredCount(rules.upload, encoder, isPlain: isPlain)
    }

    private static func measuredCount(
        _ rules: GrowingRules.Upload, _ encoder: GrowingEncoder, isPlain: Bool
    ) -> Int {
        guard let limit = rules.maxBytes else { return .max }
        let size = max(1, encoder.sizeLimit)
        let count = limit / size + (limit % size > 0 ? 1 : 0)
        return isPlain || count > rules.batch ? count : 0
    }
}

extension GrowingSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> GrowingRulesInForce {
        guard let rules = rules as? GrowingRules else { preconditionFailure("rules of another system") }
        return GrowingRulesInForce(rules, encoder, isPlain: !hasWatchers)
    }

    package mutating func follow(_ new: GrowingRulesInForce) {
        rules = new.rules
        networkMask = new.networkMask
        measuredCount = new.measuredCount
    }
}
