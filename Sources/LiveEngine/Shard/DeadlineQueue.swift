import Timebase

/// The limits of open requests. SDKs use very few different limits, so there is one queue for each,
/// and its entries are in order by themselves: O(1) in and out. A request that ended leaves its entry
/// behind; its generation tells.
struct DeadlineQueue {
    struct Entry {
        var deadline: Instant
        var request: RequestKey
    }

    private struct Line {
        var limit: Interval
        var entries = RingQueue<Entry>()
    }

    private var lines: ContiguousArray<Line> = []

    /// Adds a request that began at `now`, which never goes back.
    mutating func append(_ request: RequestKey, limit: Interval, now: Instant) {
        let entry = Entry(deadline: now + limit, request: request)
        for index in lines.indices where lines[index].limit == limit {
            lines[index].entries.append(entry)
            return
        }
        lines.append(Line(limit: limit))
        lines[lines.count - 1].entries.append(entry)
    }

    /// When the next open request's limit is reached. Drops what ended meanwhile.
    mutating func next(in table: RequestTable) -> Instant {
        var earliest = Instant.distantFuture
        for index in lines.indices {
            while let first = lines[index].entries.first, !table.isOpen(first.request) {
                _ = lines[index].entries.popFirst()
            }
            if let first = lines[index].entries.first { earliest = min(earliest, first.deadline) }
        }
        return earliest
    }

    /// Takes out a request whose limit is reached, open or not.
    mutating func popDue(through now: Instant) -> RequestKey? {
        for index in lines.indices {
            if let first = lines[index].entries.first, first.deadline <= now {
                return lines[index].entries.popFirst()?.request
            }
        }
        return nil
    }
}
