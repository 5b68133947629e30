import CZstd

/// A compressor of Zstandard (RFC 8878), to be made once and used for many frames.
///
/// Behind it is the system's libzstd, on the calling thread alone, so that the same calls give the same bytes.
/// Not thread-safe; one per thread, some megabytes at level 3.
package final class ZstdEncoder {
    /// libzstd's levels without those that need more memory to read.
    package static let levels = 1...19

    private let context: OpaquePointer

    /// Makes a compressor.
    ///
    /// - Parameters:
    ///   - level: 1 (fastest) to 19 (smallest); 3 is libzstd's own default.
    ///   - hasChecksum: Whether each frame ends with a sum of its content.
    package init(level: Int = 3, hasChecksum: Bool = false) {
        precondition(ZstdEncoder.levels.contains(level), "libzstd's levels are 1 to 19 here")
        guard let context = ZSTD_createCCtx() else { preconditionFailure("no memory for a compressor") }
        self.context = context
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level))
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0)
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Appends one frame that holds `input`. A frame that ``stream(_:isLast:into:)`` has begun is given up.
    package func compress(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
        let bound = ZSTD_compressBound(input.count)
        output.append(upTo: bound) { memory in
            let written = ZSTD_compress2(context, memory, bound, input.baseAddress, input.count)
            // The bound is libzstd's promise; without memory it fails, as every allocation does.
            precondition(ZSTD_isError(written) == 0)
            return written
        }
    }

    /// Goes on with a frame: what comes out may belong to input of earlier calls.
    ///
    /// - Parameter isLast: Whether the frame ends with this input.
    package func stream(_ input: UnsafeRawBufferPointer, isLast: Bool, into output: inout WireBuffer) {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        let room = ZSTD_CStreamOutSize()
        var isDone = false
        while !isDone {
            output.append(upTo: room) { memory in
                var target = ZSTD_outBuffer(dst: memory, size: room, pos: 0)
                let left = ZSTD_compressStream2(
                    context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
                precondition(ZSTD_isError(left) == 0)
                isDone = isLast ? left == 0 : source.pos == source.size
                return target.pos
            }
        }
    }
}
