/// Copies texts with a byte in front of each of some others, eight bytes at a time: quotes within quotes.
///
/// Bytes are found as in Hacker's Delight (2nd edition, 6–1), by sums that carry from no byte into the next: each mark is
/// exact, not only the lowest.
enum MarkedCopy {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let low: UInt64 = ones &* 0x7F
    private static let high: UInt64 = ones &* 0x80

    /// The highest bit of each byte that is not this one; the other bits mean nothing.
    @inline(__always)
    static func others(than byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ ones &* UInt64(byte)
        return ((difference & low) &+ low) | difference
    }

    /// The highest bit of each byte that is no control character of ASCII below the space.
    @inline(__always)
    static func printable(in word: UInt64) -> UInt64 { ((word & low) &+ ones &* 0x60) | word }

    /// The bytes that `others` leaves out, by their highest bits.
    @inline(__always)
    static func marks(_ others: UInt64) -> UInt64 { ~others & high }

    /// Copies whole words of a text.
    ///
    /// - Parameters:
    ///   - memory: Room for twice as many bytes as the text has, and eight.
    ///   - mark: What is put in front of the bytes that are found.
    ///   - find: The bytes to find in a word, by their highest bits; `nil` ends the copy before the word.
    /// - Returns: how many bytes of the text were taken, and how many were written. What is left are fewer than eight, or
    ///   begins with the word that ended the copy.
    @inline(__always)
    static func copy(
        _ text: UnsafeRawBufferPointer, to memory: UnsafeMutableRawPointer, mark: UInt8,
        find: (UInt64) -> UInt64?
    ) -> (taken: Int, written: Int) {
        guard let source = text.baseAddress else { return (0, 0) }
        var index = 0
        var output = memory
        while index &+ 8 <= text.count {
            let word = UInt64(
                littleEndian: source.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            guard var marks = find(word) else { break }
            // Written whole: what is not to be there is written over.
            output.storeBytes(of: word.littleEndian, as: UInt64.self)
            while marks != 0 {
                let offset = marks.trailingZeroBitCount >> 3
                output.storeBytes(of: mark, toByteOffset: offset, as: UInt8.self)
                output += 1
                let rest = word >> UInt64(truncatingIfNeeded: offset &* 8)
                output.storeBytes(of: rest.littleEndian, toByteOffset: offset, as: UInt64.self)
                marks &= marks &- 1
            }
            index &+= 8
            output += 8
        }
        return (index, output - memory)
    }
}
