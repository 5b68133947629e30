import CLibdeflate

/// A zlib compressor (RFC 1950) over libdeflate, to be made once and used for every body.
///
/// Not thread-safe; one per thread, about 300 kB.
package final class ZlibEncoder {
    private let compressor: OpaquePointer

    /// Makes a compressor.
    ///
    /// - Parameter level: 1 (fastest) to 12 (smallest).
    package init(level: Int = 6) {
        precondition((1...12).contains(level), "libdeflate's levels are 1 to 12")
        guard let compressor = libdeflate_alloc_compressor(Int32(level)) else {
            preconditionFailure("no memory for a compressor")
        }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Appends one zlib stream that holds what `input` holds.
    package func compress(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        precondition(!input.isEmpty, "libdeflate forbids a null pointer")
        input.withUnsafeBytes { bytes in
            let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
            output.append(upTo: bound) { memory in
                let written = libdeflate_zlib_compress(
                    compressor, bytes.baseAddress, bytes.count, memory, bound)
                // The bound is libdeflate's promise; 0 would mean that it broke it.
                precondition(written >= 6)
                return written
            }
        }
    }
}
