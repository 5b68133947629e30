/// A deflate compressor (RFC 1951) for inputs that repeat themselves at length, such as batches of
/// events; to be made once and used for every body.
///
/// Takes any input. Not thread-safe; one per thread, about 450 kB.
package final class DeflateEncoder {
    package let effort: DeflateEffort

    private var block = DeflateBlock()
    private let heads = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateWindow.headCount)
    private let links = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateWindow.linkCount)
    private let digits = UnsafeMutablePointer<UInt32>.allocate(capacity: DeflateGuidedParser.digitsCount)
    /// What the next input's positions count from in the tables. Not 0, which stands for nothing.
    private var base: Int
    /// Longer inputs are cut into parts that know nothing of each other, so that the tables' numbers
    /// suffice.
    private let partLimit: Int

    /// - Parameter effort: How much work goes into small output.
    package convenience init(_ effort: DeflateEffort = .small) {
        self.init(effort, base: 1, partLimit: 1 << 30)
    }

    /// For tests of the tables' limits.
    init(_ effort: DeflateEffort, base: Int, partLimit: Int) {
        precondition(base > 0 && partLimit > 0 && partLimit <= 1 << 30)
        self.effort = effort
        self.base = base
        self.partLimit = partLimit
        heads.initialize(repeating: 0, count: DeflateWindow.headCount)
        links.initialize(repeating: 0, count: DeflateWindow.linkCount)
        digits.initialize(repeating: 0, count: DeflateGuidedParser.digitsCount)
    }

    deinit {
        heads.deallocate()
        links.deallocate()
        digits.deallocate()
    }

    /// The most bytes that an input of `count` bytes becomes.
    ///
    /// A block is never longer than its bytes stored: 5 bytes beside each 65,535, and at most one
    /// for the block before it that ended within a byte. Blocks have 49,000 bytes or more, but for
    /// the last of each part.
    package func bound(of count: Int) -> Int {
        count + (count / 32_768 + count / partLimit + 2) * 6 + DeflateBitWriter.slack
    }

    /// Appends a deflate stream that holds `input`.
    ///
    /// - Complexity: O(`input.count`), in steady state without an allocation but for `output`'s growth.
    package func compress(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        output.append(upTo: bound(of: input.count)) { compress(input, to: $0) }
    }

    /// Writes a deflate stream that holds `input`.
    ///
    /// - Parameters:
    ///   - notes: What is known to repeat, by rising position. Without notes an input is searched
    ///     throughout, and so is one that is cut into parts.
    ///   - memory: Has room for ``bound(of:)`` bytes.
    /// - Returns: The stream's length.
    func compress(
        _ input: UnsafeRawBufferPointer,
        notes: UnsafeBufferPointer<DeflateRepeat> = UnsafeBufferPointer(start: nil, count: 0),
        to memory: UnsafeMutableRawPointer
    ) -> Int {
        var writer = DeflateBitWriter(memory)
        if !notes.isEmpty, !input.isEmpty, input.count <= partLimit {
            compress(input, notes: notes, to: &writer)
            writer.align()
            return writer.byteCount
        }
        var rest = input
        repeat {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(partLimit))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(partLimit))
            compressPart(part, isFinal: rest.isEmpty, to: &writer)
        } while !rest.isEmpty
        writer.align()
        return writer.byteCount
    }

    private func compressPart(
        _ part: UnsafeRawBufferPointer, isFinal: Bool, to writer: inout DeflateBitWriter
    ) {
        guard let source = part.baseAddress, !part.isEmpty else {
            // Nothing, as zlib writes it: a block with fixed codes that ends at once.
            block.write(part, isFinal: isFinal, to: &writer)
            return
        }
        var parser = DeflateParser(window(source, part.count))
        repeat {
            let start = parser.position
            switch effort {
            case .small: parser.fillSmall(&block)
            case .fast: parser.fillFast(&block)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: part[start..<parser.position])
            block.write(bytes, isFinal: isFinal && parser.isAtEnd, to: &writer)
        } while !parser.isAtEnd
        base += part.count
    }
    /// As ``compressPart(_:isFinal:to:)``, of an input that is not empty.
    private func compress(
        _ input: UnsafeRawBufferPointer, notes: UnsafeBufferPointer<DeflateRepeat>,
        to writer: inout DeflateBitWriter
    ) {
        guard let source = input.baseAddress else { return }
        var parser = DeflateGuidedParser(window(source, input.count), notes: notes, digits: digits)
        repeat {
            let start = parser.position
            parser.fill(&block)
            let bytes = UnsafeRawBufferPointer(rebasing: input[start..<parser.position])
            block.write(bytes, isFinal: parser.isAtEnd, to: &writer)
        } while !parser.isAtEnd
        base += input.count
    }

    /// The window of an input that is next.
    private func window(_ source: UnsafeRawPointer, _ count: Int) -> DeflateWindow {
        if base + count > Int(UInt32.max) {
            base = 1
            heads.update(repeating: 0, count: DeflateWindow.headCount)
        }
        return DeflateWindow(source: source, count: count, base: base, heads: heads, links: links)
    }
}
