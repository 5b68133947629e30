/// A priority queue of numbered items, each at most once, the least key first: a 4-ary heap that knows where
/// each item is, so that an item is moved or taken out in O(log n) and nothing stale is left behind.
///
/// Items with equal keys come by their numbers.
struct IndexedHeap<Key: Comparable> {
    private struct Entry {
        var key: Key
        var item: UInt32

        static func < (left: Entry, right: Entry) -> Bool {
            left.key != right.key ? left.key < right.key : left.item < right.item
        }
    }

    private var entries: ContiguousArray<Entry> = []
    /// Where each item's entry is; -1 for none.
    private var positions: ContiguousArray<Int32>

    /// Makes an empty queue.
    ///
    /// - Parameter itemCount: Items are numbered from 0 to below this; ``reserve(itemCount:)`` raises it.
    init(itemCount: Int) { positions = ContiguousArray(repeating: -1, count: itemCount) }

    var count: Int { entries.count }

    /// The least entry.
    var first: (key: Key, item: UInt32)? { entries.first.map { ($0.key, $0.item) } }

    /// Lets items be numbered up to below `itemCount`.
    mutating func reserve(itemCount: Int) {
        guard itemCount > positions.count else { return }
        positions.append(contentsOf: repeatElement(-1, count: itemCount - positions.count))
    }

    /// The key of an item's entry, if it has one.
    subscript(item: UInt32) -> Key? {
        let position = positions[Int(item)]
        return position < 0 ? nil : entries[Int(position)].key
    }

    /// Enters an item, or moves it where it is entered. O(log n).
    mutating func set(_ item: UInt32, _ key: Key) {
        let entry = Entry(key: key, item: item)
        let position = Int(positions[Int(item)])
        if position < 0 {
            entries.append(entry)
            rise(entry, from: entries.count - 1)
        } else if entry < entries[position] {
            rise(entry, from: position)
        } else {
            sink(entry, from: position)
        }
    }

    /// Takes an item out, if it is entered. O(log n).
    mutating func remove(_ item: UInt32) {
        let position = Int(positions[Int(item)])
        guard position >= 0, let last = entries.popLast() else { return }
        positions[Int(item)] = -1
        guard position < entries.count else { return }
        if last < entries[position] || position > 0 && last < entries[(position - 1) / 4] {
            rise(last, from: position)
        } else {
            sink(last, from: position)
        }
    }

    /// Lets an entry take the place of those above it that come after it.
    private mutating func rise(_ entry: Entry, from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 4
            guard entry < entries[parent] else { break }
            put(entries[parent], at: position)
            position = parent
        }
        put(entry, at: position)
    }

    /// Lets an entry take the place of those below it that come before it.
    private mutating func sink(_ entry: Entry, from start: Int) {
        var position = start
        while true {
            let child = position * 4 + 1
            guard child < entries.count else { break }
            var least = child
            for other in child + 1..<max(child + 1, min(child + 4, entries.count))
            where entries[other] < entries[least] {
                least = other
            }
            guard entries[least] < entry else { break }
            put(entries[least], at: position)
            position = least
        }
        put(entry, at: position)
    }

    private mutating func put(_ entry: Entry, at position: Int) {
        entries[position] = entry
        positions[Int(entry.item)] = Int32(truncatingIfNeeded: position)
    }
}
