/// Literals, and the match behind them.
struct DeflateSequence {
    var literals: UInt32
    /// 0 for none, behind a block's last literals.
    var length: UInt16
    /// 0 to 32,767.
    var distanceLessOne: UInt16
}

/// What a block stands for, and how often each symbol is needed.
///
/// Plain values and pointers, which a parser keeps in registers; the memory belongs to the block.
// Unsafe memory: each table has a slot for every symbol of its alphabet; `hasRoom` is asked before
// each sequence, and the last slot is kept for `end`.
struct DeflateContent {
    static let sequenceLimit = 1 << 14

    let sequences = UnsafeMutablePointer<DeflateSequence>.allocate(capacity: sequenceLimit)
    private(set) var count = 0
    let literalFrequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateCodes.literalCount)
    let distanceFrequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateCodes.distanceCount)

    func deallocate() {
        sequences.deallocate()
        literalFrequencies.deallocate()
        distanceFrequencies.deallocate()
    }

    /// Whether another sequence fits, and the literals at the end.
    @inline(__always)
    var hasRoom: Bool { count < Self.sequenceLimit &- 1 }

    mutating func removeAll() {
        count = 0
        literalFrequencies.update(repeating: 0, count: DeflateCodes.literalCount)
        distanceFrequencies.update(repeating: 0, count: DeflateCodes.distanceCount)
    }

    /// Adds the bytes from `literals` up to a position as literals, and a match there.
    @inline(__always)
    mutating func add(_ window: DeflateWindow, literals: Int, upTo position: Int, _ match: DeflateMatch) {
        note(window, from: literals, upTo: position)
        let lengthSymbol = DeflateCodes.firstLength &+ DeflateCodes.lengthSymbol(match.length).index
        literalFrequencies[lengthSymbol] &+= 1
        distanceFrequencies[DeflateCodes.distanceSymbol(lessOne: match.distance &- 1).symbol] &+= 1
        sequences[count] = DeflateSequence(
            literals: UInt32(truncatingIfNeeded: position &- literals),
            length: UInt16(truncatingIfNeeded: match.length),
            distanceLessOne: UInt16(truncatingIfNeeded: match.distance &- 1))
        count &+= 1
    }

    /// Adds the last literals, if there are any.
    @inline(__always)
    mutating func end(_ window: DeflateWindow, literals: Int, upTo position: Int) {
        guard literals < position else { return }
        note(window, from: literals, upTo: position)
        sequences[count] = DeflateSequence(
            literals: UInt32(position - literals), length: 0, distanceLessOne: 0)
        count &+= 1
    }

    @inline(__always)
    private func note(_ window: DeflateWindow, from start: Int, upTo end: Int) {
        var position = start
        while position < end {
            literalFrequencies[Int(window.byte(position))] &+= 1
            position &+= 1
        }
    }
}

/// A block of a deflate stream: writes its content in the shortest of the format's three ways
/// (RFC 1951, section 3.2.3).
struct DeflateBlock: ~Copyable {
    /// The most input in a block, but for the end of its last match. Long enough for a batch of
    /// events, short enough that the codes follow a change of content.
    static let byteLimit = 1 << 17
    /// The longest literal's or length's code word. One bit less than the format allows, so that the
    /// writer takes four of them between two flushes.
    private static let literalLimit = 14
    private static let distanceLimit = 15

    var content = DeflateContent()
    var header = DeflateHeader()
    private let literalWords = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateHeader.literalLimit)
    private let distanceWords = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateCodes.distanceCount)
    /// For each length of a match from 3 on, its code word with the extra bits.
    private let matchWords = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
    private let huffman = HuffmanBuilder()

    init() { content.removeAll() }

    deinit {
        content.deallocate()
        literalWords.deallocate()
        distanceWords.deallocate()
        matchWords.deallocate()
    }

    /// Writes the block and begins the next.
    ///
    /// - Parameters:
    ///   - source: The bytes that the block stands for.
    ///   - isFinal: Whether it ends the stream.
    mutating func write(_ source: UnsafeRawBufferPointer, isFinal: Bool, to writer: inout DeflateBitWriter) {
        content.literalFrequencies[DeflateCodes.endOfBlock] = 1
        header.make(
            literals: content.literalFrequencies, limit: Self.literalLimit,
            distances: content.distanceFrequencies,
            limit: Self.distanceLimit, huffman)
        let dynamic = header.bits + contentBits()
        let fixed = fixedBits()
        let stored = storedBits(source.count)
        if stored <= min(dynamic, fixed) {
            writeStored(source, isFinal: isFinal, to: &writer)
        } else {
            if fixed < dynamic { header.makeFixed() }
            writer.put(isFinal ? 1 : 0, 1)
            writer.put(fixed < dynamic ? 1 : 2, 2)
            if fixed >= dynamic { header.write(huffman, to: &writer) }
            writer.flush()
            makeWords()
            writeContent(source, to: &writer)
        }
        content.removeAll()
    }

    private func makeWords() {
        huffman.codeWords(of: header.literalLengths, into: literalWords)
        huffman.codeWords(of: header.distanceLengths, into: distanceWords)
        let known = header.literalLengths.count
        for length in DeflateCodes.shortestMatch...DeflateCodes.longestMatch {
            let (index, extra) = DeflateCodes.lengthSymbol(length)
            guard DeflateCodes.firstLength &+ index < known else { return }
            let word = literalWords[DeflateCodes.firstLength &+ index]
            let value = UInt32(truncatingIfNeeded: length &- DeflateCodes.shortestMatch)
            let rest = value & (1 &<< UInt32(truncatingIfNeeded: extra) &- 1)
            // The length of the code word is in the top byte; the longest match's value has no rest.
            let size = word &>> HuffmanBuilder.lengthShift
            matchWords[length &- DeflateCodes.shortestMatch] =
                (word | rest &<< size) &+ UInt32(truncatingIfNeeded: extra) &<< HuffmanBuilder.lengthShift
        }
    }

    private func writeContent(_ source: UnsafeRawBufferPointer, to output: inout DeflateBitWriter) {
        // The sequences stand for exactly the bytes of `source`.
        guard let base = source.baseAddress else { return writeEnd(to: &output) }
        var writer = output
        var next = base.assumingMemoryBound(to: UInt8.self)
        let (literalWords, distanceWords, matchWords) = (literalWords, distanceWords, matchWords)
        let sequences = content.sequences
        for index in 0..<content.count {
            let sequence = sequences[index]
            var left = sequence.literals
            while left >= 4 {
                for offset in 0..<4 { writer.put(literalWords[Int(next[offset])]) }
                writer.flush()
                next += 4
                left &-= 4
            }
            while left > 0 {
                writer.put(literalWords[Int(next[0])])
                next += 1
                left &-= 1
            }
            writer.flush()
            guard sequence.length > 0 else { continue }
            // At most 14 + 5 + 15 + 13 bits.
            writer.put(matchWords[Int(sequence.length) &- DeflateCodes.shortestMatch])
            let (symbol, extra) = DeflateCodes.distanceSymbol(lessOne: Int(sequence.distanceLessOne))
            writer.put(distanceWords[symbol])
            let size = UInt64(truncatingIfNeeded: extra)
            writer.put(UInt64(sequence.distanceLessOne) & (1 &<< size &- 1), size)
            writer.flush()
            next += Int(sequence.length)
        }
        output = writer
        writeEnd(to: &output)
    }

    private func writeEnd(to writer: inout DeflateBitWriter) {
        writer.put(literalWords[DeflateCodes.endOfBlock])
        writer.flush()
    }
}
