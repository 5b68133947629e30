import Synchronization

/// What went wrong with device stores though the scenario did not ask for it.
final class StoreWarnings: Sendable {
    private struct State {
        var hostFailures = 0
        var firstHostFailure = ""
        var others: [String] = []
        var otherCount = 0
    }

    /// Texts that are kept word for word.
    private static let kept = 3
    private let state = Mutex(State())

    /// The host's own file system refused a call.
    func noteHostFailure(_ text: String, path: String) {
        state.withLock {
            if $0.hostFailures == 0 { $0.firstHostFailure = "\(text) (\(path))" }
            $0.hostFailures += 1
        }
    }

    /// A file is not as it should be.
    func note(_ text: String) {
        state.withLock {
            if $0.others.count < Self.kept { $0.others.append(text) }
            $0.otherCount += 1
        }
    }

    /// How often the host's own file system refused a call, and the first time in words.
    var hostFailures: (count: Int, first: String) {
        state.withLock { ($0.hostFailures, $0.firstHostFailure) }
    }

    /// In sentences, for the report.
    var warnings: [String] {
        state.withLock { state in
            var list: [String] = []
            if state.hostFailures > 0 {
                let operations = state.hostFailures == 1 ? "operation" : "operations"
                list.append(
                    "the generator's own disk failed \(state.hostFailures) \(operations) of device stores, first: "
                        + "\(state.firstHostFailure); events with the fate lost/storage_error may be its fault"
                )
            }
            list += state.others.map { "device store: \($0)" }
            if state.otherCount > state.others.count {
                list.append("device stores: \(state.otherCount - state.others.count) more such warnings")
            }
            return list
        }
    }
}
