import CLZ4

/// Raw LZ4 blocks: no frame, no magic number, no stored length (doc/lz4_Block_format.md of
/// github.com/lz4/lz4), as GrowingIO's iOS SDK sends them (`X-Compress-Codec: 3`).
///
/// Behind both ways is the system's liblz4. Its output differs by version and so from an app's own
/// copy; any LZ4 decoder reads it.
package enum LZ4Block {
    /// The most bytes that one block may hold (`LZ4_MAX_INPUT_SIZE`).
    package static let sizeLimit = 0x7E00_0000

    /// Appends one block that holds `input`; for no bytes it is a single zero.
    ///
    /// O(`input`); 16 kB of stack.
    ///
    /// - Precondition: `input` has at most ``sizeLimit`` bytes.
    package static func encode(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        precondition(input.count <= sizeLimit, "an LZ4 block holds at most \(sizeLimit) bytes")
        let bound = LZ4_compressBound(Int32(input.count))
        output.append(upTo: Int(bound)) { memory in
            let written = LZ4_compress_default(
                input.baseAddress, memory.assumingMemoryBound(to: CChar.self), Int32(input.count), bound)
            // The bound is liblz4's promise; 0 would mean that it broke it.
            precondition(written > 0)
            return Int(written)
        }
    }

    /// Appends one block that holds what `input` holds; see ``encode(_:into:)``.
    package static func encode(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Appends the content of a block.
    ///
    /// A block does not say how much it holds, but a walk over its sequences does: so memory is taken
    /// once, and none of it for a block that holds too much. O(`input` + content).
    ///
    /// - Parameters:
    ///   - input: The whole block and nothing else.
    ///   - limit: The most bytes to decode to; LZ4 shrinks to 1/255 at best.
    ///   - output: Where the content goes.
    /// - Throws: ``BlockError``; then `output` is as before.
    package static func decode(
        _ input: UnsafeRawBufferPointer, limit: Int, into output: inout WireBuffer
    ) throws(BlockError) {
        precondition(limit >= 0)
        guard input.count <= sizeLimit else { throw .tooLarge(limit: limit) }
        let size = try contentSize(of: input, limit: min(limit, sizeLimit))
        let start = output.count
        var isDecoded = false
        // One byte more than allowed is never used, so that the memory is never empty.
        output.append(upTo: size + 1) { memory in
            let written = LZ4_decompress_safe(
                input.baseAddress, memory.assumingMemoryBound(to: CChar.self), Int32(input.count), Int32(size)
            )
            isDecoded = written == size
            return isDecoded ? size : 0
        }
        // What the walk let pass: a match too close to the block's end.
        guard isDecoded else {
            output.truncate(to: start)
            throw .corrupt(offset: 0)
        }
    }

    /// Appends the content of a block; see ``decode(_:limit:into:)``.
    ///
    /// - Throws: ``BlockError``; then `output` is as before.
    package static func decode(
        _ input: borrowing WireBuffer, limit: Int, into output: inout WireBuffer
    ) throws(BlockError) {
        try input.withUnsafeBytes { bytes throws(BlockError) in
            try decode(bytes, limit: limit, into: &output)
        }
    }

    /// How many bytes a block holds, by the lengths of its literals and matches.
    private static func contentSize(of block: UnsafeRawBufferPointer, limit: Int) throws(BlockError) -> Int {
        var position = 0
        var size = 0
        while true {
            let sequence = position
            guard position < block.count else { throw .truncated(offset: sequence) }
            let token = block[position]
            position += 1
            let literals = try length(Int(token >> 4), of: block, at: &position)
            guard literals <= block.count - position else { throw .truncated(offset: sequence) }
            position += literals
            size += literals
            guard size <= limit else { throw .tooLarge(limit: limit) }
            // The last sequence is one of literals alone.
            if position == block.count { return size }
            guard block.count - position >= 2 else { throw .truncated(offset: sequence) }
            let distance = Int(block[position]) | Int(block[position + 1]) << 8
            guard distance > 0, distance <= size else { throw .corrupt(offset: position) }
            position += 2
            size += try length(Int(token & 15), of: block, at: &position) + 4
            guard size <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    /// A length of four bits, with the bytes that continue it where they are all ones.
    private static func length(
        _ nibble: Int, of block: UnsafeRawBufferPointer, at position: inout Int
    ) throws(BlockError) -> Int {
        var length = nibble
        guard nibble == 15 else { return length }
        let start = position
        while true {
            guard position < block.count else { throw .truncated(offset: start) }
            let byte = block[position]
            position += 1
            length += Int(byte)
            if byte < 255 { return length }
        }
    }
}
