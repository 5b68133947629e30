import CSnappy

/// Raw Snappy blocks: the length of the content as a varint, then literals and copies
/// (format_description.txt of github.com/google/snappy; not the framing format), as GrowingIO's
/// Android and Python SDKs send them (`X-Compress-Codec: 2`).
///
/// Behind both ways is the system's libsnappy.
package enum SnappyBlock {
    /// The most bytes that one block may hold: the length is one of 32 bits.
    package static let sizeLimit = Int(UInt32.max)

    /// Appends one block that holds `input`. O(`input`).
    ///
    /// - Precondition: `input` has at most ``sizeLimit`` bytes.
    package static func encode(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        precondition(input.count <= sizeLimit, "a Snappy block holds at most \(sizeLimit) bytes")
        // libsnappy is not said to take a null pointer, not even for nothing.
        guard let source = input.baseAddress else {
            output.append(0 as UInt8)
            return
        }
        let bound = snappy_max_compressed_length(input.count)
        output.append(upTo: bound) { memory in
            var written = bound
            let status = snappy_compress(
                source.assumingMemoryBound(to: CChar.self), input.count,
                memory.assumingMemoryBound(to: CChar.self), &written)
            // It fails for too small a buffer alone.
            precondition(status == SNAPPY_OK)
            return written
        }
    }

    /// Appends one block that holds what `input` holds; see ``encode(_:into:)``.
    package static func encode(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        input.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Appends the content of a block.
    ///
    /// - Parameters:
    ///   - input: The whole block and nothing else.
    ///   - limit: The most bytes to decode to. A block that claims more than it can hold fails
    ///     without memory for the claim.
    ///   - output: Where the content goes.
    /// - Throws: ``BlockError``; then `output` is as before.
    package static func decode(
        _ input: UnsafeRawBufferPointer, limit: Int, into output: inout WireBuffer
    ) throws(BlockError) {
        precondition(limit >= 0)
        guard let base = input.baseAddress, !input.isEmpty else { throw .truncated(offset: 0) }
        let source = base.assumingMemoryBound(to: CChar.self)
        var size = 0
        guard snappy_uncompressed_length(source, input.count, &size) == SNAPPY_OK else {
            throw .corrupt(offset: 0)
        }
        guard size <= limit else { throw .tooLarge(limit: limit) }
        // A copy of three bytes yields 64 bytes at most, one of two 11: nothing shrinks further.
        guard size / 22 <= input.count else { throw .corrupt(offset: 0) }
        let start = output.count
        var isDecoded = false
        // One byte more than allowed is never used, so that the memory is never empty.
        output.append(upTo: size + 1) { memory in
            var written = size
            let target = memory.assumingMemoryBound(to: CChar.self)
            isDecoded = snappy_uncompress(source, input.count, target, &written) == SNAPPY_OK
            return isDecoded ? written : 0
        }
        guard isDecoded, output.count - start == size else {
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
}
