import CollectorServer

extension LiveRunner {
    /// What an interrupt does until the run begins: nothing is left of it that the next try would meet.
    ///
    /// - Parameters:
    ///   - output: What it has made for its results, if anything.
    ///   - keepingFolder: Whether the empty folder stays, as that of an attempt at a part.
    ///   - server: Its own collector, which nobody has sent anything yet.
    func leaveNothing(
        of output: RunOutput?, _ stores: RunStores, keepingFolder: Bool, _ server: CollectorServer?
    ) {
        interruption.onEnd {
            output?.discard(keepingFolder: keepingFolder)
            stores.removeIfTemporary()
            server?.discardStore()
        }
    }
}
