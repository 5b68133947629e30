import Foundation
import NIOPosix

/// Where a collector's transactions are written: one work item at a time, in the order of submission.
package protocol CommitExecutor: Sendable {
    /// Puts a work item behind those that are there.
    func submit(_ work: @escaping @Sendable () -> Void)

    /// Waits a while before the next work item, after one that failed.
    func pause()

    /// Ends when all that was submitted is done. Nothing is submitted after.
    func shutDown() async
}

extension CommitExecutor {
    package func pause() {}
}

/// A thread of its own for work on the disk, so that no event loop waits for it.
struct CommitThread: CommitExecutor {
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// - Parameter givesWay: Whether all other threads come first where processors are short.
    init(givesWay: Bool = false) {
        thread.start()
        #if os(Linux)
            // A thread's own priority there (setpriority(2), "C library/kernel differences").
            if givesWay {
                thread.submit { _ in setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) }
            }
        #endif
    }

    func submit(_ work: @escaping @Sendable () -> Void) { thread.submit { _ in work() } }

    func pause() { usleep(200_000) }

    func shutDown() async { try? await thread.shutdownGracefully() }
}
