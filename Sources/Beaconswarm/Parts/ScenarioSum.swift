import Scenario
import Snapshots

/// What a scenario is made of beside the text that a part keeps of it: the values of its variables, and what
/// is secret.
struct ScenarioSum: Hashable, Sendable {
    /// ``ScenarioDocument/sum``
    var all: String
    /// ``ScenarioDocument/variables``
    var variables: [String: String]
}

extension ScenarioSum {
    init(_ document: ScenarioDocument) { self.init(all: document.sum, variables: document.variables) }

    /// What differs first, in words; `nil` for the same scenario.
    ///
    /// - Parameter hasSameText: Whether the scenarios that are kept are the same.
    func difference(from other: ScenarioSum, hasSameText: Bool) -> String? {
        let names = variables.keys.sorted().filter { name in
            let theirs = other.variables[name]
            return theirs != nil && theirs != variables[name]
        }
        if !names.isEmpty {
            let list = names.map { "${\($0)}" }.joined(separator: ", ")
            return "\(list) had \(names.count == 1 ? "another value" : "other values")"
        }
        if !hasSameText {
            return "another scenario, or other options (files that it names are part of it)"
        }
        return all == other.all
            ? nil : "another secret in the scenario, or something else in a part of it that is not played"
    }
}

extension ScenarioSum: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        let sorted = variables.sorted { $0.key < $1.key }
        writer.write(all)
        writer.write(each: sorted.map(\.key))
        writer.write(each: sorted.map(\.value))
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        let all = try reader.text()
        let names: [String] = try reader.values()
        let sums: [String] = try reader.values()
        guard names.count == sums.count, Set(names).count == names.count else { throw reader.impossible }
        self.init(all: all, variables: Dictionary(uniqueKeysWithValues: zip(names, sums)))
    }
}
