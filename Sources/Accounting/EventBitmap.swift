/// A set of event ids at about one bit each, in a growing bitmap per device.
///
/// The first word of each device lies in one array for all: most devices of a large fleet never need another, and a set of
/// their events takes one access to memory each.
///
/// Ids come from the network, so a hostile one must not cost memory: the bitmap grows only while its
/// words stay within a budget that is proportional to the number of ids held; what lies beyond (device
/// 4,000,000,000, or sequence 4,000,000,000 of device 0) goes to a sparse set.
package struct EventBitmap: Sendable {
    /// Of the device with the array's index, one bit for each of the sequences below 64, lowest bit first.
    private var firstWords: [UInt64] = []
    /// Likewise the words of the sequences from 64 on; shorter than ``firstWords`` where no device behind has any.
    private var moreWords: [[UInt64]] = []
    /// Ids that the budget kept out of the bitmap.
    private var sparse: Set<EventID> = []
    /// Words in use, the tables of devices included.
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
        let isNewID = word == 0 ? firstWords[device].set(bit) : moreWords[device][word - 1].set(bit)
        if isNewID { count += 1 }
        return isNewID
    }

    /// Takes an id out.
    ///
    /// - Returns: `true` if it was in the set.
    package mutating func remove(_ id: EventID) -> Bool {
        guard contains(id) else { return false }
        count -= 1
        guard sparse.remove(id) == nil else { return true }
        let bit: UInt64 = 1 << UInt64(id.sequence & 63)
        if id.sequence < 64 {
            firstWords[Int(id.device)] &= ~bit
        } else {
            moreWords[Int(id.device)][Int(id.sequence >> 6) - 1] &= ~bit
        }
        return true
    }

    /// Whether the id is in the set.
    package func contains(_ id: EventID) -> Bool {
        let word = word(Int(id.sequence >> 6), of: Int(id.device))
        return word & (1 << UInt64(id.sequence & 63)) != 0 || !sparse.isEmpty && sparse.contains(id)
    }

    /// A word of a device; 0 where there is none.
    private func word(_ word: Int, of device: Int) -> UInt64 {
        guard word > 0 else { return device < firstWords.count ? firstWords[device] : 0 }
        guard device < moreWords.count, word <= moreWords[device].count else { return 0 }
        return moreWords[device][word - 1]
    }

    /// Calls `body` with each id in ascending order.
    ///
    /// - Complexity: O(words + s log s) with s ids in the sparse set.
    package func forEach(_ body: (EventID) -> Void) {
        let outside = sparse.sorted()
        var next = 0
        for device in firstWords.indices {
            for index in 0..<wordCount(of: device) {
                var rest = word(index, of: device)
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

    private func wordCount(of device: Int) -> Int {
        device < moreWords.count ? 1 + moreWords[device].count : 1
    }

    /// Makes room for a word of a device, if the budget allows.
    @inline(__always)
    private mutating func grow(device: Int, word: Int) -> Bool {
        if device < firstWords.count, word == 0 || word < wordCount(of: device) { return true }
        return growSlowly(device: device, word: word)
    }

    @inline(never)
    private mutating func growSlowly(device: Int, word: Int) -> Bool {
        let newDevices = max(0, device + 1 - firstWords.count)
        let newLists = word > 0 ? max(0, device + 1 - moreWords.count) : 0
        let newWords = device < firstWords.count ? word + 1 - wordCount(of: device) : word
        let added = newDevices + newLists + newWords
        guard usedWords + added <= EventBitmap.freeWords + EventBitmap.wordsPerID * (count + 1) else {
            return false
        }
        firstWords.append(contentsOf: repeatElement(0, count: newDevices))
        moreWords.append(contentsOf: repeatElement([], count: newLists))
        if newWords > 0 { moreWords[device].append(contentsOf: repeatElement(0, count: newWords)) }
        usedWords += added
        return true
    }
}

extension UInt64 {
    /// Sets a bit.
    ///
    /// - Returns: Whether it was not set before.
    fileprivate mutating func set(_ bit: UInt64) -> Bool {
        defer { self |= bit }
        return self & bit == 0
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
