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
        let merged = whole.node.merging(sdk.node).withLanesRequests
        let changed = read(whole: Place(node: merged, path: sdk.path), &reading)
        // What is to be said of the rest was said of the population.
        reading.warnings =
            warnings + reading.warnings.dropFirst(warnings.count).filter { sdk.has($0.pointer) }
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

extension Place {
    /// Whether what a pointer leads to is written here.
    fileprivate func has(_ pointer: String) -> Bool {
        guard let tokens = JSONPath(text: pointer)?.tokens, tokens.starts(with: path.tokens) else {
            return false
        }
        return value(at: Array(tokens.dropFirst(path.tokens.count))) != nil
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
