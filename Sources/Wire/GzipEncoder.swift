import CLibdeflate

/// A gzip compressor (RFC 1952) over libdeflate, to be made once and used for every body.
///
/// The header is what zlib's `deflateInit2` with 16 added to the window bits writes: no name, no
/// time, and an operating system's number. Not thread-safe; one per thread, about 300 kB or, above
/// level 9, some megabytes.
package final class GzipEncoder {
    /// libdeflate's level, 1 (fastest) to 12 (smallest).
    package let level: Int

    private let compressor: OpaquePointer
    private let operatingSystem: UInt8

    /// The header's number for Unix, as zlib writes it on Linux (RFC 1952, section 2.3.1).
    package static let unix: UInt8 = 3

    /// The header's number that zlib writes on Apple's systems since version 1.2.9 (zutil.h).
    package static let darwin: UInt8 = 19

    /// Makes a compressor.
    ///
    /// - Parameters:
    ///   - level: 1 (fastest) to 12 (smallest); 6 is as small as zlib's 6.
    ///   - operatingSystem: The header's number, ``unix`` or ``darwin``.
    package init(level: Int = 6, operatingSystem: UInt8 = GzipEncoder.unix) {
        precondition((1...12).contains(level), "libdeflate's levels are 1 to 12")
        guard let compressor = libdeflate_alloc_compressor(Int32(level)) else {
            preconditionFailure("no memory for a compressor")
        }
        self.level = level
        self.operatingSystem = operatingSystem
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Appends one gzip member that holds `input`.
    package func compress(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        // libdeflate forbids a null pointer even for nothing.
        guard let source = input.baseAddress else {
            var nothing: UInt8 = 0
            withUnsafeBytes(of: &nothing) { compress(from: $0.baseAddress, count: 0, into: &output) }
            return
        }
        compress(from: source, count: input.count, into: &output)
    }

    /// Appends one gzip member that holds what `input` holds.
    package func compress(_ input: borrowing WireBuffer, into output: inout WireBuffer) {
        input.withUnsafeBytes { compress($0, into: &output) }
    }

    private func compress(from source: UnsafeRawPointer?, count: Int, into output: inout WireBuffer) {
        let bound = libdeflate_gzip_compress_bound(compressor, count)
        output.append(upTo: bound) { memory in
            let written = libdeflate_gzip_compress(compressor, source, count, memory, bound)
            // The bound is libdeflate's promise; 0 would mean that it broke it.
            precondition(written >= 18)
            // zlib's rule for byte 8: 2 for its level 9, 4 for its level 1, else 0.
            let extra: UInt8 = level >= 9 ? 2 : level < 2 ? 4 : 0
            memory.storeBytes(of: extra, toByteOffset: 8, as: UInt8.self)
            memory.storeBytes(of: operatingSystem, toByteOffset: 9, as: UInt8.self)
            return written
        }
    }
}
