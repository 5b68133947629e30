/// The code lengths of a block and how they are sent (RFC 1951, section 3.2.7).
struct DeflateHeader: ~Copyable {
    /// Symbols of the fixed code for literals and lengths: two more than are used.
    static let literalLimit = 288

    /// Lengths of the literals' code words, then of the distances': one text, as it is sent.
    private let lengths = UnsafeMutablePointer<UInt8>.allocate(capacity: literalLimit + 32)
    private var literalCount = 0
    private var distanceCount = 0
    /// That text in symbols, the extra bits above them.
    private let items = UnsafeMutablePointer<UInt16>.allocate(capacity: literalLimit + 32)
    private var itemCount = 0
    private let itemFrequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateCodes.headerCount)
    private let itemLengths = UnsafeMutablePointer<UInt8>.allocate(capacity: DeflateCodes.headerCount)
    private let itemWords = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateCodes.headerCount)
    /// How many of the symbols' own lengths are sent.
    private var orderCount = 0
    /// Bits of the header, without the block's type.
    private(set) var bits = 0

    /// Where an item's extra bits begin.
    private static let extraShift = 5
    private static let itemLimit = 7

    init() {}

    deinit {
        lengths.deallocate()
        items.deallocate()
        itemFrequencies.deallocate()
        itemLengths.deallocate()
        itemWords.deallocate()
    }

    /// The lengths of literals' and lengths' code words, as far as they are sent.
    var literalLengths: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: lengths, count: literalCount)
    }

    /// The lengths of distances' code words, as far as they are sent.
    var distanceLengths: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: lengths + literalCount, count: distanceCount)
    }

    /// Makes codes for frequencies, and the header that tells them.
    mutating func make(
        literals: UnsafePointer<UInt32>, limit literalLimit: Int, distances: UnsafePointer<UInt32>,
        limit distanceLimit: Int, _ huffman: borrowing HuffmanBuilder
    ) {
        huffman.lengths(
            of: UnsafeBufferPointer(start: literals, count: DeflateCodes.literalCount), limit: literalLimit,
            into: lengths)
        literalCount = DeflateCodes.literalCount
        while literalCount > DeflateCodes.firstLength, lengths[literalCount - 1] == 0 { literalCount -= 1 }
        huffman.lengths(
            of: UnsafeBufferPointer(start: distances, count: DeflateCodes.distanceCount),
            limit: distanceLimit, into: lengths + literalCount)
        distanceCount = DeflateCodes.distanceCount
        while distanceCount > 1, lengths[literalCount + distanceCount - 1] == 0 { distanceCount -= 1 }
        pack()
        huffman.lengths(
            of: UnsafeBufferPointer(start: itemFrequencies, count: DeflateCodes.headerCount),
            limit: Self.itemLimit, into: itemLengths)
        orderCount = DeflateCodes.headerCount
        while orderCount > 4, itemLengths[DeflateCodes.headerOrder[orderCount - 1]] == 0 { orderCount -= 1 }
        bits = 14 + 3 * orderCount
        for symbol in 0..<DeflateCodes.headerCount {
            let size = Int(itemLengths[symbol]) + DeflateCodes.headerExtra(symbol)
            bits += Int(itemFrequencies[symbol]) * size
        }
    }

    /// Takes the codes of a block with fixed codes, which has no header.
    mutating func makeFixed() {
        literalCount = Self.literalLimit
        for symbol in 0..<literalCount { lengths[symbol] = DeflateCodes.fixedLength(symbol) }
        distanceCount = DeflateCodes.distanceCount
        (lengths + literalCount).update(repeating: 5, count: distanceCount)
    }

    /// Writes the header.
    func write(_ huffman: borrowing HuffmanBuilder, to writer: inout DeflateBitWriter) {
        writer.put(UInt64(literalCount - DeflateCodes.firstLength), 5)
        writer.put(UInt64(distanceCount - 1), 5)
        writer.put(UInt64(orderCount - 4), 4)
        writer.flush()
        for index in 0..<orderCount {
            writer.put(UInt64(itemLengths[DeflateCodes.headerOrder[index]]), 3)
            writer.flush()
        }
        huffman.codeWords(
            of: UnsafeBufferPointer(start: itemLengths, count: DeflateCodes.headerCount), into: itemWords)
        for index in 0..<itemCount {
            let symbol = Int(items[index]) & (1 << Self.extraShift - 1)
            writer.put(itemWords[symbol])
            writer.put(
                UInt64(items[index]) >> UInt64(Self.extraShift), UInt64(DeflateCodes.headerExtra(symbol)))
            writer.flush()
        }
    }

    /// Cuts the lengths into symbols, runs of the same length together.
    private mutating func pack() {
        itemFrequencies.update(repeating: 0, count: DeflateCodes.headerCount)
        itemCount = 0
        let count = literalCount + distanceCount
        var index = 0
        while index < count {
            let length = lengths[index]
            var run = 1
            while index &+ run < count, lengths[index &+ run] == length { run &+= 1 }
            index &+= run
            if length == 0 {
                pack(&run, DeflateCodes.manyZeros, shortest: 11, longest: 138)
                pack(&run, DeflateCodes.fewZeros, shortest: 3, longest: 10)
            } else {
                add(Int(length))
                run &-= 1
                pack(&run, DeflateCodes.repeatLength, shortest: 3, longest: 6)
            }
            for _ in 0..<run { add(Int(length)) }
        }
    }

    /// Takes as much of a run as one symbol can tell.
    @inline(__always)
    private mutating func pack(_ run: inout Int, _ symbol: Int, shortest: Int, longest: Int) {
        while run >= shortest {
            let part = min(run, longest)
            add(symbol, extra: part &- shortest)
            run &-= part
        }
    }

    @inline(__always)
    private mutating func add(_ symbol: Int, extra: Int = 0) {
        items[itemCount] = UInt16(truncatingIfNeeded: symbol | extra &<< Self.extraShift)
        itemFrequencies[symbol] &+= 1
        itemCount &+= 1
    }
}
