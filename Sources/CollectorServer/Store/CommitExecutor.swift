import NIOPosix

/// Where a collector's transactions are written: one piece of work at a time, in the order of submission.
package protocol CommitExecutor: Sendable {
    /// Puts a piece of work behind those that are there.
    func submit(_ work: @escaping @Sendable () -> Void)

    /// Ends when all that was submitted is done. Nothing is submitted after.
    func shutDown() async
}

/// A thread for the writer alone, so that no event loop waits for the disk.
struct CommitThread: CommitExecutor {
    private let thread = NIOThreadPool(numberOfThreads: 1)

    init() { thread.start() }

    func submit(_ work: @escaping @Sendable () -> Void) { thread.submit { _ in work() } }

    func shutDown() async { try? await thread.shutdownGracefully() }
}
