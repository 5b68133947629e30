import CLibdeflate

/// A decompressor over libdeflate of what HTTP calls `deflate` (RFC 9110, 8.4.1.2): zlib's stream (RFC 1950), or the bare one
/// (RFC 1951) that some servers send in its place, and every client takes.
///
/// Not thread-safe; one per thread, about 40 kB.
package final class ZlibDecoder {
    /// The most bytes that one call decodes to.
    package let limit: Int

    private let decompressor = Decompressor()

    /// Makes a decompressor.
    ///
    /// - Parameter limit: The most bytes that one call may decode to; the guard against bombs.
    package init(limit: Int = 64 << 20) {
        precondition(limit >= 0)
        self.limit = limit
    }

    /// Appends the content of the one stream that `input` is.
    ///
    /// - Throws: ``GzipError``; then `output` is as before.
    package func decompress(
        _ input: UnsafeRawBufferPointer, into output: inout WireBuffer
    ) throws(GzipError) {
        guard !input.isEmpty else { throw .truncated }
        let start = output.count
        let hasHeader = ZlibDecoder.hasHeader(input)
        var consumed = 0
        try output.appendUnpacked(guess: max(4096, input.count * 8), room: limit, limit: limit) {
            hasHeader
                ? libdeflate_zlib_decompress_ex(
                    decompressor.pointer, input.baseAddress, input.count, $0, $1, &consumed, &$2)
                : libdeflate_deflate_decompress_ex(
                    decompressor.pointer, input.baseAddress, input.count, $0, $1, &consumed, &$2)
        }
        guard consumed == input.count else {
            output.truncate(to: start)
            throw .corrupt
        }
    }

    /// Whether a stream begins as zlib's does (RFC 1950, 2.2). A bare one would begin with a stored block whose padding is
    /// not zero, which no compressor writes.
    private static func hasHeader(_ input: UnsafeRawBufferPointer) -> Bool {
        guard input.count >= 2, input[0] & 0x0F == 8 else { return false }
        return (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
    }
}
