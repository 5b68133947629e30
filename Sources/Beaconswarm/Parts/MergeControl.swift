import Reporting

/// What may end a merge before its time: a signal, or the cancellation of the task that merges.
///
/// A merge computes without a pause, on the thread of its task: it looks itself whether that was cancelled.
struct MergeControl: Sendable {
    private let interruption: Interruption
    private let isCancelled: @Sendable () -> Bool

    init(_ options: MergeOptions, isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }) {
        interruption = Interruption(
            outcome: "; \(options.out) is unfinished: remove it", listens: options.listensToSignals)
        self.isCancelled = isCancelled
    }

    var isRequested: Bool { interruption.isRequested || isCancelled() }

    /// Something is written from now on: a first signal only asks for the end.
    ///
    /// - Throws: as ``check()``.
    func begin(_ console: RunConsole) throws(CommandFailure) {
        interruption.onRequest {
            console.status("")
            console.say("stopping: nothing is joined; interrupt again to end at once")
        }
        try check()
    }

    /// - Throws: ``CommandFailure`` with code 105 if the merge is to end; whoever merges removes what it wrote.
    func check() throws(CommandFailure) {
        if isRequested { throw CommandFailure(.interrupted, "interrupted; nothing was written") }
    }

    /// All is joined, and its results are being written.
    func finish(_ console: RunConsole) throws(CommandFailure) {
        try check()
        interruption.onRequestFromNowOn { console.writing() }
    }

    /// That of a part that is played again.
    var ofPart: CellControl { CellControl { [self] in isRequested } }
}
