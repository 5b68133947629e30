/// A set of event ids at about one bit each, in a growing bitmap per device.
///
/// Ids come from the network, so a hostile one must not cost memory: the bitmap grows only while its
/// words stay within a budget that is proportional to the number of ids held; what lies beyond (device
/// 4,000,000,000, or sequence 4,000,000,000 of device 0) goes to a sparse set.
package struct EventBitmap: Sendable {
    /// One bit per sequence of the device with the array's index, lowest bit first.
    private var words: [[UInt64]] = []
    /// Ids that the budget kept out of the bitmap.
    private var sparse: Set<EventID> = []
    /// Words in use, the table of devices included.
    private(set) var usedWords = 0
    /// The number of ids in the set.
    package private(set) var count = 0

    /// Words that are free to use: 32 MiB.
    private static let freeWords = 1 << 22
    /// Words that each further id may add: 128 bytes.
    private static let wordsPerID = 16

    /// Makes an empty set.
    package init() {}

    /// Adds an id.
    ///
    /// - Returns: `true` if the id was not in the set before.
    /// - Complexity: O(1) amortised.
    package mutating func insert(_ id: EventID) -> Bool {
        let device = Int(id.device)
        let word = Int(id.sequence >> 6)
        let bit: UInt64 = 1 << UInt64(id.sequence & 63)
        if !sparse.isEmpty, sparse.contains(id) { return false }
        guard grow(device: device, word: word) else {
            sparse.insert(id)
            count += 1
            return true
        }
        guard words[device][word] & bit == 0 else { return false }
        words[device][word] |= bit
        count += 1
        return true
    }

    /// Takes an id out.
    ///
    /// - Returns: `true` if it was in the set.
    package mutating func remove(_ id: EventID) -> Bool {
        guard contains(id) else { return false }
        count -= 1
        if sparse.remove(id) == nil {
            words[Int(id.device)][Int(id.sequence >> 6)] &= ~(1 << UInt64(id.sequence & 63))
        }
        return true
    }

    /// Whether the id is in the set.
    package func contains(_ id: EventID) -> Bool {
        let device = Int(id.device)
        let word = Int(id.sequence >> 6)
        if device < words.count, word < words[device].count,
            words[device][word] & (1 << UInt64(id.sequence & 63)) != 0
        {
            return true
        }
        return !sparse.isEmpty && sparse.contains(id)
    }

    /// Calls `body` with each id in ascending order.
    ///
    /// - Complexity: O(words + s log s) with s ids in the sparse set.
    package func forEach(_ body: (EventID) -> Void) {
        let outside = sparse.sorted()
        var next = 0
        for device in words.indices {
            for (index, word) in words[device].enumerated() {
                var rest = word
                while rest != 0 {
                    let sequence = UInt32(index << 6 + rest.trailingZeroBitCount)
                    let id = EventID(device: UInt32(device), sequence: sequence)
                    while next < outside.count, outside[next] < id {
                        body(outside[next])
                        next += 1
                    }
                    body(id)
                    rest &= rest - 1
                }
            }
        }
        for id in outside[next...] { body(id) }
    }

    /// Adds every id of another set.
    package mutating func formUnion(_ other: EventBitmap) {
        other.forEach { _ = insert($0) }
    }

    /// Makes room for a word of a device, if the budget allows.
    private mutating func grow(device: Int, word: Int) -> Bool {
        if device < words.count, word < words[device].count { return true }
        let known = device < words.count
        let added = (known ? word + 1 - words[device].count : device - words.count + word + 2)
        guard usedWords + added <= EventBitmap.freeWords + EventBitmap.wordsPerID * (count + 1) else {
            return false
        }
        if !known { words.append(contentsOf: repeatElement([], count: device + 1 - words.count)) }
        let missing = word + 1 - words[device].count
        words[device].append(contentsOf: repeatElement(0, count: missing))
        usedWords += added
        return true
    }
}

extension EventBitmap: Equatable {
    /// Two sets are equal when they hold the same ids, wherever each keeps them.
    package static func == (left: EventBitmap, right: EventBitmap) -> Bool {
        guard left.count == right.count else { return false }
        var equal = true
        left.forEach { if !right.contains($0) { equal = false } }
        return equal
    }
}
