import Reporting
import Synchronization

/// What many simulations come to, as they end one after the other, for whoever watches.
final class CellBoard: Sendable {
    private struct State {
        var report: LabReport
        var count: UInt64 = 0
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - report: All variants, with the cells that are known already.
    ///   - content: What a watcher is shown of it.
    init(_ report: LabReport, watch: Watch?, content: @escaping @Sendable (LabReport) -> Watch.Content) {
        state = Mutex(State(report: report))
        watch?.follow { [self] in
            let now = state.withLock { $0 }
            return (now.count, { content(now.report) })
        }
    }

    /// All variants, with the cells that are known so far.
    var report: LabReport { state.withLock { $0.report } }

    /// Takes a cell in, among those of its variant in the order of the seeds.
    ///
    /// - Parameter variant: Its number in the report.
    func add(_ cell: LabReport.Cell, to variant: Int) {
        state.withLock { state in
            state.report.variants[variant].insert(cell)
            state.count += 1
        }
    }
}
