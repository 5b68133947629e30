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
    private var places: ContiguousArray<Int32>

    /// Makes an empty queue.
    ///
    /// - Parameter itemCount: Items are numbered from 0 to below this; ``reserve(itemCount:)`` raises it.
    init(itemCount: Int) { places = ContiguousArray(repeating: -1, count: itemCount) }

    var count: Int { entries.count }

    /// The least entry.
    var first: (key: Key, item: UInt32)? { entries.first.map { ($0.key, $0.item) } }

    /// Lets items be numbered up to below `itemCount`.
    mutating func reserve(itemCount: Int) {
        guard itemCount > places.count else { return }
        places.append(contentsOf: repeatElement(-1, count: itemCount - places.count))
    }

    /// The key of an item's entry, if it has one.
    subscript(item: UInt32) -> Key? {
        let place = places[Int(item)]
        return place < 0 ? nil : entries[Int(place)].key
    }

    /// Enters an item, or moves it where it is entered. O(log n).
    mutating func set(_ item: UInt32, _ key: Key) {
        let entry = Entry(key: key, item: item)
        let place = Int(places[Int(item)])
        if place < 0 {
            entries.append(entry)
            rise(entry, from: entries.count - 1)
        } else if entry < entries[place] {
            rise(entry, from: place)
        } else {
            sink(entry, from: place)
        }
    }

    /// Takes an item out, if it is entered. O(log n).
    mutating func remove(_ item: UInt32) {
        let place = Int(places[Int(item)])
        guard place >= 0, let last = entries.popLast() else { return }
        places[Int(item)] = -1
        guard place < entries.count else { return }
        if last < entries[place] || place > 0 && last < entries[(place - 1) / 4] {
            rise(last, from: place)
        } else {
            sink(last, from: place)
        }
    }

    /// Lets an entry take the place of those above it that come after it.
    private mutating func rise(_ entry: Entry, from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 4
            guard entry < entries[parent] else { break }
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    /// Lets an entry take the place of those below it that come before it.
    private mutating func sink(_ entry: Entry, from start: Int) {
        var place = start
        while true {
            let child = place * 4 + 1
            guard child < entries.count else { break }
            var least = child
            for other in child + 1..<max(child + 1, min(child + 4, entries.count))
            where entries[other] < entries[least] {
                least = other
            }
            guard entries[least] < entry else { break }
            put(entries[least], at: place)
            place = least
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        places[Int(entry.item)] = Int32(truncatingIfNeeded: place)
    }
}
