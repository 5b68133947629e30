import DeviceSDK
import GrowingSDK
import SensorsSDK
import Wire

/// What an account may be that a client puts into its URL.
enum AccountRules {
    static let allowed =
        "an account as a URL has it: ASCII without blanks, \"/\", \"?\", \"#\" and \"&\"; others are %XX"

    /// Whether a text may be a part of a path, or of a query, as it is.
    static func isURLPart(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#&".utf8.contains($0) }
    }
}

extension ScenarioBinder {
    /// Reports an account that would break the head of each request of a population, once for a target that several share.
    mutating func checkAccount(
        of target: BoundTarget, _ system: any SystemRuleSet, several: Bool, _ population: JSONPath
    ) {
        let isInURL =
            target.urls.isEmpty
            ? target.path == nil
            : target.urls.contains { target.completesPath(of: $0, for: system, several: several) }
        guard isInURL, system is GrowingRules || system is SensorsRules,
            !AccountRules.isURLPart(target.accountID)
        else { return }
        let own = population.appending("target").appending("accountId")
        let path = root.node.value(at: own.tokens) == nil ? JSONPath(["target", "accountId"]) : own
        guard !reading.problems.contains(where: { $0.pointer == path.pointer }) else { return }
        let place = Place(node: root.node.value(at: path.tokens) ?? root.node, path: path)
        reading.report(.outOfRange, place, allowed: AccountRules.allowed)
    }
}
