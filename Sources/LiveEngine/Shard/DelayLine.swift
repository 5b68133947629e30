import Timebase

/// Requests that are held up, by the moment at which they leave; equal moments in the order of entry. A
/// binary heap: O(log n) in and out. A request that ended meanwhile leaves its entry behind; its
/// generation tells.
struct DelayLine {
    private struct Entry {
        var due: Instant
        var number: UInt64
        var request: RequestKey

        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.number) < (right.due, right.number)
        }
    }

    private var heap: ContiguousArray<Entry> = []
    private var count: UInt64 = 0

    /// When the next one leaves.
    var next: Instant { heap.first?.due ?? .distantFuture }

    mutating func insert(_ request: RequestKey, at due: Instant) {
        heap.append(Entry(due: due, number: count, request: request))
        count += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out a request whose moment has come, open or not.
    mutating func popDue(through now: Instant) -> RequestKey? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
        return first.request
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
