/// What a block costs in each of the three ways, and the one that needs no code.
extension DeflateBlock {
    /// The most bytes in a stored block.
    private static let storedLimit = 65_535

    /// The bits of the content under the header's codes.
    func contentBits() -> Int {
        let (literals, distances) = (header.literalLengths, header.distanceLengths)
        var bits = extraBits()
        for symbol in 0..<literals.count {
            bits &+= Int(content.literalFrequencies[symbol]) &* Int(literals[symbol])
        }
        for symbol in 0..<distances.count {
            bits &+= Int(content.distanceFrequencies[symbol]) &* Int(distances[symbol])
        }
        return bits
    }

    /// The bits of the content under the fixed codes.
    func fixedBits() -> Int {
        var bits = extraBits()
        for symbol in 0..<DeflateCodes.literalCount {
            bits &+= Int(content.literalFrequencies[symbol]) &* Int(DeflateCodes.fixedLength(symbol))
        }
        for symbol in 0..<DeflateCodes.distanceCount {
            bits &+= Int(content.distanceFrequencies[symbol]) &* 5
        }
        return bits
    }

    private func extraBits() -> Int {
        var bits = 0
        for index in 8..<28 {
            let frequency = Int(content.literalFrequencies[DeflateCodes.firstLength &+ index])
            bits &+= frequency &* DeflateCodes.lengthExtra(index)
        }
        for symbol in 4..<DeflateCodes.distanceCount {
            bits &+= Int(content.distanceFrequencies[symbol]) &* DeflateCodes.distanceExtra(symbol)
        }
        return bits
    }

    /// The most bits of so many bytes as they are: each part has its type and length in front.
    func storedBits(_ count: Int) -> Int {
        let parts = max(1, (count + Self.storedLimit - 1) / Self.storedLimit)
        return (count + parts * 5) * 8
    }

    /// Writes bytes as they are, in as many blocks as they need.
    func writeStored(_ source: UnsafeRawBufferPointer, isFinal: Bool, to writer: inout DeflateBitWriter) {
        var rest = source
        repeat {
            let size = min(rest.count, Self.storedLimit)
            writer.put(isFinal && size == rest.count ? 1 : 0, 1)
            writer.put(0, 2)
            writer.align()
            writer.put(UInt64(size), 16)
            writer.put(UInt64(size) ^ 0xFFFF, 16)
            writer.align()
            if let base = rest.baseAddress { writer.append(base, count: size) }
            rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        } while !rest.isEmpty
    }
}
