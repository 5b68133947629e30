import CollectorServer

/// What may end a run before its time, and what is to be done then: ``Interruption`` for a run alone.
protocol RunControl: Sendable {
    /// Whether the run is to end gracefully.
    var isRequested: Bool { get }
    /// Whether it is to end at once.
    var isRepeated: Bool { get }
    /// What is done before the process ends without the run's help.
    func onEnd(_ lastWords: @escaping @Sendable () -> Void)
    /// The run begins.
    func begin(second: (@Sendable () -> Void)?)
    /// What is done when the run is to end.
    func onRequest(_ action: @escaping @Sendable () -> Void)
    /// The run is over, and its results are being written.
    func onRequestFromNowOn(_ action: @escaping @Sendable () -> Void)
}

extension RunControl {
    /// What an interrupt does until the run begins: nothing is left of it that the next try would meet.
    ///
    /// - Parameters:
    ///   - output: What it has made for its results, if anything.
    ///   - keepingFolder: Whether the empty folder stays, as that of an attempt at a part.
    ///   - server: Its own collector, which nobody has sent anything yet.
    func leaveNothing(
        of output: RunOutput?, _ stores: RunStores, keepingFolder: Bool = false,
        _ server: CollectorServer? = nil
    ) {
        onEnd {
            output?.discard(keepingFolder: keepingFolder)
            stores.removeIfTemporary()
            server?.discardStore()
        }
    }
}

extension Interruption: RunControl {}

/// The control of one simulation of many: their owner hears the signals and answers them, and ends all of them at
/// once, since half a simulation can be compared with nothing.
struct CellControl: RunControl {
    /// Whether they are to end: of the process' signals, or because one of them failed.
    let isEnding: @Sendable () -> Bool

    var isRequested: Bool { isEnding() }
    var isRepeated: Bool { isEnding() }
    func onEnd(_ lastWords: @escaping @Sendable () -> Void) {}
    func begin(second: (@Sendable () -> Void)?) {}
    func onRequest(_ action: @escaping @Sendable () -> Void) {}
    func onRequestFromNowOn(_ action: @escaping @Sendable () -> Void) {}
}
