package import Wire

/// What a JSON file is, told by the keys at its root: one that is clearly in the place of another gets a
/// sentence, and not a line for every key that the two do not share.
package enum FileKind: Hashable, Sendable, CaseIterable {
    case scenario
    case description
    case faults
    case report

    /// The kind of which a file has more keys than of any other; `nil` where there is none. One key alone of many, such as
    /// `version`, may be anybody's.
    package init?(of root: JSONNode) {
        let counts = FileKind.allCases.map { (kind: $0, count: $0.count(in: root)) }
        guard let most = counts.max(by: { $0.count < $1.count }),
            most.count > (root.members?.count ?? 0 > 3 ? 1 : 0),
            counts.filter({ $0.count == most.count }).count == 1
        else { return nil }
        self = most.kind
    }

    /// What is wrong with a file that was to be of this kind and does not hold: one sentence, if it is of another kind.
    func mistaken(_ root: JSONNode) -> ScenarioProblems? {
        let own = count(in: root)
        // One key too many is more likely a mistake in it.
        guard let found = FileKind(of: root), found != self, own == 0 || found.count(in: root) >= own + 2
        else {
            return nil
        }
        return ScenarioProblems(problems: [
            Problem(
                .wrongType, at: JSONPath(), position: root.position, found: found.name,
                allowed: name + (found.home.map { "; " + $0 } ?? ""))
        ])
    }

    /// As messages call it.
    private var name: String {
        switch self {
        case .scenario: "a scenario"
        case .description: "the description of an SDK"
        case .faults: "a file of faults"
        case .report: "the report of a run"
        }
    }

    /// Where a file of this kind belongs, as advice to who put it elsewhere.
    private var home: String? {
        switch self {
        case .scenario: nil
        case .description:
            "a description belongs in a population's \"sdk\", with \"system\": \"declared\", or behind collect --sdk"
        case .faults: "faults belong in a scenario's \"timeline\", or behind collect --faults"
        case .report: "the scenario of a run is scenario.json in its folder"
        }
    }

    private func count(in root: JSONNode) -> Int { names.count { root[$0] != nil } }

    private var names: [String] {
        switch self {
        case .scenario: ScenarioDraft.format.fields.map(\.name)
        case .description: DeclaredFormat.written.fields.map(\.name)
        case .faults: FaultsFile.format.fields.map(\.name)
        // Some that every report has: reports are read elsewhere.
        case .report: ["schema", "tool", "mode", "fingerprint", "verdict", "exit_code", "events", "metrics"]
        }
    }
}
