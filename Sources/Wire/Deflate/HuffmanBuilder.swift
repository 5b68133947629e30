/// Makes length-limited Huffman codes as deflate wants them (RFC 1951, section 3.2.2).
///
/// Scratch memory that is reused; not thread-safe.
struct HuffmanBuilder: ~Copyable {
    /// The most symbols of any alphabet.
    private static let symbolLimit = 288

    /// Symbols in use with their frequencies: `frequency << 16 | symbol`, by rising frequency.
    private let leaves = UnsafeMutablePointer<UInt64>.allocate(capacity: symbolLimit)
    private let spare = UnsafeMutablePointer<UInt64>.allocate(capacity: symbolLimit)
    /// Weights of inner nodes, then their parents, then their depths.
    private let nodes = UnsafeMutablePointer<UInt64>.allocate(capacity: symbolLimit)

    deinit {
        leaves.deallocate()
        spare.deallocate()
        nodes.deallocate()
    }

    /// Writes the length of each symbol's code word, 0 for one that is not used.
    ///
    /// At least two symbols get a code word, so that the code is complete: decoders differ in what
    /// else they accept. Huffman's lengths where the limit allows them, else a repair that costs a
    /// little more than the best.
    ///
    /// - Parameter limit: The longest code word; 2^`limit` ≥ the number of symbols.
    func lengths(
        of frequencies: UnsafeBufferPointer<UInt32>, limit: Int, into lengths: UnsafeMutablePointer<UInt8>
    ) {
        precondition(frequencies.count <= Self.symbolLimit && 1 << limit >= frequencies.count)
        let count = gather(frequencies)
        lengths.update(repeating: 0, count: frequencies.count)
        guard count > 2 else {
            for rank in 0..<count { lengths[Int(leaves[rank] & 0xFFFF)] = 1 }
            return
        }
        sort(count)
        buildTree(count)
        var counts = countDepths(count, limit: limit)
        repair(&counts, limit: limit)
        // The rarest symbols get the longest code words.
        var rank = 0
        for length in stride(from: limit, through: 1, by: -1) {
            for _ in 0..<counts[length] {
                lengths[Int(leaves[rank] & 0xFFFF)] = UInt8(length)
                rank &+= 1
            }
        }
    }

    /// Collects the symbols in use, and one or two others if there are fewer than two.
    private func gather(_ frequencies: UnsafeBufferPointer<UInt32>) -> Int {
        var count = 0
        for symbol in 0..<frequencies.count where frequencies[symbol] > 0 {
            leaves[count] = UInt64(frequencies[symbol]) &<< 16 | UInt64(symbol)
            count &+= 1
        }
        var other = 0
        while count < 2 {
            if frequencies[other] == 0 {
                leaves[count] = UInt64(other)
                count &+= 1
            }
            other &+= 1
        }
        return count
    }

    /// Sorts by frequency, symbols of one frequency by symbol: a radix sort by bytes, of which
    /// there are as many as the greatest frequency has.
    private func sort(_ count: Int) {
        var greatest: UInt64 = 0
        for rank in 0..<count { greatest = max(greatest, leaves[rank]) }
        var shift: UInt64 = 16
        while greatest >> shift > 0 {
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 257) { starts in
                starts.update(repeating: 0)
                for rank in 0..<count { starts[Int(leaves[rank] >> shift & 0xFF) &+ 1] &+= 1 }
                for digit in 1..<257 { starts[digit] &+= starts[digit &- 1] }
                for rank in 0..<count {
                    let digit = Int(leaves[rank] >> shift & 0xFF)
                    spare[starts[digit]] = leaves[rank]
                    starts[digit] &+= 1
                }
            }
            leaves.update(from: spare, count: count)
            shift += 8
        }
    }

    /// Huffman's tree by two queues, leaves and inner nodes, both by rising weight; leaves the
    /// parent of each inner node in ``nodes``. The root is node `count - 2`.
    private func buildTree(_ count: Int) {
        var leaf = 0
        var node = 0
        for made in 0..<count &- 1 {
            var weight: UInt64 = 0
            for _ in 0..<2 {
                if leaf < count, node >= made || leaves[leaf] &>> 16 <= nodes[node] {
                    weight &+= leaves[leaf] &>> 16
                    leaf &+= 1
                } else {
                    weight &+= nodes[node]
                    nodes[node] = UInt64(made)
                    node &+= 1
                }
            }
            nodes[made] = weight
        }
    }

    /// The number of code words of each length; those beyond the limit are counted at the limit.
    private func countDepths(_ count: Int, limit: Int) -> InlineArray<16, Int> {
        var counts = InlineArray<16, Int>(repeating: 0)
        // Of the nodes at a depth, those that are not inner nodes are leaves.
        nodes[count &- 2] = 0
        var depth: UInt64 = 0
        var inner = 1
        var node = count &- 3
        var nodesAtDepth = 2
        while nodesAtDepth > 0 {
            depth &+= 1
            inner = 0
            while node >= 0, nodes[Int(nodes[node])] == depth &- 1 {
                nodes[node] = depth
                inner &+= 1
                node &-= 1
            }
            counts[min(Int(depth), limit)] &+= nodesAtDepth &- inner
            nodesAtDepth = inner &* 2
        }
        return counts
    }

    /// Lengthens code words until they fit under the limit (Kraft's sum is 1).
    private func repair(_ counts: inout InlineArray<16, Int>, limit: Int) {
        var sum = 0
        for length in 1...limit { sum &+= counts[length] &<< (limit &- length) }
        while sum > 1 << limit {
            counts[limit] &-= 1
            var length = limit &- 1
            while counts[length] == 0 { length &-= 1 }
            counts[length] &-= 1
            counts[length &+ 1] &+= 2
            sum &-= 1
        }
    }

    /// Writes each symbol's code word, its first bit lowest, and above it at ``lengthShift`` the
    /// length (RFC 1951, section 3.2.2).
    func codeWords(
        of lengths: UnsafeBufferPointer<UInt8>, into words: UnsafeMutablePointer<UInt32>
    ) {
        var counts = InlineArray<16, UInt32>(repeating: 0)
        for length in lengths { counts[Int(length & 15)] &+= 1 }
        counts[0] = 0
        var next = InlineArray<16, UInt32>(repeating: 0)
        for length in 1..<16 { next[length] = (next[length - 1] &+ counts[length - 1]) &<< 1 }
        for symbol in 0..<lengths.count {
            let length = Int(lengths[symbol] & 15)
            guard length > 0 else {
                words[symbol] = 0
                continue
            }
            words[symbol] =
                UInt32(UInt16(truncatingIfNeeded: next[length]).bitReversed) &>> UInt32(16 &- length)
                | UInt32(length) &<< Self.lengthShift
            next[length] &+= 1
        }
    }

    /// Where a code word's length begins.
    static let lengthShift: UInt32 = 24
}

extension UInt16 {
    /// The bits in the opposite order.
    fileprivate var bitReversed: UInt16 {
        var value = self
        value = value &>> 1 & 0x5555 | (value & 0x5555) &<< 1
        value = value &>> 2 & 0x3333 | (value & 0x3333) &<< 2
        value = value &>> 4 & 0x0F0F | (value & 0x0F0F) &<< 4
        return value.byteSwapped
    }
}
