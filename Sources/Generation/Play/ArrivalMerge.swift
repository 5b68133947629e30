import Files
import Wire

/// Rows from several feeds in one order, as they come: a block of each is in memory.
final class ArrivalMerge {
    /// The block of a feed that is being read.
    private struct Cursor {
        let feed: ArrivalFeed
        var block = WireBuffer()
        var offset = 0
        var order: ArrivalOrder?

        init(_ feed: ArrivalFeed) { self.feed = feed }

        /// The next row; its memory is the block's.
        var row: ArrivalRow { block.withUnsafeBytes { ArrivalRow(in: $0, at: offset) } }
    }

    private var cursors: [Cursor]

    init(_ feeds: [ArrivalFeed]) {
        cursors = feeds.map { Cursor($0) }
    }

    /// Calls `body` with each row in the order of ``ArrivalOrder``, until it wants no more.
    func forEachRow(_ body: (ArrivalRow) throws(FileFailure) -> Bool) throws(FileFailure) {
        for index in cursors.indices { try fill(index) }
        while let index = first {
            let row = cursors[index].row
            // The cursor holds the block until its next one is taken.
            guard try body(row) else { return }
            cursors[index].offset += Int(row.head.byteCount)
            try fill(index)
        }
    }

    /// The feed with the next row.
    private var first: Int? {
        var best: Int?
        var least: ArrivalOrder?
        for (index, cursor) in cursors.enumerated() {
            guard let order = cursor.order else { continue }
            if let least, !(order < least) { continue }
            (best, least) = (index, order)
        }
        return best
    }

    /// Looks at a feed's next row, in its next block where this one is read.
    private func fill(_ index: Int) throws(FileFailure) {
        if cursors[index].offset == cursors[index].block.count {
            cursors[index].order = nil
            guard let block = try cursors[index].feed.take() else { return }
            cursors[index].block = block
            cursors[index].offset = 0
        }
        cursors[index].order = ArrivalOrder(cursors[index].row.head)
    }
}
