import DeclaredSDK
import DeviceSDK
import SDKDescription
import Wire

// Described SDKs that a new version of the app changes.

extension DescriptionReader {
    /// What a roll-out makes of a description: its changes are merged into what is written of the SDK, as that is merged
    /// into its preset, and the whole is read anew.
    static func change(_ rollOut: RollOutDraft, _ reading: inout Reading) -> any SystemRuleSet {
        guard let rules = rollOut.rules as? DeclaredRules else { return rollOut.rules }
        let sdk = rollOut.sdk
        let before = reading.problems.count
        let warnings = reading.warnings
        RollOutKnobs.described.check(sdk, &reading)
        guard reading.problems.count == before, let whole = whole(of: rollOut) else { return rules }
        checkRemovals(sdk, over: whole.node, &reading)
        let changed = read(
            whole: Place(node: whole.node.merging(sdk.node), path: sdk.path), &reading)
        // A roll-out changes no event: what is to be said of events was said of the population.
        reading.warnings = warnings
        for index in before..<reading.problems.count { reading.problems[index].move(into: sdk) }
        guard let changed, reading.problems.count == before else { return rules }
        if !changed.answers.hasSuccesses(of: rules.sdk.answers) {
            reading.report(
                .conflict, sdk.value(at: ["answers"]) ?? sdk, found: "other successes than before",
                allowed:
                    "other verdicts on what is no success, and \"delivered\" or \"deliveredClear\" for the same answers: "
                    + "the collector has the answers of one description")
        }
        return DeclaredRules(changed)
    }

    /// What devices follow until the roll-out. What is wrong with it has been told where it stands.
    private static func whole(of rollOut: RollOutDraft) -> Place? {
        var silent = Reading()
        let written = rollOut.written ?? Place(node: .object([]), path: rollOut.sdk.path)
        guard var whole = whole(written, rollOut.version, &silent) else { return nil }
        whole.node = rollOut.before.reduce(whole.node) { $0.merging($1.node) }
        return whole
    }
}

extension Problem {
    /// Moves a problem of a whole description to what a roll-out says of it: to the deepest place that is there.
    fileprivate mutating func move(into sdk: Place) {
        guard let path = JSONPath(text: pointer) else { return }
        var node = sdk.node
        var tokens = sdk.path.tokens
        for token in path.tokens.dropFirst(tokens.count) {
            guard let next = node.value(at: [token]) else { break }
            node = next
            tokens.append(token)
        }
        pointer = JSONPath(tokens).pointer
        position = node.position
    }
}
