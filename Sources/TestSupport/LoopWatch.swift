package import NIOCore
import Synchronization
package import Timebase

/// Measures how late event loops come to what is due, the collector's too: an answer waits for all of them.
package final class LoopWatch: Sendable {
    private static let period = TimeAmount.milliseconds(5)

    private let tasks = Mutex<[RepeatedTask]>([])
    private let longest = Atomic<Int64>(0)

    package init(_ loops: [any EventLoop]) {
        let tasks = loops.map { loop in
            let due = Mutex(NIODeadline.now() + Self.period)
            return loop.scheduleRepeatedTask(initialDelay: Self.period, delay: Self.period) { [self] _ in
                let now = NIODeadline.now()
                let late = due.withLock { due in
                    defer { due = now + Self.period }
                    return now - due
                }
                self.longest.max(late.nanoseconds, ordering: .relaxed)
            }
        }
        self.tasks.withLock { $0 = tasks }
    }

    /// Ends the watch.
    ///
    /// - Returns: the longest that any of the loops was late.
    @discardableResult
    package func stop() -> Interval {
        tasks.withLock { $0.forEach { $0.cancel() } }
        return latest
    }

    /// The longest that any of the loops was late so far.
    package var latest: Interval { Interval(nanoseconds: longest.load(ordering: .relaxed)) }
}
