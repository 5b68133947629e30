/// A match: so many bytes are the same as so many bytes before.
struct DeflateMatch {
    var length: Int
    var distance: Int

    /// Shorter than any match that is worth its bits.
    static let none = DeflateMatch(length: 3, distance: 0)

    /// Whether there is a match.
    var isFound: Bool { distance > 0 }
}

/// The input of a deflate stream, and the memory of where its strings were seen.
///
/// Plain values and pointers, so that the loops over it keep everything in registers. Positions are
/// offsets into the input; the tables hold them plus `base`, which grows from input to input.
/// What earlier inputs left behind is below `base` and thereby no position at all, so nothing is
/// cleared in between. Nor does a match rely on the tables: its bytes are compared.
// Unsafe memory: `source` is read at offsets from 0 to `count - 1`. `word` and `halfWord` read 8 and
// 4 bytes from a position on; each caller says why they end within the input. The tables are
// indexed by a hash of `hashBits` bits and by a position modulo their size.
struct DeflateWindow {
    /// The bytes from a position on that ``insert(_:)`` and ``search(_:depth:longerThan:)`` read.
    static let reach = 8
    /// The bytes from a position on that ``resume(_:distance:)`` reads.
    static let resumeReach = 24
    private static let hashBits: UInt64 = 15
    static let headCount = 1 << hashBits
    static let linkCount = DeflateCodes.longestDistance

    let source: UnsafeRawPointer
    let count: Int
    let base: Int
    /// By hash: the latest position with it.
    let heads: UnsafeMutablePointer<UInt32>
    /// By position, modulo: the one before it with the same hash.
    let links: UnsafeMutablePointer<UInt32>

    @inline(__always)
    func word(_ position: Int) -> UInt64 {
        UInt64(littleEndian: source.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    @inline(__always)
    func halfWord(_ position: Int) -> UInt32 {
        source.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    }

    @inline(__always)
    func byte(_ position: Int) -> UInt8 { source.load(fromByteOffset: position, as: UInt8.self) }

    /// A hash of five bytes: the factor's shift drops the word's other three.
    @inline(__always)
    private func hash(_ position: Int) -> Int {
        let product = word(position) &* (0x9E37_79B1_85EB_CA87 &<< 24)
        return Int(truncatingIfNeeded: product &>> (64 &- Self.hashBits))
    }

    /// Makes a position known; `position + reach` ≤ `count`.
    @inline(__always)
    func insert(_ position: Int) {
        let hash = hash(position)
        links[position & (Self.linkCount &- 1)] = heads[hash]
        heads[hash] = UInt32(truncatingIfNeeded: base &+ position)
    }

    /// How many bytes from two positions on are the same: 0 to the longest match.
    @inline(__always)
    func common(_ position: Int, _ earlier: Int) -> Int {
        // The words end within the limit, and that within the input.
        let limit = min(DeflateCodes.longestMatch, count &- position)
        var length = 0
        while length &+ 8 <= limit {
            let difference = word(position &+ length) ^ word(earlier &+ length)
            if difference != 0 { return length &+ difference.trailingZeroBitCount &>> 3 }
            length &+= 8
        }
        while length < limit, byte(position &+ length) == byte(earlier &+ length) { length &+= 1 }
        return length
    }

    /// Looks among the latest `depth` positions with the same hash for a match longer than `best`,
    /// and makes the position known; `position + reach` ≤ `count`.
    ///
    /// - Precondition: `best.length` ≥ 3, and it does not reach the end of the input.
    @inline(__always)
    func search(_ position: Int, depth: Int, longerThan best: inout DeflateMatch) {
        let hash = hash(position)
        var stored = heads[hash]
        links[position & (Self.linkCount &- 1)] = stored
        heads[hash] = UInt32(truncatingIfNeeded: base &+ position)
        let limit = UInt(bitPattern: min(position, DeflateCodes.longestDistance))
        var left = depth
        while true {
            let earlier = Int(truncatingIfNeeded: stored) &- base
            // One comparison for "before this position" and "not too far before".
            guard UInt(bitPattern: position &- 1 &- earlier) < limit else { return }
            // Only a longer match has the next byte in common: `position + best.length` is within
            // the input, see above.
            let last = best.length &- 3
            if halfWord(position &+ last) == halfWord(earlier &+ last) {
                let length = common(position, earlier)
                if length > best.length {
                    best = DeflateMatch(length: length, distance: position &- earlier)
                    if isLongest(best, at: position) { return }
                }
            }
            left &-= 1
            if left == 0 { return }
            stored = links[earlier & (Self.linkCount &- 1)]
        }
    }

    /// Whether no match at a position can be longer.
    @inline(__always)
    func isLongest(_ match: DeflateMatch, at position: Int) -> Bool {
        match.length == DeflateCodes.longestMatch || position &+ match.length == count
    }

    /// The offset from a position on, below 17, from which eight bytes are the same as at a distance
    /// before; at least 64 if there is none. `position + resumeReach` ≤ `count`.
    @inline(__always)
    func resume(_ position: Int, distance: Int) -> Int {
        var equal = equalBytes(position, distance)
        equal |= equalBytes(position &+ 8, distance) &<< 8
        equal |= equalBytes(position &+ 16, distance) &<< 16
        equal &= equal &>> 1
        equal &= equal &>> 2
        equal &= equal &>> 4
        return equal.trailingZeroBitCount
    }

    /// Bit n tells whether byte n of eight is the same as at a distance before.
    @inline(__always)
    private func equalBytes(_ position: Int, _ distance: Int) -> UInt64 {
        let difference = word(position) ^ word(position &- distance)
        // The upper bit of each byte that is zero; the multiplication then gathers the eight.
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let equal = ~((difference & low) &+ low | difference | low)
        return (equal &>> 7 &* 0x0102_0408_1020_4080) &>> 56
    }
}
