import CLibdeflate

/// A gzip compressor (RFC 1952), to be made once and used for every body.
///
/// Behind it is libdeflate at one of its levels, or ``DeflateEncoder``, which is made for event
/// batches. The header is what zlib's `deflateInit2` with 16 added to the window bits writes: no
/// name, no time, and an operating system's number. Not thread-safe; one per thread, about 300 kB,
/// or 750 kB for batches, or above libdeflate's level 9 some megabytes.
package final class GzipEncoder {
    /// libdeflate's level, 1 (fastest) to 12 (smallest); for batches, that of short bodies.
    package let level: Int

    /// The default of what is long enough to be a batch, in bytes: with less to repeat, libdeflate's
    /// output is smaller, by some percent for five events or 5 kB.
    package static let batchFrom = 8192

    private let compressor: OpaquePointer
    private let deflate: DeflateEncoder?
    private let deflateFrom: Int
    private let operatingSystem: UInt8

    /// The header's number for Unix, as zlib writes it on Linux (RFC 1952, section 2.3.1).
    package static let unix: UInt8 = 3

    /// The header's number that zlib writes on Apple's systems since version 1.2.9 (zutil.h).
    package static let darwin: UInt8 = 19

    private static let headerSize = 10
    private static let trailerSize = 8

    /// Makes a compressor.
    ///
    /// - Parameters:
    ///   - level: 1 (fastest) to 12 (smallest); 6 is as small as zlib's 6.
    ///   - operatingSystem: The header's number, ``unix`` or ``darwin``.
    package convenience init(level: Int = 6, operatingSystem: UInt8 = GzipEncoder.unix) {
        self.init(level: level, deflate: nil, operatingSystem: operatingSystem)
    }

    /// Makes a compressor for batches of events.
    ///
    /// - Parameters:
    ///   - effort: How much work goes into small output.
    ///   - from: Bodies of fewer bytes get libdeflate's level 6 instead.
    ///   - operatingSystem: The header's number, ``unix`` or ``darwin``.
    package convenience init(
        batches effort: DeflateEffort, from: Int = GzipEncoder.batchFrom,
        operatingSystem: UInt8 = GzipEncoder.unix
    ) {
        self.init(level: 6, deflate: DeflateEncoder(effort), from: from, operatingSystem: operatingSystem)
    }

    init(level: Int, deflate: DeflateEncoder?, from: Int = 0, operatingSystem: UInt8 = GzipEncoder.unix) {
        precondition((1...12).contains(level), "libdeflate's levels are 1 to 12")
        guard let compressor = libdeflate_alloc_compressor(Int32(level)) else {
            preconditionFailure("no memory for a compressor")
        }
        self.level = level
        self.deflate = deflate
        deflateFrom = from
        self.operatingSystem = operatingSystem
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Appends one gzip member that holds `input`.
    package func compress(_ input: UnsafeRawBufferPointer, into output: inout WireBuffer) {
        if let deflate, input.count >= deflateFrom {
            let none = UnsafeBufferPointer<DeflateRepeat>(start: nil, count: 0)
            compress(input, notes: none, with: deflate, into: &output)
            return
        }
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

    /// Whether it is worth knowing what repeats in an input. The fast effort is as fast without.
    package var takesNotes: Bool { deflate?.effort == .small }

    /// Appends one gzip member that holds what `input` holds, of which is known what repeats.
    ///
    /// Short bodies, and encoders that do not take notes (``takesNotes``), do without.
    package func compress(
        _ input: borrowing WireBuffer, repeating log: RepeatLog, into output: inout WireBuffer
    ) {
        input.withUnsafeBytes { input in
            guard let deflate, takesNotes, input.count >= deflateFrom else {
                return compress(input, into: &output)
            }
            compress(input, notes: log.entries, with: deflate, into: &output)
        }
    }

    private func compress(from source: UnsafeRawPointer?, count: Int, into output: inout WireBuffer) {
        let bound = libdeflate_gzip_compress_bound(compressor, count)
        output.append(upTo: bound) { memory in
            let written = libdeflate_gzip_compress(compressor, source, count, memory, bound)
            // The bound is libdeflate's promise; 0 would mean that it broke it.
            precondition(written >= Self.headerSize + Self.trailerSize)
            writeHeader(to: memory)
            return written
        }
    }

    private func compress(
        _ input: UnsafeRawBufferPointer, notes: UnsafeBufferPointer<DeflateRepeat>,
        with deflate: DeflateEncoder, into output: inout WireBuffer
    ) {
        output.append(upTo: Self.headerSize + deflate.bound(of: input.count) + Self.trailerSize) { memory in
            writeHeader(to: memory)
            let end = Self.headerSize + deflate.compress(input, notes: notes, to: memory + Self.headerSize)
            let checksum = libdeflate_crc32(0, input.baseAddress, input.count)
            let size = UInt32(truncatingIfNeeded: input.count)
            memory.storeBytes(of: checksum.littleEndian, toByteOffset: end, as: UInt32.self)
            memory.storeBytes(of: size.littleEndian, toByteOffset: end + 4, as: UInt32.self)
            return end + Self.trailerSize
        }
    }

    private func writeHeader(to memory: UnsafeMutableRawPointer) {
        // Magic number, method, no flags, no time (four bytes).
        memory.storeBytes(of: (0x08_8B1F as UInt64).littleEndian, as: UInt64.self)
        // zlib's rule for byte 8: 2 for its level 9, 4 for its level 1, else 0.
        let extra: UInt8 = level >= 9 ? 2 : level < 2 ? 4 : 0
        memory.storeBytes(of: extra, toByteOffset: 8, as: UInt8.self)
        memory.storeBytes(of: operatingSystem, toByteOffset: 9, as: UInt8.self)
    }
}
