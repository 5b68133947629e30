package import DeviceSDK
import SDKDescription
import World

/// What a new version of the app may change: how events are stored, sent and given up. What they look like is compiled
/// once for all versions.
package struct DeclaredRulesInForce: Sendable {
    let sdk: DescribedSDK
    let networkMask: NetworkMask
    let wakingNetworks: NetworkMask
    let isImmediate: [Bool]

    init(_ rules: DeclaredRules, _ templates: DeclaredTemplates) {
        sdk = rules.sdk
        networkMask = rules.networkMask
        wakingNetworks = NetworkMask(Set(rules.sdk.upload.onNetwork.compactMap(NetworkKind.init(name:))))
        isImmediate = templates.kinds.map { rules.sdk.upload.immediate.contains($0.name) }
    }
}

extension DeclaredSystem {
    package func rulesInForce(under rules: any SystemRuleSet) -> DeclaredRulesInForce {
        guard let rules = rules as? DeclaredRules else { preconditionFailure("rules of another system") }
        return DeclaredRulesInForce(rules, templates)
    }

    package mutating func follow(_ new: DeclaredRulesInForce) {
        sdk = new.sdk
        networkMask = new.networkMask
        wakingNetworks = new.wakingNetworks
        isImmediate = new.isImmediate
    }
}
