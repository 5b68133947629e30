/// The alphabets of deflate (RFC 1951, sections 3.2.5 to 3.2.7).
enum DeflateCodes {
    static let shortestMatch = 3
    static let longestMatch = 258
    static let longestDistance = 32_768

    /// Symbols for literals, the end of a block, and lengths.
    static let literalCount = 286
    static let distanceCount = 30
    static let endOfBlock = 256
    /// The symbol of the shortest match; the index of a length's symbol counts from here.
    static let firstLength = 257

    /// The index of a match length's symbol, and the number of its extra bits.
    @inline(__always)
    static func lengthSymbol(_ length: Int) -> (index: Int, extra: Int) {
        let value = length &- shortestMatch
        if value < 8 { return (value, 0) }
        if length == longestMatch { return (28, 0) }
        // The two bits below the highest one belong to the symbol, the rest is extra.
        let extra = Int.bitWidth &- 3 &- value.leadingZeroBitCount
        return (4 &* extra &+ value &>> extra, extra)
    }

    /// The symbol of a distance less one, and the number of its extra bits.
    @inline(__always)
    static func distanceSymbol(lessOne value: Int) -> (symbol: Int, extra: Int) {
        if value < 2 { return (value, 0) }
        // The bit below the highest one belongs to the symbol, the rest is extra.
        let extra = Int.bitWidth &- 2 &- value.leadingZeroBitCount
        return (2 &* extra &+ value &>> extra, extra)
    }

    /// The number of extra bits of a length's symbol, by its index.
    static func lengthExtra(_ index: Int) -> Int { index < 8 || index == 28 ? 0 : index / 4 - 1 }

    /// The number of extra bits of a distance's symbol.
    static func distanceExtra(_ symbol: Int) -> Int { symbol < 2 ? 0 : symbol / 2 - 1 }

    /// The length of a literal's or length's code word in a block with fixed codes.
    static func fixedLength(_ symbol: Int) -> UInt8 {
        switch symbol {
        case ..<144: 8
        case ..<256: 9
        case ..<280: 7
        default: 8
        }
    }

    /// The symbols of the code in which the other codes' lengths are sent: 0 to 15 are lengths, the
    /// rest repeats.
    static let headerCount = 19
    /// Repeats the length before 3 to 6 times.
    static let repeatLength = 16
    /// 3 to 10 zeros.
    static let fewZeros = 17
    /// 11 to 138 zeros.
    static let manyZeros = 18

    /// The order in which the lengths of that code's own words are sent.
    static let headerOrder: InlineArray<19, Int> = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    /// The number of extra bits of one of that code's symbols.
    static func headerExtra(_ symbol: Int) -> Int {
        switch symbol {
        case repeatLength: 2
        case fewZeros: 3
        case manyZeros: 7
        default: 0
        }
    }
}
