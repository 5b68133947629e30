import Files
import Foundation
import Wire

/// Blocks of rows on their way from the thread that plays some devices to the one that writes: a few at a time, so that
/// what is in memory does not grow with the dataset.
final class ArrivalFeed: @unchecked Sendable {
    /// Blocks that wait at most; who has one more waits.
    static let depth = 4
    /// Bytes of a block, but for the last.
    static let blockBytes = 1 << 20

    // SAFETY: all that changes is only touched while this is locked.
    private let condition = NSCondition()
    private var blocks: [WireBuffer] = []
    private var isOver = false
    private var isAbandoned = false
    private var failure: FileFailure?

    /// Whether nobody wants any more: the one who plays may stop.
    var isUnwanted: Bool { locked { isAbandoned } }

    /// Adds a block, and waits until there is room for it.
    func put(_ block: WireBuffer) {
        locked {
            while blocks.count >= ArrivalFeed.depth, !isAbandoned { condition.wait() }
            if !isAbandoned { blocks.append(block) }
        }
    }

    /// No further block comes.
    func end(_ failure: FileFailure? = nil) {
        locked {
            isOver = true
            self.failure = failure
        }
    }

    /// Takes the next block, and waits for it; `nil` at the end.
    func take() throws(FileFailure) -> WireBuffer? {
        let (block, failure) = locked { () -> (WireBuffer?, FileFailure?) in
            while blocks.isEmpty, !isOver { condition.wait() }
            return blocks.isEmpty ? (nil, self.failure) : (blocks.removeFirst(), nil)
        }
        if let failure { throw failure }
        return block
    }

    /// Wants nothing more.
    func abandon() {
        locked {
            isAbandoned = true
            blocks = []
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body()
    }
}
